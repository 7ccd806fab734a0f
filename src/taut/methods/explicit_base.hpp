// The base integrators of the explicit methods: given the acceleration a(q, v, t), one step.
#pragma once

#include <array>

#include "taut/base/type_info.hpp"
#include "taut/methods/method.hpp"

namespace taut {

enum class Base { explicit_euler, semi_implicit_euler, rk4 };
template <>
struct Choices<Base> {
  static constexpr std::array<std::string_view, 3> names{"explicit_euler", "semi_implicit_euler",
                                                         "rk4"};
};
constexpr int base_order(Base base) { return base == Base::rk4 ? 4 : 1; }
inline constexpr std::string_view base_doc = "integrator of the motion";

class ExplicitBase {
 public:
  /// `accelerate(q, v, t, out)` computes v̇.
  template <class Accelerate>
  void step(Base base, const System& system, double h, State& state, const Accelerate& accelerate) {
    if (base == Base::rk4) {
      rk4(system, h, state, accelerate);
    } else {
      accelerate(state.q, state.v, state.time, a_[0]);
      if (base == Base::explicit_euler) {  // q⁺ = q ⊕ h v,  v⁺ = v + h a
        system.advance(state.q, state.v, h, state.q);
        state.v += h * a_[0];
      } else {  // v⁺ = v + h a,  q⁺ = q ⊕ h v⁺
        state.v += h * a_[0];
        system.advance(state.q, state.v, h, state.q);
      }
    }
    state.time += h;
  }

 private:
  // The classical scheme on (q, v). Quaternions are integrated as plain numbers and made unit again
  // at the end, which keeps fourth order.
  template <class Accelerate>
  void rk4(const System& system, double h, State& state, const Accelerate& accelerate) {
    constexpr std::array<double, 4> c{0, 0.5, 0.5, 1};
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == 0) {
        q_ = state.q;
        v_ = state.v;
      } else {
        q_ = state.q + (c[i] * h) * q_rate_[i - 1];
        v_ = state.v + (c[i] * h) * a_[i - 1];
      }
      system.position_rate(q_, v_, q_rate_[i]);
      system.normalize(q_);
      accelerate(q_, v_, state.time + c[i] * h, a_[i]);
    }
    state.q += (h / 6) * (q_rate_[0] + 2 * q_rate_[1] + 2 * q_rate_[2] + q_rate_[3]);
    state.v += (h / 6) * (a_[0] + 2 * a_[1] + 2 * a_[2] + a_[3]);
    system.normalize(state.q);
  }

  VecX q_, v_;
  std::array<VecX, 4> q_rate_, a_;
};

/// v̇ = W (F − Jᵀλ) with  A λ = J W F + J̇v + 2 C_qt v + C_tt + 2α (Jv + C_t) + β² C.
/// α = β = 0 is the plain Lagrange multiplier method; otherwise Baumgarte's feedback.
void constrained_acceleration(const System& system, const VecX& q, const VecX& v, double t,
                              double alpha, double beta, Workspace& workspace, VecX& out,
                              StepReport& report);

}  // namespace taut
