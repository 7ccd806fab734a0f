// Complementarity with bounds, in a small dense system. Of w = b + A λ, with A symmetric and
// positive semi-definite, find λ within its bounds such that
//   w_i = 0 where λ_i is between its bounds,  w_i ≥ 0 at the lower one,  w_i ≤ 0 at the upper one:
// λ pushes as much as it must and may. Bounds (0, ∞) make a contact or a string, (−τ, τ) a motor or
// dry friction, (−∞, ∞) an equation.
//
// Active sets. Rows are free or at a bound; the free ones are solved for, and all rows that this
// contradicts change at once (Hintermüller, Ito and Kunisch 2002), which nearly always ends after a
// few rounds. Where it does not, the first contradicting row alone changes, which always does for a
// positive definite matrix (Murty 1974). A is made definite by a proximal term, taken back by
// repeating the solve around the last answer. So of many possible λ the answer is near the guess.
//
// Active sets are in two more places, and each has another matrix. Here it is small, dense, and may
// be singular; it is factored anew in each round, and nothing of the system is needed. Where a
// method decides many rows in its solve (methods/workspace_bounds.cpp, RowModes::decide()), the
// matrix is that of all rows, sparse, with the plans of its own solver: with its responses as a
// dense matrix, hundreds of strings would cost that many solves. And of the few rows that can act
// at an event, the sparse way would find one answer out of many, not the one near the guess.
#pragma once

#include <limits>
#include <vector>

#include "taut/base/types.hpp"

namespace taut {

struct Bounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

struct BoxReport {
  bool ok = true;       ///< the residual is round-off
  int rounds = 0;       ///< linear systems solved
  double residual = 0;  ///< largest contradiction, as a w, relative to the largest |b|
};

class BoxSolver {
 public:
  /// `scale`: the size of the diagonal of A that is normal for each row, above 0. `lambda` is the
  /// guess, and then the answer.
  BoxReport solve(const MatX& A, const VecX& b, const VecX& scale,
                  const std::vector<Bounds>& bounds, VecX& lambda);

 private:
  enum class At : char { lower, between, upper };

  void solve_near(const MatX& A, const std::vector<Bounds>& bounds, VecX& lambda);
  void solve_free(const MatX& A, const std::vector<Bounds>& bounds, VecX& lambda);
  /// Where row i should be, after a solve.
  At place(int i, const Bounds& bounds, double lambda) const;

  std::vector<At> at_;
  std::vector<int> free_;
  VecX b_, scale_, damping_, w_;
  MatX factor_;
  int rounds_ = 0;
  double nothing_ = 0;  // a w that is round-off
};

}  // namespace taut
