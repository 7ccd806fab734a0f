// RATTLE: Störmer–Verlet with SHAKE's position stage and a velocity stage that makes J v + C_t = 0.
// Second order, time-reversible.
#include "taut/methods/frozen_direction.hpp"
#include "taut/methods/options.hpp"

namespace taut {
namespace {

struct Rattle final : FrozenDirectionMethod {
  Rattle() { direction_.force_time = 0.5; }

  int order() const override { return 2; }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    w.linearize(system, state.q, state.time, w.start);
    w.forces(system, w.start, state.v, state.time);

    // v½ = v + (h/2) W (F − J(q)ᵀ λ),  q⁺ = q ⊕ h v½,  C(q⁺, t+h) = 0
    v_half_ = state.v + (0.5 * h) * w.WF;
    direction_.solve(system, h, state, tolerance, max_iterations, w, v_half_, q_next_, report);
    w.lambda = (2 / h) * direction_.impulse();

    // v⁺ = v½ + (h/2) W (F⁺ − J(q⁺)ᵀ μ),  J(q⁺) v⁺ + C_t = 0
    // with those stops and strings that act at q⁺.
    w.linearize_decided(system, q_next_, state.time + h, w.end);
    w.factor(w.end);
    state.v = v_half_;
    const bool implicit = system.forces_depend_on_velocity();
    for (int iteration = 0; iteration < (implicit ? max_iterations : 1); ++iteration) {
      w.forces(system, w.end, state.v, state.time + h);
      v_next_ = v_half_ + (0.5 * h) * w.WF;
      w.J(w.end, v_next_, w.rhs);
      w.rhs += w.end.C_t;
      w.solve_equations(w.rhs, mu_, report);
      w.WJt(w.end, mu_, w.correction);
      v_next_ -= w.correction;
      change_ = v_next_ - state.v;
      state.v = v_next_;
      if (change_.lpNorm<Eigen::Infinity>() <= 1e-14 * (1 + v_next_.lpNorm<Eigen::Infinity>()))
        break;
    }
    state.q = q_next_;
    state.time += h;
    return report;
  }

 private:
  FrozenDirection direction_;
  VecX v_half_, v_next_, change_, q_next_, mu_;
};

}  // namespace

MethodInfo describe_rattle() {
  return describe_method<Rattle>(
      "rattle", "SHAKE in Verlet form with a velocity projection, second order",
      Promises{.exact_constraints = true, .exact_rates = true, .decides_laws = true},
      iteration_fields<Rattle>());
}

}  // namespace taut
