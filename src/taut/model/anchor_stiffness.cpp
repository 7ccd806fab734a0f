#include "taut/model/anchor_stiffness.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/rotation.hpp"

namespace taut {
namespace {

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

/// ∂x/∂q of an anchor: δx = s·δp + A δθ, A = −R [l]×.
struct MotionMap {
  bool moves = false, turns = false;  // s = 1; there is an A
  Mat3 A;
};

MotionMap motion_map(const Pose& pose, const Anchor& anchor) {
  MotionMap map;
  const BodySlot& slot = pose.slots[anchor.body.index];
  map.moves = !anchor.is_direction;
  map.turns = slot.rigid >= 0;
  if (map.turns)
    map.A = -pose.rotations[static_cast<std::size_t>(slot.rigid)] * cross_matrix(anchor.local);
  return map;
}

/// Adds a part of a block, from (row, column) on.
void add_part(const Mat3& part, const StiffnessBlock& block, int row, int column, double* values) {
  double* to = values + block.value + column * block.rows + row;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) to[j * block.rows + i] += part(i, j);
}

/// Adds P_kᵀ K P_l.
void add_product(const MotionMap& k, const Mat3& K, const MotionMap& l, const StiffnessBlock& block,
                 double* values) {
  if (k.moves && l.moves) add_part(K, block, 0, 0, values);
  if (k.moves && l.turns) add_part(K * l.A, block, 0, 3, values);
  if (!k.turns) return;
  const Mat3 AtK = k.A.transpose() * K;
  if (l.moves) add_part(AtK, block, 3, 0, values);
  if (l.turns) add_part(AtK * l.A, block, 3, 3, values);
}

/// Of the 3 × 3 block at `block`, whose columns are `stride` apart.
bool is_zero(const double* block, int stride) {
  for (int j = 0; j < 3; ++j, block += stride)
    if (block[0] != 0 || block[1] != 0 || block[2] != 0) return false;
  return true;
}

}  // namespace

void add_anchor_stiffness(const Pose& pose, const Anchor* anchors, int count, const int* body_of,
                          const double* curvature, const double* gradient, Definiteness wanted,
                          const PairBlocks& blocks, double* values) {
  MotionMap maps[most_anchors];
  bool has_map[most_anchors] = {};
  const auto map_of = [&](int k) -> const MotionMap& {
    if (!has_map[k]) maps[k] = motion_map(pose, anchors[k]);
    has_map[k] = true;
    return maps[k];
  };
  for (int k = 0; k < count; ++k) {
    const int body = body_of[k];
    if (body < 0) continue;
    for (int l = 0; l < count; ++l) {
      const int other = body_of[l];
      if (other < 0 || other > body) continue;
      const double* from = curvature + 3 * l * 3 * count + 3 * k;
      if (is_zero(from, 3 * count)) continue;
      Mat3 part;
      for (int j = 0; j < 3; ++j) std::copy_n(from + j * 3 * count, 3, part.data() + 3 * j);
      add_product(map_of(k), part, map_of(l), blocks[body * (body + 1) / 2 + other], values);
    }
    const int rigid = pose.slots[anchors[k].body.index].rigid;
    if (rigid < 0) continue;
    const Vec3 m = pose.inverses[static_cast<std::size_t>(rigid)] * Vec3(gradient + 3 * k);
    add_part(turning_stiffness(m, anchors[k].local, wanted), blocks[body * (body + 1) / 2 + body],
             3, 3, values);
  }
}

}  // namespace taut
