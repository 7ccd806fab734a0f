#include <cmath>
#include <limits>

#include "taut/record/sensor_track_internal.hpp"

namespace taut::io::detail {

SensorTrack::SensorTrack(const Scene& scene) : system_(scene.system), sensors_(scene.sensors) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Sensor& sensor : sensors_.sensors())
    summaries_.push_back({sensor.name, sensor.unit, infinity, 0, -infinity, 0, std::nan(""), 0, 0});
}

const std::vector<double>& SensorTrack::sample(const State& state, const VecX& lambda,
                                               const std::vector<JointSample>& joints,
                                               const std::vector<ContactSample>& contacts,
                                               const std::vector<double>& exerted) {
  sensors_.evaluate(system_, state, lambda, joints, contacts, exerted, values_);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    RunReport::SensorSummary& sensor = summaries_[i];
    const double value = sensor.final = values_[i];
    if (!std::isfinite(value)) {
      if (sensor.not_finite++ == 0) sensor.not_finite_at = state.time;
      continue;
    }
    if (value < sensor.least) {
      sensor.least = value;
      sensor.least_at = state.time;
    }
    if (value > sensor.largest) {
      sensor.largest = value;
      sensor.largest_at = state.time;
    }
  }
  return values_;
}

}  // namespace taut::io::detail
