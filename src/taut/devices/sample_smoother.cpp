#include "taut/devices/sample_smoother.hpp"

#include <algorithm>
#include <cmath>

namespace taut::devices {
namespace {

constexpr double longest_interval = 0.1;  // s: after a longer pause the hand is not held up by it
constexpr double farthest = 1e3;          // m

bool is_smooth(const hand::HandPose& pose) {
  return pose.position.norm() < farthest && pose.orientation.coeffs().allFinite() &&
         pose.orientation.norm() > 0 &&
         std::all_of(pose.angles.begin(), pose.angles.end(),
                     [](double angle) { return std::abs(angle) < farthest; });
}

}  // namespace

hand::HandPose between(const hand::HandPose& from, const hand::HandPose& to, double share) {
  hand::HandPose out;
  out.position = from.position + share * (to.position - from.position);
  out.orientation = from.orientation.normalized().slerp(share, to.orientation.normalized());
  for (std::size_t i = 0; i < out.angles.size(); ++i)
    out.angles[i] = from.angles[i] + share * (to.angles[i] - from.angles[i]);
  return out;
}

std::optional<HandSample> SampleSmoother::step(const std::optional<HandSample>& sample, double h) {
  since_ += h;
  if (sample && !is_smooth(sample->pose)) return sample;
  if (sample) {
    // Where the hand is now, not where the last sample was: it may still be on its way.
    const double share = interval_ > 0 ? std::min(1.0, gone_ / interval_) : 1;
    from_.pose = has_sample_ ? between(from_.pose, to_.pose, share) : sample->pose;
    to_ = *sample;
    interval_ = has_sample_ ? std::clamp(since_, h, longest_interval) : h;
    gone_ = since_ = 0;
    has_sample_ = true;
  } else if (!has_sample_ || gone_ >= interval_) {
    return std::nullopt;
  }
  gone_ = std::min(interval_, gone_ + h);
  // At the end exactly what was measured.
  if (gone_ > interval_ - 1e-9) return to_;
  return HandSample{to_.time, between(from_.pose, to_.pose, gone_ / interval_)};
}

}  // namespace taut::devices
