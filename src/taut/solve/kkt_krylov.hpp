// Newton's matrix of an implicit step, solved by iteration (generalised minimal residuals), for
// bodies and constraints with many loops, such as cloth. The preconditioner is the same matrix with
//
//   D, the diagonal blocks of H = a·M + c·(G + K), instead of H, and
//   A = J D⁻¹ B + ε factored along paths of rows only (solve/path_factor.hpp).
//
// D has the geometric stiffness of what pulls at a body, so light bodies under large tension cost
// few iterations more; the rest of H is seen by the iteration. All is linear in the number of
// bodies.
//
// Where a few bodies are held by their neighbours much more than that, as in a line that is taut
// between two pins, Newton's matrix of these is factored as it is (taut_lines.hpp), and P applied
// to what that leaves.
//
// Where steps are large, iterations grow with the number of particles along a side. Where they are
// many, Newton's matrix is factored along yarns (yarn_sweeps.hpp), and P applied to what these
// leave.
//
// Triangles whose every edge is a row hold each other fast, and no paths lead through them. Where
// paths take many iterations, A is factored as a whole once, and from then on if that helps.
#pragma once

#include "taut/solve/body_matrix.hpp"
#include "taut/solve/gmres.hpp"
#include "taut/solve/kkt_solver.hpp"
#include "taut/solve/linear_direct.hpp"
#include "taut/solve/normal_matrix.hpp"
#include "taut/solve/particle_rows.hpp"
#include "taut/solve/path_factor.hpp"
#include "taut/solve/single_kkt.hpp"
#include "taut/solve/taut_lines.hpp"
#include "taut/solve/yarn_choice.hpp"
#include "taut/solve/yarn_sweeps.hpp"

namespace taut {

class KktKrylov final : public KktSolver {
 public:
  KktKrylov(const System& system, const RowPattern& pattern);

  bool factor(const System& system, const Terms& terms, double compliance) override;
  void solve(VecX& x, VecX& y, double tolerance, LinearCost& cost) override;
  double least_compliance() const override { return 1e-7; }
  bool is_iterative() const override { return true; }
  const VecX& mobility() const override { return H_.mobility(); }
  /// The number of the body that a velocity belongs to.
  int body_at(int dof) const { return H_.inverse_diagonal().body_at(dof); }
  void archive(Archive& a) override;

 private:
  void fit_scratch();
  void factor_preconditioner();
  /// solution_ ← that of right_.
  KrylovResult iterate(double tolerance);
  /// Whether the same is done in far fewer iterations with the whole of A.
  void try_whole(double tolerance, int with_paths);
  /// z ← what r causes, nearly, and what the matrix makes of that.
  void direction(const VecX& r, VecX& z, VecX& Az);
  void direction_beside_lines(const VecX& r, VecX& z, VecX& Az);
  /// Solves for the lines; single_beside_ ← what that leaves of v.
  void take_lines(Eigen::Ref<const Eigen::VectorXf> v);
  /// z += their solution.
  void add_lines(VecX& z) const;
  bool has_lines() const { return lines_ && !lines_->empty(); }
  void direction_along_yarns(const VecX& r, VecX& z, VecX& Az);
  /// Learns what solves take with yarns and without. Returns the iterations that took.
  int judge_yarns(double tolerance, int iterations);
  bool has_yarns() const { return yarns_ && !yarns_->empty(); }
  void solve_rows(VecX& y);  // y ← (J D⁻¹ B + ε)⁻¹ y, nearly
  void solve_rows(Eigen::VectorXf& y);

  const RowPattern& pattern_;
  BodyMatrix H_;
  ParticleRows rows_;  // J and B of the last factor()
  NormalMatrix A_;     // complete, or where the paths read it
  bool is_complete_ = false, wants_complete_ = false;
  PathFactor paths_;
  std::unique_ptr<SingleKkt> single_;  // where all are particles
  bool single_will_do_ = false;        // numbers of the last factor() have room in it
  std::unique_ptr<TautLines> lines_;   // where all are particles
  std::unique_ptr<YarnSweeps> yarns_;  // where all are particles
  YarnChoice yarn_choice_;
  bool may_have_yarns_ = false;           // the last factor() was of a matrix that suits them
  std::unique_ptr<Factorization> whole_;  // of A; none: paths do
  bool has_tried_whole_ = false;
  VecX whole_of_;  // numbers of A that its factors are of
  // What the factors are of, and the iterations per decade that they took at last and when new.
  double factored_mass_ = 0, factored_compliance_ = 0, effort_ = 0, effort_when_new_ = 0;
  VecX DB_;          // D⁻¹ B
  VecX compliance_;  // ε, per row
  VecX scale_;       // of residuals: a force counts as the displacement it causes
  GmresScratch scratch_;
  VecX right_, solution_, found_, x_, y_, f_, Jx_, beside_;
  Eigen::VectorXf single_whole_, single_beside_;
};

}  // namespace taut
