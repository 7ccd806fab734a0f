// A matrix with a block for each body on its diagonal and nothing else: what is inverted easily,
// and so preconditions what is not.
#pragma once

#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/rows.hpp"
#include "taut/model/system.hpp"

namespace taut {

class BodyDiagonal {
 public:
  BodyDiagonal() = default;
  explicit BodyDiagonal(const System& system);

  /// a·M. Of rigid bodies, `turning` is what stands for a·I; nullptr: a·I.
  void set_mass(const System& system, double a, const std::vector<Mat3>* turning = nullptr);
  /// The block of a body, by columns, 3 × 3 or 6 × 6.
  double* block(int body) { return values_.data() + bodies_[static_cast<std::size_t>(body)].value; }
  const double* block(int body) const {
    return values_.data() + bodies_[static_cast<std::size_t>(body)].value;
  }
  int body_at(int dof) const { return body_at_[static_cast<std::size_t>(dof)]; }

  /// D ← D⁻¹. False if a block is not positive definite.
  bool invert();

  /// out = D f
  void apply(const VecX& f, VecX& out) const;
  /// The same for all blocks of rows.
  void apply(const RowPattern& pattern, const VecX& B, VecX& out) const;
  /// The numbers on its diagonal.
  void diagonal(VecX& out) const;

 private:
  struct Body {
    int dof, size, value;
  };
  std::vector<Body> bodies_;
  std::vector<int> body_at_;  // by velocity
  std::vector<double> values_;
};

}  // namespace taut
