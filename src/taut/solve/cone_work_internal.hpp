// What the phases of a ConeSolver share: the problem, its scales, and the best answer so far.
#pragma once

#include <chrono>
#include <vector>

#include "taut/solve/box_solver.hpp"
#include "taut/solve/cone_matrix.hpp"

namespace taut {

struct ConeSolver::Work {
  static constexpr int small_problem = 200;  // groups, for Gauss and Seidel's dense matrix

  // The phases. Each begins at the best answer so far and returns whether it is good enough.
  enum class Step {
    searched,  // along a line, where the defect may grow, but not by much
    bold,      // as Newton's method has it
    repeated   // searched, with the factors of the step before
  };
  bool newton(double first_kappa, int most_outer, int most_inner, Step kind = Step::searched);
  bool admm(int most_iterations);
  bool gauss_seidel(int most_sweeps);
  /// The answer of pivoting takes the place of the best, whatever that is.
  bool pivoting(bool is_pyramid);
  /// All of them in turn.
  bool run(int stages);
  /// As the options ask for.
  bool run(const ConeOptions& options);

  bool begin(const ConeProblem& problem, const ConeOptions& options, const KeptVec& guess);
  void soften();
  void end(ConeSolution& solution);

  /// v ← the motion that r leads to, u ← the velocities of the groups. Keeps r if it is the best
  /// so far. True: good enough.
  bool consider(const KeptVec& r);
  /// The same of an r whose motion is known.
  bool judge(const KeptVec& r);
  void motion_of(const KeptVec& r);
  /// The change of v, in `change_v`, that a change of r leads to.
  void change_of(const KeptVec& dr);
  double residual_of(const KeptVec& r) const;
  bool is_hopeless() const;
  /// Whether nothing more may be spent on it: the best so far must do.
  bool is_spent() const {
    if (most_factorisations > 0 && report.factorisations >= most_factorisations) return true;
    return has_deadline && std::chrono::steady_clock::now() >= deadline;
  }

  int groups() const { return matrix.pattern().groups.count(); }
  int row(int group) const { return matrix.first_row(group); }

  ConeMatrix matrix;
  const ConeProblem* problem = nullptr;
  std::vector<ConeLaw> laws;
  KeptVec response, scale;  // per group
  double energy = 0;        // of what r must resist: √Σ |u|²/W
  double noise = 0;         // round-off in u, relative to the scale
  KeptVec v, u, lambda;     // of the r considered last; u without R r
  struct {
    KeptVec v, u, lambda;
  } guess_motion;
  KeptVec best;
  bool is_guess = false;    // the best is near what the caller gave
  bool is_of_best = false;  // v, u and lambda are those of the best
  double best_residual = 0, tolerance = 0, good_enough = 0;
  double round_off = 0;         // in the best residual
  int most_factorisations = 0;  // 0: as many as it takes
  bool is_real_time = false;
  bool has_deadline = false;
  std::chrono::steady_clock::time_point deadline;
  double largest_load = 0;  // |r| W / scale of all r considered
  ConeReport report;
  KeptVec zero, change_v, change_lambda, momenta;

  struct Newton {
    KeptVec r, U, anchor, dr, dU, trial, trial_U, f;  // per row
    KeptVec rho, proximal;                            // per group
    KeptVec x, y;                                     // bodies and equations
    std::vector<double> G, history;
  } newton_work;
  struct Admm {
    KeptVec t, y, y_next, z, x, T, F, T_last, F_last, c, weight;  // per row
    KeptVec bodies, equations;
    std::array<KeptVec, 8> dT, dF;
    Eigen::Matrix<double, 8, 8> gram;
    std::vector<double> G;
  } admm_work;
  struct GaussSeidel {
    KeptVec A;  // by columns
    KeptVec r, u, unit, column;
    bool has_matrix = false;
  } gauss_seidel_work;

  struct Pivoting {
    MatX A;
    VecX r, b, scale;
    std::vector<Bounds> bounds;
    BoxSolver solver;
  } pivoting_work;

 private:
  double newton_defect(const KeptVec& r, const KeptVec& U);
  bool newton_step(double& merit, Step kind);
  bool newton_from_guess();
  double newton_start();
  bool newton_accept();
  bool newton_repeat();
  double largest_response();
  void dense_response();
  void make_room_for_phases();
  void forget_answers();
  bool guess_suffices(const ConeOptions& options, const KeptVec& guess);
};

}  // namespace taut
