// Stiffness beside that of a system's own rows and forces, between bodies that change from step to
// step: contacts of cloth. Symmetric and positive semi-definite.
#pragma once

#include "taut/base/types.hpp"
#include "taut/solve/body_diagonal.hpp"

namespace taut {

class AddedStiffness {
 public:
  virtual ~AddedStiffness() = default;
  /// Adds its diagonal blocks.
  virtual void add_to(BodyDiagonal& diagonal) const = 0;
  /// out += S x
  virtual void add_product(const VecX& x, VecX& out) const = 0;
  /// … without its diagonal blocks.
  virtual void add_beside_diagonal(const VecX& x, VecX& out) const = 0;
};

}  // namespace taut
