// What Newton's method does where constraints cannot be met as they are: it lets them give way.
#include <array>
#include <span>

#include "taut/methods/newton_step.hpp"
#include "taut/model/scale.hpp"

namespace taut {
namespace {

// The compliances of the fallback, relative to how far a row's own force moves its bodies; the
// first ones only lead to the last.
constexpr std::array<double, 3> compliances{1e-3, 1e-6, 1e-9};
constexpr std::array<double, 6> iterated_compliances{1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5};
// Where compliance leaves more than this, Newton's method without it has nothing to find.
constexpr double conflict = 1e-6;

}  // namespace

// The largest of the rows' (τ/α) J W Jᵀ: how far a unit multiplier moves bodies in the step.
double NewtonStep::mobility(const Problem& p) {
  Workspace& w = p.w;
  // Of cloth, that hardly changes.
  if (kkt_->is_iterative() && row_mobility_ > 0) return p.equations.time_squared() * row_mobility_;
  w.linearize(p.system, p.q_end, p.start.time + p.equations.h, w.end);
  double most = 0;
  for (int r = 0; r < w.pattern.rows(); ++r) {
    double sum = 0;
    for (int b = w.pattern.first_block[r]; b < w.pattern.first_block[r + 1]; ++b) {
      const JacobianBlock& block = w.pattern.blocks[b];
      sum +=
          w.end.J.segment(block.value, block.size).dot(w.end.WJ.segment(block.value, block.size));
    }
    most = std::max(most, sum);
  }
  row_mobility_ = most;
  return p.equations.time_squared() * most;
}

// With compliance: from scratch, or from where the last step was when it needed that too. Then
// without, if that is possible.
NewtonStep::Outcome NewtonStep::give_way(Problem& p) {
  const double scale = mobility(p);
  const std::span<const double> relative =
      kkt_->is_iterative() ? std::span<const double>(iterated_compliances) : compliances;
  const int most = 2 * p.limits.max_iterations;
  Outcome outcome = Outcome::failed;
  if (gave_way_) outcome = iterate(p, relative.back() * scale, most);
  if (outcome == Outcome::failed) {
    p.q_end = q_guess_;
    p.w.lambda.setZero();
    for (const double step : relative) outcome = iterate(p, step * scale, most);
  }
  gave_way_ = outcome != Outcome::failed;
  if (!gave_way_) return Outcome::failed;
  if (relative_error(p.w.pattern, p.w.end.C, length_) > conflict) return Outcome::compromise;

  q_soft_ = p.q_end;
  lambda_soft_ = p.w.lambda;
  if (iterate(p, kkt_->least_compliance() * scale, 6) == Outcome::converged) {
    gave_way_ = false;
    return Outcome::converged;
  }
  // The step is too long, or no finite forces can hold the constraints exactly, as with a taut line
  // that is loaded across. The loop finds out which, by halving.
  p.report.regularized = true;
  p.q_end = q_soft_;
  p.w.lambda = lambda_soft_;
  evaluate(p, 0);
  return Outcome::compromise;
}

}  // namespace taut
