#include "taut/methods/newton_step.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"

namespace taut {
namespace {

// Iterations after which what will do is enough: where cloth is compressed they gain little.
constexpr int enough = 3;
constexpr double no_displacement = 1e-14;  // by an iteration, relative to the largest coordinate
constexpr int most_rounds = 60;            // of iterations in which rows begin or cease to act
// Relative to what is accepted of C: so small that a step that fails failed to find the motion.
constexpr double nearly_met = 100;
// Iterations after which less may be asked of what is left of the motion.
constexpr int patience = 3;
// An iterated solve is not worth going on with when things are this much worse than they were.
constexpr double hopeless = 1e5;
// What dependent rows may leave of C, relative to the largest coordinate, before it is a
// compromise.
constexpr double agreement = 1e-9;
// Rows that are left out are violated by no more than this where they follow from the others, …
constexpr double follows = 1e-12;
// … and by no more than this where they would follow if the mechanism were built exactly.
constexpr double misaligned = 1e-5;
// Where the last step was a compromise, the rows had better agree again: to leave one out would
// move the bodies at once by what the others gave way.
constexpr double agreeing_again = 1e-7;

}  // namespace

void NewtonStep::adapt(const System& system, Workspace& w) {
  if (system.topology() == topology_ && pattern_ == &w.pattern) [[likely]]
    return;
  topology_ = system.topology();
  pattern_ = &w.pattern;
  kkt_ = make_kkt_solver(system, w.pattern);
  guess_.most_order = kkt_->is_iterative() ? 1 : StepGuess::highest;
  row_mobility_ = 0;
  may_saturate_ = std::any_of(system.all_forces().begin(), system.all_forces().end(),
                              [](const auto& batch) { return batch->may_saturate(); });
  is_free_.reset();
  kept_.forget();
  independent_.reset(system, w.pattern, *kkt_);
  between_.resize(w.pattern);
  turning_.resize(static_cast<std::size_t>(system.rigid_count()));
  constraint_force_.setZero(system.velocity_size());
}

NewtonStep::Size NewtonStep::advance(Problem& p, double compliance, const Size& before) {
  q_before_ = p.q_end;
  lambda_before_ = p.w.lambda;
  Size size;
  for (double part = 1; part > 0.1; part *= 0.5) {
    p.system.advance(q_before_, eta_, part, p.q_end);
    p.w.lambda = lambda_before_ + part * change_;
    size = evaluate(p, compliance);
    if (size.worst() <= 4 * before.worst() || before.worst() < 1e4) return size;
  }
  // No part of it is better: Newton's whole step often leads out of such a place.
  p.system.advance(q_before_, eta_, 1, p.q_end);
  p.w.lambda = lambda_before_ + change_;
  return evaluate(p, compliance);
}

// φ(s) = η·r(q ⊕ s η) falls from −|η|² in the norm of the matrix, and grows; with a bounded force
// that is steep between its bounds, its root is anywhere. By regula falsi (Illinois).
NewtonStep::Size NewtonStep::turn_back(Problem& p, double compliance, const Size& at_end) {
  const auto along = [&](double s, Size& size) {
    p.system.advance(q_before_, eta_, s, p.q_end);
    p.w.lambda = lambda_before_ + s * change_;
    size = evaluate(p, compliance);
    return eta_.dot(r_);
  };
  Size size = at_end;
  double low = 0, high = 1, at_high = eta_.dot(r_);
  double at_low = along(0, size);
  if (!(at_low < 0 && at_high > 0)) {
    along(1, size);
    return size;
  }
  const double enough = 1e-3 * std::min(-at_low, at_high);
  int side = 0;
  for (int i = 0; i < 100 && high - low > 1e-15; ++i) {
    double s = low + (high - low) * at_low / (at_low - at_high);
    if (i % 4 == 3) s = 0.5 * (low + high);
    const double here = along(s, size);
    if (std::abs(here) <= enough) break;
    if (here < 0) {
      low = s;
      at_low = here;
      if (side == -1) at_high *= 0.5;
      side = -1;
    } else {
      high = s;
      at_high = here;
      if (side == 1) at_low *= 0.5;
      side = 1;
    }
  }
  return size;
}

// Half of what the last iteration gained: with the positive part of G, Newton's method converges
// linearly where cloth is compressed. (Eisenstat and Walker 1996 have its square, for what
// converges quadratically.) No better than what is accepted.
double NewtonStep::solve_tolerance(const Size& size, const Size& before) const {
  const double gain = before.worst() > 0 ? size.worst() / before.worst() : 1;
  return std::clamp(std::max(0.5 * gain, 0.3 / size.worst()), 1e-12, 0.1);
}

// Of the first system: as much as the first iterations of the last steps could use.
double NewtonStep::first_tolerance(const Size& size) const {
  return std::clamp(std::max(first_gain_, 0.3 / size.worst()), 1e-12, 0.1);
}

void NewtonStep::move_all(Problem& p, const Vec3& way) {
  for (int i = 0; i < p.system.body_count(); ++i) p.q_end.segment<3>(p.system.slot({i}).q) += way;
}

NewtonStep::Outcome NewtonStep::iterate(Problem& p, double compliance, int most) {
  rounds_ = changed_rows_ = wrong_rows_ = 0;
  was_near_ = is_lenient_ = false;
  Size size = evaluate(p, compliance), before = size;
  if (!begun_with_) begun_with_ = size.worst();
  double best = INFINITY;
  int since_best = 0;
  double first_left = 0;
  const bool may_keep = kkt_->is_iterative() && !p.w.modes.in_solve && changed_rows_ == 0;
  const bool keeps =
      may_keep && kept_.will_do(factors_of(p.equations, compliance), p.start.time, p.equations.h);
  bool for_rows = false;
  // Once at least: a guess that happens to be good enough still has its error, and would keep it.
  const auto is_done = [&](int iteration) {
    return wrong_rows_ == 0 && (size.worst() <= 1 || (size.will_do && iteration >= enough));
  };
  for (int iteration = 0; iteration == 0 || !is_done(iteration); ++iteration) {
    // Rows that begin or cease to act change the equations: nothing is learnt about the old ones.
    if (changed_rows_ > 0 && rounds_ < most_rounds) {
      ++rounds_;
      best = INFINITY;
      since_best = 0;
    }
    if (size.worst() < 0.5 * best) {
      best = size.worst();
      since_best = 0;
    } else if (++since_best > 8 || (kkt_->is_iterative() && size.worst() > hopeless * best)) {
      return Outcome::failed;
    }
    if (iteration == most + rounds_ || !std::isfinite(size.worst())) return Outcome::failed;
    // Linear systems of stiff springs are solved well enough for each body long before they are for
    // all of them together, which is easily mended.
    if (iteration > 0 && size.whole > 1 && std::max(size.C, size.r) <= 1) {
      const Vec3 way = way_of_the_whole(p);
      move_all(p, way);
      const Size moved = evaluate(p, compliance);
      if (moved.whole < 0.5 * size.whole) {
        size = moved;
      } else {  // something that is not in the rows holds the whole
        move_all(p, -way);
        size = evaluate(p, compliance);
        size.whole = 0;
      }
      if (is_done(iteration)) break;
    }

    is_lenient_ = iteration >= patience;
    was_near_ = was_near_ || size.C < nearly_met;
    // Where nothing but C is left, it is taken away alone: bodies that are still on their way would
    // go on and bring it back.
    for_rows = kkt_->is_iterative() && iteration > 0 && changed_rows_ == 0 && size.C > 1 &&
               size.r <= 1 && !(keeps && iteration == 1) && !(for_rows && size.C > 0.5 * before.C);
    // The factors of the last iteration still do where they are expected to finish: the error then
    // shrinks by about as much again as it last did. Where it falls short of that, one more such
    // solve costs no more than new factors would have.
    const double margin = kkt_->is_iterative() ? 0.1 : 1;
    const bool chord =
        for_rows || (iteration == 0 ? keeps
                                    : !(keeps && iteration == 1) && changed_rows_ == 0 &&
                                          size.worst() * size.worst() < margin * before.worst());
    if (!chord) {
      factor(p, compliance);
      changed_rows_ = 0;
      if (iteration == 0 && compliance == 0) independent_.watch();
      ++p.report.iterations;
    }
    eta_ = -r_;
    if (for_rows) eta_.setZero();
    change_ = -C_;
    const double solved_to = iteration == 0 ? first_tolerance(size) : solve_tolerance(size, before);
    kkt_->solve(eta_, change_, solved_to, p.report);
    p.report.regularized = p.report.regularized || kkt_->is_singular();
    before = size;
    size = advance(p, compliance, before);
    if (may_saturate_ && size.worst() > 0.5 * before.worst() && size.worst() > 1)
      size = turn_back(p, compliance, size);
    if (iteration == 0) {
      first_left = size.worst();
      const double gain = size.worst() / before.worst();
      first_gain_ = std::clamp(gain > 5 * solved_to ? 0.3 * gain : 0.5 * first_gain_, 1e-4, 0.1);
    }
    // Where linear systems are iterated, only that will_do asks for it.
    if (iteration == (kkt_->is_iterative() ? enough - 2 : 0)) weigh_constraint_forces(p);

    if (kkt_->is_iterative() && size.worst() > 1 && eta_.isZero(0))
      return Outcome::failed;  // nothing was solved

    // Dependent rows: what is left of C is out of reach once the steps vanish.
    if (kkt_->is_singular() && changed_rows_ == 0 && size.r <= 1e6 &&
        relative_displacement(p.system, eta_, length_) <= 1e-11) {
      kkt_->remove_null_space(p.w.lambda);
      return relative_error(p.w.pattern, C_, length_) <= agreement ? Outcome::converged
                                                                   : Outcome::compromise;
    }
    // Round-off, of C or of large forces: no more to be had. Stiff springs make forces of the
    // round-off of positions; what they would still move is none.
    const double tolerance = p.limits.tolerance;
    if (size.C * tolerance < 2e-12 && size.whole <= 1 && !chord && changed_rows_ == 0 &&
        size.worst() > 0.5 * before.worst() &&
        (size.r * tolerance < 2e-9 ||
         relative_displacement(p.system, eta_, length_) < no_displacement))
      break;
  }
  if (may_keep) kept_.learn(p.start.time + p.equations.h, keeps, first_left);
  return Outcome::converged;
}

double NewtonStep::row_error(const Problem& p, int row) const {
  const double error = std::abs(p.w.end.C[row]);
  return p.w.pattern.is_angle[static_cast<std::size_t>(row)] ? error : error / length_;
}

double NewtonStep::left_out_violation(const Problem& p) const {
  double worst = 0;
  for (const int row : independent_.out()) worst = std::max(worst, row_error(p, row));
  return worst;
}

NewtonStep::Outcome NewtonStep::solve_independent(Problem& p) {
  independent_.prepare(p.system, p.start, p.w);
  lambda_guess_ = p.w.lambda;
  enum { as_prepared, chosen_anew, violated_taken_in, all } rows = as_prepared;
  for (;;) {
    for (const int row : independent_.out()) p.w.lambda[row] = 0;
    const Outcome outcome = iterate(p, 0, p.limits.max_iterations);
    if (!independent_.any_out()) return outcome;
    p.report.regularized = true;
    const double violation = left_out_violation(p);
    if (outcome == Outcome::converged) {
      if (violation <= std::max(follows, 2 * independent_.level)) return outcome;
      const State end{p.start.time + p.equations.h, p.q_end, p.v_end};
      if (violation <= (compromised_ ? agreeing_again : misaligned) &&
          independent_.count_dependent(p.system, end, p.w) ==
              static_cast<int>(independent_.out().size())) {
        independent_.level = violation;
        return outcome;
      }
    }
    p.q_end = q_guess_;
    p.w.lambda = lambda_guess_;
    if (rows == as_prepared) {
      rows = chosen_anew;
      independent_.choose(p.system, p.start, p.w);
    } else if (rows == chosen_anew && outcome == Outcome::converged) {
      rows = violated_taken_in;
      const std::vector<int> out = independent_.out();
      for (const int row : out)
        if (row_error(p, row) > follows) independent_.take_in(row);
    } else {
      rows = all;
      independent_.suspend();
    }
  }
}

StepStatus NewtonStep::solve(const System& system, const State& start,
                             const StepEquations& equations, IterationLimits limits, Workspace& w,
                             VecX& q_end, VecX& v_end, StepReport& report) {
  adapt(system, w);
  start_pose_.set(system, start.q);
  length_ = length_scale(system, w.pattern, q_end);
  carried_ = 0;
  was_near_ = false;
  q_guess_ = q_end;
  if (limits.tolerance > 0 && !(limits.motion > 0)) limits.motion = limits.tolerance;
  if (!(limits.tolerance > 0)) limits.tolerance = kkt_->is_iterative() ? 1e-6 : 2e-14;
  lambda_plain_ = w.lambda;
  begun_with_.reset();
  eta_.setConstant(system.velocity_size(), NAN);  // where no iteration is done, nothing is known
  const bool learns = !w.modes.in_solve || kkt_->is_iterative();
  const bool has_guess = learns && guess_.improve(system, start, equations.h, q_end, w.lambda);
  Problem problem{system, start, equations, limits, w, q_end, v_end, report};
  const double least = kkt_->least_compliance();
  Outcome outcome = Outcome::failed;
  if (!gave_way_ && kkt_->can_leave_out()) {
    outcome = solve_independent(problem);
    if (outcome == Outcome::failed && has_guess) {
      q_end = q_guess_;
      w.lambda = lambda_plain_;
      outcome = solve_independent(problem);
    }
  } else if (!gave_way_) {
    const double compliance = least * mobility(problem);
    outcome = iterate(problem, compliance, limits.max_iterations);
    if (outcome == Outcome::failed) kept_.forget();
    if (outcome == Outcome::failed && has_guess && !was_near_) {
      q_end = q_guess_;
      w.lambda = lambda_plain_;
      outcome = iterate(problem, compliance, limits.max_iterations);
    }
  }
  // Where the constraints were all but met and the motion was not found, they need not give way:
  // the step is too long. If the same one comes again, shorter ones were of no use.
  bool has_wandered = outcome == Outcome::failed && kkt_->is_iterative() && was_near_;
  if (has_wandered) {
    has_wandered = !(start.time == wandered_at_ && equations.h == wandered_for_);
    wandered_at_ = start.time;
    wandered_for_ = equations.h;
  }
  if (outcome == Outcome::failed && w.pattern.rows() > 0 && !has_wandered) {
    q_end = q_guess_;
    independent_.take_in_all();
    outcome = give_way(problem);
    w.trace.add({StepEvent::Kind::gave_way, start.time});
  }
  compromised_ = outcome == Outcome::compromise;
  if (outcome == Outcome::failed) {
    w.lambda.setZero();  // no guess for the next step
    guess_.forget();
  } else if (learns) {
    // Where systems are iterated, a plain guess would cost too much to be tried now and then.
    if (begun_with_ && !kkt_->is_iterative()) guess_.judge(*begun_with_);
    guess_.learn(system, start, equations.h, q_end, w.lambda);
  }
  const StepStatus status = outcome == Outcome::failed       ? StepStatus::not_converged
                            : outcome == Outcome::compromise ? StepStatus::compromise
                                                             : StepStatus::ok;
  if (report.status != StepStatus::not_converged && status != StepStatus::ok)
    report.status = status;
  report.residual = std::max(report.residual, relative_error(w.pattern, w.end.C, length_));
  // Constraints may hold where the motion is not solved for. It is off by about what the last
  // iteration did; where there are no constraints, nothing else tells.
  if (outcome == Outcome::failed) {
    const double off = relative_displacement(system, eta_, length_);
    report.unsolved += std::isfinite(off) ? off : INFINITY;
    if (w.pattern.rows() == 0) report.residual = std::max(report.residual, report.unsolved);
  }
  return status;
}

void NewtonStep::relax(const System& system, const State& start, const StepEquations& equations,
                       double stiffness, IterationLimits limits, Workspace& w, VecX& q_end,
                       VecX& v_end, StepReport& report) {
  adapt(system, w);
  start_pose_.set(system, start.q);
  length_ = length_scale(system, w.pattern, q_end);
  carried_ = 0;
  if (!(limits.motion > 0)) limits.motion = limits.tolerance;
  Problem problem{system, start, equations, limits, w, q_end, v_end, report};
  const double compliance = 1 / stiffness;
  // A one-sided spring acts where it is stretched.
  if (w.modes.in_solve)
    for (const RowModes::Mode& mode : w.modes.modes()) w.lambda[mode.row] = 0;
  rounds_ = 0;
  evaluate(problem, compliance);
  w.lambda = stiffness * w.end.C;
  Size size = evaluate(problem, compliance), before = size;
  for (int i = 0; i < limits.max_iterations && (i == 0 || size.worst() > 1); ++i) {
    factor(problem, compliance);
    ++report.iterations;
    eta_ = -r_;
    change_ = -C_;
    kkt_->solve(eta_, change_, std::min(1e-3, solve_tolerance(size, before)), report);
    report.regularized = report.regularized || kkt_->is_singular();
    before = size;
    size = advance(problem, compliance, before);
  }
  report.residual = relative_error(w.pattern, C_, length_);
}

double NewtonStep::constraint_work() const {
  return -constraint_force_.dot(delta_) + (held_.size() > 0 ? held_.dot(delta_) : 0);
}

}  // namespace taut
