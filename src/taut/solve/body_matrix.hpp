// H = a·M + c·(G + K), as blocks between bodies, for solvers that iterate: products with it, and
// the inverse D⁻¹ of its diagonal blocks.
#pragma once

#include <array>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/rows.hpp"
#include "taut/model/system.hpp"
#include "taut/solve/added_stiffness.hpp"
#include "taut/solve/block_matrix.hpp"
#include "taut/solve/body_diagonal.hpp"

namespace taut {

class BodyMatrix {
 public:
  explicit BodyMatrix(const System& system) : inverse_diagonal_(system) {}
  BodyMatrix(const BodyMatrix&) = delete;
  BodyMatrix& operator=(const BodyMatrix&) = delete;

  struct Terms {
    double mass = 0;                   ///< a
    const std::vector<Mat3>* turning;  ///< per rigid body what stands for a·I; nullptr: a·I
    double stiffness = 1;              ///< c
    const VecX* G = nullptr;           ///< of the constraints; nullptr: none
    const VecX* K = nullptr;           ///< of the forces
    const AddedStiffness* added = nullptr;  ///< beside all that, until the next assemble()
  };
  /// False if a diagonal block is not positive definite.
  bool assemble(const System& system, const RowPattern& pattern, const Terms& terms);

  /// out = H x
  void multiply(const VecX& x, VecX& out) const {
    H_->matrix.multiply(x, out);
    if (added_) added_->add_product(x, out);
  }
  /// out += (H − D) x
  void add_beside_diagonal(const VecX& x, VecX& out) const {
    H_->matrix.add_beside_diagonal(x, out);
    if (added_) added_->add_beside_diagonal(x, out);
  }
  bool all_particles() const { return H_->matrix.all_particles(); }
  /// H as of the last assemble(), but for what was added.
  const BlockMatrix& matrix() const { return H_->matrix; }
  const AddedStiffness* added() const { return added_; }
  const BodyDiagonal& inverse_diagonal() const { return inverse_diagonal_; }  ///< D⁻¹
  /// The numbers on the diagonal of D⁻¹: how far a force moves what it acts on.
  const VecX& mobility() const { return mobility_; }

 private:
  using Place = BlockMatrix::Place;
  /// H, with room for the pairs of bodies that some blocks are of.
  struct Plan {
    BlockMatrix matrix;
    std::vector<Place> constraints, forces;
  };
  void analyze(const System& system, const RowPattern& pattern, bool with_forces, Plan& plan) const;
  static void add(const std::vector<StiffnessBlock>& blocks, const std::vector<Place>& to,
                  const VecX& values, double factor, BlockMatrix& H);

  BodyDiagonal inverse_diagonal_;
  std::array<Plan, 2> plans_;  // without K, with it: made when first wanted
  Plan* H_ = nullptr;          // of the last assemble()
  const AddedStiffness* added_ = nullptr;
  VecX mobility_;
};

}  // namespace taut
