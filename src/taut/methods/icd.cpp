// Implicit constraint direction (Goldenthal et al. 2007) with backward Euler:
//   M (v⁺ − v)/h = F(q⁺, v⁺) − J(q⁺)ᵀλ,   q⁺ = q ⊕ h v⁺,   C(q⁺) = 0.
// First order, and the most robust: what cannot be resolved in a step is damped.
#include "taut/methods/archive.hpp"
#include "taut/methods/newton_step.hpp"
#include "taut/methods/options.hpp"

namespace taut {
namespace {

constexpr double uneven = 20;  // a fifth of the way that gravity leads in the step

struct Icd final : NewtonMethod {
  ForceResponse force_response() const override { return backward_euler_response; }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    zero_.setZero(state.v.size());
    system.advance(state.q, state.v, h, q_next_);
    const StepEquations equations{
        StepEquations::Forces::at_end, h, 1 / h, h, zero_, state.v, uneven};
    newton_.solve(system, state, equations, limits(), w, q_next_, v_next_, report);
    state.time += h;
    state.q = q_next_;
    state.v = v_next_;
    return report;
  }

  void archive(Archive& a, const System& system, Workspace& w) override {
    newton_.archive(a, system, w);
  }

 private:
  NewtonStep newton_;
  VecX zero_, q_next_, v_next_;
};

}  // namespace

MethodInfo describe_icd() {
  return describe_method<Icd>("icd", "implicit constraint direction, backward Euler: most robust",
                              Promises{.energy = Promises::Energy::dissipates,
                                       .exact_constraints = true,
                                       .passes_singular = true,
                                       .decides_laws = true,
                                       .takes_stiff_forces = true},
                              newton_fields<Icd>());
}

}  // namespace taut
