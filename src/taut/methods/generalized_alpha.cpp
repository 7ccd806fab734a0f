// Generalised-α for constraints on positions (index 3): Chung and Hulbert 1993, on rotations as in
// Arnold and Brüls 2007 and Brüls, Cardona and Arnold 2012; what Chrono (as HHT: Hilber, Hughes and
// Taylor 1977, Negrut et al. 2007), EXUDYN and MBDyn solve.
//
//   M v̇⁺ = F(q⁺, v⁺) − J(q⁺)ᵀλ,   C(q⁺) = 0,
//   (1−α_m) a⁺ + α_m a = (1−α_f) v̇⁺ + α_f v̇,
//   q⁺ = q ⊕ δ,   δ = h v + h² ((½−β) a + β a⁺),   v⁺ = v + h ((1−γ) a + γ a⁺).
//
// With ρ the spectral radius at infinite frequency (1: nothing is damped, 0: all in one step),
//
//   chung_hulbert   α_m = (2ρ−1)/(ρ+1),  α_f = ρ/(ρ+1)
//   hht             α_m = 0,             α_f = (1−ρ)/(1+ρ), ρ ≥ ½
//   both            γ = ½ + α_f − α_m,   β = ¼ (γ + ½)²
//
// Second order. Solved for a⁺, it is an implicit step as NewtonStep knows it:
//
//   v⁺ = γ/(βh) δ − u,         u = (γ/β − 1) v + h (γ/2β − 1) a,
//   v̇⁺ = (v⁺ − v_base)/τ,      τ = γh (1−α_f)/(1−α_m),
//                              v_base = v + h (1−γ) a − γh (α_m a − α_f v̇)/(1−α_m).
//
// a is v̇ at t + (α_m − α_f) h. To begin with, and where a force begins or ceases to act, it is
// found from v̇ now and a little later, without which velocities and forces would begin with an
// error of first order (Arnold, Brüls and Cardona 2015). J v + C_t = 0 holds to second order only.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "taut/methods/archive.hpp"
#include "taut/methods/newton_step.hpp"
#include "taut/methods/options.hpp"
#include "taut/methods/step_memory.hpp"

namespace taut {

enum class AlphaScheme { chung_hulbert, hht };
template <>
struct Choices<AlphaScheme> {
  static constexpr std::array<std::string_view, 2> names{"chung_hulbert", "hht"};
};

namespace {

struct AlphaParameters {
  double alpha_m, alpha_f, gamma, beta;
};

struct GeneralizedAlpha final : NewtonMethod {
  double spectral_radius = 0.8;
  AlphaScheme scheme = AlphaScheme::chung_hulbert;

  int order() const override { return 2; }
  bool has_memory() const override { return true; }
  ForceResponse force_response() const override {
    const AlphaParameters p = parameters();
    const double way = p.beta / p.gamma;
    return {(1 - p.alpha_m) / (p.gamma * (1 - p.alpha_f)), way, 1, way};
  }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    const AlphaParameters p = parameters();
    recall(system, p, h, state, w, report);

    u_ = (p.gamma / p.beta - 1) * state.v + (h * (0.5 * p.gamma / p.beta - 1)) * now_.a;
    const double carried = p.gamma * h / (1 - p.alpha_m);
    v_base_ = state.v + (h * (1 - p.gamma) - carried * p.alpha_m) * now_.a +
              (carried * p.alpha_f) * now_.v_dot;
    const double alpha = p.gamma / (p.beta * h), tau = carried * (1 - p.alpha_f);
    way_ = h * state.v + (0.5 * h * h) * now_.a;
    system.advance(state.q, way_, 1, q_next_);
    const StepEquations equations{StepEquations::Forces::at_end, h, alpha, tau, u_, v_base_};
    newton_.solve(system, state, equations, limits(), w, q_next_, v_next_, report);

    memory_.remember(system, h, state, q_next_, v_next_, w.modes);
    if (report.status == StepStatus::not_converged) memory_.forget_last();
    next_.time = state.time + h;
    next_.a = (v_next_ - state.v) / (p.gamma * h) - ((1 - p.gamma) / p.gamma) * now_.a;
    next_.v_dot = (v_next_ - v_base_) / tau;
    state.time += h;
    state.q = q_next_;
    state.v = v_next_;
    return report;
  }

  void archive(Archive& a, const System& system, Workspace& w) override {
    newton_.archive(a, system, w);
    a(memory_, now_, next_);
  }

 private:
  struct Accelerations {
    double time = NAN;
    VecX a, v_dot;
    void archive(Archive& to) { to(time, a, v_dot); }
  };

  AlphaParameters parameters() const {
    AlphaParameters p{};
    const bool is_hht = scheme == AlphaScheme::hht;
    const double radius = std::clamp(spectral_radius, is_hht ? 0.5 : 0.0, 1.0);
    if (is_hht) {
      p.alpha_f = (1 - radius) / (1 + radius);
    } else {
      p.alpha_m = (2 * radius - 1) / (radius + 1);
      p.alpha_f = radius / (radius + 1);
    }
    p.gamma = 0.5 + p.alpha_f - p.alpha_m;
    p.beta = 0.25 * (p.gamma + 0.5) * (p.gamma + 0.5);
    return p;
  }

  /// now_ ← the accelerations at this state: known if the last step, or the one before that is done
  /// again, led here.
  void recall(const System& system, const AlphaParameters& p, double h, const State& state,
              Workspace& w, StepReport& report) {
    const bool goes_on = memory_.recall(state, w.modes) != nullptr;
    const auto is_now = [&](const Accelerations& known) {
      return std::abs(known.time - state.time) <= 1e-9 * h;
    };
    if (goes_on && is_now(next_)) std::swap(now_, next_);
    if (!goes_on || !is_now(now_)) begin(system, p, h, state, w, report);
  }

  void begin(const System& system, const AlphaParameters& p, double h, const State& state,
             Workspace& w, StepReport& report) {
    now_.time = state.time;
    acceleration(system, state, w, now_.v_dot, report);
    now_.a = now_.v_dot;
    const double later = (p.alpha_f - p.alpha_m) * h;
    if (!(later > 0)) return;
    way_ = later * state.v + (0.5 * later * later) * now_.v_dot;
    system.advance(state.q, way_, 1, soon_.q);
    soon_.v = state.v + later * now_.v_dot;
    soon_.time = state.time + later;
    acceleration(system, soon_, w, v_next_, report);
    // Where the step does not resolve how they change, that says nothing.
    v_next_ -= now_.v_dot;
    if (v_next_.allFinite() && v_next_.norm() <= now_.v_dot.norm()) now_.a -= v_next_;
  }

  // v̇ = W (F − Jᵀλ),   J v̇ + J̇v + … = 0
  void acceleration(const System& system, const State& at, Workspace& w, VecX& out,
                    StepReport& report) {
    w.linearize_decided(system, at.q, at.time, w.start);
    w.add_bias(system, at.v, at.time, w.start);
    w.forces(system, w.start, at.v, at.time);
    out = w.WF;
    if (w.pattern.rows() == 0) return;
    w.J(w.start, w.WF, w.rhs);
    w.rhs += w.start.bias;
    w.factor(w.start);
    w.solve_equations(w.rhs, mu_, report);
    w.WJt(w.start, mu_, w.correction);
    out -= w.correction;
  }

  NewtonStep newton_;
  StepMemory memory_;
  Accelerations now_, next_;
  State soon_;
  VecX u_, v_base_, way_, q_next_, v_next_, mu_;
};

}  // namespace

MethodInfo describe_generalized_alpha() {
  return describe_method<GeneralizedAlpha>(
      "generalized_alpha", "generalised-α or HHT on positions (index 3): second order",
      Promises{.exact_constraints = true,
               .passes_singular = true,
               .decides_laws = true,
               .takes_stiff_forces = true,
               .forces = Promises::Forces::in_mean},
      newton_fields<GeneralizedAlpha>()
          .optional("spectral_radius", &GeneralizedAlpha::spectral_radius, "",
                    "of what is much faster than the step: 1 (and more) damps nothing, 0 all of it "
                    "at once",
                    Range::non_negative)
          .optional("scheme", &GeneralizedAlpha::scheme, "",
                    "Chung and Hulbert's, or that of Hilber, Hughes and Taylor (radius at "
                    "least 0.5)"));
}

}  // namespace taut
