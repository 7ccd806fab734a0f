// Solves with the exact matrix of a step, or its transpose. Newton's own solver, which knows the
// structure of the mechanism but not every last term, does it nearly; what is left is corrected
// until nothing is.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "taut/model/system.hpp"
#include "taut/solve/gmres.hpp"
#include "taut/solve/kkt_solver.hpp"

namespace taut::detail {

class StepSolver {
 public:
  /// A (x, y) or Aᵀ (x, y).
  using Matrix =
      std::function<void(const VecX& x, const VecX& y, bool transposed, VecX& out_x, VecX& out_y)>;

  void adapt(const System& system, const RowPattern& pattern);
  /// Of Newton's matrix, with Terms::turning that of A; the transposed is made from it when it is
  /// first wanted. What terms refer to has to outlive the solves.
  void factor(const System& system, const KktSolver::Terms& terms, Matrix matrix);
  /// x, y ← the solution for the right-hand side x, y. Where rows depend on each other, one with
  /// small multipliers. Throws Error where there is none.
  void solve(VecX& x, VecX& y, bool transposed);

 private:
  struct Side {
    std::unique_ptr<KktSolver> kkt;
    bool is_factored = false;
    MatX dense;  // pseudo-inverse; empty: not needed so far
  };
  void factor_side(bool transposed);
  void precondition(Side& side, const VecX& r, VecX& z);
  void multiply(const VecX& z, bool transposed, VecX& out) const;
  bool refine(Side& side, bool transposed, const VecX& b, VecX& x);
  bool iterate(Side& side, bool transposed, const VecX& b, VecX& x);
  bool eliminate(Side& side, bool transposed, const VecX& b, VecX& x);
  double size_of(const VecX& r) const { return r.cwiseProduct(scale_).norm(); }

  long topology_ = -1;
  const System* system_ = nullptr;
  const KktSolver::Terms* terms_ = nullptr;
  std::vector<Mat3> turning_;  // transposed
  Matrix matrix_;
  Side sides_[2];
  VecX scale_, b_, x_, r_, z_, Az_;
  mutable VecX part_x_, part_y_, out_x_, out_y_;
  int velocities_ = 0, rows_ = 0;
  GmresScratch scratch_;
};

}  // namespace taut::detail
