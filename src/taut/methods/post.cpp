// Post-stabilisation (Cline and Pai 2003): an unstabilised step, then one Newton step back on to
// the constraints, q ← q ⊕ −Jᵀ(J Jᵀ)⁻¹C(q). The velocity is left as it is.

#include "taut/methods/explicit_base.hpp"
#include "taut/methods/options.hpp"

namespace taut {

enum class Projection { plain, mass };
template <>
struct Choices<Projection> {
  static constexpr std::array<std::string_view, 2> names{"plain", "mass"};
};

namespace {

struct Post final : Method {
  Base base = Base::semi_implicit_euler;
  Projection projection = Projection::plain;

  int order() const override { return base_order(base); }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    base_.step(base, system, h, state, [&](const VecX& q, const VecX& v, double t, VecX& out) {
      constrained_acceleration(system, q, v, t, 0, 0, w, out, report);
    });

    if (projection == Projection::mass) {
      w.linearize_positions(system, state.q, state.time, w.end);
      w.factor(w.end);
      w.solve(w.end.C, w.rhs, report);
      w.WJt(w.end, w.rhs, w.correction);
    } else {
      w.linearize_positions(system, state.q, state.time, w.end);
      w.factor_unweighted(w.end);
      w.solve(w.end.C, w.rhs, report);
      multiply_transposed(w.pattern, w.end.J, w.rhs, w.correction);
    }
    system.advance(state.q, w.correction, -1, state.q);
    return report;
  }

 private:
  ExplicitBase base_;
};

}  // namespace

MethodInfo describe_post() {
  return describe_method<Post>(
      "post", "post-stabilisation: a Lagrange step, then a projection", Promises{},
      FieldList<Post>()
          .optional("base", &Post::base, "", base_doc)
          .optional("projection", &Post::projection, "",
                    "pseudo-inverse of J: plain as published, or weighted with the masses"));
}

}  // namespace taut
