// Lagrange multipliers without stabilisation: C̈ = 0 is enforced, so C drifts. The problem that
// the other methods solve.

#include "taut/methods/explicit_base.hpp"
#include "taut/methods/options.hpp"

namespace taut {
namespace {

struct Lagrange final : Method {
  Base base = Base::semi_implicit_euler;

  int order() const override { return base_order(base); }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    base_.step(base, system, h, state, [&](const VecX& q, const VecX& v, double t, VecX& out) {
      constrained_acceleration(system, q, v, t, 0, 0, w, out, report);
    });
    return report;
  }

 private:
  ExplicitBase base_;
};

}  // namespace

MethodInfo describe_lagrange() {
  return describe_method<Lagrange>(
      "lagrange", "Lagrange multipliers without stabilisation: drifts", Promises{},
      FieldList<Lagrange>().optional("base", &Lagrange::base, "", base_doc));
}

}  // namespace taut
