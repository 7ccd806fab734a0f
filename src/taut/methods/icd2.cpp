// Implicit constraint direction on BDF2, second order and L-stable. With ω = h/h_before, the last
// increment δ_before and velocity v_before (Hairer and Wanner, variable steps):
//
//   δ  = ω²/(1+2ω) δ_before + h_b v⁺,                    h_b = h (1+ω)/(1+2ω)
//   v⁺ = v + ω²/(1+2ω) (v − v_before) + h_b v̇⁺,          M v̇⁺ = F(q⁺, v⁺) − J(q⁺)ᵀλ
//
// and C(q⁺) = 0. The first step, and the step after anything else has changed the state, is
// backward Euler.
//
// Error estimate, of positions: the explicit Adams formula δ = h((1+ω/2) v − (ω/2) v_before) has
// the local error (5/12) h³ v̈ where BDF2 has −(2/9) h³ v̈, so their difference times 0.35 is the
// error of BDF2. In the first step, half the difference to explicit Euler. Velocities are left out,
// as is usual for constraints on positions: their part normal to the constraints is of the size of
// the last step.
#include "taut/methods/archive.hpp"
#include "taut/methods/newton_step.hpp"
#include "taut/methods/options.hpp"
#include "taut/methods/step_memory.hpp"

namespace taut {
namespace {

struct Icd2 final : NewtonMethod {
  int order() const override { return 2; }
  bool has_memory() const override { return true; }
  ForceResponse force_response() const override {
    return has_past_ ? bdf2_response : backward_euler_response;
  }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    const StepMemory::Increment* past = memory_.recall(state, w.modes);
    has_past_ = past != nullptr;

    const double ratio = past ? h / past->h : 0;
    const double carry = ratio * ratio / (1 + 2 * ratio);
    const double h_b = h * (1 + ratio) / (1 + 2 * ratio);
    if (past) {
      u_ = (carry / h_b) * past->delta;
      v_base_ = state.v + carry * (state.v - past->v);
      guess_ = state.v + (0.5 * ratio) * (state.v - past->v);
    } else {
      u_.setZero(state.v.size());
      v_base_ = state.v;
      guess_ = state.v;
    }
    system.advance(state.q, guess_, h, q_next_);
    const StepEquations equations{StepEquations::Forces::at_end, h, 1 / h_b, h_b, u_, v_base_};
    newton_.solve(system, state, equations, limits(), w, q_next_, v_next_, report);

    memory_.remember(system, h, state, q_next_, v_next_, w.modes);
    estimate_error(past, ratio, h, state, w);
    report.has_estimate = true;
    if (report.status == StepStatus::not_converged) memory_.forget_last();
    state.time += h;
    state.q = q_next_;
    state.v = v_next_;
    return report;
  }

  void archive(Archive& a, const System& system, Workspace& w) override {
    newton_.archive(a, system, w);
    a(memory_, has_past_);
  }

 private:
  void estimate_error(const StepMemory::Increment* past, double ratio, double h, const State& state,
                      Workspace& w) const {
    const VecX& delta = memory_.last().delta;
    if (past) {
      w.error_q = 0.35 * (delta - h * ((1 + 0.5 * ratio) * state.v - 0.5 * ratio * past->v));
    } else {
      w.error_q = 0.5 * (delta - h * state.v);
    }
    w.error_v.setZero(state.v.size());
  }

  NewtonStep newton_;
  StepMemory memory_;
  bool has_past_ = false;  // in the last step
  VecX u_, v_base_, guess_, q_next_, v_next_;
};

}  // namespace

MethodInfo describe_icd2() {
  return describe_method<Icd2>(
      "icd2", "implicit constraint direction, BDF2: second order, robust, little damping",
      Promises{.energy = Promises::Energy::dissipates,
               .exact_constraints = true,
               .passes_singular = true,
               .decides_laws = true,
               .takes_stiff_forces = true},
      newton_fields<Icd2>());
}

}  // namespace taut
