// H = a·M + c·(G + K), as blocks between bodies, for solvers that iterate: products with it, and
// with the inverse D⁻¹ of its diagonal blocks.
#pragma once

#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/rows.hpp"
#include "taut/model/system.hpp"
#include "taut/solve/block_matrix.hpp"

namespace taut {

class BodyMatrix {
 public:
  enum class Couples { forces, forces_and_constraints };

  BodyMatrix() = default;
  BodyMatrix(const System& system, const RowPattern& pattern, Couples couples);

  struct Terms {
    double mass = 0;                   ///< a
    const std::vector<Mat3>* turning;  ///< per rigid body what stands for a·I; nullptr: a·I
    double stiffness = 1;              ///< c
    const VecX* G = nullptr;           ///< of the constraints; nullptr: none
    const VecX* K = nullptr;           ///< of the forces
  };
  /// False if a diagonal block is not positive definite.
  bool assemble(const System& system, const RowPattern& pattern, const Terms& terms);

  /// out = H x
  void multiply(const VecX& x, VecX& out) const { H_.multiply(x, out); }
  /// out = D⁻¹ f
  void apply_inverse_diagonal(const VecX& f, VecX& out) const;
  /// The same for all blocks of rows.
  void apply_inverse_diagonal(const RowPattern& pattern, const VecX& B, VecX& out) const;
  /// The diagonal of D⁻¹: how far a force moves what it acts on.
  const VecX& mobility() const { return mobility_; }

 private:
  using Place = BlockMatrix::Place;
  std::vector<Place> places(const std::vector<StiffnessBlock>& blocks) const;
  void add(const std::vector<StiffnessBlock>& blocks, const std::vector<Place>& to,
           const VecX& values, double factor);
  bool invert_diagonal();
  const double* inverse(int body) const { return inverse_.data() + inverse_at_[body]; }

  std::vector<int> body_at_;  // by velocity
  BlockMatrix H_;
  std::vector<Place> constraint_places_, force_places_;
  std::vector<double> inverse_;  // D⁻¹: its blocks, by columns
  std::vector<int> inverse_at_;  // per body
  VecX mobility_;
};

}  // namespace taut
