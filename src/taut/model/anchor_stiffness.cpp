#include "taut/model/anchor_stiffness.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/rotation.hpp"

namespace taut {
namespace {

using Mat36 = Eigen::Matrix<double, 3, 6>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

/// The turning part for one anchor. Its eigenvalues are known: with c = cos∠(m, l), along m̂ + l̂ it
/// is ½|m||l|(1 − c), along m̂ − l̂ −½|m||l|(1 + c), along m × l −|m||l|c; so its positive part is
/// too.
Mat3 turning_stiffness(const Vec3& m, const Vec3& l, Definiteness wanted) {
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

// δx = s·δp − R [l]× δθ; a particle uses the first three columns.
Mat36 motion_map(const Pose& pose, const Anchor& anchor) {
  Mat36 P = Mat36::Zero();
  const BodySlot& slot = pose.slots[anchor.body.index];
  if (!anchor.is_direction) P.leftCols<3>().setIdentity();
  if (slot.rigid >= 0)
    P.rightCols<3>() =
        -pose.rotations[static_cast<std::size_t>(slot.rigid)] * cross_matrix(anchor.local);
  return P;
}

void add_block(const Mat6& full, const StiffnessBlock& block, double* values) {
  double* to = values + block.value;
  for (int j = 0; j < block.cols; ++j)
    for (int i = 0; i < block.rows; ++i) *to++ += full(i, j);
}

bool is_zero(const Mat3& k) {
  return std::all_of(k.data(), k.data() + 9, [](double x) { return x == 0; });
}

}  // namespace

void add_anchor_stiffness(const Pose& pose, const Anchor* anchors, int count, const int* body_of,
                          const double* curvature, const double* gradient, Definiteness wanted,
                          const PairBlocks& blocks, double* values) {
  for (int k = 0; k < count; ++k) {
    const int body = body_of[k];
    if (body < 0) continue;
    const bool rigid = pose.slots[anchors[k].body.index].rigid >= 0;
    for (int l = 0; l < count; ++l) {
      const int other = body_of[l];
      if (other < 0 || other > body) continue;
      const StiffnessBlock& block = blocks[body * (body + 1) / 2 + other];
      Mat3 part;
      for (int j = 0; j < 3; ++j)
        std::copy_n(curvature + (3 * l + j) * 3 * count + 3 * k, 3, part.data() + 3 * j);
      if (count > 2 && is_zero(part)) continue;
      if (block.rows == 3 && block.cols == 3 && !anchors[k].is_direction &&
          !anchors[l].is_direction) {
        for (int i = 0; i < 9; ++i) values[block.value + i] += part.data()[i];
        continue;
      }
      add_block(motion_map(pose, anchors[k]).transpose() * part * motion_map(pose, anchors[l]),
                block, values);
    }
    if (rigid) {
      const std::size_t i = static_cast<std::size_t>(pose.slots[anchors[k].body.index].rigid);
      const Vec3 n(gradient + 3 * k);
      Mat6 turn = Mat6::Zero();
      turn.bottomRightCorner<3, 3>() =
          turning_stiffness(pose.inverses[i] * n, anchors[k].local, wanted);
      add_block(turn, blocks[body * (body + 1) / 2 + body], values);
    }
  }
}

}  // namespace taut
