// Extended position-based dynamics (Macklin, Müller and Chentanez 2016), with small steps (Macklin
// et al. 2019) and rigid bodies (Müller et al. 2020): the step is done in n parts, each with a free
// step, one sweep or a few, and v⁺ = (q⁺ ⊖ q)/h. With p = h² λ and the compliance α̃ = α/h²,
//
//   (J W Jᵀ + α̃) Δp = C − α̃ p,   δx = −W Jᵀ Δp.
//
// After many sweeps λ = C/α: a spring of stiffness 1/α, whatever the step and the number of sweeps.
// "Small steps": n parts with one sweep are better than one part with n sweeps, since an error of a
// free step shrinks as h², and a sweep only passes things on to neighbours.
#include <algorithm>
#include <utility>

#include "taut/methods/archive.hpp"
#include "taut/methods/free_step.hpp"
#include "taut/methods/options.hpp"
#include "taut/methods/position_sweep.hpp"

namespace taut {
namespace {

struct Xpbd final : Method {
  int substeps = 20;
  int iterations = 1;
  double compliance = 0;

  ForceResponse force_response() const override { return backward_euler_response; }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    const double start = state.time, part = h / substeps;
    for (int i = 0; i < substeps; ++i) {
      do_part(system, part, i + 1 == substeps, state, w, report);
      state.time = start + (i + 1) * part;
    }
    state.time = start + h;
    return report;
  }

  void archive(Archive& a, const System& system, Workspace& w) override {
    free_.archive(a, system, w);
  }

 private:
  void do_part(const System& system, double h, bool is_last, State& state, Workspace& w,
               StepReport& report) {
    // The free step has the forces of motors; which limits act is found in the sweeps.
    const bool decides = std::exchange(w.modes.in_solve, false);
    free_.predict(FreeBase::implicit_forces, system, h, state, w, report);
    free_.reach(system, state, free_.candidate(), q_next_);
    w.modes.in_solve = decides;
    const PositionSweep::Step sweep{system, state, h, compliance / (h * h), 1, decides};
    sweep_.begin(system, w);
    for (int i = 0; i < iterations; ++i) sweep_.sweep(sweep, w, q_next_);
    report.iterations += iterations;
    // What an impact leaves is gone from the places in the next part, but not from the velocity.
    const bool is_limited = decides && sweep_.is_limited(w.modes);
    const double violation = is_limited || is_last ? sweep_.violation(sweep, w, q_next_) : 0;
    if (is_limited) report.unsolved = std::max(report.unsolved, substeps * violation);
    if (is_last) {
      report.residual = violation;
      w.lambda = sweep_.impulse() / (h * h);
      if (decides) note_limits(sweep_.impulse(), w.modes);
    }
    sweep_.velocity(sweep, q_next_, free_.candidate(), state.v);
    state.q = q_next_;
  }

  FreeStep free_;
  PositionSweep sweep_;
  VecX q_next_;
};

}  // namespace

MethodInfo describe_xpbd() {
  return describe_method<Xpbd>(
      "xpbd", "extended position-based dynamics with small steps",
      Promises{.energy = Promises::Energy::dissipates,
               .passes_singular = true,
               .solves_rows = false,
               .decides_laws = true,
               .forces = Promises::Forces::before_constraints},
      FieldList<Xpbd>()
          .optional("substeps", &Xpbd::substeps, "", "parts of a step", Range::positive)
          .optional("iterations", &Xpbd::iterations, "", "sweeps per part", Range::positive)
          .optional("compliance", &Xpbd::compliance, "m/N",
                    "by which a row gives way to a unit of its force; 0: not at all",
                    Range::non_negative));
}

}  // namespace taut
