// Baumgarte's stabilisation (1972): C̈ + 2α Ċ + β² C = 0 by feedback in the multipliers.
// With explicit Euler and α = β the error is stable iff |1 − αh| < 1.

#include "taut/methods/explicit_base.hpp"
#include "taut/methods/options.hpp"

namespace taut {
namespace {

struct Baumgarte final : Method {
  double alpha = 5;
  double beta = 5;
  Base base = Base::explicit_euler;

  int order() const override { return base_order(base); }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    base_.step(base, system, h, state, [&](const VecX& q, const VecX& v, double t, VecX& out) {
      constrained_acceleration(system, q, v, t, alpha, beta, w, out, report);
    });
    return report;
  }

 private:
  ExplicitBase base_;
};

}  // namespace

MethodInfo describe_baumgarte() {
  return describe_method<Baumgarte>(
      "baumgarte", "Baumgarte's feedback C̈ + 2αĊ + β²C = 0, explicit", Promises{},
      FieldList<Baumgarte>()
          .optional("alpha", &Baumgarte::alpha, "1/s", "damping gain of the feedback",
                    Range::non_negative)
          .optional("beta", &Baumgarte::beta, "1/s", "position gain of the feedback",
                    Range::non_negative)
          .optional("base", &Baumgarte::base, "", base_doc));
}

}  // namespace taut
