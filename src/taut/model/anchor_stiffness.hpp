// From second derivatives with respect to anchors to second derivatives with respect to bodies: the
// chain rule that constraints and springs share.
//
// Let E(x) be λᵀC or a potential, K = ∂²E/∂x², n_k = ∂E/∂x_k, and P = ∂x/∂q. Then
//   ∂²E/∂q² = Pᵀ K P + Σ_k ∂²(n_k·x_k)/∂q².
// For a turn θ of the body x'' = R θ×(θ×l), so the last term is sym(m lᵀ) − (m·l) 1, m = R⁻¹n.
#pragma once

#include <array>
#include <cmath>

#include "taut/base/types.hpp"
#include "taut/model/point.hpp"
#include "taut/model/pose.hpp"
#include "taut/model/rotation.hpp"
#include "taut/model/rows.hpp"

namespace taut {

/// The turning part for one anchor. Its eigenvalues are known: with c = cos∠(m, l), along m̂ + l̂ it
/// is ½|m||l|(1 − c), along m̂ − l̂ −½|m||l|(1 + c), along m × l −|m||l|c; so its positive part is
/// too.
inline Mat3 turning_stiffness(const Vec3& m, const Vec3& l, Definiteness wanted) {
  const double along = m.dot(l);
  if (wanted == Definiteness::exact)
    return 0.5 * (m * l.transpose() + l * m.transpose()) - along * Mat3::Identity();
  const double size = m.norm() * l.norm();
  if (!(size > 0)) return Mat3::Zero();
  const double c = along / size;
  const Vec3 axis = l.normalized(), sum = m.normalized() + axis;
  if (c < -0.999999) return size * (Mat3::Identity() - axis * axis.transpose());
  Mat3 positive = (0.5 * size * (1 - c) / sum.squaredNorm()) * sum * sum.transpose();
  const Vec3 across = m.cross(l);
  if (c < 0) positive += (-along / across.squaredNorm()) * across * across.transpose();
  return positive;
}

/// A second derivative with respect to up to seven anchors.
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 21, 21>;

/// Leaves out the negative eigenvalues.
void keep_positive_part(SmallMatrix& symmetric);

namespace detail {

using Mat36 = Eigen::Matrix<double, 3, 6>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

// δx = s·δp − R [l]× δθ; a particle uses the first three columns.
inline Mat36 motion_map(const Pose& pose, const Anchor& anchor) {
  Mat36 P = Mat36::Zero();
  const BodySlot& slot = pose.slots[anchor.body.index];
  if (!anchor.is_direction) P.leftCols<3>().setIdentity();
  if (slot.rigid >= 0)
    P.rightCols<3>() =
        -pose.rotations[static_cast<std::size_t>(slot.rigid)] * cross_matrix(anchor.local);
  return P;
}

inline void add_block(const Mat6& full, const StiffnessBlock& block, double* values) {
  Eigen::Map<MatX>(values + block.value, block.rows, block.cols) +=
      full.topLeftCorner(block.rows, block.cols);
}

}  // namespace detail

/// Of two anchors: whether each is a particle of its own.
[[gnu::always_inline]] inline bool are_two_particles(const int* body_of, const PairBlocks& blocks) {
  return body_of[0] >= 0 && body_of[1] >= 0 && body_of[0] != body_of[1] && blocks[0].rows == 3 &&
         blocks[2].rows == 3;
}

/// Adds [k −k; −k k] of two particles.
[[gnu::always_inline]] inline void add_pair_stiffness(const Mat3& k, const PairBlocks& blocks,
                                                      double* values) {
  Eigen::Map<Mat3>(values + blocks[0].value) += k;
  Eigen::Map<Mat3>(values + blocks[1].value) -= k;
  Eigen::Map<Mat3>(values + blocks[2].value) += k;
}

/// Adds, for each pair of anchors, all of them particles, `stiffness` times 1.
template <int K>
[[gnu::always_inline]] inline void add_isotropic_stiffness(
    const int* body_of, const Eigen::Matrix<double, K, K>& stiffness, const PairBlocks& blocks,
    double* values) {
  for (int k = 0; k < K; ++k) {
    const int body = body_of[k];
    for (int l = 0; l < K; ++l) {
      const int other = body_of[l];
      if (other < 0 || other > body) continue;
      const StiffnessBlock& block = blocks[body * (body + 1) / 2 + other];
      double* to = values + block.value;
      to[0] += stiffness(k, l);
      if (block.is_scalar) continue;
      to[4] += stiffness(k, l);
      to[8] += stiffness(k, l);
    }
  }
}

/// Adds ∂²E/∂q² to the blocks of the pattern, the lower half. `body_of` has for each anchor which
/// of the bodies touched it is on, −1: world.
template <int K>
[[gnu::always_inline]] inline void add_anchor_stiffness(
    const Pose& pose, const std::array<Anchor, K>& anchors, const int* body_of,
    const Eigen::Matrix<double, 3 * K, 3 * K>& curvature, const Columns<double, K>& gradient,
    Definiteness wanted, const PairBlocks& blocks, double* values) {
  if constexpr (K == 2) {  // two particles: P = 1
    const int first = body_of[0], second = body_of[1];
    if (first + second == 1 && first >= 0 && second >= 0 && blocks[0].rows == 3 &&
        blocks[2].rows == 3 && !anchors[0].is_direction && !anchors[1].is_direction) [[likely]] {
      const Mat3 across = first == 0 ? Mat3(curvature.template bottomLeftCorner<3, 3>())
                                     : Mat3(curvature.template topRightCorner<3, 3>());
      Eigen::Map<Mat3>(values + blocks[2 * first].value) +=
          curvature.template topLeftCorner<3, 3>();
      Eigen::Map<Mat3>(values + blocks[1].value) += across;
      Eigen::Map<Mat3>(values + blocks[2 * second].value) +=
          curvature.template bottomRightCorner<3, 3>();
      return;
    }
  }
  for (int k = 0; k < K; ++k) {
    const int body = body_of[k];
    if (body < 0) continue;
    const bool rigid = pose.slots[anchors[k].body.index].rigid >= 0;
    for (int l = 0; l < K; ++l) {
      const int other = body_of[l];
      if (other < 0 || other > body) continue;
      const StiffnessBlock& block = blocks[body * (body + 1) / 2 + other];
      if (K > 2 && curvature.template block<3, 3>(3 * k, 3 * l).isZero(0)) continue;
      if (block.rows == 3 && block.cols == 3 && !anchors[k].is_direction &&
          !anchors[l].is_direction) {
        Eigen::Map<Mat3>(values + block.value) += curvature.template block<3, 3>(3 * k, 3 * l);
        continue;
      }
      detail::add_block(detail::motion_map(pose, anchors[k]).transpose() *
                            curvature.template block<3, 3>(3 * k, 3 * l) *
                            detail::motion_map(pose, anchors[l]),
                        block, values);
    }
    if (rigid) {
      const std::size_t i = static_cast<std::size_t>(pose.slots[anchors[k].body.index].rigid);
      detail::Mat6 turn = detail::Mat6::Zero();
      turn.bottomRightCorner<3, 3>() =
          turning_stiffness(pose.inverses[i] * gradient.col(k), anchors[k].local, wanted);
      detail::add_block(turn, blocks[body * (body + 1) / 2 + body], values);
    }
  }
}

}  // namespace taut
