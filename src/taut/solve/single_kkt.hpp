// Newton's matrix of particles, times its preconditioner (kkt_krylov.hpp), in single precision:
// what directions of an iteration are made of. A vector is
//
//   4 numbers for each particle (the last is 0), so that the processor takes them at once,
//   1 for each row.
//
// What the iteration ends with is computed in double precision: this only decides in which
// directions it looks. Every number is a sum over what is near it, in an order of its own, so the
// result is the same on any number of cores.
#pragma once

#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/rows.hpp"
#include "taut/solve/body_matrix.hpp"
#include "taut/solve/path_factor.hpp"

namespace taut {

class SingleKkt {
 public:
  using Vector = Eigen::VectorXf;

  /// Whether each row is of one or two particles.
  static bool suits(const RowPattern& pattern);
  explicit SingleKkt(const RowPattern& pattern, int particles);

  struct Terms {
    const BodyMatrix& H;     ///< all of particles
    const VecX& J;           ///< gradients of the rows
    const VecX& B;           ///< directions of their forces
    const VecX& compliance;  ///< ε, per row
    const VecX& scale;       ///< S, of residuals; 1 of rows
  };
  /// False: some of these numbers are beyond those of single precision.
  bool set(const RowPattern& pattern, const Terms& terms);

  using Quad = Eigen::Array4f;
  /// Of one row: its particles, the last of all standing for the world.
  struct Pair {
    int first, second;
  };
  /// Of one particle: a row that is of it, and which of the gradients is its own.
  struct Pull {
    int row, gradient;
  };
  const std::vector<Pair>& pairs() const { return pairs_; }
  const std::vector<int>& pull_begin() const { return pull_begin_; }
  const std::vector<Pull>& pulls() const { return pulls_; }
  /// Two per row.
  const std::vector<Quad>& gradients() const { return J_; }
  const Vector& compliance() const { return compliance_; }
  const std::vector<Quad>& scale() const { return scale_; }
  const std::vector<Quad>& inverse_scale() const { return inverse_scale_; }
  /// D⁻¹, three columns per particle.
  const std::vector<Quad>& inverse_diagonal() const { return inverse_; }
  /// H − D, by particles: blocks of three columns, and single numbers.
  struct Couplings {
    std::vector<int> block_begin, block_column, scalar_begin, scalar_column;
    std::vector<Quad> blocks;
    std::vector<float> scalars;
  };
  const Couplings& couplings() const { return couplings_; }
  /// Of which matrix these places are.
  const BlockMatrix* planned() const { return planned_; }

  Eigen::Index size() const { return 4 * static_cast<Eigen::Index>(particles_) + rows_; }
  void pack(const VecX& from, Eigen::Ref<Vector> to) const;
  void unpack(const Vector& from, VecX& to) const;

  /// What v has of a particle's force, and of a row.
  Vec3 force(const Vector& v, int particle) const {
    return (Eigen::Map<const Quad>(v.data() + 4 * particle) * inverse_scale_[particle])
        .head<3>()
        .cast<double>();
  }
  double row(const Vector& v, int index) const { return v[4 * particles_ + index]; }
  /// Adds to that.
  void add_force(const Vec3& force, int particle, Vector& v) const {
    const Eigen::Array3d added = force.array() * scale_[particle].head<3>().cast<double>();
    v.segment<3>(4 * particle) += added.cast<float>().matrix();
  }
  void add_row(double value, int index, Vector& v) const {
    v[4 * particles_ + index] += static_cast<float>(value);
  }

  /// v ↦ S K P⁻¹ S⁻¹ v, where solve_rows(y) makes of y the solution of (J D⁻¹ B + ε) y.
  template <class SolveRows>
  void apply(Eigen::Ref<const Vector> v, Vector& out, const SolveRows& solve_rows) {
    begin(v.data());
    solve_rows(y_);
    finish(out.data());
  }
  /// z = P⁻¹ S⁻¹ v
  template <class SolveRows>
  void solve(Eigen::Ref<const Vector> v, VecX& z, const SolveRows& solve_rows) {
    begin(v.data());
    solve_rows(y_);
    take_rows();
    unpack_solution(z);
  }

 private:
  /// x = D⁻¹ f, and J x − c. Leaves them in y_.
  void begin(const float* v);
  /// x = D⁻¹ (f − B y), and K (x, y).
  void finish(float* out);
  void multiply_rows();  // product_ ← J x
  void take_rows();      // x = D⁻¹ (f − B y)
  void unpack_solution(VecX& z) const;
  void plan(const BlockMatrix& H);

  int particles_, rows_;
  std::vector<Pair> pairs_;
  std::vector<int> pull_begin_;
  std::vector<Pull> pulls_;
  std::vector<Quad> J_, B_;    // two per row
  bool one_ = false;           // B = J
  std::vector<Quad> inverse_;  // D⁻¹, three columns per particle
  std::vector<Quad> scale_, inverse_scale_;
  Vector compliance_;

  const BlockMatrix* planned_ = nullptr;
  Couplings couplings_;  // both halves of H − D
  /// Where a block of the lower half goes, and where its transpose.
  struct Target {
    int value, place, mirrored;
    bool is_scalar;
  };
  std::vector<Target> targets_;

  const AddedStiffness* added_ = nullptr;
  VecX added_x_, added_out_;

  std::vector<Quad> f_, x_;  // x_ has one more, of the world, which is 0
  Vector y_, product_;
};

}  // namespace taut
