// Everything a step needs and nobody wants to allocate twice: the rows, the matrix A = J W Jᵀ, the
// linear solver and vectors. Patterns are kept until the system's topology changes.
#pragma once

#include <memory>
#include <string>

#include "taut/base/types.hpp"
#include "taut/methods/step_trace.hpp"
#include "taut/model/pose.hpp"
#include "taut/model/row_modes.hpp"
#include "taut/model/rows.hpp"
#include "taut/model/state.hpp"
#include "taut/model/system.hpp"
#include "taut/solve/linear_solver.hpp"
#include "taut/solve/normal_matrix.hpp"
#include "taut/solve/particle_paths.hpp"

namespace taut {

class Archive;

struct ContactTask;
struct StepReport;

/// Rows at one configuration, with W J.
struct LinearizedRows : Rows {
  Pose pose;
  VecX WJ;
  VecX held;  ///< forces of rows with given multipliers; empty: none
  /// Where the rows on velocities are set aside, so that positions alone count: their J is zero,
  /// and this is their diagonal in A.
  bool has_only_positions = false;
  VecX set_aside;
};

/// Multiplies what W J has of each body by its mass. Which rows follow from others is a question of
/// geometry, and masses that differ by a billion would only hide it.
void multiply_by_masses(const System& system, const RowPattern& pattern, VecX& WJ);

/// How the last part of a step changed velocities: where forces were not resolved in it, this tells
/// what they did (simulate/acting_forces.hpp). Noted if it is wanted.
struct MeanMotion {
  bool is_wanted = false;
  double length = 0;  ///< s; 0: not known
  VecX acceleration;

  void begin(const VecX& v) {
    if (is_wanted) acceleration = v;
  }
  void end(const VecX& v, double h) {
    if (!is_wanted) return;
    acceleration = (v - acceleration) / h;
    length = h;
  }
};

class Workspace {
 public:
  /// `solver` by name; "auto" chooses by size and structure.
  explicit Workspace(const System& system, std::string solver = "auto");

  /// Rebuilds patterns if the system has changed since. Methods call it first.
  void adapt(const System& system);

  // Rows -----------------------------------------------------------------------------------------
  /// C, J and C_t at (q, t).
  void evaluate(const System& system, const VecX& q, double t, LinearizedRows& at,
                RowForm form = RowForm::given) const;
  /// … and W J.
  void linearize(const System& system, const VecX& q, double t, LinearizedRows& at) const;
  /// … and W J, without rows with a law that the solve of the step has decided to be off.
  void linearize_decided(const System& system, const VecX& q, double t, LinearizedRows& at) const;
  /// … of the rows that have a C. Rows on velocities say nothing about where a body is, and must
  /// not hinder it from getting where it belongs.
  void linearize_positions(const System& system, const VecX& q, double t, LinearizedRows& at) const;
  /// For methods that ask for C = 0 at the end of a step: C of the rows on velocities, over the way
  /// `from` a state to (q_end, from.time + h), where `at` was evaluated.
  void measure_way(const System& system, const State& from, double h, const VecX& q_end,
                   LinearizedRows& at, WayJacobian wanted = WayJacobian::keep,
                   Chart chart = Chart::rotation_vector);
  /// J̇v + 2 C_qt v + C_tt for velocity v, where `at` was evaluated.
  void add_bias(const System& system, const VecX& v, double t, LinearizedRows& at) const;
  /// F(q, v, t) → F and W F → WF, where `at` was evaluated.
  void forces(const System& system, const LinearizedRows& at, const VecX& v, double t);
  /// The same without W F.
  void plain_forces(const System& system, const LinearizedRows& at, const VecX& v, double t);

  /// out = W Jᵀ λ, where W J need not have been made
  void pull(const System& system, const LinearizedRows& at, const VecX& multipliers,
            VecX& out) const {
    multiply_transposed(pattern, at.J, multipliers, out);
    system.apply_inverse_mass(out, out);
  }
  /// out = J v
  void J(const LinearizedRows& at, const VecX& v, VecX& out) const {
    multiply(pattern, at.J, v, out);
  }
  /// out = W Jᵀ λ
  void WJt(const LinearizedRows& at, const VecX& multipliers, VecX& out) const {
    multiply_transposed(pattern, at.WJ, multipliers, out);
  }

  // Linear systems -------------------------------------------------------------------------------
  /// A = J W Jᵀ, ready for solve().
  void factor(const LinearizedRows& at);
  /// The same for solve_within(), roughly and at once, where `at` was evaluated without W J.
  void factor_roughly(const System& system, LinearizedRows& at);
  /// J Jᵀ, ready for solve().
  void factor_unweighted(const LinearizedRows& at);
  /// x = A⁻¹ b, counted in the report. Where rows with a law are decided in the solve
  /// (RowModes::in_solve), each x is within its bounds, and b − A x is 0 where it is between them,
  /// ≤ 0 at the lower one and ≥ 0 at the upper one.
  void solve(const VecX& b, VecX& x, StepReport& report);
  /// … to a relative tolerance, where the solver iterates.
  void solve_within(const VecX& b, VecX& x, double tolerance, StepReport& report);
  /// … with the rows that were decided to be equations: x of the others is 0.
  void solve_equations(const VecX& b, VecX& x, StepReport& report);
  /// Leaves out of A what follows from other rows at a legal state (q, t). In overconstrained
  /// linkages such rows are dependent only where the constraints hold: a little off, as in the
  /// stages of a step, they contradict each other, with forces that grow without bounds. Their
  /// multipliers are 0.
  void leave_out_dependent_rows(const System& system, const VecX& q, double t);
  /// Now and then, as the mechanism moves: other rows may be the better ones to keep.
  void reconsider_dependent_rows(const System& system, const VecX& q, double t);
  bool leaves_rows_out() const { return !dependent_.empty(); }
  /// Whether the rows left out hold as well as the others do at a state. Where they do not, they
  /// were dependent only where they were chosen: take_all_rows().
  bool left_out_rows_hold(const System& system, const State& state);
  void take_all_rows() { dependent_.clear(); }
  /// How many rows A has: fewer than there are, where many are off.
  int solved_rows() const { return A_.matrix().size(); }
  /// Empty while nothing has been solved.
  std::string_view solver_name() const {
    return solver_ ? solver_->name() : particle_paths_ ? "pcg_paths" : "";
  }

  /// What the next step takes from the last one.
  void archive(Archive& a, const System& system);

  RowPattern pattern;
  RowModes modes;             ///< of the rows that are not equations
  LinearizedRows start, end;  ///< at the beginning of the step, and wherever else a method looks
  VecX F, WF;
  VecX lambda;            ///< multipliers of the last step
  VecX rhs;               ///< per row
  VecX Jv;                ///< per row
  VecX correction;        ///< per velocity: W Jᵀ λ
  VecX error_q, error_v;  ///< per velocity: estimated local error, where the report has it
  StepTrace trace;        ///< of the step that is being done
  MeanMotion mean;
  /// For a method that solves for contacts itself; nullptr: there are none.
  ContactTask* contacts = nullptr;

 private:
  void build(const System& system);
  void make_solver();
  void factor(const LinearizedRows& at, const VecX& right);
  /// Where a row is in A, −1: nowhere.
  int place_in_matrix(int row) const;
  bool choose_rows();
  void factor_equations();
  /// Of the rows that A has; a tolerance of 0: as well as the solver can. Returns what is left of
  /// b, relatively, where the solver says so.
  double solve_chosen(const VecX& b, VecX& x, double tolerance, StepReport& report);
  void solve_bounded(const VecX& b, VecX& x, double tolerance, StepReport& report);

  std::string solver_choice_;
  double singular_pivot_ = 0;
  long topology_ = -1;
  NormalMatrix A_;  // made with the solver, when a method first wants it
  std::unique_ptr<LinearSolver> solver_;
  // Of cloth, where no more than a rough solution is wanted.
  std::unique_ptr<ParticlePaths> particle_paths_;
  bool has_tried_particle_paths_ = false, is_rough_ = false;  // is_rough_: as it was last factored
  bool hold_nearby(const System& system, VecX q, double t, double length);
  void choose_dependent(const System& system, const VecX& q, double t, std::size_t count);

  std::vector<int> dependent_;   // rows that are left out, in ascending order
  long until_reconsidered_ = 0;  // steps
  // Of the rows that are off, where they are many, A has none.
  std::vector<int> rows_;    // those it has; empty: all
  std::vector<int> chosen_;  // scratch
  VecX b_, x_;               // of these rows
  // Of rows that come whole, while it is decided which of them act:
  const LinearizedRows* factored_ = nullptr;
  const VecX* right_ = nullptr;
  VecX masked_left_, masked_right_;  // without those that are off
  VecX bounded_b_, unmet_, pulled_;
  // Of a way:
  Pose way_start_;
  VecX way_;
  std::vector<Mat3> way_tangent_;
};

}  // namespace taut
