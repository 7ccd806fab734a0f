#include "taut/haptics/grasp_session.hpp"

#include <fmt/core.h>

#include "taut/base/error.hpp"
#include "taut/hand/ghost.hpp"

namespace taut::haptics {
namespace {

RunOptions options_of(const SessionOptions& options) {
  RunOptions out;
  out.step = options.step;
  out.contact_solver = options.contact_solver;
  return out;
}

const hand::Hand& hand_of(const System& system, int number) {
  const auto hands = hand::hands_of(system);
  if (number < 0 || static_cast<std::size_t>(number) >= hands.size())
    throw Error(fmt::format("found no hand number {}, expected one of the {} of the scene", number,
                            hands.size()));
  return hands[static_cast<std::size_t>(number)];
}

}  // namespace

struct GraspSession::Impl {
  Impl(System given, int number, const SessionOptions& options)
      : system(std::move(given)),
        filter(hand_of(system, number).ghost->pose(0), options.ghost),
        feedback(options.feedback),
        method(make_method(options.method)),
        h(options.step) {
    hand::HandState start;
    static_cast<hand::HandPose&>(start) = filter.ghost();
    ghost = std::make_shared<hand::HeldGhost>(hand_of(system, number).model, start);
    hand::set_ghost(system, number, ghost);
    hand = &hand_of(system, number);
    stepping =
        std::make_unique<Stepping>(system, system.initial_state(), *method, options_of(options));
  }

  bool step(const std::optional<devices::HandSample>& sample) {
    const State& before = stepping->state();
    ghost->put(filter.step(sample, h), before.time + h);
    if (!stepping->step()) {
      feedback.step(*hand, {}, {}, true, h);
      return false;
    }
    const State& state = stepping->state();
    pose.set(system, state.q);
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      const BodySlot& slot = system.slot(hand->bodies[i]);
      limbs[i].position = pose.position(slot.q);
      limbs[i].rotation = pose.rotations[static_cast<std::size_t>(slot.rigid)];
    }
    feedback.step(*hand, limbs, ghost->limbs(state.time), filter.is_stale(), h);
    return true;
  }

  System system;
  GhostFilter filter;
  ForceFeedback feedback;
  std::unique_ptr<Method> method;
  double h;
  std::shared_ptr<hand::HeldGhost> ghost;
  const hand::Hand* hand = nullptr;
  std::unique_ptr<Stepping> stepping;
  Pose pose;
  hand::LimbStates limbs;
};

GraspSession::GraspSession(System system, int hand, const SessionOptions& options)
    : impl_(std::make_unique<Impl>(std::move(system), hand, options)) {}
GraspSession::~GraspSession() = default;

bool GraspSession::step(const std::optional<devices::HandSample>& sample) {
  return impl_->step(sample);
}
const devices::HandForces& GraspSession::forces() const { return impl_->feedback.forces(); }
const System& GraspSession::system() const { return impl_->system; }
const State& GraspSession::state() const { return impl_->stepping->state(); }
const RunReport& GraspSession::report() const { return impl_->stepping->report(); }
const GhostFilter& GraspSession::ghost() const { return impl_->filter; }
double GraspSession::energy(int finger) const { return impl_->feedback.energy(finger); }

}  // namespace taut::haptics
