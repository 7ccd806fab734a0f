#include "taut/methods/independent_rows.hpp"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

constexpr double probably_dependent = 1e-4;  // relative pivot: left out until it is looked at
constexpr double surely_dependent = 1e-10;   // … and not taken in again
constexpr double large_part = 2;             // of a row in a combination, relative to their sizes
constexpr double much_worse = 1e-3;          // than its best: a pivot that asks for a new choice
constexpr double suspicious = 1e-6;          // a pivot, where nothing is left out
constexpr long longest_wait = 256;           // steps

/// Twice as long each time.
long wait(long step, long& length) {
  const long until = step + length;
  length = std::min(2 * length, longest_wait);
  return until;
}

}  // namespace

void IndependentRows::reset(const System& system, const RowPattern& pattern, KktSolver& solver) {
  *this = {};
  solver_ = &solver;
  rows_.resize(pattern);
  modes_ = RowModes(pattern);
  has_law_.assign(static_cast<std::size_t>(pattern.rows()), 0);
  for (RowModes::Mode& mode : modes_.modes()) {
    mode.is_equation = false;
    has_law_[mode.row] = 1;
  }
  for (int i = 0; i < system.body_count(); ++i)
    if (system.is_rigid({i})) inertias_.push_back(system.inertia({i}) / system.mass({i}));
  best_pivot_.assign(static_cast<std::size_t>(pattern.rows()), 0);
  size_.setZero(pattern.rows());
}

void IndependentRows::linearize(const System& system, const State& at, Workspace& w) {
  pose_.set(system, at.q);
  rows_.linearize(system, w.pattern, pose_, at.time, RowForm::smooth);
  modes_.apply(w.pattern, at.time, system.velocity_size(), rows_, held_);
  WJ_.resize(rows_.J.size());
  system.apply_inverse_mass(w.pattern.blocks, rows_.J, WJ_);
  multiply_by_masses(system, w.pattern, WJ_);
  for (int r = 0; r < w.pattern.rows(); ++r) {
    const auto values = w.pattern.values_of(r, r + 1);
    size_[r] = std::sqrt(
        rows_.J.segment(values.begin, values.size).dot(WJ_.segment(values.begin, values.size)));
  }
}

void IndependentRows::factor(const System& system, double dependent) {
  const VecX none;
  solver_->factor_and_leave_out(
      system, {1, inertias_, 0, none, none, rows_.J, rows_.J, modes_, true}, dependent);
}

void IndependentRows::collect() {
  out_.clear();
  for (int r = 0; r < static_cast<int>(has_law_.size()); ++r)
    if (solver_->is_left_out(r)) out_.push_back(r);
}

// Rows change places until each that is out is a moderate combination of those that are in. Each
// exchange makes the volume that the rows in span at least twice as large, so it ends; the limit is
// for rows that are all round-off.
void IndependentRows::exchange(const System& system, Workspace& w) {
  const int most = 4 * static_cast<int>(out_.size()) + 8;
  int exchanges = 0;
  for (bool changed = true; changed && exchanges < most;) {
    changed = false;
    for (std::size_t i = 0; i < out_.size() && exchanges < most; ++i) {
      const int d = out_[i];
      x_.setZero(system.velocity_size());
      y_.setZero(w.pattern.rows());
      for (int b = w.pattern.first_block[d]; b < w.pattern.first_block[d + 1]; ++b) {
        const JacobianBlock& block = w.pattern.blocks[b];
        x_.segment(block.dof, block.size) = rows_.J.segment(block.value, block.size);
      }
      LinearCost cost;
      solver_->solve(x_, y_, 0, cost);
      // J_dᵀ = M x + Jᵀy with J x = 0: what is left of the row beside the others.
      double left = 0;
      for (int b = w.pattern.first_block[d]; b < w.pattern.first_block[d + 1]; ++b) {
        const JacobianBlock& block = w.pattern.blocks[b];
        left += rows_.J.segment(block.value, block.size).dot(x_.segment(block.dof, block.size));
      }
      int largest = -1;
      double part = large_part * size_[d];
      for (int r = 0; r < w.pattern.rows(); ++r) {
        if (has_law_[r] || !(std::abs(y_[r]) * size_[r] > part)) continue;
        part = std::abs(y_[r]) * size_[r];
        largest = r;
      }
      if (largest >= 0) {
        solver_->leave_out(largest, true);
        solver_->leave_out(d, false);
        out_[i] = largest;
      } else if (left > surely_dependent * size_[d] * size_[d]) {
        solver_->leave_out(d, false);
        out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(i));
        --i;
      } else {
        continue;
      }
      factor(system, 0);
      ++exchanges;
      changed = true;
    }
  }
}

void IndependentRows::choose(const System& system, const State& start, Workspace& w) {
  linearize(system, start, w);
  // The force of the rows so far, to be made by the new ones.
  VecX force = VecX::Zero(system.velocity_size());
  multiply_transposed(w.pattern, rows_.J, w.lambda, force);

  take_in_all();
  factor(system, probably_dependent);
  collect();
  exchange(system, w);

  if (any_out()) {
    y_.setZero(w.pattern.rows());
    LinearCost cost;
    solver_->solve(force, y_, 0, cost);
    for (int r = 0; r < w.pattern.rows(); ++r)
      if (!has_law_[r]) w.lambda[r] = y_[r];
  }
  std::fill(best_pivot_.begin(), best_pivot_.end(), 0);
  is_due_ = is_first_ = false;
  level = 0;
}

int IndependentRows::count_dependent(const System& system, const State& at, Workspace& w) {
  const std::vector<int> kept = out_;
  linearize(system, at, w);
  take_in_all();
  factor(system, probably_dependent);
  collect();
  exchange(system, w);
  const int count = static_cast<int>(out_.size());
  take_in_all();
  for (const int row : kept) solver_->leave_out(row, true);
  collect();
  return count;
}

void IndependentRows::prepare(const System& system, const State& start, Workspace& w) {
  ++step_;
  if (step_ < suspended_until_) return;
  if (is_first_) {
    choose(system, start, w);
  } else if (is_due_) {
    const bool had_out = any_out();
    choose(system, start, w);
    // A singular position that comes near, or rows that are only badly scaled.
    if (!had_out && !any_out()) fruitless_until_ = wait(step_, fruitless_for_);
  }
}

void IndependentRows::watch() {
  if (step_ < suspended_until_) return;
  if (!any_out()) {
    if (solver_->smallest_pivot() < suspicious && step_ >= fruitless_until_) is_due_ = true;
    return;
  }
  for (std::size_t r = 0; r < best_pivot_.size(); ++r) {
    if (has_law_[r] || solver_->is_left_out(static_cast<int>(r))) continue;
    const double pivot = solver_->relative_pivot(static_cast<int>(r));
    best_pivot_[r] = std::max(best_pivot_[r], pivot);
    if (pivot < much_worse * best_pivot_[r]) is_due_ = true;
  }
}

void IndependentRows::take_in(int row) {
  solver_->leave_out(row, false);
  collect();
}

void IndependentRows::take_in_all() {
  for (int r = 0; r < static_cast<int>(has_law_.size()); ++r) solver_->leave_out(r, false);
  out_.clear();
}

void IndependentRows::suspend() {
  take_in_all();
  is_due_ = true;
  suspended_until_ = wait(step_, suspended_for_) + 1;
}

}  // namespace taut
