// How a row that is solved for by sweeps gives way. A spring and damper, implicit in time, is a row
// of velocities (Catto, Soft Constraints, GDC 2011; solver2d, 2024):
//
//   Λ ← Λ + m (Ċ + β C)/A − s Λ,   A = J W Jᵀ,
//   β = ω/(2ζ + h ω),   s = 1/(1 + h ω (2ζ + h ω)),   m = 1 − s.
//
// With m = 1 and s = 0 the row is rigid; β = e/h is then Baumgarte's, e being the part of the error
// that goes in a step.
#pragma once

namespace taut {

struct Softness {
  double rate = 0, mass = 1, impulse = 0;  // β, m, s
};

/// Of frequency ω/2π and damping ratio ζ, over a step h.
inline Softness soft(double hertz, double damping_ratio, double h) {
  const double omega = 6.283185307179586 * hertz, a = 2 * damping_ratio + h * omega;
  const double s = 1 / (1 + h * omega * a);
  return {omega / a, 1 - s, s};
}

/// What a sweep asks of a row: Ċ + bias = 0.
struct RowTarget {
  double bias = 0, mass = 1, impulse = 0;
};

/// Whether errors of position count, or velocities alone, as if nothing were soft ("relaxation").
enum class Bias { on, off };

}  // namespace taut
