#include "taut/server/hand_drive.hpp"

#include "taut/model/rotation.hpp"

namespace taut::server {
namespace {

// A browser sends with each of its pictures, and a busy one draws few of them.
constexpr double client_stale = 0.25;  // s
constexpr double arrived = 1e-6;       // m, rad: back at the motion

haptics::GhostLimits ghost_limits(const HandPort& port) {
  haptics::GhostLimits out;
  if (!port.device) out.stale = client_stale;
  return out;
}

bool are_near(const hand::HandPose& a, const hand::HandPose& b) {
  double off = (a.position - b.position).norm() +
               logarithm(a.orientation.conjugate() * b.orientation).norm();
  for (std::size_t i = 0; i < a.angles.size(); ++i) off += std::abs(a.angles[i] - b.angles[i]);
  return off < arrived;
}

}  // namespace

HandDrive::HandDrive(System& system, int number, HandPort& port, double h)
    : system_(system),
      number_(number),
      port_(port),
      h_(h),
      motion_(of().ghost),
      held_(std::make_shared<hand::HeldGhost>(of().model)),
      feedback_(haptics::FeedbackLimits{}) {}

const hand::Hand& HandDrive::of() const {
  return hand::hands_of(system_)[static_cast<std::size_t>(number_)];
}

void HandDrive::go_on_as(const HandDrive& former, double time) {
  moved_ = former.moved_;
  feedback_ = former.feedback_;
  if (!moved_) return;
  held_->put(moved_->filter.ghost(), time);
  hand::set_ghost(system_, number_, held_);
}

void HandDrive::before_step(double time) {
  std::optional<devices::HandSample> sample;
  if (port_.device) {
    sample = port_.device->read();
  } else {
    devices::HandSample newest;
    if (port_.samples.read(newest)) sample = newest;
    if (port_.is_let_go.exchange(false, std::memory_order_relaxed) && moved_) {
      moved_->returns = true;
      sample.reset();
    }
  }
  if (sample && !moved_) {
    moved_.emplace(Moved{{motion_->pose(time - h_), ghost_limits(port_)}, {}, false, 0});
    hand::set_ghost(system_, number_, held_);
  }
  if (!moved_) return;
  if (sample && moved_->returns) moved_->returns = false;
  if (moved_->returns)
    return_to_motion(time);
  else
    move(sample, time);
}

void HandDrive::move(const std::optional<devices::HandSample>& sample, double time) {
  moved_->age = sample ? 0 : moved_->age + h_;
  // Devices measure as often as the simulation steps, or more often.
  const auto next = port_.device ? sample : moved_->smoother.step(sample, h_);
  held_->put(moved_->filter.step(next, h_), time);
}

bool HandDrive::carries(const State& state, VecX& q) {
  if (!moved_ || moved_->filter.jump().isZero(0)) return false;
  transport_.carry(system_, of().bodies, moved_->filter.jump(), state, q);
  return true;
}

// As if the motion had been measured, by a device that jumped if it is far away.
void HandDrive::return_to_motion(double time) {
  const hand::HandPose wanted = motion_->pose(time);
  const hand::HandState& ghost = moved_->filter.step(devices::HandSample{time, wanted}, h_);
  held_->put(ghost, time);
  if (!are_near(ghost, wanted)) return;
  hand::set_ghost(system_, number_, motion_);
  moved_.reset();
}

void HandDrive::look(const State& state) {
  const hand::Hand& hand = of();
  pose_.set(system_, state.q);
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const BodySlot& slot = system_.slot(hand.bodies[i]);
    hand::LimbState& limb = limbs_[i];
    limb.position = pose_.position(slot.q);
    limb.rotation = pose_.rotations[static_cast<std::size_t>(slot.rigid)];
    limb.velocity = state.v.segment<3>(slot.v);
    limb.angular_velocity = limb.rotation * state.v.segment<3>(slot.v + 3);
  }
  ghosts_ = hand.ghost->limbs(state.time);
  const hand::LimbForces coupling = hand::coupling_forces(hand.coupling, ghosts_, limbs_);
  shot_.ghost = hand.ghost->pose(state.time);
  for (std::size_t i = 0; i < coupling.size(); ++i) {
    shot_.places[i] = ghosts_[i].position;
    shot_.orientations[i] = Quat(ghosts_[i].rotation);
    shot_.forces[i] = -coupling[i].force;
  }
  shot_.is_moved = moved_.has_value();
  shot_.is_stale = moved_ && moved_->filter.is_stale();
  shot_.age = moved_ ? moved_->age : 0;
  shot_.refused = moved_ ? moved_->filter.refused() : 0;
}

void HandDrive::after_step(const State& state) {
  look(state);
  shot_.felt = feedback_.step(of(), limbs_, ghosts_, shot_.is_stale, h_);
  if (port_.device)
    port_.device->send(shot_.felt);
  else
    port_.forces.write(shot_.felt);
}

}  // namespace taut::server
