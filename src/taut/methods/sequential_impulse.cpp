// Sequential impulses: projected Gauss–Seidel on velocities, warm-started, with Baumgarte's
// stabilisation (Catto, Iterative Dynamics with Temporal Coherence, GDC 2005; so work Box2D 2,
// Bullet, and ODE's QuickStep).
//
//   v ← v + h W F,   Λ and r of the last step,   sweeps for J v + C_t + (e/h) C = 0,   q ← q ⊕ h v
//
// e, the error reduction parameter, is the part of an error that goes in a step; with it goes
// energy into the motion. What the sweeps have not found when they end is left.
#include "taut/methods/impulse_method.hpp"
#include "taut/methods/options.hpp"

namespace taut {
namespace {

struct SequentialImpulse final : ImpulseMethod {
  int iterations = 10;
  double erp = 0.2;

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    const Softness baumgarte{erp / h, 1, 0};
    begin(system, h, state, w);
    start_part(system, {baumgarte, {baumgarte, baumgarte}}, state, w, report);
    for (int i = 0; i < iterations; ++i) sweep(Bias::on, w, report);
    advance(system, state);
    finish(system, Bias::on, h, state, w, report);
    return report;
  }
};

}  // namespace

MethodInfo describe_sequential_impulse() {
  return describe_method<SequentialImpulse>(
      "sequential_impulse", "sweeps over impulses of rows and contacts, as in Bullet and Box2D 2",
      Promises{.passes_singular = true,
               .solves_rows = false,
               .decides_laws = true,
               .forces = Promises::Forces::before_constraints,
               .solves_contacts = true},
      FieldList<SequentialImpulse>()
          .optional("iterations", &SequentialImpulse::iterations, "", "sweeps in a step",
                    Range::positive)
          .optional("erp", &SequentialImpulse::erp, "", "the part of an error that goes in a step",
                    Range::non_negative)
          .optional("implicit_forces", &ImpulseMethod::implicit_forces, "", implicit_forces_doc));
}

}  // namespace taut
