// SHAKE: symplectic Euler with the constraint force along J(q)ᵀ of the start of the step, and the
// constraints satisfied at its end. There need not be a solution: the report says so.
#include "taut/methods/frozen_direction.hpp"
#include "taut/methods/options.hpp"

namespace taut {
namespace {

struct Shake final : FrozenDirectionMethod {
  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    w.linearize(system, state.q, state.time, w.start);
    w.forces(system, w.start, state.v, state.time);

    // v⁺ = v + h W (F − J(q)ᵀ λ),  q⁺ = q ⊕ h v⁺,  C(q⁺, t+h) = 0
    v_next_ = state.v + h * w.WF;
    direction_.solve(system, h, state, tolerance, max_iterations, w, v_next_, q_next_, report);
    w.lambda = direction_.impulse() / h;
    state.v = v_next_;
    state.q = q_next_;
    state.time += h;
    return report;
  }

 private:
  FrozenDirection direction_;
  VecX v_next_, q_next_;
};

}  // namespace

MethodInfo describe_shake() {
  return describe_method<Shake>(
      "shake", "symplectic Euler, constraint direction frozen at the start",
      Promises{.exact_constraints = true, .decides_laws = true}, iteration_fields<Shake>());
}

}  // namespace taut
