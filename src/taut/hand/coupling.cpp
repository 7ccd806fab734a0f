#include "taut/hand/coupling.hpp"

#include "taut/hand/coupling_law_internal.hpp"

namespace taut::hand {

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
    out[i] = detail::force_on(hand.coupling[i], ghosts[i],
                              detail::limb_at(system, pose, state.v, hand.bodies[i]));
  return out;
}

LimbForces coupling_forces(const HandCoupling& coupling, const LimbStates& ghosts,
                           const LimbStates& limbs) {
  LimbForces out;
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = detail::force_on(coupling[i], ghosts[i], limbs[i]);
  return out;
}

void HandCouplings::add(const System& system, const Pose& pose, const VecX& v, double time,
                        VecX& F) const {
  const Vec3 gravity = detail::gravity_of(system);
  for (const Hand& hand : hands_) {
    const LimbStates ghosts = hand.ghost->limbs(time);
    for (std::size_t i = 0; i < ghosts.size(); ++i)
      detail::add_force(system, pose, v, hand.bodies[i], hand.coupling[i], ghosts[i], gravity, F);
  }
}

void HandCouplings::visit_couplings(
    const System&, const std::function<void(std::span<const Anchor>)>& visit) const {
  for (const Hand& hand : hands_)
    for (const BodyId body : hand.bodies) {
      const Anchor anchor = Point(body);
      visit(std::span(&anchor, 1));
    }
}

void HandCouplings::add_stiffness(const System&, const Pose&, const VecX&, double, double rate,
                                  const RowPattern& pattern, Start start, VecX& K) const {
  std::size_t number = static_cast<std::size_t>(start.coupling);
  for (const Hand& hand : hands_)
    for (const LimbCoupling& law : hand.coupling)
      detail::add_stiffness(law, rate, pattern, number++, K);
}

}  // namespace taut::hand
