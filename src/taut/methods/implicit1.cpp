// Implicit constraint enforcement, first order (Hong et al. 2005): the constraint is asked to hold
// at the end of the step, C(q⁺, t+h) = 0, to first order in h.
#include "taut/methods/implicit1.hpp"

#include "taut/methods/options.hpp"

namespace taut {

void implicit1_velocity(const System& system, double h, const State& state, Workspace& w,
                        VecX& v_next, StepReport& report) {
  w.linearize(system, state.q, state.time, w.start);
  w.forces(system, w.start, state.v, state.time);

  // A λ = C/h² + C_t/h + J (v/h + W F)
  v_next = state.v / h + w.WF;
  w.J(w.start, v_next, w.Jv);
  w.rhs = w.start.C / (h * h) + w.start.C_t / h + w.Jv;
  w.factor(w.start);
  w.solve(w.rhs, w.lambda, report);

  // v⁺ = v + h W (F − Jᵀ λ)
  w.WJt(w.start, w.lambda, w.correction);
  v_next = state.v + h * (w.WF - w.correction);
}

namespace {

struct Implicit1 final : Method {
  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    implicit1_velocity(system, h, state, w, v_next_, report);
    state.v = v_next_;
    system.advance(state.q, state.v, h, state.q);  // q⁺ = q ⊕ h v⁺
    state.time += h;
    return report;
  }

 private:
  VecX v_next_;
};

}  // namespace

MethodInfo describe_implicit1() {
  return describe_method<Implicit1>(
      "implicit1", "first-order implicit constraint enforcement (one solve per step)",
      Promises{.decides_laws = true});
}

}  // namespace taut
