#include "taut/methods/frozen_direction.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr double undecided_gap = 4;  // relative to what is accepted of C
constexpr int most_rounds_together = 20, most_decisions = 60;

}  // namespace

void FrozenDirection::evaluate_end(const System& system, double h, const State& state,
                                   const VecX& q_end, Workspace& w) const {
  if (takes_no_time) {
    w.linearize_positions(system, q_end, state.time + h, w.end);
    return;
  }
  w.evaluate(system, q_end, state.time + h, w.end);
  w.measure_way(system, state, h, q_end, w.end);
}

// Newton's matrix is h J(q_k) W J(q)ᵀ. While the step turns little, h A with A = J(q) W J(q)ᵀ is as
// good, already factored and symmetric. When that does not contract well, the true matrix is used,
// by BiCGSTAB with A⁻¹ as preconditioner.
// Which rows with a law act follows from their impulses and C so far. Those that cease to act have
// their impulses taken back: v changes, and C with it. True where any was wrong.
bool FrozenDirection::decide_rows(double h, double nothing, double length, bool one_only,
                                  Workspace& w, VecX& v) {
  const double time = force_time * h;
  delta_ = p_ / time;
  const bool changes =
      w.modes.decide(w.pattern, h * time, nothing, length, w.end.C, delta_, one_only) > 0;
  w.modes.hold(w.pattern, w.end, w.end.held);
  if (!changes) return false;
  w.factor(w.start);
  delta_ = time * delta_ - p_;
  p_ += delta_;
  w.WJt(w.start, delta_, w.correction);
  v -= w.correction;
  w.J(w.end, w.correction, rhs_);
  w.end.C -= h * rhs_;
  return true;
}

void FrozenDirection::solve(const System& system, double h, const State& state, double tolerance,
                            int max_iterations, Workspace& w, VecX& v, VecX& q_end,
                            StepReport& report) {
  w.factor(w.start);
  p_.setZero(w.pattern.rows());
  if (w.modes.in_solve) {  // what the rows at their bounds do, as long as they are there
    for (const RowModes::Mode& mode : w.modes.modes())
      if (!mode.is_equation) p_[mode.row] = force_time * h * mode.held;
    w.WJt(w.start, p_, w.correction);
    v -= w.correction;
  }
  p_best_ = p_;
  v_best_ = v;
  bool full_newton = false;
  double moved = INFINITY;  // by the last iteration, of dependent rows
  double before = INFINITY, best = INFINITY;
  int rounds = 0;  // in which rows began or ceased to act
  for (int iteration = 0;; ++iteration) {
    system.advance(state.q, v, h, q_end);
    evaluate_end(system, h, state, q_end, w);
    const double length = length_scale(system, w.pattern, q_end);
    const bool changes = w.modes.in_solve && decide_rows(h, undecided_gap * tolerance, length,
                                                         rounds > most_rounds_together, w, v);
    if (changes) {
      if (rounds < most_decisions) ++rounds;
      before = INFINITY;
    }
    const double worst = relative_error(w.pattern, w.end.C, length);
    if (worst < best) {
      best = worst;
      v_best_ = v;
      p_best_ = p_;
    }
    if (worst == best) report.residual = worst;
    if (worst <= tolerance && !changes) return;
    // Dependent rows that contradict each other: nothing moves any more, and C stays.
    if (report.regularized && moved <= std::max(tolerance, 1e-9 * worst)) {
      report.status = StepStatus::compromise;
      return;
    }
    if (!std::isfinite(worst) || iteration == max_iterations + rounds) break;
    full_newton = full_newton || (worst > 0.3 * before && !report.regularized);
    before = worst;

    rhs_ = w.end.C / h;
    if (full_newton) {
      const auto newton_matrix = [&](const VecX& x, VecX& out) {
        w.WJt(w.start, x, w.correction);
        w.J(w.end, w.correction, out);
      };
      const auto precondition = [&](const VecX& x, VecX& out) {
        w.solve_equations(x, out, report);
      };
      report.linear_iterations +=
          bicgstab(newton_matrix, precondition, rhs_, delta_, krylov_, {1e-10, 100}).iterations;
    } else {
      w.solve_equations(rhs_, delta_, report);
    }
    ++report.iterations;
    p_ += delta_;
    w.WJt(w.start, delta_, w.correction);
    v -= w.correction;
    if (report.regularized) moved = h * relative_displacement(system, w.correction, length);
  }
  // No solution was found: the best compromise on the way, and an honest word about it.
  report.status = StepStatus::not_converged;
  p_ = p_best_;
  v = v_best_;
  system.advance(state.q, v, h, q_end);
  evaluate_end(system, h, state, q_end, w);
}

}  // namespace taut
