// The true motion of a mechanism: joint coordinates, extrapolation to a tolerance of 1e-12, and
// every event (a stop or a string that is reached or lets go, a motor or friction that slips or
// holds) located to round-off. At an event the modes of all one-sided rows are found by trying all
// combinations; impulses satisfy 0 ≤ P ⊥ ġ⁺ + e ġ⁻ ≥ 0.
#pragma once

#include <string>
#include <vector>

#include "support/joint_coordinates.hpp"

namespace taut::testing {

struct TrueMotion {
  bool found = false;
  std::string trouble;        ///< why it was not found
  std::vector<double> times;  ///< equally spaced, the last is the mechanism's duration
  std::vector<std::vector<JointCoordinates::Pose>> poses;  ///< per time and body
  double energy_error = 0;  ///< relative, of the reference itself; smooth conservative motion only
  double uncertainty = 0;   ///< m, rad: between two references with other steps
  double largest_rate = 0;  ///< 1 / time in which things change
  double sensitivity = 0;   ///< deviation at the end per deviation of the start
  int events = 0;
};

/// Makes the mechanism's bodies move: joint rates u, brought on to the constraints. False where the
/// mechanism is not what it is meant to be: it does not close, or has other freedoms.
bool set_moving(Mechanism& mechanism, const VecX& u);
/// The number of joint rates.
int rate_count(const Mechanism& mechanism);

TrueMotion true_motion(const Mechanism& mechanism, const VecX& start_rates, int samples);

}  // namespace taut::testing
