#include "siconos_solvers.hpp"

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/RollingFrictionContactProblem.h>
#include <siconos/numerics/SolverOptions.h>

#include <cmath>

#include "friction_problem.hpp"

namespace {

using taut::MatX;
using taut::VecX;

constexpr double tolerance = 1e-10;  // in the measure of each; the answers are judged alike
constexpr int most_iterations = 100000;

SolverOptions* options_of(int solver) {
  SolverOptions* options = solver_options_create(solver);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  // Outer iterations of PROX and Newton's method cost much more than a sweep.
  const bool is_newton = solver == SICONOS_FRICTION_3D_PROX || solver == SICONOS_FRICTION_3D_NSN_AC;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = is_newton ? 1000 : most_iterations;
  return options;
}

VecX solve(int solver, int rolling_solver, int dimension, const MatX& L, const VecX& q,
           const std::vector<double>& mu, const std::vector<double>& mu_rolling, double* seconds) {
  const MatX W = L * L.transpose();
  const int n = static_cast<int>(W.rows());
  const bool is_rolling = dimension == 5;
  if ((is_rolling ? rolling_solver : solver) == 0 || dimension == 2) return {};
  // Those of Newton's kind need a sparse matrix. What is round-off of the product is left out.
  const double least = 1e-14 * W.cwiseAbs().maxCoeff();
  NumericsMatrix* matrix = NM_create(NM_SPARSE, n, n);
  NM_triplet_alloc(matrix, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (std::abs(W(i, j)) > least)
        NM_entry(matrix, static_cast<size_t>(i), static_cast<size_t>(j), W(i, j));
  VecX r = VecX::Zero(n), u = VecX::Zero(n), copy = q;
  std::vector<double> friction = mu, rolling = mu_rolling;
  const auto contacts = static_cast<int>(mu.size());
  SolverOptions* options = options_of(is_rolling ? rolling_solver : solver);
  const double from = bench::cpu_seconds();
  if (is_rolling) {
    RollingFrictionContactProblem* problem = rollingFrictionContactProblem_new();
    problem->dimension = dimension;
    problem->numberOfContacts = contacts;
    problem->M = matrix;
    problem->q = copy.data();
    problem->mu = friction.data();
    problem->mu_r = rolling.data();
    rolling_fc3d_driver(problem, r.data(), u.data(), options);
  } else {
    FrictionContactProblem* problem = frictionContactProblem_new();
    problem->dimension = dimension;
    problem->numberOfContacts = contacts;
    problem->M = matrix;
    problem->q = copy.data();
    problem->mu = friction.data();
    fc3d_driver(problem, r.data(), u.data(), options);
  }
  if (seconds) *seconds = bench::cpu_seconds() - from;
  return r;
}

SiconosSolver make(const char* name, int solver, int rolling_solver) {
  return {name, [=](int dimension, const MatX& L, const VecX& q, const std::vector<double>& mu,
                    const std::vector<double>& mu_rolling, double* seconds) {
            return solve(solver, rolling_solver, dimension, L, q, mu, mu_rolling, seconds);
          }};
}

}  // namespace

const std::vector<SiconosSolver>& siconos_solvers() {
  static const std::vector<SiconosSolver> all{
      make("NSGS", SICONOS_FRICTION_3D_NSGS, SICONOS_ROLLING_FRICTION_3D_NSGS),
      make("PROX", SICONOS_FRICTION_3D_PROX, 0), make("NSN_AC", SICONOS_FRICTION_3D_NSN_AC, 0),
      make("ADMM", SICONOS_FRICTION_3D_ADMM, SICONOS_ROLLING_FRICTION_3D_ADMM)};
  return all;
}
