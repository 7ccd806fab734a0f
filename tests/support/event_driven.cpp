#include "support/event_driven.hpp"

#include <algorithm>
#include <cmath>

namespace taut::testing {
namespace {

constexpr double contact = 1e-9;  // gap, or rate, that counts as none
constexpr double rebound = 1e-5;  // the flight after a slower one is 1e-10 long: none
constexpr int columns = 6;        // of the extrapolation table: order 12

using Equations = JointCoordinates::Equations;
using Reduced = JointCoordinates::Reduced;

}  // namespace

EventDriven::EventDriven(const Mechanism& mechanism, double tolerance, double longest)
    : m_(mechanism), c_(mechanism), tolerance_(tolerance) {
  // So that no event is overlooked; and no singular position, with 42 evaluations in a step.
  longest_ = longest * m_.duration / (m_.is_smooth() ? 24 : 64);
}

bool EventDriven::start(const VecX& u) {
  now_ = {c_.start(), u};
  if (!c_.project(now_.x, now_.u)) return fail("the loops do not close");
  modes_.active.assign(static_cast<std::size_t>(limits().gap.size()), 0);
  modes_.slip.assign(m_.motors.size(), 0);
  h_ = m_.duration / 200;
  return meet({});
}

bool EventDriven::advance(double until) {
  for (int count = 0; time_ < until; ++count) {
    if (count > 20000) return fail("too many steps");
    const double left = until - time_;
    double h = std::min({h_, longest_, left});
    Motion next;
    double error = 0;
    for (;;) {
      if (h < 1e-13 * m_.duration) return fail("the step became too small");
      error = step(h, next) / tolerance_;
      if (error <= 1) break;
      h *= std::clamp(0.9 * std::pow(error, -1.0 / (2 * columns - 1)), 0.1, 0.8);
    }
    h_ = h * std::clamp(0.9 * std::pow(error + 1e-30, -1.0 / (2 * columns - 1)), 0.5, 3.0);
    Forced forced;
    const double part = first_event(h, next, forced);
    if (part < 0) return false;
    if (part < 1) step(part * h, next);
    now_ = next;
    for (const double value : now_.u)
      if (!std::isfinite(value)) return fail("not finite");
    if (!c_.project(now_.x, now_.u)) return fail("the loops open");
    time_ = part < 1 ? time_ + part * h : (h == left ? until : time_ + h);
    if (!watch()) return false;
    if (part < 1) {
      if (++events > 2000) return fail("too many events");
      if (!meet(forced)) return false;
      h_ = std::min(h_, m_.duration / 200);
    }
  }
  return true;
}

bool EventDriven::fail(const char* why) {
  trouble = why;
  return false;
}
JointCoordinates::OneSided EventDriven::limits() const {
  return c_.equations(now_.x, now_.u).limits;
}
double EventDriven::slip_speed(const Motion& at, std::size_t motor) const {
  return at.u[c_.coordinate(m_.motors[motor].joint).u] - m_.motors[motor].speed;
}

VecX EventDriven::acceleration(const Motion& at, const Modes& modes, VecX* lambda, bool* is_regular,
                               VecX* limit_acceleration) const {
  Equations e = c_.equations(at.x, at.u);
  const auto limit_count = static_cast<Eigen::Index>(modes.active.size());
  std::vector<Eigen::Index> held;  // rows: limits, then motors
  for (Eigen::Index i = 0; i < limit_count; ++i)
    if (modes.active[static_cast<std::size_t>(i)]) held.push_back(i);
  for (std::size_t i = 0; i < m_.motors.size(); ++i) {
    if (modes.slip[i] == 0) held.push_back(limit_count + static_cast<Eigen::Index>(i));
    e.f[c_.coordinate(m_.motors[i].joint).u] -= modes.slip[i] * m_.motors[i].max;
  }
  const Reduced r = c_.reduce(e);
  weakest_row_ = std::min(weakest_row_, r.weakest_row);
  VecX z = r.z;
  if (lambda) lambda->setZero(limit_count + static_cast<Eigen::Index>(m_.motors.size()));
  if (!held.empty()) {
    const auto n = static_cast<Eigen::Index>(held.size());
    MatX G(n, c_.size());
    VecX bias = VecX::Zero(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const Eigen::Index row = held[static_cast<std::size_t>(k)];
      if (row < limit_count) {
        G.row(k) = e.limits.G.row(row);
        bias[k] = e.limits.bias[row];
      } else {
        const int joint = m_.motors[static_cast<std::size_t>(row - limit_count)].joint;
        G.row(k) = VecX::Unit(c_.size(), c_.coordinate(joint).u);
      }
    }
    const MatX g = product(G, r.N), Ag = r.A.solve(g.transpose());
    const Cholesky factor(product(g, Ag));
    const VecX pivots = factor.pivots();
    if (is_regular)
      *is_regular = factor.is_positive_definite() && pivots.minCoeff() > 1e-6 * pivots.maxCoeff();
    const VecX forces = -factor.solve(VecX(G * (r.u0 + r.N * z) + bias));
    z += Ag * forces;
    if (lambda)
      for (Eigen::Index k = 0; k < n; ++k) (*lambda)[held[static_cast<std::size_t>(k)]] = forces[k];
  } else if (is_regular) {
    *is_regular = true;
  }
  const VecX result = r.u0 + r.N * z;
  if (limit_acceleration) *limit_acceleration = e.limits.G * result + e.limits.bias;
  return result;
}

// Gragg's midpoint rule in 2, 4, 6, … parts, extrapolated to none (Bulirsch and Stoer). Returns
// an estimate of the error.
double EventDriven::step(double h, Motion& out) const {
  const Eigen::Index nx = now_.x.size(), n = nx + now_.u.size();
  const auto derivative = [&](const VecX& y) {
    const Motion at{y.head(nx), y.tail(n - nx)};
    VecX dy(n);
    dy << c_.rate(at.x, at.u), acceleration(at, modes_);
    return dy;
  };
  VecX y0(n);
  y0 << now_.x, now_.u;
  const VecX first = derivative(y0);
  std::vector<VecX> table;
  double error = 0;
  for (int k = 1; k <= columns; ++k) {
    const int parts = 2 * k;
    const double part = h / parts;
    VecX before = y0, y = y0 + part * first;
    for (int i = 1; i < parts; ++i) {
      const VecX next = before + 2 * part * derivative(y);
      before = y;
      y = next;
    }
    VecX value = 0.5 * (before + y + part * derivative(y));
    for (int j = 1; j < k; ++j) {
      const double ratio = static_cast<double>(k) / (k - j);
      const VecX better =
          value + (value - table[static_cast<std::size_t>(j - 1)]) / (ratio * ratio - 1);
      table[static_cast<std::size_t>(j - 1)] = value;
      value = better;
      if (j == k - 1)
        error = ((value - table[static_cast<std::size_t>(j - 1)]).array() / (1 + y0.array().abs()))
                    .abs()
                    .maxCoeff();
    }
    table.push_back(value);
  }
  out = {table.back().head(nx), table.back().tail(n - nx)};
  return std::isfinite(error) ? error : 1e30;
}

EventDriven::Forced EventDriven::force(Eigen::Index row, double h) {
  const auto limits = static_cast<Eigen::Index>(modes_.active.size());
  if (row < limits)
    return modes_.active[static_cast<std::size_t>(row)] ? Forced{static_cast<int>(row), -1, 0}
                                                        : Forced{};
  const auto motor = static_cast<std::size_t>(row - limits);
  if (modes_.slip[motor] != 0) return {};
  Motion at = now_;
  if (h > 0) step(h, at);
  VecX lambda;
  acceleration(at, modes_, &lambda);
  return {-1, static_cast<int>(motor), lambda[row] > 0 ? -1 : 1};
}

// After an impact with this rate.
double EventDriven::rebound_rate(Eigen::Index limit, double rate) const {
  Eigen::Index strings = 0;
  for (const Mechanism::Rod& rod : m_.rods) strings += rod.is_string ? 1 : 0;
  if (limit < strings || rate >= 0) return 0;
  const Mechanism::Stop& stop = m_.stops[static_cast<std::size_t>((limit - strings) / 2)];
  const double after = -stop.restitution * rate;
  return after > rebound ? after : 0;
}

bool EventDriven::impact() {
  const Equations e = c_.equations(now_.x, now_.u);
  std::vector<Eigen::Index> touching;
  bool hits = false;
  for (Eigen::Index i = 0; i < e.limits.gap.size(); ++i) {
    if (e.limits.gap[i] > contact) continue;
    touching.push_back(i);
    hits = hits || e.limits.rate[i] < -contact;
  }
  if (!hits) return true;
  const Reduced r = c_.reduce(e);
  for (unsigned set = 1; set < 1U << touching.size(); ++set) {
    std::vector<Eigen::Index> rows;
    for (std::size_t k = 0; k < touching.size(); ++k)
      if (set >> k & 1U) rows.push_back(touching[k]);
    const auto n = static_cast<Eigen::Index>(rows.size());
    MatX g(n, r.N.cols());
    VecX wanted(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const Eigen::Index row = rows[static_cast<std::size_t>(k)];
      g.row(k) = e.limits.G.row(row) * r.N;
      const double rate = e.limits.rate[row];
      wanted[k] = rebound_rate(row, rate) - rate;
    }
    const MatX Ag = r.A.solve(g.transpose());
    const Cholesky W(product(g, Ag));
    if (!W.is_positive_definite()) continue;
    const VecX P = W.solve(wanted);
    const VecX u = now_.u + r.N * (Ag * P);
    const VecX rate = e.limits.G * u;
    bool right = u.allFinite() && P.minCoeff() >= -1e-12;
    for (const Eigen::Index row : touching)
      right = right && rate[row] >= rebound_rate(row, e.limits.rate[row]) - 1e-11;
    if (!right) continue;
    now_.u = u;
    return true;
  }
  return fail("no impulse");
}

bool EventDriven::choose(const Forced& forced) {
  const JointCoordinates::OneSided limits = this->limits();
  const std::size_t limit_count = modes_.active.size();
  std::vector<std::vector<int>> choices;
  for (std::size_t i = 0; i < limit_count; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const bool touches = limits.gap[row] <= contact && std::abs(limits.rate[row]) <= contact;
    if (touches && forced.released != static_cast<int>(i))
      choices.push_back({1, 0});
    else
      choices.push_back({0});
  }
  for (std::size_t i = 0; i < m_.motors.size(); ++i) {
    const double slip = slip_speed(now_, i);
    if (forced.motor == static_cast<int>(i))
      choices.push_back({forced.slip});
    else if (std::abs(slip) <= contact)
      choices.push_back({0, 1, -1});
    else
      choices.push_back({slip > 0 ? 1 : -1});
  }
  std::vector<std::size_t> pick(choices.size(), 0);
  for (;;) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (i < limit_count)
        modes_.active[i] = static_cast<char>(choices[i][pick[i]]);
      else
        modes_.slip[i - limit_count] = choices[i][pick[i]];
    }
    if (is_consistent(choices, forced)) return true;
    std::size_t i = 0;
    while (i < pick.size() && ++pick[i] == choices[i].size()) pick[i++] = 0;
    if (i == pick.size()) return fail("no consistent modes");
  }
}

bool EventDriven::is_consistent(const std::vector<std::vector<int>>& choices,
                                const Forced& forced) const {
  constexpr double slack = 1e-9;
  VecX lambda, limit_acceleration;
  bool is_regular = true;
  const VecX a = acceleration(now_, modes_, &lambda, &is_regular, &limit_acceleration);
  if (!is_regular || !a.allFinite()) return false;
  const std::size_t limit_count = modes_.active.size();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    if (i < limit_count) {
      if (modes_.active[i] ? lambda[row] < -slack
                           : choices[i].size() > 1 && limit_acceleration[row] < -slack)
        return false;
      continue;
    }
    const Mechanism::Motor& motor = m_.motors[i - limit_count];
    const int slip = modes_.slip[i - limit_count];
    if (slip == 0 && std::abs(lambda[row]) > motor.max * (1 + slack)) return false;
    if (slip != 0 && choices[i].size() > 1 && forced.motor != static_cast<int>(i - limit_count) &&
        slip * a[c_.coordinate(motor.joint).u] < -slack)
      return false;
  }
  return true;
}

bool EventDriven::watch() {
  const VecX a = acceleration(now_, modes_);
  largest_rate_ = std::max(
      {largest_rate_, now_.u.lpNorm<Eigen::Infinity>(), std::sqrt(a.lpNorm<Eigen::Infinity>())});
  if (weakest_row_ < 3e-2) return fail("passes close to a singular position");
  if (largest_rate_ > 100) return fail("becomes too fast");
  return true;
}

}  // namespace taut::testing
