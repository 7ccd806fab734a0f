// Which rows Newton's method is run with where some follow from others.
//
// In overconstrained mechanisms (a door on two hinges, a scissor lift, Bennett's linkage) some rows
// are combinations of others, but only where all constraints are met. Newton's iterates are not
// quite there, so its matrix is nearly singular instead of singular, and multipliers explode along
// those combinations. The remedy: before the step, rows that follow from others are left out. They
// then hold because the others do, which is checked when the step is done.
//
// The choice. The rows are eliminated at the start of the step, with unit masses, since it is a
// matter of geometry; those of which less than 1e-4 is left are taken out. Elimination without
// pivoting may take the wrong ones: a row d that is out is a combination z of those that are in,
// and where one of them, r, has a large part in it, r is nearly a combination of d and the rest,
// and the two change places. In the end no row that is left out has a part larger than twice its
// own size, so what it leaves open is of the size of what the others leave. A row that turns out to
// be independent is taken in again.
//
// The choice is kept as long as it is good: choosing anew in each step would make the solution jump
// where rows are misaligned a little.
#pragma once

#include <vector>

#include "taut/methods/workspace.hpp"
#include "taut/solve/kkt_solver.hpp"

namespace taut {

class Archive;

class IndependentRows {
 public:
  /// For another system, or other rows.
  void reset(const System& system, const RowPattern& pattern, KktSolver& solver);

  bool any_out() const { return !out_.empty(); }
  /// The rows that are left out.
  const std::vector<int>& out() const { return out_; }

  /// Before a step from `start`: chooses, where there is reason to. The multipliers in w.lambda are
  /// replaced by those of the new rows that make the same forces.
  void prepare(const System& system, const State& start, Workspace& w);
  /// Chooses at `start`, reason or not.
  void choose(const System& system, const State& start, Workspace& w);
  /// How many rows would be left out at another configuration.
  int count_dependent(const System& system, const State& at, Workspace& w);
  /// After a factorisation of Newton's matrix: whether the choice is still good.
  void watch();

  void take_in(int row);
  void take_in_all();
  /// All rows, in this step and for some to come: leaving rows out did not help.
  void suspend();

  void archive(Archive& a);

  /// What the rows that are left out were last seen to be violated by, relatively.
  double level = 0;

 private:
  void linearize(const System& system, const State& at, Workspace& w);
  void factor(const System& system, double dependent);
  void exchange(const System& system, Workspace& w);
  void collect();

  KktSolver* solver_ = nullptr;
  Rows rows_;
  Pose pose_;
  RowModes modes_;  // all off: the choice must not depend on stops and motors
  std::vector<Mat3> inertias_;
  std::vector<char> has_law_;  // per row: never left out
  std::vector<int> out_;
  std::vector<double> best_pivot_;  // per row, since the choice
  VecX size_;                       // √(J W Jᵀ) per row
  VecX held_, WJ_, x_, y_;
  bool is_first_ = true, is_due_ = false;
  long step_ = 0, fruitless_until_ = 0, fruitless_for_ = 1, suspended_until_ = 0,
       suspended_for_ = 1;
};

}  // namespace taut
