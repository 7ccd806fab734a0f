// The feedback of Baumgarte's stabilisation on a constraint's error, C̈ + 2αĊ + β²C = 0: where its
// poles are, how fast the error dies out, and up to which step an integrator follows it.
#pragma once

#include <Eigen/Core>
#include <array>
#include <complex>
#include <optional>

#include "taut/methods/explicit_base.hpp"

namespace taut {

struct Feedback {
  double alpha = 0;  ///< damping gain, 1/s, ≥ 0
  double beta = 0;   ///< position gain, 1/s, ≥ 0
};

/// −α ± √(α² − β²), the slower one first: two real numbers or a conjugate pair.
std::array<std::complex<double>, 2> poles(const Feedback& feedback);

/// ζ = α/β: 1 is critical, less overshoots. Infinite for β = 0.
double damping_ratio(const Feedback& feedback);
/// β, in rad/s: how fast the error oscillates without damping.
inline double natural_frequency(const Feedback& feedback) { return feedback.beta; }

/// C(t) from C(0) = 1, Ċ(0) = 0.
double response(const Feedback& feedback, double time);
/// The time after which |response| stays below `fraction`. None when it never does: α = 0 or β = 0.
std::optional<double> settling_time(const Feedback& feedback, double fraction = 0.02);

/// One step of `base` on the error: (C, Ċ) → map·(C, Ċ). Exact where C is linear in q, as for a
/// pin.
Eigen::Matrix2d error_map(const Feedback& feedback, Base base, double step);
/// The larger |eigenvalue| of that map. Below 1 the error dies out.
double spectral_radius(const Feedback& feedback, Base base, double step);
/// Below this step the error stays bounded, and dies out if α > 0 and β > 0; beyond it grows.
/// 0: it grows at every step. Infinite only without feedback at all.
double largest_stable_step(const Feedback& feedback, Base base);
/// Up to this step no eigenvalue of the map is negative or complex, so that an error dies out
/// without oscillating; 0 for β > α.
double largest_monotone_step(const Feedback& feedback, Base base);

/// The gains that put the poles there: α = −(p₁+p₂)/2, β² = p₁p₂. Throws Error for poles that need
/// complex gains (neither real nor conjugate) or are not stable (a real part ≥ 0).
Feedback place_poles(std::complex<double> p1, std::complex<double> p2);

}  // namespace taut
