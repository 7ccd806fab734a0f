// From second derivatives with respect to anchors to second derivatives with respect to bodies: the
// chain rule that constraints and springs share.
//
// Let E(x) be λᵀC or a potential, K = ∂²E/∂x², n_k = ∂E/∂x_k, and P = ∂x/∂q. Then
//   ∂²E/∂q² = Pᵀ K P + Σ_k ∂²(n_k·x_k)/∂q².
// For a turn θ of the body x'' = R θ×(θ×l), so the last term is sym(m lᵀ) − (m·l) 1, m = R⁻¹n.
#pragma once

#include <array>

#include "taut/base/types.hpp"
#include "taut/model/point.hpp"
#include "taut/model/pose.hpp"
#include "taut/model/rows.hpp"

namespace taut {

/// How many anchors a constraint or a force may depend on.
inline constexpr int most_anchors = 7;

/// Leaves out the negative eigenvalues of a symmetric matrix, of at most most_anchors anchors.
void keep_positive_part(double* symmetric, int size);

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

/// Adds ∂²E/∂q² to the blocks of the pattern, the lower half: of `count` anchors, with the
/// curvature (3·count × 3·count, by columns) and the gradient (3 per anchor). `body_of` has for
/// each anchor which of the bodies touched it is on, −1: world.
void add_anchor_stiffness(const Pose& pose, const Anchor* anchors, int count, const int* body_of,
                          const double* curvature, const double* gradient, Definiteness wanted,
                          const PairBlocks& blocks, double* values);

/// The same, quicker for two particles, which are most of what there is: P = 1.
template <int K>
[[gnu::always_inline]] inline void add_anchor_stiffness(
    const Pose& pose, const std::array<Anchor, K>& anchors, const int* body_of,
    const Eigen::Matrix<double, 3 * K, 3 * K>& curvature, const Columns<double, K>& gradient,
    Definiteness wanted, const PairBlocks& blocks, double* values) {
  if constexpr (K == 2) {
    const int first = body_of[0], second = body_of[1];
    if (first + second == 1 && first >= 0 && second >= 0 && blocks[0].rows == 3 &&
        blocks[2].rows == 3 && !anchors[0].is_direction && !anchors[1].is_direction) [[likely]] {
      const auto add = [&](int row, int column, const StiffnessBlock& block) {
        for (int j = 0; j < 3; ++j)
          for (int i = 0; i < 3; ++i)
            values[block.value + 3 * j + i] += curvature.data()[6 * (column + j) + row + i];
      };
      add(0, 0, blocks[2 * first]);
      if (first == 0) {
        add(3, 0, blocks[1]);
      } else {
        add(0, 3, blocks[1]);
      }
      add(3, 3, blocks[2 * second]);
      return;
    }
  }
  add_anchor_stiffness(pose, anchors.data(), K, body_of, curvature.data(), gradient.data(), wanted,
                       blocks, values);
}

}  // namespace taut
