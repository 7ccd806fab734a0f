// Newton's method for an implicit step: find the end q⁺ = q ⊕ δ and the multipliers λ with
//
//   r = M (v⁺ − v_base)/τ − F + Bᵀλ = 0,   C(q⁺, t⁺) = 0,   v⁺ = α δ − u,
//
// where F and B (the directions of the constraint forces) are taken
//   at the end of the step:  F(q⁺, v⁺), B = J(q⁺)                                   (icd, icd2)
//   over the whole step:     mean force and discrete gradient, velocity δ/h (energy_momentum)
//   none, B = J(q⁺): v_base has been reached by the forces alone                    (sap)
//
// Full Newton with the geometric stiffness G = ∂(Bᵀλ)/∂q, started with the last λ:
//
//   [ (α/τ) M + c (G + K)   B ] [ η  ]     [ r ]
//   [ J                     0 ] [ δλ ] = − [ C ],   q⁺ ← q⁺ ⊕ η,  λ ← λ + δλ,
//
// c = 1 at the end, ½ over the step. Without G it does not converge for light bodies under large
// tension. Where the exact G makes the upper left block indefinite, its positive part is used.
//
// When that fails, the constraints are given a tiny compliance, C = ελ, which always has a
// solution: the minimum of (α/2τ)|q⁺ − q_free|²_M + C²/2ε. If C is not small there, the constraints
// contradict each other and this is their least-squares compromise. Else Newton's method goes on
// from there.
//
// Of rows with a law that are decided in the solve (RowModes::in_solve), those that are equations
// in this iteration have their C above; the others have λ at its bound, and no row. Which is which
// follows from λ and C before each iteration: a semismooth Newton method, that ends with exact
// complementarity.
//
// Where the linear systems are solved by iteration (cloth), they are solved only as well as
// Newton's method can use it, and the tiny compliance is there from the start: a line of cloth
// between two pins that is loaded across can be held in no other way.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "taut/methods/independent_rows.hpp"
#include "taut/methods/iterated_method.hpp"
#include "taut/methods/kept_factors.hpp"
#include "taut/methods/step_guess.hpp"
#include "taut/solve/kkt_solver.hpp"

namespace taut {

class Archive;

/// What the methods solved this way have in common.
struct NewtonMethod : IteratedMethod {
  NewtonMethod() : IteratedMethod(0, 25) {}
};

/// Its fields, for the list of a method M that is one.
template <class M>
FieldList<M> newton_fields() {
  return FieldList<M>()
      .optional("tolerance", &NewtonMethod::tolerance, "",
                "largest |C| accepted, relative to the largest coordinate; 0: 2e-14, or 1e-6 "
                "where Newton's matrix is solved with by iteration, as for cloth",
                Range::non_negative)
      .optional("max_iterations", &NewtonMethod::max_iterations, "", "of Newton's iteration",
                Range::positive);
}

struct StepEquations {
  enum class Forces { at_end, over_step, none };
  Forces forces = Forces::at_end;
  double h = 0;      ///< to the end of the step
  double alpha = 0;  ///< v⁺ = α δ − u
  double tau = 0;    ///< acceleration (v⁺ − v_base)/τ
  const VecX& u;
  const VecX& v_base;
  /// How much more r may leave of one body's motion than of all in the mean, where linear systems
  /// are iterated and no tolerance is given.
  double uneven = 1;

  bool over_step() const { return forces == Forces::over_step; }
  bool has_forces() const { return forces != Forces::none; }
  /// τ/α: what turns a force per mass into a displacement.
  double time_squared() const { return std::abs(tau / alpha); }
};

class NewtonStep {
 public:
  /// In: q_end, λ in workspace.lambda: guesses. Out: the solution, v_end; rows at the end in
  /// workspace.end. How it ended is returned, and added to the report, whose residual is the worst
  /// of several solves.
  StepStatus solve(const System& system, const State& start, const StepEquations& equations,
                   IterationLimits limits, Workspace& workspace, VecX& q_end, VecX& v_end,
                   StepReport& report);

  /// What the next solve takes from those before it.
  void archive(Archive& a, const System& system, Workspace& workspace);

  /// A few iterations of the same with springs instead of constraints, λ = stiffness·C.
  void relax(const System& system, const State& start, const StepEquations& equations,
             double stiffness, IterationLimits limits, Workspace& workspace, VecX& q_end,
             VecX& v_end, StepReport& report);

  /// Work done on the bodies by the constraint forces, those of given multipliers too: −λᵀB δ.
  double constraint_work() const;
  /// … by the rows that are equations alone: of stops and strings that are hit, what they take.
  double equations_work() const { return -constraint_force_.dot(delta_); }

 private:
  struct Size {
    double C = 0, r = 0;   // relative to what is accepted
    double whole = 0;      // … of the motion of all bodies together
    bool will_do = false;  // r may be larger than wanted where forces are large
    double worst() const { return std::max({C, r, whole}); }
  };
  /// What every stage of a solve needs.
  struct Problem {
    const System& system;
    const State& start;
    const StepEquations& equations;
    IterationLimits limits;
    Workspace& w;
    VecX& q_end;
    VecX& v_end;
    StepReport& report;
  };
  enum class Outcome { converged, compromise, failed };

  void adapt(const System& system, Workspace& workspace);
  /// Iterates with rows that do not follow from others, and checks that the others hold.
  Outcome solve_independent(Problem& problem);
  /// The largest |C| of the rows that are left out, relative to the scene.
  double left_out_violation(const Problem& problem) const;
  double row_error(const Problem& problem, int row) const;
  Outcome give_way(Problem& problem);
  double mobility(const Problem& problem);
  /// Iterates until r and C (or, with a compliance ε, C − ελ) vanish.
  Outcome iterate(Problem& problem, double compliance, int most);
  /// r and C − ελ at (q_end, λ).
  Size evaluate(Problem& problem, double compliance);
  /// What r leaves of the motion, as displaced_ has it, relative to what is accepted.
  double left_of_motion(const Problem& problem) const;
  bool is_free(const Problem& problem);
  bool is_stiff(const Problem& problem) const;
  Vec3 way_of_the_whole(const Problem& problem) const;
  static void move_all(Problem& problem, const Vec3& way);
  /// What r may leave of the motion, where no tolerance is given.
  double least_motion(const Problem& problem);
  void decide_rows(Problem& problem);
  /// How well the first linear system of a step is to be solved, relatively.
  double first_tolerance(const Size& size) const;
  /// How well the next linear system is to be solved, relatively.
  double solve_tolerance(const Size& size, const Size& before) const;
  /// The largest displacement that the force of a single row causes: what r has the round-off of.
  void weigh_constraint_forces(const Problem& problem);
  void factor(Problem& problem, double compliance);
  KeptFactors::Of factors_of(const StepEquations& equations, double compliance) const {
    return {equations.alpha / equations.tau, compliance, static_cast<int>(equations.forces)};
  }
  void turning_terms(const Problem& problem, double stiffness, double rate);
  /// Takes the step (η, δλ), or a part of it where the whole makes things much worse.
  Size advance(Problem& problem, double compliance, const Size& before);
  /// From the end of such a step back to where the forces along it vanish, if they have turned:
  /// bounded forces are nearly linear on both sides, and Newton's method would go to and fro.
  Size turn_back(Problem& problem, double compliance, const Size& at_end);

  long topology_ = -1;
  const RowPattern* pattern_ = nullptr;
  std::unique_ptr<KktSolver> kkt_;
  IndependentRows independent_;
  Pose start_pose_, mean_pose_;
  Rows between_;               // B over the step, and G and K
  const VecX* B_ = nullptr;    // of the last evaluation
  std::vector<Mat3> turning_;  // per rigid body
  double length_ = 1;          // of the scene
  double carried_ = 0;         // relative displacement by the force of a single row
  // Of rows with a law: how many changed since the last factorisation, how many are known to be
  // wrong, and in how many iterations there were such.
  int changed_rows_ = 0, wrong_rows_ = 0, rounds_ = 0;
  double row_mobility_ = 0;      // the largest J W Jᵀ of a row, when it was last looked at
  double first_gain_ = 0.1;      // of the first iteration of the last step
  std::optional<bool> is_free_;  // known once rows have been evaluated
  StepGuess guess_;
  std::optional<double> begun_with_;  // what the guess of this step left of the equations
  KeptFactors kept_;
  /// C was small in the last iterate() that failed.
  bool was_near_ = false;
  bool is_lenient_ = false;                      // about what is left of the motion
  double wandered_at_ = NAN, wandered_for_ = 0;  // the last step that failed so: start and length
  bool may_saturate_ = false;                    // a force of the system
  bool gave_way_ = false;                        // the last step needed compliance
  bool compromised_ = false;                     // … and was a compromise
  VecX lambda_plain_;                            // as the step was begun with
  VecX held_;  // forces of rows with given multipliers, over the step
  VecX delta_, velocity_, constraint_force_, r_, C_, displaced_;
  VecX eta_, change_, q_before_, lambda_before_, q_guess_, lambda_guess_, q_soft_, lambda_soft_;
};

}  // namespace taut
