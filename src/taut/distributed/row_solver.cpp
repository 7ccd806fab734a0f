#include <algorithm>
#include <numeric>

#include "taut/distributed/row_solver_internal.hpp"

namespace taut::distributed {
namespace {

constexpr int most_iterations = 2000;

std::vector<int> rows_to_factor(const Domain& domain, YarnEnds ends) {
  std::vector<int> rows = domain.owned_rows();
  if (ends == YarnEnds::overlap) {
    rows.insert(rows.end(), domain.near_rows().begin(), domain.near_rows().end());
    std::sort(rows.begin(), rows.end());
  }
  return rows;
}

}  // namespace

RowSolver::RowSolver(const Domain& domain, YarnEnds ends)
    : domain_(domain),
      ends_(ends),
      factored_rows_(rows_to_factor(domain, ends)),
      rows_(domain.workspace.pattern) {
  const RowPattern& pattern = domain.workspace.pattern;
  if (!factored_rows_.empty()) {  // to a NormalMatrix, none are all
    A_ = NormalMatrix(pattern, factored_rows_);
    paths_.analyze(A_.matrix());
  }
  pulled_.setOnes(domain.system.velocity_size());
  domain.system.apply_inverse_mass(pulled_, mobility_);
  all_.setZero(pattern.rows());
  product_.setZero(pattern.rows());
  solver_ = std::make_unique<ConjugateGradients>(
      domain.processes, static_cast<int>(domain.owned_rows().size()),
      [this](const double* in, double* out) { multiply(in, out); },
      [this](const double* in, double* out) { precondition(in, out); });
}

void RowSolver::look(const VecX& J) { rows_.set(domain_.workspace.pattern, J, J); }

void RowSolver::factor(const VecX& J) {
  look(J);
  if (factored_rows_.empty()) return;
  if (paths_.reads().empty()) {  // the first time, to find the paths
    std::vector<int> values(static_cast<std::size_t>(A_.matrix().value.size()));
    std::iota(values.begin(), values.end(), 0);
    A_.assemble_particles(J, mobility_, values);
  } else {
    A_.assemble_particles(J, mobility_, paths_.reads());
  }
  paths_.factor(A_.matrix());
}

void RowSolver::pull(const VecX& x, VecX& out) const {
  out.setZero(mobility_.size());
  rows_.subtract_transposed(x, out);
  out = -mobility_.cwiseProduct(out);
}

void RowSolver::add_forces(const VecX& x, VecX& out) const { rows_.subtract_transposed(-x, out); }

void RowSolver::multiply(const VecX& v, VecX& out) const {
  out.resize(domain_.workspace.pattern.rows());
  rows_.multiply(v, out);
}

void RowSolver::spread(const double* owned, VecX& rows) const {
  for (const int row : domain_.owned_rows()) rows[row] = *owned++;
}

void RowSolver::take(const VecX& rows, double* owned) const {
  for (const int row : domain_.owned_rows()) *owned++ = rows[row];
}

// Rows that do not matter stay 0.
void RowSolver::multiply(const double* in, double* out) {
  spread(in, all_);
  domain_.rows().fill(all_.data());
  pull(all_, pulled_);
  multiply(pulled_, product_);
  take(product_, out);
}

void RowSolver::precondition(const double* in, double* out) {
  const Eigen::Index size = static_cast<Eigen::Index>(domain_.owned_rows().size());
  if (ends_ == YarnEnds::cut) {
    r_ = Eigen::Map<const VecX>(in, size);
    paths_.solve(r_, z_);
    Eigen::Map<VecX>(out, size) = z_;
    return;
  }
  spread(in, product_);
  domain_.rows().fill(product_.data());
  r_ = product_(factored_rows_);
  paths_.solve(r_, z_);
  product_(factored_rows_) = z_;
  domain_.rows().add(product_.data());
  take(product_, out);
}

ConjugateGradients::Result RowSolver::solve_within(const VecX& b, VecX& x, double tolerance) {
  b_ = b(domain_.owned_rows());
  const ConjugateGradients::Result result =
      solver_->solve(b_, x_, {tolerance, 0, most_iterations, false});
  x.setZero(b.size());
  spread(x_.data(), x);
  domain_.rows().fill(x.data());
  return result;
}

}  // namespace taut::distributed
