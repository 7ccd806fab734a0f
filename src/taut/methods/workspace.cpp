#include "taut/methods/workspace.hpp"

#include "taut/methods/method.hpp"

namespace taut {

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
  for (LinearizedRows* rows : {&start, &end}) {
    rows->resize(pattern);
    rows->WJ.setZero(pattern.jacobian_values);
  }
  solver_.reset();
  for (VecX* per_velocity : {&F, &WF, &correction}) per_velocity->setZero(system.velocity_size());
  for (VecX* per_row : {&lambda, &rhs, &Jv}) per_row->setZero(pattern.rows());
  topology_ = system.topology();
}

void Workspace::evaluate(const System& system, const VecX& q, double t, LinearizedRows& at,
                         RowForm form) const {
  at.pose.set(system, q);
  at.Rows::linearize(system, pattern, at.pose, t, form);
  modes.apply(pattern, t, system.velocity_size(), at, at.held);
}

void Workspace::linearize(const System& system, const VecX& q, double t, LinearizedRows& at) const {
  evaluate(system, q, t, at);
  system.apply_inverse_mass(pattern.blocks, at.J, at.WJ);
}

void Workspace::add_bias(const System& system, const VecX& v, double t, LinearizedRows& at) const {
  at.Rows::add_bias(system, pattern, at.pose, v, t);
  for (const RowModes::Mode& mode : modes.modes())
    if (!mode.is_equation) at.bias[mode.row] = 0;
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

void Workspace::factor(const VecX& left, const VecX& right) {
  if (!solver_) {
    A_ = NormalMatrix(pattern);
    solver_ = make_linear_solver(solver_choice_, A_.matrix());
  }
  const SparseSymmetric& A = A_.assemble(left, right);
  for (const RowModes::Mode& mode : modes.modes())
    A_.add_to_diagonal(mode.row, RowModes::compliance(mode));
  solver_->factor(A);
}

void Workspace::factor(const LinearizedRows& at) { factor(at.J, at.WJ); }

void Workspace::factor_unweighted(const LinearizedRows& at) { factor(at.J, at.J); }

namespace {

void count(const SolveSummary& summary, StepReport& report) {
  ++report.linear_solves;
  report.linear_iterations += summary.iterations;
  report.regularized = report.regularized || summary.regularized;
}

}  // namespace

void Workspace::solve(const VecX& b, VecX& x, StepReport& report) {
  count(solver_->solve(b, x), report);
}

void Workspace::solve_within(const VecX& b, VecX& x, double tolerance, StepReport& report) {
  count(solver_->solve_within(b, x, tolerance), report);
}

}  // namespace taut
