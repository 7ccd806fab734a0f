// What the rows that are not equations (limits, motors: RowLaw) are during a step. In each step
// such a row either is an equation or has a given multiplier, mostly 0: then it is off. Which of
// the two is decided from outside (simulate/bounded_step.hpp), and methods see equations and forces
// alone; or, where there are too many of them, in the solve of the step (`in_solve`): of
//
//   lower ≤ λ ≤ upper,   C = 0 between,   C ≤ 0 at the lower bound,   C ≥ 0 at the upper one,
//
// C being what the step leaves of the row at its end, a row is an equation exactly where
// z = λ + C/response is between the bounds; else λ is the bound that z is beyond. Newton's methods
// decide so in each iteration (primal-dual active sets, that is a semismooth Newton method:
// Hintermüller, Ito and Kunisch 2002); methods with linear solves, in these (Workspace::solve).
//
// A row with a given multiplier λ is made all zero, and −Jᵀλ is added to the forces. So that the
// matrices stay regular, its diagonal is set to that of an ordinary row. A rate that is an equation
// gives way a little, by 1e-9 of what its force does to it: friction in a joint that is driven, at
// a stop or geared to one with friction would else be in conflict with that, or leave open which of
// them bears what. In conflict its multiplier is then huge, beyond any bound, and so it yields.
#pragma once

#include <limits>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/rows.hpp"

namespace taut {

class Archive;

class RowModes {
 public:
  struct Mode {
    int row = 0;
    RowLaw law;
    bool is_equation = false;
    double held = 0;      ///< λ, if it is no equation
    double target = 0;    ///< C is measured from here: the bound of a limit, the start of a rate
    double mobility = 0;  ///< J W Jᵀ of the row, as last known
    bool acted = false;   ///< it was an equation when the last step ended, and may still be one
    /// Value where C was last looked at: C is taken within half a period of it. Unknown at first.
    double last = std::numeric_limits<double>::quiet_NaN();
    // Of a rate: when the step started, and C_t then.
    bool has_start = false;
    double start_time = 0, start_rate = 0;
    // Of a limit that is an equation: the gap it closes evenly over the step, as C, and how fast.
    double approach = 0, approach_rate = 0;

    /// It is an equation for some time, and not decided in a solve.
    bool is_timed() const { return law.kind == RowLaw::Kind::equation; }
    bool is_limit() const { return law.kind == RowLaw::Kind::limit; }
    /// Of λ.
    double least() const;
    double most() const;
  };

  /// What is added to J W Jᵀ of the row.
  double compliance(const Mode& mode) const;

  RowModes() = default;
  explicit RowModes(const RowPattern& pattern);

  bool empty() const { return modes_.empty(); }

  /// Whether the solve of the step decides; then rows come whole, as if all were equations.
  bool in_solve = false;

  /// Generalised forces that act all through the step, such as those of contacts; empty: none.
  VecX external;
  /// What rows are between two steps.
  void archive(Archive& a);
  std::vector<Mode>& modes() { return modes_; }
  const std::vector<Mode>& modes() const { return modes_; }
  /// What they were before a step that is done again; empty if there was none.
  void restore(const std::vector<Mode>& before) {
    if (before.size() == modes_.size()) modes_ = before;
  }

  /// Makes C, C_t and J of rows at a time what they are in this step. `force` gets what the held
  /// ones do, and the external forces; it is left empty where that is nothing.
  void apply(const RowPattern& pattern, double time, int velocity_size, Rows& rows,
             VecX& force) const;
  /// The rows that are off, of rows that came whole: as apply() makes them.
  void hold(const RowPattern& pattern, Rows& rows, VecX& force) const;
  /// Of limits that are off: their C is measured from the bound that is nearer.
  void turn_to_nearer_bounds(VecX& C);
  /// Decides which rows are equations, given λ and what is left of C. A unit of λ changes C of a
  /// row by its mobility times `time_squared`; changes below `nothing` (of lengths relative to
  /// `length`) are none. λ of the others becomes the bound. Returns how many rows were decided
  /// wrongly before. With `one_only`, the first of them alone is changed.
  int decide(const RowPattern& pattern, double time_squared, double nothing, double length,
             const VecX& C, VecX& lambda, bool one_only = false);
  /// C of rows that are off ← 0 where that is right.
  void drop_slack(VecX& C) const;
  /// C of a row that is an equation, as it is in this step.
  static double measured(const Mode& mode, double C, double C_t, double time);
  /// What is wrong about that, if its multiplier is 0: how far a limit is beyond its bound.
  static double beyond(const Mode& mode, double C);
  /// The value of C of a mode, on the branch of its last one.
  static double continued(const Mode& mode, double value);

 private:
  void switch_off(const RowPattern& pattern, const Mode& mode, Rows& rows, VecX& force) const;

  std::vector<Mode> modes_;
};

}  // namespace taut
