#include "taut/simulate/acting_forces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut::detail {
namespace {

constexpr double resolved = 1;
constexpr double resolved_freely = 1e-2;  // the same where constraints come after forces
constexpr double immovable = 1e-9;        // part of the mobility that the constraints leave
constexpr double many = 1e4;              // κ: as far as the motion is to tell more than the law

}  // namespace

ActingForces::ActingForces(const System& system) : system_(system) {
  const State start = system.initial_state();
  const Pose pose(system, start.q);
  for (const auto& batch : system.all_forces()) {
    if (!batch->may_be_stiff()) continue;
    // To count them costs as much as to look at them.
    if (batch->size() > most) {
      count_ += batch->size();
      continue;
    }
    batch->visit_stiff(system, pose, start.v, start.time, column_,
                       [&](int, double, double) { ++count_; });
  }
  exerted_.assign(system_.named_forces().size(), std::numeric_limits<double>::quiet_NaN());
}

void ActingForces::take_constraints_away(Workspace& w, VecX& motion) {
  if (w.pattern.rows() == 0) return;
  StepReport unused;
  w.J(w.start, motion, w.Jv);
  w.solve_equations(w.Jv, w.rhs, unused);
  w.WJt(w.start, w.rhs, w.correction);
  motion -= w.correction;
}

bool ActingForces::look(const State& state, const MeanMotion& mean) {
  jitter_ = 0;
  std::fill(exerted_.begin(), exerted_.end(), std::numeric_limits<double>::quiet_NaN());
  if (!(mean.length > 0)) return false;
  stiff_.clear();
  along_.clear();
  response_.clear();
  free_ = 0;
  const double h = mean.length;
  v_ = state.v - h * mean.acceleration;
  way_ = -0.5 * h * (v_ + state.v);
  system_.advance(state.q, way_, 1, q_);
  start_.set(system_, q_);
  end_.set(system_, state.q);
  std::size_t number = 0;
  for (const auto& batch : system_.all_forces()) {
    batch->visit_stiff(
        system_, end_, state.v, state.time, column_,
        [&](int force, double stiffness, double damping) {
          const auto exerts = batch->along(force, end_, state.v, state.time);
          if (!exerts) return;
          const double before = batch->along(force, start_, v_, state.time - h)->value;
          const ForceBatch::Range range = batch->range(force);
          if (std::min(exerts->value, before) >= range.most ||
              std::max(exerts->value, before) <= range.least)
            return;
          const double kappa = h * (h * stiffness + damping);
          VecX response;
          system_.apply_inverse_mass(column_, response);
          free_ += kappa * column_.dot(response);
          stiff_.push_back({number, force, kappa, exerts->value, {range.least, range.most}});
          along_.push_back(column_);
          response_.push_back(std::move(response));
        });
    ++number;
  }
  return free_ > (meets_them_before() ? resolved_freely : resolved);
}

bool ActingForces::find(const MeanMotion& mean, const VecX& acceleration, Workspace& w,
                        VecX& beside) {
  double sum = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < stiff_.size(); ++i) {
    const double alone = along_[i].dot(response_[i]);
    take_constraints_away(w, response_[i]);
    const double left = along_[i].dot(response_[i]);
    if (!(left > immovable * alone)) continue;
    sum += left * stiff_[i].stiffness;
    std::swap(stiff_[kept], stiff_[i]);
    std::swap(along_[kept], along_[i]);
    std::swap(response_[kept++], response_[i]);
  }
  if (kept == 0 || (!meets_them_before() && sum <= resolved)) return false;

  off_ = acceleration - mean.acceleration;
  const double whole = system_.kinetic_energy(off_);
  take_constraints_away(w, off_);
  jitter_ = mean.length * mean.length * std::max(0.0, whole - system_.kinetic_energy(off_));
  const auto n = static_cast<Eigen::Index>(kept);
  MatX G(n, n);
  VecX b(n), scale(n), exerts(n);
  std::vector<Bounds> bounds(kept);
  for (std::size_t i = 0; i < kept; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    for (std::size_t j = 0; j < kept; ++j)
      G(row, static_cast<Eigen::Index>(j)) = along_[i].dot(response_[j]);
    scale[row] = G(row, row);
    G(row, row) += 1 / (many * stiff_[i].stiffness);
    bounds[i] = stiff_[i].bounds;
    exerts[row] = stiff_[i].law;
    b[row] = along_[i].dot(off_);
  }
  b -= G * exerts;
  solver_.solve(G, b, scale, bounds, exerts);
  if (!exerts.allFinite()) return false;
  for (std::size_t i = 0; i < kept; ++i) {
    const double value = exerts[static_cast<Eigen::Index>(i)];
    beside += (value - stiff_[i].law) * along_[i];
    for (std::size_t k = 0; k < exerted_.size(); ++k) {
      const System::NamedForce& named = system_.named_forces()[k];
      if (static_cast<std::size_t>(named.batch) == stiff_[i].batch &&
          named.force == stiff_[i].number)
        exerted_[k] = value;
    }
  }
  return true;
}

}  // namespace taut::detail
