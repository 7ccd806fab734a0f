#include "taut/methods/frozen_direction.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"

namespace taut {

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
void FrozenDirection::solve(const System& system, double h, const State& state, double tolerance,
                            int max_iterations, Workspace& w, VecX& v, VecX& q_end,
                            StepReport& report) {
  w.factor(w.start);
  p_.setZero(w.pattern.rows());
  p_best_ = p_;
  v_best_ = v;
  bool full_newton = false;
  double moved = INFINITY;  // by the last iteration
  double before = INFINITY, best = INFINITY;
  for (int iteration = 0;; ++iteration) {
    system.advance(state.q, v, h, q_end);
    evaluate_end(system, h, state, q_end, w);
    const double length = length_scale(system, w.pattern, q_end);
    const double worst = relative_error(w.pattern, w.end.C, length);
    if (worst < best) {
      best = worst;
      v_best_ = v;
      p_best_ = p_;
    }
    if (worst == best) report.residual = worst;
    if (worst <= tolerance) return;
    // Dependent rows that contradict each other: nothing moves any more, and C stays.
    if (report.regularized && moved <= std::max(tolerance, 1e-9 * worst)) {
      report.status = StepStatus::compromise;
      return;
    }
    if (!std::isfinite(worst) || iteration == max_iterations) break;
    full_newton = full_newton || (worst > 0.3 * before && !report.regularized);
    before = worst;

    rhs_ = w.end.C / h;
    if (full_newton) {
      const auto newton_matrix = [&](const VecX& x, VecX& out) {
        w.WJt(w.start, x, w.correction);
        w.J(w.end, w.correction, out);
      };
      const auto precondition = [&](const VecX& x, VecX& out) { w.solve(x, out, report); };
      report.linear_iterations +=
          bicgstab(newton_matrix, precondition, rhs_, delta_, krylov_, {1e-10, 100}).iterations;
    } else {
      w.solve(rhs_, delta_, report);
    }
    ++report.iterations;
    p_ += delta_;
    w.WJt(w.start, delta_, w.correction);
    v -= w.correction;
    moved = h * relative_displacement(system, w.correction, length);
  }
  // No solution was found: the best compromise on the way, and an honest word about it.
  report.status = StepStatus::not_converged;
  p_ = p_best_;
  v = v_best_;
  system.advance(state.q, v, h, q_end);
  evaluate_end(system, h, state, q_end, w);
}

}  // namespace taut
