#include "taut/haptics/ghost_filter.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/rotation.hpp"

namespace taut::haptics {
namespace {

constexpr double farthest = 100;  // m: nobody's hand is there

bool is_sensible(const hand::HandPose& pose) {
  const double length = pose.orientation.norm();
  return pose.position.allFinite() && pose.position.norm() < farthest && length > 0.5 &&
         length < 2 && std::all_of(pose.angles.begin(), pose.angles.end(), [](double angle) {
           return std::isfinite(angle);
         });
}

constexpr double room = 0.02;  // m, rad: of noise

}  // namespace

/// Whether a hand can be there so long after it was elsewhere.
bool GhostFilter::is_likely(const hand::HandPose& pose, const hand::HandPose& before,
                            double time) const {
  const Vec3 turn = logarithm(before.orientation.conjugate() * pose.orientation);
  return (pose.position - before.position).norm() <= limits_.speed * time + room &&
         turn.norm() <= limits_.turning_speed * time + room;
}

GhostFilter::Belief GhostFilter::judge(const hand::HandPose& pose, double h) {
  const bool is_first = !has_heard_;
  const bool goes_on = has_heard_ && is_likely(pose, heard_, std::max(silence_, h));
  heard_ = pose;
  has_heard_ = true;
  // What was away for longer may be anywhere, and is looked at before it is followed so far.
  const double away = std::clamp(age_, h, limits_.believed);
  if (is_first) return Belief::likely;
  // If it went on as fast as it may, what it holds would be flung away.
  if (is_likely(pose, target_, away))
    return age_ > limits_.believed ? Belief::jumped : Belief::likely;
  doubt_ = goes_on ? doubt_ + h : 0;
  return doubt_ >= limits_.believed ? Belief::jumped : Belief::none;
}

void GhostFilter::take(const hand::HandPose& pose, double h) {
  const Belief belief = judge(pose, h);
  silence_ = 0;
  target_.angles = hand::within_limits(pose.angles);
  if (belief == Belief::none) {
    ++refused_;
    return;
  }
  target_.position = pose.position;
  target_.orientation = pose.orientation;
  age_ = doubt_ = 0;
  if (belief != Belief::jumped) return;
  jump_ = target_.position - ghost_.position;
  ghost_.position = target_.position;
}

const hand::HandState& GhostFilter::step(const std::optional<devices::HandSample>& sample,
                                         double h) {
  age_ += h;
  silence_ += h;
  jump_.setZero();
  if (sample && is_sensible(sample->pose)) {
    hand::HandPose pose = sample->pose;
    pose.orientation.normalize();
    take(pose, h);
  } else if (sample) {
    ++refused_;
  }
  if (is_stale()) {  // it stays where it is
    static_cast<hand::HandPose&>(target_) = ghost_;
  }
  follow(h);
  return ghost_;
}

void GhostFilter::follow(double h) {
  const auto bounded = [](const Vec3& way, double most) {
    const double length = way.norm();
    return length > most ? Vec3(most / length * way) : way;
  };
  const Vec3 way = bounded(target_.position - ghost_.position, limits_.speed * h);
  ghost_.position += way;
  ghost_.velocity = way / h;
  const double most = limits_.turning_speed * h;
  const Vec3 turn = bounded(logarithm(ghost_.orientation.conjugate() * target_.orientation), most);
  ghost_.angular_velocity = ghost_.orientation * (turn / h);
  ghost_.orientation = (ghost_.orientation * exponential(turn)).normalized();
  for (std::size_t i = 0; i < ghost_.angles.size(); ++i) {
    const double by = std::clamp(target_.angles[i] - ghost_.angles[i], -most, most);
    ghost_.angles[i] += by;
    ghost_.rates[i] = by / h;
  }
}

}  // namespace taut::haptics
