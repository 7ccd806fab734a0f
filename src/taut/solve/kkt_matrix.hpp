// Newton's matrix of an implicit step, factored directly: assembled into the fronts of its
// factorisation, one front at a time, by a plan made once per pattern.
#pragma once

#include <utility>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/solve/kkt_lu.hpp"
#include "taut/solve/kkt_solver.hpp"

namespace taut {

class KktMatrix final : public KktSolver {
 public:
  KktMatrix(const System& system, const RowPattern& pattern);

  bool factor(const System& system, const Terms& terms, double compliance) override;
  void solve(VecX& x, VecX& y, double tolerance, LinearCost& cost) override;
  bool is_singular() const override { return shift_ > 0; }
  void remove_null_space(VecX& y) override;

  bool can_leave_out() const override { return true; }
  void leave_out(int row, bool is_out) override { lu_.leave_out(row, is_out); }
  bool is_left_out(int row) const override { return lu_.is_left_out(row); }
  void factor_and_leave_out(const System& system, const Terms& terms, double dependent) override;
  double relative_pivot(int row) const override { return lu_.relative_pivot(row); }
  double smallest_pivot() const override { return smallest_pivot_; }

 private:
  struct BodyEntry {
    int body, offset, stride;
  };
  /// A block of G or K, which is stored by columns, or its transpose.
  struct StiffnessEntry {
    int value, offset;
    short stride;
    std::int8_t rows, cols;
    bool transposed, is_scalar;
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
  double smallest_pivot_ = 1;
  VecX none_, part_, x_, y_, before_;
};

}  // namespace taut
