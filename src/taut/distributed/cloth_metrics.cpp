#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/distributed/cloth_metrics_internal.hpp"
#include "taut/forces/bending.hpp"
#include "taut/forces/spring.hpp"

namespace taut::distributed {

ClothMetrics::ClothMetrics(const Domain& domain, const State& start, Evidence& evidence,
                           RunReport& report)
    : domain_(domain), report_(report) {
  const System& system = domain.system;
  const Processes& all = domain.processes;
  const std::vector<int>& constraint_row = domain.workspace.pattern.constraint_row;
  for (const int row : constraint_row) owns_constraint_.push_back(domain.owns_row(row));
  errors_.resize(static_cast<std::size_t>(system.constraint_count()));
  owns_constraint_.resize(errors_.size());
  still_.setZero(system.velocity_size());

  Vec3 center = Vec3::Zero();
  for (const int body : domain.owned_bodies()) center += start.q.segment<3>(3 * body);
  all.sum({center.data(), 3});
  center /= domain.share.whole_bodies;
  for (const int body : domain.owned_bodies())
    size_ = std::max(size_, (start.q.segment<3>(3 * body) - center).norm());
  size_ = all.largest(size_);

  double sum = 0;
  extent_ = std::max(size_, all.largest(measure_errors(start, sum)));

  const auto [kinetic, potential] = energies(start);
  const Pose pose(system, start.q);
  system.forces(pose, start.v, start.time, F_);
  double sums[3] = {kinetic, potential, 0};
  for (const int body : domain.owned_bodies()) sums[2] += F_.segment<3>(3 * body).lpNorm<1>();
  all.sum(sums);
  evidence.weight = sums[2];
  energy_.emplace(sums[0], sums[1], size_, evidence, report);
  is_driven_ = all.any(system.constraints_depend_on_time());
  report.energy.conservative = !all.any(!system.is_conservative());
}

double ClothMetrics::measure_errors(const State& state, double& sum) {
  const Pose pose(domain_.system, state.q);
  std::span<double> rest(errors_);
  for (const auto& batch : domain_.system.constraints()) {
    const std::size_t count = static_cast<std::size_t>(batch->size());
    batch->errors(pose, state.time, rest.first(count));
    rest = rest.subspan(count);
  }
  double worst = 0;
  seen_ = -1;
  for (std::size_t i = 0; i < errors_.size(); ++i) {
    if (!owns_constraint_[i]) continue;
    sum += errors_[i];
    if (!(errors_[i] <= worst)) {
      worst = errors_[i];
      seen_ = static_cast<int>(i);
    }
  }
  return worst;
}

// Half of a spring belongs to each of its ends.
double ClothMetrics::spring_energy(const ForceBatch& batch, const Pose& pose) const {
  double energy = 0;
  for (int i = 0; i < batch.size(); ++i) {
    const Spring& spring = *static_cast<const Spring*>(batch.object(i));
    const int owned =
        int{domain_.owns_body(spring.a.body.index)} + int{domain_.owns_body(spring.b.body.index)};
    if (owned == 0) continue;
    const double strain = (pose.at(spring.b) - pose.at(spring.a)).norm() - spring.length;
    energy += 0.25 * owned * spring.stiffness * strain * strain;
  }
  return energy;
}

// Bending has a quadratic energy, −½ x·F(x). What is owned has all of its force.
std::pair<double, double> ClothMetrics::energies(const State& state) {
  const System& system = domain_.system;
  const Pose pose(system, state.q);
  double kinetic = 0, potential = 0;
  Vec3 gravity = Vec3::Zero();
  for (const auto& batch : system.all_forces()) {
    gravity += batch->uniform_acceleration();
    if (batch->type() == Spring::type) potential += spring_energy(*batch, pose);
    if (batch->type() != Bending::type) continue;
    F_.setZero(system.velocity_size());
    batch->add(system, pose, still_, state.time, F_);
    for (const int body : domain_.owned_bodies())
      potential -= 0.5 * state.q.segment<3>(3 * body).dot(F_.segment<3>(3 * body));
  }
  for (const int body : domain_.owned_bodies()) {
    const double mass = system.mass({body});
    kinetic += 0.5 * mass * state.v.segment<3>(3 * body).squaredNorm();
    potential -= mass * gravity.dot(state.q.segment<3>(3 * body));
  }
  return {kinetic, potential};
}

double ClothMetrics::measure(const State& state, bool& wants_end) {
  double sum = 0;
  const double mine = measure_errors(state, sum);
  auto& error = report_.constraint_error;
  const auto [my_kinetic, my_potential] = energies(state);
  double sums[4] = {sum, my_kinetic, my_potential, wants_end ? 1.0 : 0.0};
  domain_.processes.sum(sums);
  wants_end = sums[3] > 0;
  const double worst = domain_.processes.largest(mine);
  error.accumulated += sums[0];
  error.final = worst;
  if (worst > error.max) {
    error.max = worst;
    error.worst_at = state.time;
    worst_ = mine;
    worst_constraint_ = seen_;
  }

  energy_->follow(sums[1], sums[2], state.time, 0, !is_driven_);
  return worst;
}

std::string ClothMetrics::label(int constraint) const {
  const RowPattern& pattern = domain_.workspace.pattern;
  const int row = pattern.constraint_row[static_cast<std::size_t>(constraint)];
  std::string text;
  for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) {
    const int body = pattern.blocks[static_cast<std::size_t>(b)].dof / 3;
    text += (text.empty() ? "" : " to ") + domain_.system.body_name({body});
  }
  return text;
}

// Edges are called by their ends: their numbers in the whole are nobody's.
void ClothMetrics::finish() {
  auto& error = report_.constraint_error;
  const bool has_worst = worst_constraint_ >= 0 && worst_ == error.max;
  error.worst = domain_.processes.first_text(has_worst ? label(worst_constraint_) : "");
}

}  // namespace taut::distributed
