// Stiff springs instead of constraints, backward Euler (Baraff and Witkin 1998): what fast
// projection replaces. λ = k C at the end of the step, linearised once.
#include "taut/methods/archive.hpp"
#include "taut/methods/newton_step.hpp"
#include "taut/methods/options.hpp"

namespace taut {
namespace {

struct ImplicitSprings final : Method {
  double stiffness = 1e4;
  int max_iterations = 1;

  ForceResponse force_response() const override { return backward_euler_response; }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    zero_.setZero(state.v.size());
    system.advance(state.q, state.v, h, q_next_);
    const StepEquations equations{StepEquations::Forces::at_end, h, 1 / h, h, zero_, state.v};
    newton_.relax(system, state, equations, stiffness, {1e-9, max_iterations}, w, q_next_, v_next_,
                  report);
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

MethodInfo describe_implicit_springs() {
  return describe_method<ImplicitSprings>(
      "implicit_springs", "stiff springs instead of constraints, backward Euler",
      Promises{.energy = Promises::Energy::dissipates,
               .passes_singular = true,
               .solves_rows = false,
               .decides_laws = true,
               .takes_stiff_forces = true,
               .forces = Promises::Forces::in_mean},
      FieldList<ImplicitSprings>()
          .optional("stiffness", &ImplicitSprings::stiffness, "N/m",
                    "of the spring that replaces a row", Range::positive)
          .optional("max_iterations", &ImplicitSprings::max_iterations, "",
                    "linearisations per step; 1: as published", Range::positive));
}

}  // namespace taut
