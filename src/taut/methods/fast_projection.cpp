// Fast projection (Goldenthal et al. 2007), a velocity filter: from the end q̂ of the free step, a
// sequence of smallest steps towards the constraints,
//
//   τ² J W Jᵀ δλ = C(q_j),   q_{j+1} = q_j − τ² W Jᵀ δλ,   J = J(q_j),
//
// until no constraint is strained more than permitted. It finds a point near q̂, not the nearest.
//
// Rows with a law: each of these steps is the smallest one after which, to first order, no stop or
// string is beyond its bound, so that none of them pulls.
//
// Otherwise than published, there is always one such step: where strain was let grow up to what is
// permitted and then taken away at once, that was a kick of strain·length/h.
//
// Where bodies are light and tensions large (h > √(m l/T)), or a line is taut between two pins, the
// sequence is long or endless. Then the nearest point is looked for by Newton's method (as in sap),
// which knows the geometric stiffness, and the steps to come begin with that: the option
// `fallback`.
//
// Where a step does not resolve stiff forces, a filter undoes what the free step did for them: a
// spring at a pin is stretched by what the pin is moved back. With the forces F̂ = M (v̂ − v_base)/τ
// that the free step had, and those at the end, F⁺,
//
//   ΔE ≤ τ v⁺·(F̂ − F⁺) − ½|v⁺ − v|²_M   (for a convex potential; forces that drive aside),
//
// so that what is above 0 may be a gain of energy. Where the energy does rise then, forces and
// constraints are solved for together, as in icd, and so they are in the steps to come.
#include "taut/methods/fast_projection.hpp"

#include <algorithm>
#include <cmath>

#include "taut/methods/archive.hpp"
#include "taut/methods/options.hpp"
#include "taut/methods/sap.hpp"
#include "taut/model/scale.hpp"

namespace taut {

namespace {

constexpr int patience = 6;  // iterations after which Newton's method is the cheaper one
// What the nearest point may be off where strain of more is permitted, relative to the scene; or
// ProjectionLimits::part_of_way.
constexpr double motion = 1e-6;
constexpr int most_newton = 40;  // iterations of it
// The energy that a step may gain, relative to what forces alone bring in it.
constexpr double permitted_gain = 0.01;

struct FastProjection final : FastProjectionOptions {
  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    if (filter_.is_paused()) {
      filter_.wait();
      free_.begin(base, h, state, w);
      solve_together(system, h, state, w, report);
    } else {
      filter(system, h, state, w, report);
    }
    free_.remember(system, h, state, q_next_, v_next_, w.modes);
    state.time += h;
    state.q = q_next_;
    state.v = v_next_;
    return report;
  }

  void archive(Archive& a, const System& system, Workspace& w) override {
    free_.archive(a, system, w);
    nearest_.archive(a, system, w);
    together_.archive(a, system, w);
    a(projection_, filter_, unseen_, lambda_);
  }

 private:
  void filter(const System& system, double h, const State& state, Workspace& w,
              StepReport& report) {
    free_.predict(base, system, h, state, w, report);
    bool found = false;
    if (!projection_.is_paused() || fallback == Fallback::none) {
      found = project(system, h, state, w, report);
      if (found) projection_.forget();
    }
    if (fallback == Fallback::none) {
      if (!found) report.status = StepStatus::not_converged;
      return;
    }
    if (!found) {
      if (projection_.is_paused())
        projection_.wait();
      else
        projection_.begin();
      find_nearest(system, h, state, w, report);
    }
    if (free_.has_solved() && gains_energy(system, h, state, w)) {
      filter_.begin();
      report.status = StepStatus::ok;
      report.residual = 0;
      solve_together(system, h, state, w, report);
    }
  }

  bool project(const System& system, double h, const State& state, Workspace& w,
               StepReport& report) {
    constexpr ProjectionLimits limits;
    const int most =
        fallback == Fallback::newton ? std::min(patience, max_iterations) : max_iterations;
    v_next_ = free_.candidate();
    impulse_.setZero(w.pattern.rows());
    for (int iteration = 0;; ++iteration) {
      free_.reach(system, state, v_next_, q_next_);
      w.evaluate(system, q_next_, state.time + h, w.end, RowForm::smooth);
      w.measure_way(system, state, h, q_next_, w.end);
      if (w.modes.in_solve) {
        dropped_ = w.end.C;
        w.modes.drop_slack(dropped_);
      }
      const VecX& violation = w.modes.in_solve ? dropped_ : w.end.C;
      const double worst = worst_strain(w.pattern, violation);
      const bool is_over = iteration == most || !std::isfinite(worst);
      const bool is_done = iteration > 0 && worst <= strain;
      if (is_done || is_over)
        report.residual =
            relative_error(w.pattern, violation, length_scale(system, w.pattern, q_next_));
      if (is_done) {
        if (fallback == Fallback::newton && --unseen_ <= 0) {
          const double distance = distance_from_nearest(system, w);
          if (!(distance <= limits.near)) return false;
          unseen_ = distance < 0.25 * limits.near ? limits.rarely : 1;
        }
        w.lambda = lambda_ = impulse_ / free_.tau();
        return true;
      }
      if (is_over) return false;
      if (w.pattern.rows() == 0) return true;

      w.factor_roughly(system, w.end);
      find_change(system, w, report);
      ++report.iterations;
      impulse_ += change_;
      w.pull(system, w.end, change_, w.correction);
      v_next_ -= w.correction;
    }
  }

  // Bounds of motors are those of all that has been done so far.
  void find_change(const System& system, Workspace& w, StepReport& report) {
    w.rhs = w.end.C / free_.tau();
    const std::vector<RowModes::Mode>& modes = w.modes.modes();
    const bool has_motors =
        w.modes.in_solve && std::any_of(modes.begin(), modes.end(), [](const RowModes::Mode& mode) {
          return !mode.is_limit();
        });
    if (!has_motors) {
      w.solve_within(w.rhs, change_, solve_tolerance, report);
      return;
    }
    w.pull(system, w.end, impulse_, w.correction);
    w.J(w.end, w.correction, w.Jv);
    w.rhs = (w.rhs + w.Jv) / free_.tau();
    w.solve(w.rhs, w.lambda, report);
    change_ = free_.tau() * w.lambda - impulse_;
  }

  // At the nearest point, δx + τ² W J(q⁺)ᵀλ = 0. What is left of it is how far, about, it is away;
  // here relative to the shortest length.
  double distance_from_nearest(const System& system, Workspace& w) {
    w.pull(system, w.end, impulse_, w.correction);
    w.correction += v_next_ - free_.candidate();
    return free_.tau() * w.correction.lpNorm<Eigen::Infinity>() / row_lengths(w.pattern).minCoeff();
  }

  bool gains_energy(const System& system, double h, const State& state, Workspace& w) {
    w.evaluate(system, q_next_, state.time + h, w.end, RowForm::smooth);
    w.plain_forces(system, w.end, v_next_, state.time + h);
    way_ = free_.candidate() - free_.base_velocity();
    system.apply_mass(way_, given_);  // τ F̂
    const double brought = system.kinetic_energy(way_);
    way_ = v_next_ - state.v;
    const double lost = system.kinetic_energy(way_);
    const double bound = v_next_.dot(given_ - free_.tau() * w.F) - lost;
    if (bound <= permitted_gain * brought) return false;
    const double now = system.kinetic_energy(v_next_) + system.potential_energy(w.end.pose);
    return !(now - system.energy(state) <= permitted_gain * brought);
  }

  void guess(const System& system, const State& state, Workspace& w) {
    free_.reach(system, state, state.v, q_next_);
    // Multipliers of a projection that got nowhere are no guess.
    if (lambda_.size() == w.lambda.size())
      w.lambda = lambda_;
    else
      w.lambda.setZero();
  }

  void finish(StepStatus status, Workspace& w, StepReport& report) {
    // Where forces grow without bound, as in a taut line loaded across, Newton's method gives way a
    // little; that is what is permitted.
    if (status == StepStatus::compromise && worst_strain(w.pattern, w.end.C) <= strain)
      report.status = StepStatus::ok;
    if (status == StepStatus::not_converged)
      lambda_.resize(0);
    else
      lambda_ = w.lambda;
  }

  void find_nearest(const System& system, double h, const State& state, Workspace& w,
                    StepReport& report) {
    const double scale = length_scale(system, w.pattern, state.q);
    const double tolerance = strain * row_lengths(w.pattern).minCoeff() / scale;
    const double way = free_.tau() * (free_.candidate() - state.v).lpNorm<1>() /
                       (scale * static_cast<double>(state.v.size()));
    const IterationLimits limits{
        tolerance, most_newton,
        std::min(tolerance, std::max(motion, ProjectionLimits::part_of_way * way))};
    guess(system, state, w);
    report.residual = 0;
    finish(nearest_.project(system, h, state, free_, limits, w, q_next_, v_next_, report), w,
           report);
  }

  // M (v⁺ − v_base)/τ = F(q⁺, v⁺) − J(q⁺)ᵀλ,   C(q⁺) = 0
  void solve_together(const System& system, double h, const State& state, Workspace& w,
                      StepReport& report) {
    guess(system, state, w);
    way_ = free_.offset() / free_.tau();
    const StepEquations equations{
        StepEquations::Forces::at_end, h, 1 / free_.tau(), free_.tau(), way_,
        free_.base_velocity()};
    finish(together_.solve(system, state, equations, {0, most_newton}, w, q_next_, v_next_, report),
           w, report);
  }

  FreeStep free_;
  NearestPoint nearest_;
  NewtonStep together_;
  ProjectionPause projection_, filter_;
  int unseen_ = 0;  // steps before the distance is looked at again
  VecX q_next_, v_next_, change_, impulse_, given_, way_;
  VecX dropped_;  // C, without what is slack
  VecX lambda_;   // of the last step that went well
};

}  // namespace

MethodInfo describe_fast_projection() {
  return describe_method<FastProjection>(
      "fast_projection", "a velocity filter for cloth: smallest steps towards the constraints",
      Promises{.energy = Promises::Energy::dissipates,
               .passes_singular = true,
               .decides_laws = true,
               .forces = Promises::Forces::before_constraints},
      filter_fields<FastProjection>()
          .optional("solve_tolerance", &FastProjection::solve_tolerance, "",
                    "of iterative linear solvers, relative", Range::positive)
          .optional("fallback", &FastProjection::fallback, "",
                    "what to do when the projection does not get there: look for the "
                    "nearest point by Newton's method, or go on up to max_iterations"));
}

}  // namespace taut
