// A method in the manner of game engines: an impulse makes the velocity meet the constraints, and
// removes a share of the position error per step (ERP).
#include <taut/methods/options.hpp>
#include <taut/taut.hpp>

namespace taut {
namespace {

struct Impulse final : Method {
  double share = 0.2;

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    w.linearize(system, state.q, state.time, w.start);  // C, J, C_t
    w.forces(system, w.start, state.v, state.time);     // F, W F

    // v' = v + h W F,   A λ = (J v' + C_t + share·C/h)/h
    state.v += h * w.WF;
    w.J(w.start, state.v, w.Jv);
    w.rhs = (w.Jv + w.start.C_t + (share / h) * w.start.C) / h;
    w.factor(w.start);
    w.solve(w.rhs, w.lambda, report);

    // v⁺ = v' − h W Jᵀλ,   q⁺ = q ⊕ h v⁺
    w.WJt(w.start, w.lambda, w.correction);
    state.v -= h * w.correction;
    system.advance(state.q, state.v, h, state.q);
    state.time += h;
    return report;
  }
};

}  // namespace

MethodInfo describe_impulse() {
  return describe_method<Impulse>(
      "impulse", "velocity impulses with error reduction", Promises{},
      FieldList<Impulse>().optional("share", &Impulse::share, "",
                                    "of the position error removed per step", Range::non_negative));
}

}  // namespace taut
