// What is done with one front of a KktLu (kkt_lu.hpp): its elimination, and its part of a solve.
//
// Of the sizes that chains and mechanisms are made of the compiler knows the numbers, and solves
// are prepared. Where the processor takes four numbers at once, so do the loops: the same numbers
// in the same order, so results are the same on every processor. Which functions a front is done
// with is chosen when the plan is made.
#pragma once

#include <algorithm>
#include <span>

namespace taut {

/// What the pivots of a factorisation say of the matrix.
struct KktPivots {
  /// A row's pivot below this, relative to what it is the difference of, is round-off.
  static constexpr double singular = 1e-11;

  bool definite = true;     ///< all pivots of H were positive
  double smallest_row = 1;  ///< smallest pivot of a row relative to what it was the difference
                            ///< of: about round-off where rows depend on each other
  double largest_row = 0;   ///< largest pivot of a row, or what it was the difference of

  void add(const KktPivots& other) {
    definite = definite && other.definite;
    smallest_row = std::min(smallest_row, other.smallest_row);
    largest_row = std::max(largest_row, other.largest_row);
  }
};

/// A dense matrix by rows. Its first unknowns are eliminated: those of a body, then rows of
/// constraints. Rows are padded with zeros, so that four numbers at a time never are too many.
struct FrontShape {
  int bodies = 0;  ///< unknowns of the body
  int pivots = 0;  ///< with the rows eliminated here
  int size = 0;    ///< with the border

  static constexpr int lanes = 4;
  static constexpr int padded(int size) { return (size + lanes - 1) / lanes * lanes; }
  int stride() const { return padded(size); }
  int values() const { return size * stride(); }
};

/// What is known of the unknowns of a front that are rows of constraints.
struct FrontRows {
  std::span<const int> all;  ///< which they are
  double* peak;              ///< per unknown: the largest value that its pivot had on the way
  double* relative;          ///< per pivot: |pivot| / peak
  char* out;                 ///< per pivot: left out
  double dependent;          ///< those below are left out, too
};

struct FrontKernels {
  /// Adds what is left of the border of a front to another one, whose unknowns they are from `at`
  /// on, side by side.
  void (*add_border)(const FrontShape&, const double* a, const FrontShape& other, int at,
                     double* to);
  /// Eliminates the pivots: L and U, with the inverse of each pivot on the diagonal, and what is
  /// left of the border. Beside the pivots, whatever solves want.
  void (*eliminate)(const FrontShape&, double* a, const FrontRows&, KktPivots&);
  /// What the own right-hand side takes off that of the border, all[border[…]].
  void (*forward)(const FrontShape&, const double* a, double* own, double* all, const int* border);
  /// own: the unknowns, where the border's are known.
  void (*backward)(const FrontShape&, const double* a, double* own, const double* all,
                   const int* border);
};

/// For this processor; or as all can do it, with the same results.
const FrontKernels& front_kernels(const FrontShape& shape, bool may_be_wide = true);

}  // namespace taut
