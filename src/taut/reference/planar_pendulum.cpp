#include "taut/reference/planar_pendulum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>

#include "taut/base/dense_solve.hpp"
#include "taut/base/error.hpp"

namespace taut::reference {
namespace {

// Dormand and Prince, "A family of embedded Runge-Kutta formulae" (1980), the pair 5(4). The last
// stage is the first of the next step.
constexpr int stage_count = 7;
constexpr double a[stage_count][6] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
// The solution of order 5 minus that of order 4.
constexpr double e[stage_count] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                   -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

void validate(const PlanarPendulum::Setup& setup, double tolerance) {
  const std::size_t n = setup.masses.size();
  if (n == 0) throw Error("planar pendulum: needs at least one mass");
  if (setup.lengths.size() != n || setup.angles.size() != n || setup.rates.size() != n)
    throw Error("planar pendulum: masses, lengths, angles and rates must be equally many");
  for (std::size_t i = 0; i < n; ++i) {
    if (!(setup.masses[i] > 0 && setup.lengths[i] > 0) || !std::isfinite(setup.masses[i]) ||
        !std::isfinite(setup.lengths[i]))
      throw Error("planar pendulum: masses and lengths must be numbers > 0");
    if (!std::isfinite(setup.angles[i]) || !std::isfinite(setup.rates[i]))
      throw Error("planar pendulum: angles and rates must be finite");
  }
  if (!std::isfinite(setup.gravity)) throw Error("planar pendulum: gravity must be finite");
  if (!(tolerance > 0)) throw Error("planar pendulum: the tolerance must be a number > 0");
}

}  // namespace

PlanarPendulum::PlanarPendulum(Setup setup, double tolerance)
    : setup_(std::move(setup)), tolerance_(tolerance) {
  if (setup_.rates.empty()) setup_.rates.assign(setup_.masses.size(), 0);
  validate(setup_, tolerance_);
  const int n = links();
  state_.resize(2 * n);
  carried_.resize(n);
  double below = 0;
  for (int i = n - 1; i >= 0; --i) {
    const auto link = static_cast<std::size_t>(i);
    carried_[i] = below += setup_.masses[link];
    state_[i] = setup_.angles[link];
    state_[n + i] = setup_.rates[link];
  }
  for (VecX& stage : stages_) stage.resize(2 * n);
  mass_.resize(n, n);
  load_.resize(n);
}

// The Lagrangian of x_i = Σ_{j≤i} L_j (sin θ_j, −cos θ_j) gives, with μ_jk the mass that both links
// j and k carry, μ_jk = Σ_{i ≥ max(j,k)} m_i:
//   Σ_k μ_jk L_j L_k cos(θ_j − θ_k) θ̈_k
//     = −Σ_k μ_jk L_j L_k sin(θ_j − θ_k) θ̇_k² − μ_jj g L_j sin θ_j
void PlanarPendulum::derivative(const VecX& state, VecX& out) {
  const int n = links();
  const double* length = setup_.lengths.data();
  for (int j = 0; j < n; ++j) {
    load_[j] = -carried_[j] * setup_.gravity * length[j] * std::sin(state[j]);
    for (int k = 0; k < n; ++k) {
      const double inertia = carried_[std::max(j, k)] * length[j] * length[k];
      const double angle = state[j] - state[k], rate = state[n + k];
      mass_(j, k) = inertia * std::cos(angle);
      load_[j] -= inertia * std::sin(angle) * rate * rate;
    }
  }
  if (!solve_positive_definite(mass_.data(), n, load_.data()))
    load_.setConstant(std::numeric_limits<double>::quiet_NaN());
  out.head(n) = state.tail(n);
  out.tail(n) = load_;
}

/// The estimated error of a step of length h, in units of the tolerance; fills next_.
double PlanarPendulum::try_step(double h) {
  if (!first_stage_known_) derivative(state_, stages_[0]);
  first_stage_known_ = true;
  for (int s = 1; s < stage_count; ++s) {
    next_ = state_;
    for (int k = 0; k < s; ++k) next_ += (h * a[s][k]) * stages_[k];
    derivative(next_, stages_[s]);
  }
  error_ = (h * e[0]) * stages_[0];
  for (int s = 1; s < stage_count; ++s) error_ += (h * e[s]) * stages_[s];
  return (error_.array().abs() / (1 + next_.array().abs())).maxCoeff() / tolerance_;
}

void PlanarPendulum::advance_to(double time) {
  TAUT_CHECK(time >= time_);
  constexpr double shortest = 1e-9;  // below this only rounding speaks for a shorter step
  while (time_ < time) {
    const double left = time - time_;
    const bool last = step_ >= left;
    const double h = last ? left : step_;
    const double error = try_step(h);
    if (!(error <= 1) && h > shortest) {
      step_ = h * (std::isfinite(error) ? std::max(0.2, 0.9 * std::pow(error, -0.2)) : 0.2);
      continue;
    }
    state_.swap(next_);
    stages_[0].swap(stages_[stage_count - 1]);
    time_ = last ? time : time_ + h;
    // A last step is often cut short: it says nothing against the longer one planned before.
    const double wanted = h * std::min(5.0, 0.9 * std::pow(std::max(error, 1e-10), -0.2));
    step_ = last ? std::max(step_, wanted) : wanted;
  }
}

Vec3 PlanarPendulum::position(int link) const {
  Vec3 place = setup_.pivot;
  for (int j = 0; j <= link; ++j) {
    const double length = setup_.lengths[static_cast<std::size_t>(j)];
    place += length * Vec3(std::sin(state_[j]), -std::cos(state_[j]), 0);
  }
  return place;
}

Vec3 PlanarPendulum::velocity(int link) const {
  Vec3 velocity = Vec3::Zero();
  for (int j = 0; j <= link; ++j) {
    const double speed = setup_.lengths[static_cast<std::size_t>(j)] * state_[links() + j];
    velocity += speed * Vec3(std::cos(state_[j]), std::sin(state_[j]), 0);
  }
  return velocity;
}

double PlanarPendulum::energy() const {
  double energy = 0;
  for (int i = 0; i < links(); ++i)
    energy += setup_.masses[static_cast<std::size_t>(i)] *
              (0.5 * velocity(i).squaredNorm() + setup_.gravity * position(i).y());
  return energy;
}

std::function<double(double)> coordinate_track(PlanarPendulum::Setup setup, int link, int axis) {
  struct Track {
    PlanarPendulum::Setup setup;
    PlanarPendulum pendulum;
    std::unordered_map<double, double> known;
  };
  PlanarPendulum pendulum(setup);
  TAUT_CHECK(link >= 0 && link < pendulum.links() && axis >= 0 && axis < 3);
  auto track = std::make_shared<Track>(Track{std::move(setup), std::move(pendulum), {}});
  return [track, link, axis](double time) {
    if (const auto found = track->known.find(time); found != track->known.end())
      return found->second;
    if (time < track->pendulum.time()) track->pendulum = PlanarPendulum(track->setup);
    track->pendulum.advance_to(time);
    return track->known[time] = track->pendulum.position(link)[axis];
  };
}

}  // namespace taut::reference
