#include <cmath>

#include "taut/methods/projection.hpp"
#include "taut/simulate/interpolation_internal.hpp"
#include "taut/simulate/step_control_internal.hpp"

namespace taut::detail {
namespace {

// With R = R₀ exp[θ] the body's angular velocity is ω = J(θ) θ̇, and
//   θ̇ = ω + ½ θ×ω + c θ×(θ×ω),   c = 1/φ² − (1 + cos φ)/(2 φ sin φ),  φ = |θ|
//   c = 1/12 + φ²/720 + φ⁴/30240 + φ⁶/1209600 + …
// and so θ̈ by the product rule.
struct Turn {
  Vec3 rate, second;
};
Turn turn_rates(const Vec3& t, const Vec3& w, const Vec3& w_rate) {
  const double x = t.squaredNorm();
  const double c = 1.0 / 12 + x * (1.0 / 720 + x * (1.0 / 30240 + x / 1209600));
  const double c_x = 1.0 / 720 + x * (2.0 / 30240 + x * 3 / 1209600);
  const Vec3 tw = t.cross(w);
  const Vec3 rate = w + 0.5 * tw + c * t.cross(tw);
  const double c_rate = c_x * 2 * t.dot(rate);
  const Vec3 tw_rate = rate.cross(w) + t.cross(w_rate);
  return {rate,
          w_rate + 0.5 * tw_rate + c_rate * t.cross(tw) + c * (rate.cross(tw) + t.cross(tw_rate))};
}

/// ω = θ̇ − (1 − cos φ)/φ² θ×θ̇ + (φ − sin φ)/φ³ θ×(θ×θ̇)
Vec3 angular_velocity(const Vec3& t, const Vec3& rate) {
  const double x = t.squaredNorm(), phi = std::sqrt(x);
  const double a = phi > 1e-2 ? (1 - std::cos(phi)) / x : 0.5 - x / 24;
  const double b = phi > 1e-2 ? (phi - std::sin(phi)) / (x * phi) : 1.0 / 6 - x / 120;
  return rate - a * t.cross(rate) + b * t.cross(t.cross(rate));
}

}  // namespace

void Interpolation::set(const System& system, const State& from, const State& to, bool quintic,
                        Workspace& w) {
  from_ = from;
  h_ = to.time - from.time;
  quintic_ = quintic;
  position_difference(system, to.q, from.q, x1_);
  rate0_ = from.v;
  rate1_ = to.v;
  second0_.setZero(from.v.size());
  second1_.setZero(from.v.size());
  if (quintic) {
    StepReport unused;
    reactions(system, from, w, lambda_, unused, &second0_);
    reactions(system, to, w, lambda_, unused, &second1_);
  }
  for (const BodySlot& slot : system.slots()) {
    if (slot.rigid < 0) continue;
    const int at = slot.v + 3;
    const Turn end = turn_rates(x1_.segment<3>(at), rate1_.segment<3>(at), second1_.segment<3>(at));
    rate1_.segment<3>(at) = end.rate;
    second1_.segment<3>(at) = end.second;
  }
}

// On s in [0, 1], with x(0) = 0: the polynomial that has x, x' and, where quintic, x'' of both
// ends.
void Interpolation::at(const System& system, double time, State& out) {
  const double s = (time - from_.time) / h_, s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s;
  if (quintic_) {
    x_ = (10 * s3 - 15 * s4 + 6 * s5) * x1_ + (h_ * (s - 6 * s3 + 8 * s4 - 3 * s5)) * rate0_ +
         (h_ * (-4 * s3 + 7 * s4 - 3 * s5)) * rate1_ +
         (h_ * h_ * (0.5 * s2 - 1.5 * s3 + 1.5 * s4 - 0.5 * s5)) * second0_ +
         (h_ * h_ * (0.5 * s3 - s4 + 0.5 * s5)) * second1_;
    rate_ = ((30 * s2 - 60 * s3 + 30 * s4) / h_) * x1_ +
            (1 - 18 * s2 + 32 * s3 - 15 * s4) * rate0_ + (-12 * s2 + 28 * s3 - 15 * s4) * rate1_ +
            (h_ * (s - 4.5 * s2 + 6 * s3 - 2.5 * s4)) * second0_ +
            (h_ * (1.5 * s2 - 4 * s3 + 2.5 * s4)) * second1_;
  } else {
    x_ = (3 * s2 - 2 * s3) * x1_ + (h_ * (s - 2 * s2 + s3)) * rate0_ + (h_ * (s3 - s2)) * rate1_;
    rate_ =
        ((6 * s - 6 * s2) / h_) * x1_ + (1 - 4 * s + 3 * s2) * rate0_ + (3 * s2 - 2 * s) * rate1_;
  }
  system.advance(from_.q, x_, 1, out.q);
  out.v = rate_;
  for (const BodySlot& slot : system.slots())
    if (slot.rigid >= 0)
      out.v.segment<3>(slot.v + 3) =
          angular_velocity(x_.segment<3>(slot.v + 3), rate_.segment<3>(slot.v + 3));
  out.time = time;
}

}  // namespace taut::detail
