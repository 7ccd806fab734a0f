// What the rows that are not equations (limits, motors: RowLaw) are during a step. In each step
// such a row either is an equation or has a given multiplier, mostly 0: then it is off. Which of
// the two is decided from outside (simulate/bounded_step.hpp); methods see equations and forces
// alone.
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
  };

  /// What is added to J W Jᵀ of the row.
  static double compliance(const Mode& mode);

  RowModes() = default;
  explicit RowModes(const RowPattern& pattern);

  bool empty() const { return modes_.empty(); }

  /// Generalised forces that act all through the step, such as those of contacts; empty: none.
  VecX external;
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
  /// The value of C of a mode, on the branch of its last one.
  static double continued(const Mode& mode, double value);

 private:
  std::vector<Mode> modes_;
};

}  // namespace taut
