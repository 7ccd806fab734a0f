// Step and project (Goldenthal et al. 2007): the free step, then the nearest point, in the sense of
// M, at which the constraints hold: min ½|q⁺ − q̂|²_M / τ² with C(q⁺) = 0. Its stationary equations
// are those of an implicit constraint direction, so that sap is icd, but for the forces (their
// theorem 1).
#include "taut/methods/sap.hpp"

#include "taut/methods/archive.hpp"
#include "taut/methods/options.hpp"

namespace taut {

StepStatus NearestPoint::project(const System& system, double h, const State& state,
                                 const FreeStep& free, IterationLimits limits, Workspace& w,
                                 VecX& q_end, VecX& v_end, StepReport& report) {
  u_ = free.offset() / free.tau();
  const StepEquations equations{
      StepEquations::Forces::none, h, 1 / free.tau(), free.tau(), u_, free.candidate()};
  return newton_.solve(system, state, equations, limits, w, q_end, v_end, report);
}

namespace {

struct Sap final : NewtonMethod {
  FreeBase base = FreeBase::explicit_forces;

  int order() const override { return base == FreeBase::bdf2 ? 2 : 1; }
  bool has_memory() const override { return base == FreeBase::bdf2; }
  ForceResponse force_response() const override { return taut::force_response(base); }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    free_.predict(base, system, h, state, w, report);
    free_.reach(system, state, state.v, q_next_);  // a better guess than the end of the free step
    nearest_.project(system, h, state, free_, limits(), w, q_next_, v_next_, report);
    free_.remember(system, h, state, q_next_, v_next_, w.modes);
    state.time += h;
    state.q = q_next_;
    state.v = v_next_;
    return report;
  }

  void archive(Archive& a, const System& system, Workspace& w) override {
    free_.archive(a, system, w);
    nearest_.archive(a, system, w);
  }

 private:
  FreeStep free_;
  NearestPoint nearest_;
  VecX q_next_, v_next_;
};

}  // namespace

MethodInfo describe_sap() {
  return describe_method<Sap>("sap", "step and project: the nearest point on the constraints",
                              Promises{.energy = Promises::Energy::dissipates,
                                       .exact_constraints = true,
                                       .passes_singular = true,
                                       .decides_laws = true,
                                       .forces = Promises::Forces::before_constraints},
                              FieldList<Sap>()
                                  .optional("free_step", &Sap::base, "", free_base_doc)
                                  .inherit(newton_fields<Sap>()));
}

}  // namespace taut
