#include "taut/scene/final_error.hpp"

#include <cmath>

namespace taut::io {
namespace {

using Quantity = FinalValues::Quantity;

double measured(const FinalValues::Value& value, const System& system, const Pose& pose,
                const State& state) {
  const Point& point = value.point;
  const BodySlot& slot = system.slot(point.body);
  switch (value.quantity) {
    case Quantity::position:
      return pose.at(point)[value.axis];
    case Quantity::velocity:
      return pose.velocity(point, state.v)[value.axis];
    case Quantity::angle:  // of a turn about the axis: (cos φ/2, sin φ/2 along it)
      return 2 * std::atan2(state.q[slot.q + 4 + value.axis], state.q[slot.q + 3]);
    case Quantity::angular_velocity:
      return (pose.rotations[static_cast<std::size_t>(slot.rigid)] *
              state.v.segment<3>(slot.v + 3))[value.axis];
  }
  return NAN;
}

/// The larger, and NaN where there is one.
double larger(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

}  // namespace

std::optional<FinalError> final_error(const Scene& scene, const State& state) {
  if (!scene.final_values) return std::nullopt;
  const FinalValues& known = *scene.final_values;
  if (!(std::abs(state.time - known.time) <= 1e-9 * known.time)) return std::nullopt;
  const Pose pose(scene.system, state.q);
  FinalError error;
  for (const FinalValues::Value& value : known.values) {
    double difference = measured(value, scene.system, pose, state) - value.value;
    if (value.quantity == Quantity::angle) difference = std::remainder(difference, 2 * M_PI);
    const bool is_rate =
        value.quantity == Quantity::velocity || value.quantity == Quantity::angular_velocity;
    double& most = is_rate ? error.velocity : error.position;
    most = larger(most, std::abs(difference));
  }
  return error;
}

}  // namespace taut::io
