#include "taut/methods/workspace.hpp"

#include <algorithm>
#include <cmath>

#include "taut/methods/method.hpp"
#include "taut/model/rotation.hpp"

namespace taut {

namespace {

/// The rows of a light body between heavy ones use up its mobility, and what is left of the last of
/// them is the mobility of its neighbours: small, but not nothing.
double singular_pivot(const System& system) {
  constexpr double of_equal_masses = 1e-9, least = 1e-14, ordinary = 1e-3;
  double lightest = INFINITY, heaviest = 0;
  for (int i = 0; i < system.body_count(); ++i) {
    lightest = std::min(lightest, system.mass({i}));
    heaviest = std::max(heaviest, system.mass({i}));
  }
  const double spread = heaviest > 0 ? lightest / heaviest : 1;
  return std::max(least, of_equal_masses * std::min(1.0, spread / ordinary));
}

}  // namespace

Workspace::Workspace(const System& system, std::string solver) : solver_choice_(std::move(solver)) {
  build(system);
}

void Workspace::adapt(const System& system) {
  if (system.topology() != topology_) [[unlikely]]
    build(system);
}

void Workspace::build(const System& system) {
  pattern = RowPattern(system);
  modes = RowModes(pattern);
  for (LinearizedRows* rows : {&start, &end}) *rows = {};  // sized where a method looks
  solver_.reset();
  particle_paths_.reset();
  has_tried_particle_paths_ = is_rough_ = false;
  rows_.clear();
  dependent_.clear();
  factored_ = nullptr;
  for (VecX* per_velocity : {&F, &WF, &correction, &pulled_})
    per_velocity->setZero(system.velocity_size());
  for (VecX* per_row : {&lambda, &rhs, &Jv, &unmet_}) per_row->setZero(pattern.rows());
  singular_pivot_ = singular_pivot(system);
  topology_ = system.topology();
}

void Workspace::evaluate(const System& system, const VecX& q, double t, LinearizedRows& at,
                         RowForm form) const {
  if (at.C.size() != pattern.rows() || at.J.size() != pattern.jacobian_values) at.resize(pattern);
  at.pose.set(system, q);
  at.Rows::linearize(system, pattern, at.pose, t, form);
  at.has_only_positions = false;
  modes.apply(pattern, t, system.velocity_size(), at, at.held);
}

void Workspace::linearize(const System& system, const VecX& q, double t, LinearizedRows& at) const {
  evaluate(system, q, t, at);
  system.apply_inverse_mass(pattern.blocks, at.J, at.WJ);
}

void Workspace::linearize_decided(const System& system, const VecX& q, double t,
                                  LinearizedRows& at) const {
  evaluate(system, q, t, at);
  if (modes.in_solve) modes.hold(pattern, at, at.held);
  system.apply_inverse_mass(pattern.blocks, at.J, at.WJ);
}

void Workspace::linearize_positions(const System& system, const VecX& q, double t,
                                    LinearizedRows& at) const {
  linearize(system, q, t, at);
  if (pattern.velocity_rows.empty()) return;
  at.has_only_positions = true;
  at.set_aside.resize(static_cast<Eigen::Index>(pattern.velocity_rows.size()));
  for (std::size_t i = 0; i < pattern.velocity_rows.size(); ++i) {
    const auto values = pattern.values_of(pattern.velocity_rows[i], pattern.velocity_rows[i] + 1);
    auto J = at.J.segment(values.begin, values.size), WJ = at.WJ.segment(values.begin, values.size);
    const double mobility = J.dot(WJ);
    at.set_aside[static_cast<Eigen::Index>(i)] = mobility > 0 ? mobility : 1;
    J.setZero();
    WJ.setZero();
  }
}

void Workspace::measure_way(const System& system, const State& from, double h, const VecX& q_end,
                            LinearizedRows& at, WayJacobian wanted, Chart chart) {
  if (pattern.velocity_rows.empty()) [[likely]]
    return;
  way_start_.set(system, from.q);
  system.difference(from.q, q_end, chart, way_);
  way_tangent_.resize(static_cast<std::size_t>(system.rigid_count()));
  for (const BodySlot& slot : system.slots()) {
    if (slot.rigid < 0) continue;
    const Vec3 turn = way_.segment<3>(slot.v + 3);
    way_tangent_[static_cast<std::size_t>(slot.rigid)] =
        chart == Chart::cayley ? inverse_cayley_tangent(turn) : logarithm_tangent(turn);
  }
  at.Rows::measure_way(system, pattern,
                       {way_start_, at.pose, way_, way_tangent_, h, from.time + 0.5 * h}, wanted);
}

void Workspace::add_bias(const System& system, const VecX& v, double t, LinearizedRows& at) const {
  at.Rows::add_bias(system, pattern, at.pose, v, t);
  for (const RowModes::Mode& mode : modes.modes())
    if (!mode.is_equation && (!modes.in_solve || mode.is_timed())) at.bias[mode.row] = 0;
}

void Workspace::forces(const System& system, const LinearizedRows& at, const VecX& v, double t) {
  plain_forces(system, at, v, t);
  system.apply_inverse_mass(F, WF);
}

void Workspace::plain_forces(const System& system, const LinearizedRows& at, const VecX& v,
                             double t) {
  system.forces(at.pose, v, t, F);
  if (at.held.size() > 0) F += at.held;
}

namespace {

constexpr int many = 100;  // rows that are off: leaving them out pays for a new plan

}  // namespace

/// Which rows A has; true if these are others than before.
bool Workspace::choose_rows() {
  if (modes.empty() && dependent_.empty() && rows_.empty()) [[likely]]
    return false;
  const auto is_off = [](const RowModes::Mode& mode) { return !mode.is_equation; };
  chosen_.clear();
  const bool many_off = std::count_if(modes.modes().begin(), modes.modes().end(), is_off) > many;
  if (many_off || !dependent_.empty()) {
    auto mode = modes.modes().begin();  // in the order of rows
    auto dependent = dependent_.begin();
    for (int row = 0; row < pattern.rows(); ++row) {
      const bool has_mode = mode != modes.modes().end() && mode->row == row;
      const bool is_dependent = dependent != dependent_.end() && *dependent == row;
      if (!is_dependent && !(many_off && has_mode && is_off(*mode))) chosen_.push_back(row);
      if (has_mode) ++mode;
      if (is_dependent) ++dependent;
    }
    // An empty list means all rows: a single one that is off does no harm.
    if (chosen_.empty()) chosen_.push_back(0);
  }
  if (chosen_ == rows_) return false;
  rows_ = chosen_;
  return true;
}

int Workspace::place_in_matrix(int row) const {
  if (rows_.empty()) return row;
  const auto found = std::lower_bound(rows_.begin(), rows_.end(), row);
  return found == rows_.end() || *found != row ? -1 : static_cast<int>(found - rows_.begin());
}

void Workspace::factor_roughly(const System& system, LinearizedRows& at) {
  if (!has_tried_particle_paths_) {
    has_tried_particle_paths_ = true;
    if (solver_choice_ == "auto" || solver_choice_ == "pcg_paths")
      particle_paths_ = ParticlePaths::make(system, pattern);
  }
  if (particle_paths_ && particle_paths_->is_slow()) particle_paths_.reset();
  if (particle_paths_ && modes.empty() && dependent_.empty() && !at.has_only_positions) {
    is_rough_ = true;
    particle_paths_->factor(at.J);
    return;
  }
  system.apply_inverse_mass(pattern.blocks, at.J, at.WJ);
  factor(at);
}

void Workspace::factor(const LinearizedRows& at, const VecX& right) {
  is_rough_ = false;
  factored_ = &at;
  right_ = &right;
  factor_equations();
}

void Workspace::make_solver() {
  A_ = NormalMatrix(pattern, rows_);
  solver_ = make_linear_solver(solver_choice_, A_.matrix());
  solver_->set_singular_pivot(singular_pivot_);
}

void Workspace::factor_equations() {
  if (choose_rows() || !solver_) make_solver();
  const LinearizedRows& at = *factored_;
  const VecX *left = &at.J, *right = right_;
  if (modes.in_solve) {
    masked_left_ = *left;
    masked_right_ = *right;
    for (const RowModes::Mode& mode : modes.modes()) {
      if (mode.is_equation) continue;
      const auto values = pattern.values_of(mode.row, mode.row + 1);
      masked_left_.segment(values.begin, values.size).setZero();
      masked_right_.segment(values.begin, values.size).setZero();
    }
    left = &masked_left_;
    right = &masked_right_;
  }
  const SparseSymmetric& A = A_.assemble(*left, *right);
  for (const RowModes::Mode& mode : modes.modes())
    if (const int place = place_in_matrix(mode.row); place >= 0)
      A_.add_to_diagonal(place, modes.compliance(mode));
  if (at.has_only_positions)
    for (std::size_t i = 0; i < pattern.velocity_rows.size(); ++i)
      if (const int place = place_in_matrix(pattern.velocity_rows[i]); place >= 0)
        A_.add_to_diagonal(place, at.set_aside[static_cast<Eigen::Index>(i)]);
  solver_->factor(A);
}

void Workspace::factor(const LinearizedRows& at) { factor(at, at.WJ); }

void Workspace::factor_unweighted(const LinearizedRows& at) { factor(at, at.J); }

void Workspace::solve(const VecX& b, VecX& x, StepReport& report) { solve_within(b, x, 0, report); }

void Workspace::solve_within(const VecX& b, VecX& x, double tolerance, StepReport& report) {
  report.regularized = report.regularized || leaves_rows_out();
  if (modes.in_solve)
    solve_bounded(b, x, tolerance, report);
  else
    solve_chosen(b, x, tolerance, report);
}

double Workspace::solve_chosen(const VecX& b, VecX& x, double tolerance, StepReport& report) {
  const auto solve = [&](const VecX& right, VecX& out) {
    const SolveSummary summary = is_rough_ ? particle_paths_->solve_within(right, out, tolerance)
                                 : tolerance > 0 ? solver_->solve_within(right, out, tolerance)
                                                 : solver_->solve(right, out);
    ++report.linear_solves;
    report.linear_iterations += summary.iterations;
    report.regularized = report.regularized || summary.regularized;
    return summary.residual;
  };
  if (rows_.empty() || is_rough_) return solve(b, x);
  b_ = b(rows_);
  const double left = solve(b_, x_);
  x.setZero(b.size());
  x(rows_) = x_;
  return left;
}

}  // namespace taut
