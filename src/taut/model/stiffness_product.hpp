// Products with G or K: blocks between bodies, of which the lower half is stored, in the order of
// their rows (a coupling's) or in any.
#pragma once

#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/rows.hpp"

namespace taut {

/// out += A x
void add_product(const std::vector<StiffnessBlock>& blocks, const VecX& values, const VecX& x,
                 VecX& out);

/// The same on all cores, for blocks in the order of their rows.
class StiffnessProduct {
 public:
  StiffnessProduct() = default;
  explicit StiffnessProduct(const std::vector<StiffnessBlock>& blocks);

  void add(const std::vector<StiffnessBlock>& blocks, const VecX& values, const VecX& x,
           VecX& out) const;

 private:
  // Rows are dealt out. What a part would add to rows of those before it is left to the end.
  std::vector<int> begin_;     // of each part, and the end of the last
  std::vector<int> crossing_;  // blocks of a part whose column is another's row
};

}  // namespace taut
