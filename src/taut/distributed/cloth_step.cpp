#include <algorithm>
#include <cmath>

#include "taut/base/largest.hpp"
#include "taut/distributed/cloth_step_internal.hpp"

namespace taut::distributed {
namespace {

constexpr double tight = 1e-12;

// As FilterMethod::row_lengths(): of rows without a length, a tenth of the mean of the others.
VecX row_lengths(const Domain& domain) {
  const std::vector<double>& natural = domain.workspace.pattern.natural_length;
  double sums[2] = {0, 0};
  for (const int row : domain.owned_rows()) {
    const double length = natural[static_cast<std::size_t>(row)];
    sums[0] += length;
    sums[1] += length > 0 ? 1 : 0;
  }
  domain.processes.sum(sums);
  const double other = sums[1] > 0 ? 0.1 * sums[0] / sums[1] : 1e-3;
  VecX lengths = Eigen::Map<const VecX>(natural.data(), static_cast<Eigen::Index>(natural.size()));
  return (lengths.array() > 0).select(lengths, other);
}

}  // namespace

ClothStep::ClothStep(Domain& domain, const FastProjectionOptions& options, YarnEnds ends)
    : domain_(domain),
      options_(options),
      free_(domain, options.base),
      solver_(domain, ends),
      lengths_(row_lengths(domain)) {}

void ClothStep::release(double time) {
  for (RowModes::Mode& mode : domain_.workspace.modes.modes())
    mode.is_equation = time < mode.law.until - 1e-12 * std::abs(time);
}

// Rows of others are evaluated here, too, from the same places: their C is that of their owners.
double ClothStep::worst_strain(const VecX& C) const {
  double worst = 0;
  for (const int row : domain_.owned_rows()) {
    const double strain = std::abs(C[row]) / lengths_[row];
    if (!(strain <= worst)) worst = strain;  // and where it is no number
  }
  return domain_.processes.largest(worst);
}

StepReport ClothStep::step(double h, State& state) {
  StepReport report;
  release(state.time);
  free_.predict(h, state, v_next_, report);
  if (!project(h, state, report)) report.status = StepStatus::not_converged;
  state.time += h;
  state.q = q_next_;
  state.v = v_next_;
  return report;
}

bool ClothStep::project(double h, const State& state, StepReport& report) {
  Workspace& w = domain_.workspace;
  for (int iteration = 0;; ++iteration) {
    q_next_ = state.q + h * v_next_;
    w.evaluate(domain_.system, q_next_, state.time + h, w.end, RowForm::smooth);
    const double worst = worst_strain(w.end.C);
    const bool is_done = iteration > 0 && worst <= options_.strain;
    const bool is_over = iteration == options_.max_iterations || !std::isfinite(worst);
    if (is_done || is_over) {
      double error = 0, size = w.pattern.length;
      for (const int row : domain_.owned_rows()) error = std::max(error, std::abs(w.end.C[row]));
      for (const int body : domain_.owned_bodies())
        size = std::max(size, q_next_.segment<3>(3 * body).lpNorm<Eigen::Infinity>());
      size = domain_.processes.largest(size);
      report.residual = std::isfinite(worst) ? domain_.processes.largest(error) / size : INFINITY;
      return is_done;
    }
    if (domain_.whole_rows() == 0) return true;
    solver_.factor(w.end.J);
    right_ = w.end.C / h;
    const auto solved = solver_.solve_within(right_, change_, options_.solve_tolerance);
    ++report.linear_solves;
    report.linear_iterations += solved.iterations;
    ++report.iterations;
    solver_.pull(change_, w.correction);
    v_next_ -= w.correction;
    domain_.bodies().fill(v_next_.data());
  }
}

void ClothStep::settle_velocity(VecX& v, StepReport& report) {
  Workspace& w = domain_.workspace;
  solver_.factor(w.end.J);
  solver_.multiply(v, right_);
  right_ += w.end.C_t;
  const auto solved = solver_.solve_within(right_, change_, tight);
  ++report.linear_solves;
  report.linear_iterations += solved.iterations;
  solver_.pull(change_, w.correction);
  v -= w.correction;
  domain_.bodies().fill(v.data());
}

}  // namespace taut::distributed
