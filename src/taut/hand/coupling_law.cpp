#include "taut/hand/coupling_law_internal.hpp"

namespace taut::hand::detail {
namespace {

Vec3 bounded(const Vec3& vector, double most) {
  const double length = vector.norm();
  return length > most ? Vec3(most / length * vector) : vector;
}

}  // namespace

LimbForce force_on(const LimbCoupling& law, const LimbState& ghost, const LimbState& limb) {
  LimbForce out;
  out.force =
      bounded(law.stiffness * (ghost.position - limb.position) + law.damping * ghost.velocity,
              law.most_force);
  out.force -= law.damping * limb.velocity;
  Vec3 turn = Vec3::Zero();
  for (int i = 0; i < 3; ++i) turn += Vec3(limb.rotation.col(i)).cross(Vec3(ghost.rotation.col(i)));
  out.torque =
      bounded(law.angular_stiffness * turn + 2 * law.angular_damping * ghost.angular_velocity,
              law.most_torque);
  out.torque -= 2 * law.angular_damping * limb.angular_velocity;
  return out;
}

LimbState limb_at(const System& system, const Pose& pose, const VecX& v, BodyId body) {
  const BodySlot& slot = system.slot(body);
  const Mat3& rotation = pose.rotations[static_cast<std::size_t>(slot.rigid)];
  return {pose.position(slot.q), rotation, v.segment<3>(slot.v),
          rotation * v.segment<3>(slot.v + 3)};
}

Vec3 gravity_of(const System& system) {
  Vec3 sum = Vec3::Zero();
  for (const auto& batch : system.all_forces()) sum += batch->uniform_acceleration();
  return sum;
}

void add_force(const System& system, const Pose& pose, const VecX& v, BodyId body,
               const LimbCoupling& law, const LimbState& ghost, const Vec3& gravity, VecX& F) {
  const BodySlot& slot = system.slot(body);
  const LimbForce on = force_on(law, ghost, limb_at(system, pose, v, body));
  F.segment<3>(slot.v) += on.force - system.mass(body) * gravity;
  F.segment<3>(slot.v + 3) += pose.inverses[static_cast<std::size_t>(slot.rigid)] * on.torque;
}

// Where limb and ghost are turned against each other, the angular spring is weaker than this; the
// step is then damped a little more than it would have to be.
void add_stiffness(const LimbCoupling& law, double rate, const RowPattern& pattern,
                   std::size_t number, VecX& K) {
  const PairBlocks blocks{pattern.coupling_blocks.data(),
                          pattern.coupling_pairs.data() + pattern.first_coupling_pair[number]};
  Eigen::Map<Eigen::Matrix<double, 6, 6>> block(K.data() + blocks[0].value);
  block.diagonal().head<3>().array() += law.stiffness + rate * law.damping;
  block.diagonal().tail<3>().array() += 2 * (law.angular_stiffness + rate * law.angular_damping);
}

}  // namespace taut::hand::detail
