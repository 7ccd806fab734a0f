#include "support/mechanism_reference.hpp"

#include <algorithm>
#include <cmath>

#include "support/event_driven.hpp"

namespace taut::testing {
namespace {

constexpr double fine = 1e-12;    // error of a step
constexpr double rough = 1e-11;   // the same, for the motion that it is compared with
constexpr double coarse = 1e-10;  // the same, for the motion from a disturbed start
constexpr double shorter = 0.7;   // steps there, also where no error limits them

using Equations = JointCoordinates::Equations;

/// Of any body: how far it is from the place, or in rad from the direction, that another has.
double apart(const std::vector<JointCoordinates::Pose>& these,
             const std::vector<JointCoordinates::Pose>& those) {
  double most = 0;
  for (std::size_t b = 0; b < these.size(); ++b)
    most = std::max({most, (these[b].place - those[b].place).norm(),
                     these[b].turn.angularDistance(those[b].turn)});
  return most;
}

}  // namespace

int rate_count(const Mechanism& mechanism) { return JointCoordinates(mechanism).size(); }

bool set_moving(Mechanism& mechanism, const VecX& u) {
  const JointCoordinates coordinates(mechanism);
  if (coordinates.freedoms() < 1) return false;
  VecX x = coordinates.start(), rates = u;
  const Equations at_start = coordinates.equations(x, u);
  if (at_start.C.size() > 0) {
    if (at_start.C.lpNorm<Eigen::Infinity>() > 1e-12) return false;
    if (coordinates.reduce(at_start).weakest_row < 3e-2) return false;
  }
  if (!coordinates.project(x, rates)) return false;
  const auto poses = coordinates.poses(coordinates.start(), rates);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    mechanism.bodies[i].velocity = poses[i].velocity;
    mechanism.bodies[i].spin = poses[i].spin;
  }
  return true;
}

TrueMotion true_motion(const Mechanism& mechanism, const VecX& start_rates, int samples) {
  TrueMotion out;
  EventDriven exact(mechanism, fine), again(mechanism, rough, shorter),
      disturbed(mechanism, coarse);
  constexpr double disturbance = 1e-7;
  const VecX other = start_rates + disturbance * VecX::Ones(start_rates.size());
  const auto trouble = [&] {
    out.trouble = exact.trouble + again.trouble + disturbed.trouble;
    return out;
  };
  if (!exact.start(start_rates) || !again.start(start_rates) || !disturbed.start(other))
    return trouble();
  const double energy = exact.energy();
  for (int i = 1; i <= samples; ++i) {
    const double time = mechanism.duration * i / samples;
    if (!exact.advance(time) || !again.advance(time) || !disturbed.advance(time)) return trouble();
    out.times.push_back(time);
    out.poses.push_back(exact.poses());
    out.uncertainty = std::max(out.uncertainty, apart(again.poses(), out.poses.back()));
    out.sensitivity =
        std::max(out.sensitivity, apart(disturbed.poses(), out.poses.back()) / disturbance);
  }
  out.energy_error = std::abs(exact.energy() - energy) / (1 + std::abs(energy));
  out.largest_rate = exact.largest_rate();
  out.events = exact.events;
  out.found = true;
  return out;
}

}  // namespace taut::testing
