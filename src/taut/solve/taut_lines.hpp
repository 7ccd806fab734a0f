// Taut lines: particles that their neighbours hold much more than their own mass does, such as the
// side of a cloth between two pinned corners. Tensions there may be hundreds of times those
// elsewhere, so that D, the diagonal blocks of H, says little about H, and an iteration carries
// news along the line by one particle at a time. But the particles are few, and Newton's matrix of
// them and their rows can be factored as it is:
//
//   H x + Bᵀy = f,   B x − s y = c   ⇒   (H + Bᵀ s⁻¹ B) x = f + Bᵀ s⁻¹ c,
//
// where B = J is of the rows of these particles. s is the compliance ε of a row, and, where it
// leads to a particle that is not of the line, what that one and the rest of its path
// (path_factor.hpp) give way: eliminated along paths, (J D⁻¹ Jᵀ + ε) without what the line's own
// particle has of it. The preconditioner of the whole (kkt_krylov.hpp) is then applied to what this
// leaves.
#pragma once

#include <memory>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/rows.hpp"
#include "taut/model/system.hpp"
#include "taut/solve/body_matrix.hpp"
#include "taut/solve/linear_direct.hpp"
#include "taut/solve/path_factor.hpp"

namespace taut {

class TautLines {
 public:
  /// All bodies are particles, and the rows are of one or two of them.
  TautLines(const RowPattern& pattern, int particles);

  struct Terms {
    const System& system;
    const BodyMatrix& H;
    double mass;  ///< a, H's factor of the masses
    const VecX& J;
    const VecX& compliance;  ///< ε, per row
    const PathFactor& paths;
  };
  /// Looks for such lines, and factors their matrix.
  void set(const Terms& terms);
  void clear();
  bool empty() const { return own_.empty(); }
  /// Particles of the lines.
  const std::vector<int>& particles() const { return own_; }

  /// The lines' solution z for what is there of right-hand sides: force(particle) and row(row).
  template <class Force, class Row>
  void solve(const Force& force, const Row& row) {
    for (std::size_t k = 0; k < own_.size(); ++k) f_.segment<3>(3 * k) = force(own_[k]);
    for (std::size_t k = 0; k < rows_.size(); ++k) c_[k] = row(rows_[k].row);
    solve();
  }
  /// Calls force(particle, Vec3) and row(row, number) for what z is not 0 of.
  template <class Force, class Row>
  void each_of_solution(const Force& force, const Row& row) const {
    for (std::size_t k = 0; k < own_.size(); ++k) force(own_[k], Vec3(f_.segment<3>(3 * k)));
    for (std::size_t k = 0; k < rows_.size(); ++k) row(rows_[k].row, y_[k]);
  }
  /// … and of what Newton's matrix makes of it.
  template <class Force, class Row>
  void each_of_image(const Force& force, const Row& row) const {
    for (std::size_t k = 0; k < near_.size(); ++k) force(near_[k], Vec3(Hx_.segment<3>(3 * k)));
    for (std::size_t k = 0; k < rows_.size(); ++k) row(rows_[k].row, Jx_[k]);
  }

 private:
  /// A row of the lines. Its particles are numbered as in near_, the lines' own first; −1: none.
  struct Row {
    int row;
    int particle[2];
    int gradient[2];  // where in J
  };
  /// A block of H between a particle of the lines and another.
  struct Coupling {
    int row, column;  // as in near_
    int value;        // where in H
    bool is_scalar;
  };

  bool find_strong(const Terms& terms);
  void plan(const BlockMatrix& H);
  double give(const Terms& terms, const Row& row) const;
  void add(int particle, int other, const Mat3& block);
  void solve();

  const RowPattern& pattern_;
  const BlockMatrix* H_ = nullptr;
  std::vector<double> strength_, sample_;
  std::vector<char> is_strong_;
  std::vector<int> own_, near_, index_;  // index_: of a particle in near_, or −1
  std::vector<Row> rows_;
  std::vector<Coupling> couplings_;
  std::vector<int> neighbour_begin_,
      neighbours_;  // of the lines' own, before them among themselves
  SparseSymmetric matrix_;
  std::unique_ptr<Factorization> factors_;
  std::vector<Vec3> gradients_;  // two per row
  VecX softness_, compliance_;   // s and ε, per row
  VecX f_, c_, y_, Hx_, Jx_;
};

}  // namespace taut
