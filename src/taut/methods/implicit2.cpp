// Implicit constraint enforcement, second order (Hong et al. 2008): implicit1 predicts, then the
// constraint is expanded about the predicted end with the Jacobian of the half-time state.

#include "taut/methods/implicit1.hpp"
#include "taut/methods/options.hpp"

namespace taut {

enum class ForceTime { start, half };
template <>
struct Choices<ForceTime> {
  static constexpr std::array<std::string_view, 2> names{"start", "half"};
};

namespace {

struct Implicit2 final : Method {
  ForceTime forces = ForceTime::start;

  int order() const override { return 2; }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);

    // Predictor: v^p, q^p = q ⊕ h v^p, and C(q^p, t+h).
    implicit1_velocity(system, h, state, w, v_predicted_, report);
    system.advance(state.q, v_predicted_, h, q_predicted_);
    w.evaluate(system, q_predicted_, state.time + h, w.end);
    w.measure_way(system, state, h, q_predicted_, w.end);

    // J^h at the half-time state, half way along q → q^p.
    system.advance(state.q, v_predicted_, 0.5 * h, q_half_);
    w.linearize(system, q_half_, state.time + 0.5 * h, w.start);
    if (forces == ForceTime::half) {
      v_next_ = 0.5 * (state.v + v_predicted_);
      w.forces(system, w.start, v_next_, state.time + 0.5 * h);
    }

    // J^h W J^hᵀ λ = 2 C(q^p)/h² + J^h ((2/h)(v − v^p) + W F)
    v_next_ = (2 / h) * (state.v - v_predicted_) + w.WF;
    w.J(w.start, v_next_, w.Jv);
    w.rhs = (2 / (h * h)) * w.end.C + w.Jv;
    w.factor(w.start);
    w.solve(w.rhs, w.lambda, report);

    // v⁺ = v + h W (F − J^hᵀ λ),  q⁺ = q ⊕ (h/2)(v + v⁺)
    w.WJt(w.start, w.lambda, w.correction);
    v_next_ = state.v + h * (w.WF - w.correction);
    v_predicted_ = 0.5 * (state.v + v_next_);
    system.advance(state.q, v_predicted_, h, state.q);
    state.v = v_next_;
    state.time += h;
    return report;
  }

 private:
  VecX v_predicted_, q_predicted_, q_half_, v_next_;
};

}  // namespace

MethodInfo describe_implicit2() {
  return describe_method<Implicit2>(
      "implicit2", "second-order implicit constraint enforcement (predictor, corrector)",
      Promises{.decides_laws = true},
      FieldList<Implicit2>().optional(
          "forces", &Implicit2::forces, "",
          "where the corrector takes the applied forces: at the start of the "
          "step as published, or at half time, which keeps second order when "
          "they vary"));
}

}  // namespace taut
