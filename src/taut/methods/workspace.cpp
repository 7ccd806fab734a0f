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
  for (LinearizedRows* rows : {&start, &end}) {
    rows->resize(pattern);
    rows->WJ.setZero(pattern.jacobian_values);
  }
  A_ = NormalMatrix(pattern);
  solver_ = make_linear_solver(solver_choice_, A_.matrix());
  for (VecX* per_velocity : {&F, &WF, &correction}) per_velocity->setZero(system.velocity_size());
  for (VecX* per_row : {&lambda, &rhs, &Jv}) per_row->setZero(pattern.rows());
  topology_ = system.topology();
}

void Workspace::evaluate(const System& system, const VecX& q, double t, LinearizedRows& at,
                         RowForm form) const {
  at.pose.set(system, q);
  at.Rows::linearize(system, pattern, at.pose, t, form);
}

void Workspace::linearize(const System& system, const VecX& q, double t, LinearizedRows& at) const {
  evaluate(system, q, t, at);
  system.apply_inverse_mass(pattern.blocks, at.J, at.WJ);
}

void Workspace::add_bias(const System& system, const VecX& v, double t, LinearizedRows& at) const {
  at.Rows::add_bias(system, pattern, at.pose, v, t);
}

void Workspace::forces(const System& system, const LinearizedRows& at, const VecX& v, double t) {
  system.forces(at.pose, v, t, F);
  system.apply_inverse_mass(F, WF);
}

void Workspace::factor(const LinearizedRows& at) { solver_->factor(A_.assemble(at.J, at.WJ)); }

void Workspace::factor_unweighted(const LinearizedRows& at) {
  solver_->factor(A_.assemble(at.J, at.J));
}

void Workspace::solve(const VecX& b, VecX& x, StepReport& report) {
  const SolveSummary summary = solver_->solve(b, x);
  ++report.linear_solves;
  report.iterations += summary.iterations;
  report.regularized = report.regularized || summary.regularized;
}

}  // namespace taut
