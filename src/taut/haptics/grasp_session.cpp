#include "taut/haptics/grasp_session.hpp"

#include <fmt/core.h>

#include "taut/base/error.hpp"
#include "taut/hand/ghost.hpp"
#include "taut/haptics/transport.hpp"

namespace taut::haptics {
namespace {

RunOptions options_of(const SessionOptions& options) {
  RunOptions out;
  out.step = options.step;
  out.contact_solver = options.contact_solver;
  return out;
}

template <class Of>
const Of& one_of(std::span<const Of> all, int number, const char* what) {
  if (number < 0 || static_cast<std::size_t>(number) >= all.size())
    throw Error(fmt::format("found no {} number {}, expected one of the {} of the scene", what,
                            number, all.size()));
  return all[static_cast<std::size_t>(number)];
}
const hand::Hand& hand_of(const System& system, int number) {
  return one_of(hand::hands_of(system), number, "hand");
}
const hand::Stylus& stylus_of(const System& system, int number) {
  return one_of(hand::styluses_of(system), number, "stylus");
}

}  // namespace

struct GraspSession::Impl {
  Impl(System given, const hand::HandPose& start, const SessionOptions& all)
      : system(std::move(given)),
        filter(start, all.ghost),
        feedback(all.feedback),
        stylus_feedback(all.feedback),
        options(all),
        method(make_method(all.method)) {}

  void begin() {
    stepping =
        std::make_unique<Stepping>(system, system.initial_state(), *method, options_of(options));
  }
  void follow_hand(int number) {
    ghost = std::make_shared<hand::HeldGhost>(hand_of(system, number).model, filter.ghost());
    hand::set_ghost(system, number, ghost);
    hand = &hand_of(system, number);
    begin();
  }
  void follow_stylus(int number) {
    stylus_ghost = std::make_shared<hand::HeldStylus>();
    stylus_ghost->put(filter.ghost(), 0);
    hand::set_ghost(system, number, stylus_ghost);
    stylus = &stylus_of(system, number);
    begin();
  }

  hand::LimbState limb(BodyId body) const {
    const BodySlot& slot = system.slot(body);
    return {pose.position(slot.q), pose.rotations[static_cast<std::size_t>(slot.rigid)]};
  }
  void feel(bool is_stale) {
    const State& state = stepping->state();
    pose.set(system, state.q);
    if (stylus) {
      stylus_feedback.step(*stylus, limb(stylus->body),
                           stylus->body_at(stylus_ghost->tip(state.time)), is_stale, options.step);
      return;
    }
    for (std::size_t i = 0; i < limbs.size(); ++i) limbs[i] = limb(hand->bodies[i]);
    feedback.step(*hand, limbs, ghost->limbs(state.time), is_stale, options.step);
  }
  bool step(const std::optional<devices::HandSample>& sample) {
    const double end = stepping->state().time + options.step;
    const hand::HandState& at = filter.step(sample, options.step);
    if (ghost) ghost->put(at, end);
    if (stylus_ghost) stylus_ghost->put(at, end);
    if (!filter.jump().isZero(0)) carry(filter.jump());
    const bool is_ok = stepping->step();
    feel(!is_ok || (stylus ? filter.is_lost() : filter.is_stale()));
    return is_ok;
  }
  void carry(const Vec3& way) {
    if (stylus)
      transport.carry(system, {&stylus->body, 1}, way, stepping->state(), q);
    else
      transport.carry(system, hand->bodies, way, stepping->state(), q);
    stepping->put(q);
    stylus_feedback.begin_again();
  }

  System system;
  GhostFilter filter;
  ForceFeedback feedback;
  StylusFeedback stylus_feedback;
  SessionOptions options;
  std::unique_ptr<Method> method;
  std::shared_ptr<hand::HeldGhost> ghost;  // this and the hand, or those of a stylus
  const hand::Hand* hand = nullptr;
  std::shared_ptr<hand::HeldStylus> stylus_ghost;
  const hand::Stylus* stylus = nullptr;
  std::unique_ptr<Stepping> stepping;
  Pose pose;
  hand::LimbStates limbs;
  LocalLook look;
  Transport transport;
  VecX q;
};

GraspSession::GraspSession(System system, int hand, const SessionOptions& options) {
  const hand::HandPose start = hand_of(system, hand).ghost->pose(0);
  impl_ = std::make_unique<Impl>(std::move(system), start, options);
  impl_->follow_hand(hand);
}
GraspSession::GraspSession(System system, StylusNumber stylus, const SessionOptions& options) {
  const hand::HandPose start = stylus_of(system, stylus.value).ghost->tip(0);
  impl_ = std::make_unique<Impl>(std::move(system), start, options);
  impl_->follow_stylus(stylus.value);
}
GraspSession::~GraspSession() = default;

bool GraspSession::step(const std::optional<devices::HandSample>& sample) {
  return impl_->step(sample);
}
const devices::HandForces& GraspSession::forces() const {
  return impl_->stylus ? impl_->stylus_feedback.forces() : impl_->feedback.forces();
}
void GraspSession::look_around(LocalModel& out) {
  TAUT_CHECK(impl_->hand);
  impl_->look.look(*impl_->hand, impl_->system, impl_->stepping->state(), out);
}
LocalForces GraspSession::local_forces() const {
  TAUT_CHECK(impl_->hand);
  const SessionOptions& options = impl_->options;
  return {*impl_->hand, impl_->filter.ghost(), options.ghost, options.feedback};
}
const System& GraspSession::system() const { return impl_->system; }
const State& GraspSession::state() const { return impl_->stepping->state(); }
const RunReport& GraspSession::report() const { return impl_->stepping->report(); }
const GhostFilter& GraspSession::ghost() const { return impl_->filter; }
double GraspSession::energy(int finger) const {
  return impl_->stylus ? impl_->stylus_feedback.energy() : impl_->feedback.energy(finger);
}

}  // namespace taut::haptics
