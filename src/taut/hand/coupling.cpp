#include "taut/hand/coupling.hpp"

#include "taut/model/system.hpp"

namespace taut::hand {
namespace {

Vec3 bounded(const Vec3& vector, double most) {
  const double length = vector.norm();
  return length > most ? Vec3(most / length * vector) : vector;
}

Vec3 gravity_of(const System& system) {
  Vec3 sum = Vec3::Zero();
  for (const auto& batch : system.all_forces()) sum += batch->uniform_acceleration();
  return sum;
}

/// In the world's directions.
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

}  // namespace

std::span<const Hand> hands_of(const System& system) {
  for (const auto& batch : system.all_forces())
    if (const auto* couplings = dynamic_cast<const HandCouplings*>(batch.get()))
      return couplings->hands();
  return {};
}

void set_ghost(System& system, int hand, std::shared_ptr<const Ghost> ghost) {
  system.force_batch<HandCouplings>().hand(hand).ghost = std::move(ghost);
}

LimbForces coupling_forces(const Hand& hand, const System& system, const State& state) {
  const Pose pose(system, state.q);
  const LimbStates ghosts = hand.ghost->limbs(state.time);
  LimbForces out;
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = force_on(hand.coupling[i], ghosts[i], limb_at(system, pose, state.v, hand.bodies[i]));
  return out;
}

LimbForces coupling_forces(const HandCoupling& coupling, const LimbStates& ghosts,
                           const LimbStates& limbs) {
  LimbForces out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = force_on(coupling[i], ghosts[i], limbs[i]);
  return out;
}

void HandCouplings::add(const System& system, const Pose& pose, const VecX& v, double time,
                        VecX& F) const {
  const Vec3 gravity = gravity_of(system);
  for (const Hand& hand : hands_) {
    const LimbStates ghosts = hand.ghost->limbs(time);
    for (std::size_t i = 0; i < ghosts.size(); ++i) {
      const BodyId body = hand.bodies[i];
      const BodySlot& slot = system.slot(body);
      const LimbForce on = force_on(hand.coupling[i], ghosts[i], limb_at(system, pose, v, body));
      F.segment<3>(slot.v) += on.force - system.mass(body) * gravity;
      F.segment<3>(slot.v + 3) += pose.inverses[static_cast<std::size_t>(slot.rigid)] * on.torque;
    }
  }
}

void HandCouplings::add_between(const System& system, const Passage& passage, const VecX& v_mean,
                                VecX& F) const {
  add(system, passage.mean, v_mean, passage.time, F);
}

void HandCouplings::visit_couplings(
    const System&, const std::function<void(std::span<const Anchor>)>& visit) const {
  for (const Hand& hand : hands_)
    for (const BodyId body : hand.bodies) {
      const Anchor anchor = Point(body);
      visit(std::span(&anchor, 1));
    }
}

// Where limb and ghost are turned against each other, the angular spring is weaker than this; the
// step is then damped a little more than it would have to be.
void HandCouplings::add_stiffness(const System&, const Pose&, const VecX&, double, double rate,
                                  const RowPattern& pattern, Start start, VecX& K) const {
  std::size_t number = static_cast<std::size_t>(start.coupling);
  for (const Hand& hand : hands_)
    for (const LimbCoupling& law : hand.coupling) {
      const PairBlocks blocks{pattern.coupling_blocks.data(),
                              pattern.coupling_pairs.data() + pattern.first_coupling_pair[number]};
      Eigen::Map<Eigen::Matrix<double, 6, 6>> block(K.data() + blocks[0].value);
      block.diagonal().head<3>().array() += law.stiffness + rate * law.damping;
      block.diagonal().tail<3>().array() +=
          2 * (law.angular_stiffness + rate * law.angular_damping);
      ++number;
    }
}

}  // namespace taut::hand
