// Finding configurations where constraints hold, or hold best.
#pragma once

#include <vector>

#include "taut/analysis/row_dependencies_internal.hpp"
#include "taut/model/row_modes.hpp"
#include "taut/model/rows.hpp"
#include "taut/model/system.hpp"

namespace taut {

/// The rows of a system at one time, in units of length: turns of a body are measured by the way of
/// its farthest anchor, and each row is divided by the length its gradient has at the start. Rows
/// that are not equations are all zero.
class Assembly {
 public:
  Assembly(const System& system, const State& start);

  /// Evaluates the rows at q.
  void linearize(const VecX& q);
  const Rows& rows() const { return rows_; }
  const RowPattern& pattern() const { return pattern_; }
  double row_weight(int row) const { return weight_[row]; }
  /// Of the rows evaluated last: weighted values, and Jᵀ with a column per row.
  VecX values() const { return weight_.cwiseProduct(rows_.C); }
  SparseMatrix jacobian_transposed() const;
  /// … with zeros for rows on velocities, which have no value and hinder no fit.
  SparseMatrix position_jacobian_transposed() const;

  struct Fit {
    VecX q;
    double residual = 0;  ///< largest |value|
  };
  /// From q to the nearest configuration with all |values| ≤ target, as far as there is one: damped
  /// Gauss–Newton (Levenberg–Marquardt), whose steps are the smallest that do it.
  Fit fit(const VecX& q, double target);

  /// q with every body moved a little, at random but the same every time.
  VecX perturbed(const VecX& q) const;

 private:
  void measure_bodies(const State& start);

  const System& system_;
  double time_;
  RowPattern pattern_;
  RowModes modes_;
  VecX unused_;
  Rows rows_;
  Pose pose_;
  VecX configuration_;
  std::vector<double> nearby_;  // per body: the distance to the nearest anchor it is tied to
  VecX lever_;                  // per velocity: 1 for translations, 1/length for turns
  VecX weight_;
};

}  // namespace taut
