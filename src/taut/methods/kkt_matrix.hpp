// Newton's matrix of an implicit step,
//
//   [ a·M + c·(G + K)   B ]
//   [ J                 0 ]
//
// assembled into the fronts of its factorisation, one front at a time, by a plan made once per
// pattern.
#pragma once

#include <utility>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/methods/row_modes.hpp"
#include "taut/model/rows.hpp"
#include "taut/model/system.hpp"
#include "taut/solve/kkt_lu.hpp"

namespace taut {

struct StepReport;

class KktMatrix {
 public:
  struct Terms {
    double mass = 0;  ///< a: factor of the masses
    const std::vector<Mat3>&
        turning;           ///< per rigid body: what stands for a·I, gyroscopic terms too
    double stiffness = 1;  ///< c
    const VecX& G;         ///< of the constraints; empty: none
    const VecX& K;         ///< of the forces; empty: none
    const VecX& B;         ///< directions of the constraint forces, like J
    const VecX& J;         ///< gradients of the constraints
    const RowModes& modes;
  };

  KktMatrix() = default;
  KktMatrix(const System& system, const RowPattern& pattern);

  /// False: the upper left block is not positive definite, so a Newton step may lead anywhere.
  /// With a compliance ε > 0 the lower right block is −ε, and what is below does not apply.
  bool factor(const System& system, const Terms& terms, double compliance = 0);
  /// x, y ← the solution for the right-hand side x (forces, per velocity) and y (per row). Where
  /// the rows depend on each other, y's part that they cannot meet is left aside, as least squares
  /// do, and of all multipliers the smallest are taken.
  void solve(VecX& x, VecX& y, StepReport& report);
  bool is_singular() const { return shift_ > 0; }
  /// Takes out of multipliers what has no effect on the bodies; of row values, what the bodies
  /// cannot change.
  void remove_null_space(VecX& y);

 private:
  struct BodyEntry {
    int body, offset, stride;
  };
  /// A block of G or K, which is stored by columns, or its transpose.
  struct StiffnessEntry {
    int value, offset;
    short stride, rows, cols;
    bool transposed;
  };
  /// A block of a row of J, and the same of B.
  struct RowEntry {
    int value, row, column;
    short stride, size;
  };
  /// Where the diagonal of a row is that is not always an equation.
  struct DiagonalEntry {
    int mode, offset;
  };
  /// Entries in the order of the fronts they belong to.
  template <class Entry>
  struct ByFront {
    std::vector<int> begin;
    std::vector<Entry> entries;
  };
  template <class Entry>
  static ByFront<Entry> sorted(std::vector<std::pair<int, Entry>>& found, int fronts);
  struct Fill;

  KktLu lu_;
  ByFront<BodyEntry> bodies_;
  ByFront<StiffnessEntry> constraints_, forces_;
  ByFront<RowEntry> rows_;
  ByFront<DiagonalEntry> bounded_;
  double shift_ = 0;  // 0: regular
  VecX none_, part_, x_, y_, before_;
};

}  // namespace taut
