// Position-based dynamics (Müller, Heidelberger, Hennix and Ratcliff 2007): the free step, then n
// sweeps over the constraints, each of which moves its bodies on to itself, and v⁺ = (q⁺ ⊖ q)/h.
//
//   (J W Jᵀ) Δp = C,   δx = −k' W Jᵀ Δp,   k' = 1 − (1 − k)^(1/n).
//
// k is the share of an error that is left after n sweeps, taken from 1, whatever n is: of a single
// constraint. How stiff many of them together are depends on n and on h, which is what xpbd cures.
#include <cmath>
#include <utility>

#include "taut/methods/archive.hpp"
#include "taut/methods/free_step.hpp"
#include "taut/methods/options.hpp"
#include "taut/methods/position_sweep.hpp"

namespace taut {
namespace {

struct Pbd final : Method {
  int iterations = 20;
  double stiffness = 1;

  ForceResponse force_response() const override { return backward_euler_response; }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    // The free step has the forces of motors; which limits act is found in the sweeps.
    const bool decides = std::exchange(w.modes.in_solve, false);
    free_.predict(FreeBase::implicit_forces, system, h, state, w, report);
    free_.reach(system, state, free_.candidate(), q_next_);
    w.modes.in_solve = decides;
    const double share = 1 - std::pow(1 - std::min(stiffness, 1.0), 1.0 / iterations);
    const PositionSweep::Step sweep{system, state, h, 0, share, decides};
    sweep_.begin(system, w);
    for (int i = 0; i < iterations; ++i) sweep_.sweep(sweep, w, q_next_);
    report.iterations = iterations;
    report.residual = sweep_.violation(sweep, w, q_next_);
    if (decides && sweep_.is_limited(w.modes)) report.unsolved = report.residual;
    w.lambda = sweep_.impulse() / (h * h);
    if (decides) note_limits(sweep_.impulse(), w.modes);
    sweep_.velocity(sweep, q_next_, free_.candidate(), state.v);
    state.q = q_next_;
    state.time += h;
    return report;
  }

  void archive(Archive& a, const System& system, Workspace& w) override {
    free_.archive(a, system, w);
  }

 private:
  FreeStep free_;
  PositionSweep sweep_;
  VecX q_next_;
};

}  // namespace

MethodInfo describe_pbd() {
  return describe_method<Pbd>(
      "pbd", "position-based dynamics: sweeps over constraints, one after the other",
      Promises{.energy = Promises::Energy::dissipates,
               .passes_singular = true,
               .solves_rows = false,
               .decides_laws = true,
               .forces = Promises::Forces::before_constraints},
      FieldList<Pbd>()
          .optional("iterations", &Pbd::iterations, "", "sweeps per step", Range::positive)
          .optional("stiffness", &Pbd::stiffness, "",
                    "k: 1 (and more): each constraint is met whenever its turn comes",
                    Range::non_negative));
}

}  // namespace taut
