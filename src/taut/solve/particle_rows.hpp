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

  void set(const RowPattern& pattern, const VecX& J, const VecX& B);
  /// out = J x
  void multiply(const VecX& x, VecX& out) const;
  /// f −= B y
  void subtract_transposed(const VecX& y, VecX& f) const;

 private:
  struct Pair {
    int row, first, second;  // the row, and where its bodies' velocities begin
  };
  const RowPattern* pattern_ = nullptr;
  std::vector<Pair> pairs_;
  std::vector<int> unpaired_, all_;
  bool opposite_ = false, one_ = false;  // gradients are opposite; B = J
  VecX J_, B_;                           // in the pattern's order; of the unpaired, or of all
  std::vector<double> along_, force_;    // of the pairs: the second body's part of J and B
};

}  // namespace taut
