// Islands without iterations: bodies that nothing acts on, and one group alone. And which groups
// act.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "taut/base/dense_solve.hpp"
#include "taut/base/scratch_memory.hpp"
#include "taut/solve/cone_islands.hpp"

namespace taut {
namespace {

// Of speeds: a group that opens faster is idle. What only just opens acts, too: of what is held
// twice over, such as a table with four legs, all legs should bear.
constexpr double opens = 1e-3;

constexpr std::size_t usual_groups = 256;  // room from the start: no new memory for one more

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Whether r = 0 is an answer while the first row opens.
bool may_be_idle(const ConeLaw& law) {
  const auto is_size = [](double x) { return std::isfinite(x) && x >= 0; };
  return law.kind != ConeLaw::Kind::interval && is_size(law.friction) && is_size(law.spinning) &&
         is_size(law.rolling) && is_size(law.compliance) && is_size(law.softness);
}

/// M⁻¹ x where a body moves as if it did not turn, and does not turn but about its centre. False:
/// it is not so, or M is not positive definite.
bool move_and_turn(const std::array<double, 36>& M, double* x) {
  for (int i = 0; i < 3; ++i)
    for (int j = 3; j < 6; ++j)
      if (M[index(6 * i + j)] != 0 || M[index(6 * j + i)] != 0) return false;
  const double m = M[0];
  if (!(m > 0) || M[7] != m || M[14] != m || M[1] != 0 || M[2] != 0 || M[8] != 0 || M[6] != 0 ||
      M[12] != 0 || M[13] != 0)
    return false;
  std::array<double, 9> inertia;
  for (int i = 0; i < 3; ++i) std::copy_n(M.data() + 21 + 6 * i, 3, inertia.begin() + 3 * i);
  if (!solve_positive_definite(inertia.data(), 3, x + 3)) return false;
  for (int i = 0; i < 3; ++i) x[i] /= m;
  return true;
}

}  // namespace

/// How fast the first row of a group opens.
double ConeIslands::opening(const ConePattern& pattern, const ConeProblem& problem, int group,
                            const KeptVec& v) const {
  double u = problem.w[groups_.first_row[index(group)]];
  int value = groups_.first_value[index(group)];
  for (const int body : pattern.groups.bodies_of(group)) {
    const int size = pattern.body_size[index(body)], first = velocity_[index(body)];
    for (int i = 0; i < size; ++i) u += problem.H[value + i] * v[first + i];
    value += size * pattern.groups.rows[index(group)];
  }
  return u;
}

bool ConeIslands::opens_by_itself(const ConePattern& pattern, const ConeProblem& problem,
                                  const ConeOptions& options, int group, const KeptVec& v) const {
  const bool is_angle = problem.laws[index(group)].unit == ConeLaw::Unit::angle;
  return opening(pattern, problem, group, v) >= opens * (is_angle ? options.turn : options.speed);
}

void ConeIslands::find_idle(const ConePattern& pattern, const ConeProblem& problem,
                            const ConeOptions& options, ConeSolution& solution) {
  is_released_.assign(pattern.body_size.size(), 0);
  is_idle_.reserve(usual_groups);
  assign_with_room(is_idle_, problem.laws.size(), char{0});
  for (int g = 0; g < pattern.groups.count(); ++g) {
    const int row = groups_.first_row[index(g)], rows = pattern.groups.rows[index(g)];
    if (!may_be_idle(problem.laws[index(g)]) || !solution.r.segment(row, rows).isZero(0)) continue;
    for (const int body : pattern.groups.bodies_of(g)) release(pattern, problem, body, solution);
    is_idle_[index(g)] = opens_by_itself(pattern, problem, options, g, solution.v);
  }
}

bool ConeIslands::rouse(const ConePattern& pattern, const ConeProblem& problem,
                        const ConeOptions& options, const KeptVec& v, Idle which) {
  bool any = false;
  for (int g = 0; g < pattern.groups.count(); ++g) {
    if (!is_idle_[index(g)]) continue;
    const bool stays = opens_by_itself(pattern, problem, options, g, v);
    any = any || !stays;
    is_idle_[index(g)] = stays && which == Idle::that_close;
  }
  return any;
}

void ConeIslands::release(const ConePattern& pattern, const ConeProblem& problem, int body,
                          ConeSolution& solution) {
  if (!is_released_[index(body)]) move_freely(pattern, problem, body, solution);
  is_released_[index(body)] = 1;
}

void ConeIslands::move_freely(const ConePattern& pattern, const ConeProblem& problem, int body,
                              ConeSolution& solution) const {
  const int size = pattern.body_size[index(body)], first = velocity_[index(body)];
  std::array<double, 36> M;
  std::copy_n(problem.M.data() + mass_[index(body)], size * size, M.begin());
  solution.v.segment(first, size) = problem.f.segment(first, size);
  if (size == 6 && move_and_turn(M, solution.v.data() + first)) return;
  if (!solve_positive_definite(M.data(), size, solution.v.data() + first))
    solution.v.segment(first, size).setConstant(std::numeric_limits<double>::quiet_NaN());
}

// u = A r + q with A = H M⁻¹ Hᵀ and q that of the bodies alone.
bool ConeIslands::solve_alone(const ConePattern& pattern, const ConeProblem& problem,
                              const ConeOptions& options, Island& island,
                              ConeSolution& solution) const {
  constexpr int most = ConeLaw::most_rows;
  const bool is_exact =
      options.solver == ContactSolver::exact || options.solver == ContactSolver::real_time;
  if (!is_exact || island.groups.size() != 1 || !island.equations.empty() ||
      !island.couplings.empty() || island.bodies.size() > 2)
    return false;
  const int g = island.groups.front(), rows = pattern.groups.rows[index(g)];
  const int first = groups_.first_row[index(g)];
  const ConeLaw& law = problem.laws[index(g)];
  if (!may_be_idle(law)) return false;
  double A[most * most] = {}, q[most], response[2][most * 6];  // M⁻¹ Hᵀ, by rows of H
  std::copy_n(problem.w.data() + first, rows, q);
  int value = groups_.first_value[index(g)], body_number = 0;
  for (const int body : pattern.groups.bodies_of(g)) {
    move_freely(pattern, problem, body, solution);
    const int size = pattern.body_size[index(body)];
    const double* H = problem.H.data() + value;
    const double* v = solution.v.data() + velocity_[index(body)];
    double* x = response[body_number];
    std::copy_n(H, rows * size, x);
    std::array<double, 36> M;
    std::copy_n(problem.M.data() + mass_[index(body)], size * size, M.begin());
    if (!solve_positive_definite(M.data(), size, x, rows)) return false;
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < size; ++k) q[i] += H[i * size + k] * v[k];
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < size; ++k) A[i * rows + j] += H[i * size + k] * x[j * size + k];
    }
    value += rows * size;
    ++body_number;
  }
  double trace = 0;
  for (int i = 0; i < rows; ++i) trace += A[i * (rows + 1)];
  const double scale = std::max(law.unit == ConeLaw::Unit::angle ? options.turn : options.speed,
                                cone::resisted(law, q));
  for (int i = 0; i < rows; ++i) A[i * (rows + 1)] += law.compliance_of(i);
  double r[most], u[most];
  cone::solve_alone(law, A, q, r);
  for (int i = 0; i < rows; ++i) {
    u[i] = q[i];
    for (int j = 0; j < rows; ++j) u[i] += A[i * rows + j] * r[j];
  }
  const double residual = cone::contradiction(law, r, u, trace / rows) / scale;
  if (!(residual <= options.tolerance)) return false;
  body_number = 0;
  for (const int body : pattern.groups.bodies_of(g)) {
    double* v = solution.v.data() + velocity_[index(body)];
    const int size = pattern.body_size[index(body)];
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < size; ++k) v[k] += r[i] * response[body_number][i * size + k];
    ++body_number;
  }
  std::copy_n(r, rows, solution.r.data() + first);
  island.report = {};
  island.report.status = ConeReport::Status::converged;
  island.report.residual = residual;
  island.report.tolerance = options.tolerance;
  return true;
}

}  // namespace taut
