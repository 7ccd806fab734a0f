// No multipliers: each row is a stiff spring and damper along Jᵀ.

#include "taut/methods/explicit_base.hpp"
#include "taut/methods/options.hpp"

namespace taut {
namespace {

struct Penalty final : Method {
  double stiffness = 1e4;
  double damping = 10;
  Base base = Base::semi_implicit_euler;

  int order() const override { return base_order(base); }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    w.adapt(system);
    base_.step(base, system, h, state, [&](const VecX& q, const VecX& v, double t, VecX& out) {
      w.linearize(system, q, t, w.start);
      w.forces(system, w.start, v, t);
      // λ = k C + d (J v + C_t),  v̇ = W (F − Jᵀ λ)
      w.J(w.start, v, w.Jv);
      w.lambda = stiffness * w.start.C + damping * (w.Jv + w.start.C_t);
      w.WJt(w.start, w.lambda, w.correction);
      out = w.WF - w.correction;
    });
    return {};
  }

 private:
  ExplicitBase base_;
};

}  // namespace

MethodInfo describe_penalty() {
  return describe_method<Penalty>(
      "penalty", "stiff springs instead of multipliers", Promises{.solves_rows = false},
      FieldList<Penalty>()
          .optional("stiffness", &Penalty::stiffness, "N/m", "of the spring that replaces a row",
                    Range::non_negative)
          .optional("damping", &Penalty::damping, "N·s/m", "of its damper", Range::non_negative)
          .optional("base", &Penalty::base, "", base_doc));
}

}  // namespace taut
