// A λ = b with bounds on λ, where rows with a law are decided in the solve.
//
// Active sets: the rows that are equations are solved for, the others are at a bound, and all rows
// that this contradicts change at once (Hintermüller, Ito and Kunisch 2002). Where the number of
// those does not fall for some rounds, the first alone changes until it does (Júdice and Pires
// 1994), which ends for a positive definite matrix. The guess is what the rows are: what they were
// in the last solve.
#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/methods/method.hpp"

namespace taut {
namespace {

// What says nothing about a row, of the largest |b|: as much as the solver leaves, between these.
constexpr double undecided_below = 1e-12, undecided_above = 1e-6;
constexpr int rounds_together = 8, most_solves = 200;

// Friction in a joint that is driven cannot hold it: the two rows contradict each other, and the
// solver finds a compromise, whose multiplier means nothing. What is left of the row tells to which
// bound it is pulled.
void yield_in_conflict(const RowModes& modes, const VecX& unmet, double nothing, VecX& x) {
  constexpr double given = 1e-6;  // far more than such a row gives way by design
  for (const RowModes::Mode& mode : modes.modes()) {
    if (mode.law.kind != RowLaw::Kind::rate || !mode.is_equation) continue;
    const double most = std::max(mode.most(), -mode.least()), left = unmet[mode.row];
    if (std::isfinite(most) && std::abs(left) > nothing + given * mode.mobility * most)
      x[mode.row] = std::copysign(2 * most, left);
  }
}

}  // namespace

void Workspace::solve_equations(const VecX& b, VecX& x, StepReport& report) {
  report.regularized = report.regularized || leaves_rows_out();
  if (!modes.in_solve) {
    solve_chosen(b, x, 0, report);
    return;
  }
  bounded_b_ = b;
  for (const RowModes::Mode& mode : modes.modes())
    if (!mode.is_equation) bounded_b_[mode.row] = 0;
  solve_chosen(bounded_b_, x, 0, report);
}

void Workspace::solve_bounded(const VecX& b, VecX& x, double tolerance, StepReport& report) {
  const double size = b.size() > 0 ? b.lpNorm<Eigen::Infinity>() : 0;
  int fewest = std::numeric_limits<int>::max(), patience = rounds_together;
  for (int round = 0;; ++round) {
    // What the rows at their bounds do is known.
    unmet_.setZero(b.size());
    for (const RowModes::Mode& mode : modes.modes())
      if (!mode.is_equation) unmet_[mode.row] = mode.held;
    bounded_b_ = b;
    if (!unmet_.isZero(0)) {
      multiply_transposed(pattern, *right_, unmet_, pulled_);
      multiply(pattern, factored_->J, pulled_, unmet_);
      bounded_b_ -= unmet_;
    }
    for (const RowModes::Mode& mode : modes.modes())
      if (!mode.is_equation) bounded_b_[mode.row] = 0;
    const double left = solve_chosen(bounded_b_, x, tolerance, report);
    for (const RowModes::Mode& mode : modes.modes())
      if (!mode.is_equation) x[mode.row] = mode.held;

    multiply_transposed(pattern, *right_, x, pulled_);
    multiply(pattern, factored_->J, pulled_, unmet_);
    unmet_ = b - unmet_;
    const double nothing = std::clamp(4 * left, undecided_below, undecided_above) * size;
    yield_in_conflict(modes, unmet_, nothing, x);
    const int wrong = modes.decide(pattern, 1, nothing, 1, unmet_, x, patience <= 0);
    if (wrong == 0) return;
    if (round == most_solves || !x.allFinite()) {
      if (report.status == StepStatus::ok) report.status = StepStatus::not_converged;
      report.residual = std::max(report.residual, unmet_.lpNorm<Eigen::Infinity>());
      return;
    }
    patience = wrong < fewest ? rounds_together : patience - 1;
    fewest = std::min(fewest, wrong);
    factor_equations();
  }
}

}  // namespace taut
