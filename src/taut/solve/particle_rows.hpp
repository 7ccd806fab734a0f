// J and B of rows as products need them. Most rows of a cloth are distances: they join two
// particles, with opposite gradients, so that one vector tells, and of B, mostly the same one.
// Where all rows between two particles are such, products with them read half as much.
#pragma once

#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/rows.hpp"

namespace taut {

class ParticleRows {
 public:
  ParticleRows() = default;
  explicit ParticleRows(const RowPattern& pattern);

  /// A row between two particles.
  struct Pair {
    int row, first, second;  // the row, and where its bodies' velocities begin
    int value;               // … and where its gradients are
  };
  const std::vector<Pair>& pairs() const { return pairs_; }

  void set(const RowPattern& pattern, const VecX& J, const VecX& B);
  /// out = J x
  void multiply(const VecX& x, VecX& out) const;
  /// Whether all rows between two particles have opposite gradients, so that along() tells.
  bool is_opposite() const { return opposite_; }
  /// The gradients of such rows, three numbers each.
  const double* along() const { return along_.data(); }
  /// f −= B y
  void subtract_transposed(const VecX& y, VecX& f) const;

 private:
  const RowPattern* pattern_ = nullptr;
  std::vector<Pair> pairs_;
  std::vector<int> unpaired_, all_;
  bool opposite_ = false, one_ = false;  // gradients are opposite; B = J
  VecX J_, B_;                           // in the pattern's order; of the unpaired, or of all
  std::vector<double> along_, force_;    // of the pairs: the second body's part of J and B
};

}  // namespace taut
