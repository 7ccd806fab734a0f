#include <algorithm>
#include <cmath>

#include "taut/base/largest.hpp"
#include "taut/simulate/step_control_internal.hpp"

namespace taut::detail {
namespace {

constexpr double safety = 0.9;
constexpr double most_growth = 5, most_shrinking = 0.2;

}  // namespace

ErrorNorm::ErrorNorm(const System& system, const State& start, const VecX& acceleration,
                     double extent, double duration)
    : system_(system), extent_(extent), speed_(extent / duration), turning_(0) {
  const double a = largest(acceleration);
  if (std::isfinite(a)) speed_ = std::max(speed_, std::sqrt(extent * a));
  turning_ = speed_ / extent;
  see(start);
  time_scale_ = std::min(duration, std::min(extent / speed_, 1 / turning_));
}

void ErrorNorm::see(const State& state) {
  for (const BodySlot& slot : system_.slots()) {
    speed_ = std::max(speed_, state.v.segment<3>(slot.v).norm());
    if (slot.rigid >= 0) turning_ = std::max(turning_, state.v.segment<3>(slot.v + 3).norm());
  }
}

double ErrorNorm::operator()(const VecX& error_q, const VecX& error_v) const {
  double worst = 0;
  const auto see = [&](double error) {
    if (!(error <= worst)) worst = error;  // NaN, too
  };
  for (const BodySlot& slot : system_.slots()) {
    see(error_q.segment<3>(slot.v).lpNorm<Eigen::Infinity>() / extent_);
    see(error_v.segment<3>(slot.v).lpNorm<Eigen::Infinity>() / speed_);
    if (slot.rigid < 0) continue;
    see(error_q.segment<3>(slot.v + 3).lpNorm<Eigen::Infinity>());
    see(error_v.segment<3>(slot.v + 3).lpNorm<Eigen::Infinity>() / turning_);
  }
  return worst;
}

double StepController::accepted(double h, double error) {
  error = std::max(error, 1e-10);
  double factor = safety * std::pow(error, -0.7 / order_) * std::pow(error_before_, 0.4 / order_);
  factor = std::clamp(factor, most_shrinking, just_rejected_ ? 1.0 : most_growth);
  error_before_ = std::max(error, 1e-4);
  just_rejected_ = false;
  return factor * h;
}

double StepController::rejected(double h, double error) {
  just_rejected_ = true;
  return h * std::clamp(safety * std::pow(error, -1.0 / order_), most_shrinking, 0.9);
}

void position_difference(const System& system, const VecX& a, const VecX& b, VecX& out) {
  out.resize(system.velocity_size());
  for (const BodySlot& slot : system.slots()) {
    out.segment<3>(slot.v) = a.segment<3>(slot.q) - b.segment<3>(slot.q);
    if (slot.rigid < 0) continue;
    const auto from = b.segment<4>(slot.q + 3), to = a.segment<4>(slot.q + 3);
    Quat turn = Quat(from[0], -from[1], -from[2], -from[3]) * Quat(to[0], to[1], to[2], to[3]);
    if (turn.w() < 0) turn.coeffs() = -turn.coeffs();
    const double sine = turn.vec().norm();
    const double angle = 2 * std::atan2(sine, turn.w());
    out.segment<3>(slot.v + 3) = (sine > 1e-12 ? angle / sine : 2.0) * turn.vec();
  }
}

}  // namespace taut::detail
