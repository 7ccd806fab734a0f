#include <algorithm>
#include <cmath>

#include "taut/base/largest.hpp"
#include "taut/distributed/cloth_step_internal.hpp"

namespace taut::distributed {
namespace {

constexpr double tight = 1e-12;
constexpr ProjectionLimits looks;
constexpr double nothing = 1e-10;  // of the edges: no way at all

VecX row_lengths(const Domain& domain) {
  const std::vector<double>& natural = domain.workspace.pattern.natural_length;
  double sums[2] = {0, 0};
  for (const int row : domain.owned_rows()) {
    const double length = natural[static_cast<std::size_t>(row)];
    sums[0] += length;
    sums[1] += length > 0 ? 1 : 0;
  }
  domain.processes.sum(sums);
  VecX lengths;
  taut::row_lengths(domain.workspace.pattern, sums[0], sums[1], lengths);
  return lengths;
}

}  // namespace

ClothStep::ClothStep(Domain& domain, const FastProjectionOptions& options, YarnEnds ends)
    : domain_(domain), options_(options), solver_(domain, ends), lengths_(row_lengths(domain)) {
  free_.divide(domain);
  double shortest = INFINITY;
  for (const int row : domain.owned_rows()) shortest = std::min(shortest, lengths_[row]);
  shortest_ = domain.processes.least(shortest);
  inverse_mass_.setOnes(domain.system.velocity_size());
  domain.system.apply_inverse_mass(inverse_mass_, inverse_mass_);
  domain.bodies().fill(inverse_mass_.data());
}

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
  free_.predict(options_.base, domain_.system, h, state, domain_.workspace, report);
  v_next_ = free_.candidate();
  if (!project(h, state, report)) report.status = StepStatus::not_converged;
  state.time += h;
  state.q = q_next_;
  state.v = v_next_;
  return report;
}

ClothStep::Distance ClothStep::look_at_motion(double h) {
  Workspace& w = domain_.workspace;
  const RowPattern& pattern = w.pattern;
  solver_.look(w.end.J);
  motion_ = (v_next_ - free_.candidate()).cwiseQuotient(inverse_mass_);
  solver_.add_forces(impulse_, motion_);
  mobility_ = inverse_mass_.cwiseInverse();
  for (int row = 0; row < pattern.rows(); ++row) {
    const double length = pattern.natural_length[static_cast<std::size_t>(row)];
    if (!(length > 0) || !(impulse_[row] > 0)) continue;
    const double stiffness = 2 * h * impulse_[row] / length;
    for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b)
      mobility_.segment<3>(pattern.blocks[static_cast<std::size_t>(b)].dof).array() += stiffness;
  }
  mobility_ = mobility_.cwiseInverse();
  domain_.bodies().fill(mobility_.data());
  motion_ = motion_.cwiseProduct(mobility_);
  domain_.bodies().fill(motion_.data());
  double most = 0, sum = 0;
  for (const int body : domain_.owned_bodies()) {
    const Eigen::Index at = 3 * body;
    const double size = motion_.segment<3>(at).lpNorm<Eigen::Infinity>();
    if (!(size <= most)) most = size;
    sum += motion_.segment<3>(at).lpNorm<1>();
  }
  return {h * domain_.processes.largest(most),
          h * domain_.processes.sum(sum) / (3.0 * domain_.share.whole_bodies)};
}

// With `turns`, D⁻¹ r is in motion_; else W is all there is.
void ClothStep::correct(double h, bool turns, StepReport& report) {
  Workspace& w = domain_.workspace;
  solver_.use(turns ? mobility_ : inverse_mass_);
  solver_.factor(w.end.J);
  right_ = w.end.C / h;
  if (turns) {
    solver_.multiply(motion_, w.Jv);
    right_ -= w.Jv;
    v_next_ -= motion_;
  }
  const auto solved = solver_.solve_within(right_, change_, options_.solve_tolerance);
  ++report.linear_solves;
  report.linear_iterations += solved.iterations;
  row_iterations_ += solved.iterations;
  ++report.iterations;
  impulse_ += change_;
  solver_.pull(change_, w.correction);
  v_next_ -= w.correction;
  domain_.bodies().fill(v_next_.data());
}

/// A little of the way that forces lead in a step, in the mean: a guess must not pass for a result
/// because steps are short.
double ClothStep::small_way(double h, const State& state) const {
  double sum = 0;
  for (const int body : domain_.owned_bodies()) {
    const Eigen::Index at = 3 * body;
    sum += (free_.candidate().segment<3>(at) - state.v.segment<3>(at)).lpNorm<1>();
  }
  const double way = h * domain_.processes.sum(sum) / (3.0 * domain_.share.whole_bodies);
  return std::max(looks.part_of_way * way, nothing * shortest_);
}

bool ClothStep::project(double h, const State& state, StepReport& report) {
  Workspace& w = domain_.workspace;
  impulse_.setZero(w.pattern.rows());
  const double most_distance = looks.near * shortest_;
  bool turns = turning_.is_paused();
  if (turns) {  // then the last step is the better guess
    turning_.wait();
    v_next_ = state.v;
    impulse_ = h * lambda_;
  }
  for (int iteration = 0;; ++iteration) {
    q_next_ = state.q + h * v_next_;
    w.evaluate(domain_.system, q_next_, state.time + h, w.end, RowForm::smooth);
    const double worst = worst_strain(w.end.C);
    const bool holds = iteration > 0 && worst <= options_.strain;
    const bool is_over = iteration == options_.max_iterations || !std::isfinite(worst);
    Distance distance;
    if (turns || (holds && --unseen_ <= 0)) {
      distance = look_at_motion(h);
      if (!turns) unseen_ = distance.largest < 0.25 * most_distance ? looks.rarely : 1;
      if (!turns && !(distance.largest <= most_distance)) {
        turns = true;
        turning_.begin();
      } else if (!turns) {
        turning_.forget();
      }
    }
    const bool is_done = holds && distance.largest <= most_distance &&
                         (!turns || distance.mean <= small_way(h, state));
    if (is_done || is_over) {
      double error = 0, size = w.pattern.length;
      for (const int row : domain_.owned_rows()) error = std::max(error, std::abs(w.end.C[row]));
      for (const int body : domain_.owned_bodies())
        size = std::max(size, q_next_.segment<3>(3 * body).lpNorm<Eigen::Infinity>());
      size = domain_.processes.largest(size);
      report.residual = std::isfinite(worst) ? domain_.processes.largest(error) / size : INFINITY;
      report.unsolved = is_done ? 0 : distance.mean / size;
      if (is_done)
        lambda_ = impulse_ / h;
      else
        turning_.end();  // those that got nowhere are no guess
      return is_done;
    }
    if (domain_.whole_rows() == 0) return true;
    correct(h, turns, report);
  }
}

void ClothStep::settle_velocity(VecX& v, StepReport& report) {
  Workspace& w = domain_.workspace;
  solver_.use(inverse_mass_);
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
