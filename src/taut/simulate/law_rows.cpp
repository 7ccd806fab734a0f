#include "taut/simulate/law_rows.hpp"

#include <algorithm>
#include <cmath>

#include "taut/methods/explicit_base.hpp"
#include "taut/methods/projection.hpp"
#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr double little_left = 1e-4;  // of a row's own mobility, where equations hold
constexpr double nothing_left = 1e-13;
constexpr double motionless = 1e-9;  // of the speeds that a row adds up, or gains in a step
constexpr double unforced = 1e-12;   // of the scene's largest acceleration: round-off in a row's

}  // namespace

bool LawRows::is_over(const Mode& mode, double time) {
  return time >= mode.law.until - 1e-12 * std::abs(time);
}

void LawRows::set(Mode& mode, bool is_equation, double held, Workspace& w) {
  mode.is_equation = is_equation;
  mode.held = held;
  if (!is_equation) w.lambda[mode.row] = held;
}

void LawRows::look(const System& system, const State& state, Workspace& w) {
  if (raw_.C.size() != w.pattern.rows() || raw_.J.size() != w.pattern.jacobian_values)
    raw_.resize(w.pattern);
  pose_.set(system, state.q);
  raw_.linearize(system, w.pattern, pose_, state.time);
  multiply(w.pattern, raw_.J, state.v, rate_);
}

void LawRows::complete(const System& system, const State& state, Workspace& w) {
  raw_.add_bias(system, w.pattern, pose_, state.v, state.time);
  WJ_.resize(raw_.J.size());
  system.apply_inverse_mass(w.pattern.blocks, raw_.J, WJ_);
}

void LawRows::measure(const System& system, const State& state, double h, Workspace& w) {
  const double length = length_scale(system, w.pattern, state.q);
  system.forces(pose_, state.v, state.time, w.F);
  system.apply_inverse_mass(w.F, WF_);
  complete(system, state, w);
  scales_.assign(w.modes.modes().size(), {});
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    Mode& mode = w.modes.modes()[i];
    Scale& scale = scales_[i];
    mode.mobility = 0;
    scale.acceleration = std::abs(raw_.bias[mode.row]);
    double speed = std::abs(raw_.C_t[mode.row]), reach = 0;
    for (int b = w.pattern.first_block[mode.row]; b < w.pattern.first_block[mode.row + 1]; ++b) {
      const JacobianBlock& block = w.pattern.blocks[b];
      for (int c = 0; c < block.size; ++c) {
        const double J = raw_.J[block.value + c];
        mode.mobility += J * WJ_[block.value + c];
        speed += std::abs(J * state.v[block.dof + c]);
        scale.acceleration += std::abs(J * WF_[block.dof + c]);
        reach += std::abs(J) * (c < 3 ? length : 1);
      }
    }
    if (is_rate(mode) && std::isfinite(mode.law.upper))
      scale.acceleration += mode.mobility * std::max(mode.law.upper, -mode.law.lower);
    scale.gap =
        no_relative_gap * (w.pattern.is_angle[static_cast<std::size_t>(mode.row)] ? 1 : length);
    scale.no_acceleration = unforced * reach;
    scale.rate = motionless * (speed + std::abs(h) * scale.acceleration);
  }
  const double largest = largest_acceleration(system, state, length, w);
  for (Scale& scale : scales_) scale.no_acceleration *= largest;
}

// Weight turns a joint by way of the others only: the applied forces alone do not tell what presses
// on its stop.
void LawRows::measure_pressure(const System& system, const std::vector<char>& touching,
                               const State& state, double h, Workspace& w, StepReport& report) {
  std::vector<Mode>& modes = w.modes.modes();
  if (std::none_of(touching.begin(), touching.end(), [](char it) { return it; })) return;
  pressed_.assign(modes.size(), 0);
  modes_before_ = modes;
  lambda_ = w.lambda;
  for (std::size_t i = 0; i < modes.size(); ++i)
    if (touching[i]) set(modes[i], false, 0, w);
  constrained_acceleration(system, state.q, state.v, state.time, 0, 0, w, acceleration_, report);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (!touching[i]) continue;
    const int row = modes[i].row;
    const double pressed = std::abs(along(row, acceleration_, w.pattern) + raw_.bias[row]);
    pressed_[i] = std::isfinite(pressed) ? pressed : 0;
  }
  modes = modes_before_;
  w.lambda = lambda_;
  keep_pressure(touching, h);
}

void LawRows::keep_pressure(const std::vector<char>& touching, double h) {
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    if (!touching[i]) continue;
    scales_[i].acceleration = std::max(scales_[i].acceleration, pressed_[i]);
    scales_[i].rate = std::max(scales_[i].rate, motionless * std::abs(h) * pressed_[i]);
  }
}

double LawRows::largest_acceleration(const System& system, const State& state, double length,
                                     const Workspace& w) const {
  const double speed = relative_displacement(system, state.v, length);
  double largest = relative_displacement(system, WF_, length) + speed * speed +
                   relative_error(w.pattern, raw_.bias, length);
  for (const Mode& mode : w.modes.modes())
    if (is_rate(mode) && std::isfinite(mode.law.upper)) {
      const double unit = w.pattern.is_angle[static_cast<std::size_t>(mode.row)] ? 1 : length;
      largest += mode.mobility * std::max(mode.law.upper, -mode.law.lower) / unit;
    }
  return largest;
}

double LawRows::unit(std::size_t mode) const { return scales_[mode].gap / no_relative_gap; }

LawRows::Stop LawRows::stop(const Mode& mode) const {
  const double value = RowModes::continued(mode, raw_.C[mode.row]), rate = slip(mode);
  const double above = value - mode.law.lower, below = mode.law.upper - value;
  return above < below ? Stop{above, rate, 1} : Stop{below, -rate, -1};
}

void LawRows::touch(const System& system, const State& state, Workspace& w) {
  w.adapt(system);
  if (w.modes.empty()) return;
  look(system, state, w);
  measure(system, state, 0, w);
  for (std::size_t i = 0; i < w.modes.modes().size(); ++i) {
    Mode& mode = w.modes.modes()[i];
    if (is_timed(mode)) {
      set(mode, !is_over(mode, state.time), 0, w);
    } else if (is_rate(mode)) {  // with a bound, it is too weak to set anything right at once
      set(mode, !std::isfinite(mode.law.lower) && !std::isfinite(mode.law.upper), 0, w);
      mode.has_start = mode.acted = false;  // whether it keeps its speed is to be seen
    } else {
      const Stop at = stop(mode);
      set(mode, at.gap < -no_gap(i), 0, w);
      mode.target = at.sign > 0 ? mode.law.lower : mode.law.upper;
    }
  }
}

double LawRows::along(int row, const VecX& velocity, const RowPattern& pattern) const {
  double sum = 0;
  for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) {
    const JacobianBlock& block = pattern.blocks[b];
    for (int c = 0; c < block.size; ++c) sum += raw_.J[block.value + c] * velocity[block.dof + c];
  }
  return sum;
}

/// The responses of rows_, with the equations of `at`, whose A is factored.
void LawRows::respond(const System& system, const LinearizedRows& at, Workspace& w,
                      StepReport& report) {
  const auto n = static_cast<Eigen::Index>(rows_.size());
  responses_.resize(rows_.size());
  A_.resize(n, n);
  mobility_.resize(n);
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const Mode& mode = w.modes.modes()[rows_[j].mode];
    VecX& response = responses_[j];
    response.setZero(system.velocity_size());
    for (int b = w.pattern.first_block[mode.row]; b < w.pattern.first_block[mode.row + 1]; ++b) {
      const JacobianBlock& block = w.pattern.blocks[b];
      for (int c = 0; c < block.size; ++c)
        response[block.dof + c] += rows_[j].sign * WJ_[block.value + c];
    }
    const auto drop_illegal = [&] {
      w.J(at, response, w.Jv);
      w.solve(w.Jv, w.rhs, report);
      w.WJt(at, w.rhs, w.correction);
      response -= w.correction;
      return rows_[j].sign * along(mode.row, response, w.pattern);
    };
    double& mobility = mobility_[static_cast<Eigen::Index>(j)];
    mobility = mode.mobility > 0 ? mode.mobility : 1;
    // Where heavy bodies follow, little is left, and it has lost digits. Still it counts.
    if (drop_illegal() < little_left * mobility)
      if (const double left = drop_illegal(); left > nothing_left * mobility) mobility = left;
    for (std::size_t i = 0; i <= j; ++i)
      A_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          A_(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) =
              rows_[i].sign * along(w.modes.modes()[rows_[i].mode].row, response, w.pattern);
  }
}

BoxReport LawRows::solve(const std::vector<Mode>& modes) {
  bounds_.clear();
  impulse_.setZero(static_cast<Eigen::Index>(rows_.size()));
  for (const Row& row : rows_) {
    const Mode& mode = modes[row.mode];
    // Force is −Jᵀλ: the bounds of μ = −λ.
    bounds_.push_back(is_limit(mode) ? Bounds{0, Bounds{}.upper}
                                     : Bounds{-mode.law.upper, -mode.law.lower});
  }
  return box_.solve(A_, b_, mobility_, bounds_, impulse_);
}

// v⁺ = v − W Jᵀ A⁻¹(J v + C_t) + Σ ŷ_j μ_j. Per touched stop, μ ≥ 0 and ġ⁺ ≥ −e ġ, one of them
// exactly. Motors and friction are too weak for impulses. With several stops Newton's e can create
// energy: then only a part of the rebound is taken.
double LawRows::impact(const System& system, const std::vector<char>& touching_now, bool may_bounce,
                       double shortest_flight, State& state, Workspace& w, StepReport& report) {
  std::vector<Mode>& modes = w.modes.modes();
  const double energy = system.kinetic_energy(state.v);
  rows_.clear();
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (is_timed(modes[i])) continue;
    set(modes[i], false, 0, w);
    if (is_limit(modes[i]) && touching_now[i]) rows_.push_back({i, stop(modes[i]).sign});
  }
  w.linearize(system, state.q, state.time, w.end);
  w.J(w.end, state.v, w.Jv);
  w.Jv += w.end.C_t;
  w.factor(w.end);
  w.solve(w.Jv, w.rhs, report);
  w.WJt(w.end, w.rhs, w.correction);
  state.v -= w.correction;
  respond(system, w.end, w, report);

  const auto n = static_cast<Eigen::Index>(rows_.size());
  b_.resize(n);
  const auto rate_after = [&](Eigen::Index j) {
    const Row& row = rows_[static_cast<std::size_t>(j)];
    const int number = modes[row.mode].row;
    return row.sign * (along(number, state.v, w.pattern) + raw_.C_t[number]);
  };
  for (Eigen::Index j = 0; j < n; ++j) b_[j] = rate_after(j);
  bool is_solved = solve(modes).ok;
  before_ = state.v;
  for (Eigen::Index j = 0; j < n; ++j)
    state.v += responses_[static_cast<std::size_t>(j)] * impulse_[j];

  bool bounces = false;
  for (Eigen::Index j = 0; j < n && may_bounce; ++j) {
    const std::size_t i = rows_[static_cast<std::size_t>(j)].mode;
    const double rebound = -modes[i].law.restitution * stop(modes[i]).rate;
    if (rebound <= no_rate(i) || 2 * rebound <= shortest_flight * acceleration(i)) continue;
    b_[j] -= rebound;
    bounces = true;
  }
  if (bounces) {
    is_solved = solve(modes).ok && is_solved;
    VecX& with = acceleration_;
    with = before_;
    for (Eigen::Index j = 0; j < n; ++j)
      with += responses_[static_cast<std::size_t>(j)] * impulse_[j];
    // E(v + θ(with − v)) is a parabola that may not exceed that before the impact.
    const double still = system.kinetic_energy(state.v), full = system.kinetic_energy(with);
    double theta = 1;
    if (full > energy && w.end.C_t.isZero(0)) {
      with -= state.v;
      const double quadratic = system.kinetic_energy(with);
      const double linear = full - still - quadratic;
      const double room = std::max(energy - still, 0.0);
      theta = 2 * room / (linear + std::sqrt(linear * linear + 4 * quadratic * room));
      theta = std::isfinite(theta) ? std::min(theta, 1.0) : 0.0;
      with += state.v;
    }
    state.v += theta * (with - state.v);
  }
  if (!is_solved && report.status == StepStatus::ok) report.status = StepStatus::compromise;
  ++report.impacts;
  return system.kinetic_energy(state.v) - energy;
}

// A constant torque does what it is times the turn.
void LawRows::add_work(const System& system, const State& state, const std::vector<double>& from,
                       Workspace& w, StepReport& report) {
  const std::vector<Mode>& modes = w.modes.modes();
  if (std::none_of(modes.begin(), modes.end(), is_rate)) return;
  look(system, state, w);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (!is_rate(modes[i])) continue;
    if (modes[i].is_equation)
      report.has_unknown_work = report.has_unknown_work || drive(modes[i]) != 0;
    else
      report.work -= modes[i].held * (RowModes::continued(modes[i], value(modes[i])) - from[i]);
  }
}

bool LawRows::choose(const System& system, const std::vector<char>& candidates, const State& state,
                     Workspace& w, StepReport& report) {
  std::vector<Mode>& modes = w.modes.modes();
  rows_.clear();
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (!candidates[i]) continue;
    set(modes[i], false, 0, w);
    rows_.push_back({i, is_limit(modes[i]) ? stop(modes[i]).sign : 1.0});
  }
  if (rows_.empty()) return true;
  set_up(system, state, w, report);
  const BoxReport solved = solve(modes);
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    Mode& mode = modes[rows_[j].mode];
    const double mu = impulse_[static_cast<Eigen::Index>(j)];
    if (is_limit(mode)) {
      set(mode, mu > 0, 0, w);
      mode.target = rows_[j].sign > 0 ? mode.law.lower : mode.law.upper;
    } else {
      const bool is_between = mu > bounds_[j].lower && mu < bounds_[j].upper;
      set(mode, is_between, is_between ? 0 : -mu, w);
    }
    if (mode.is_equation) w.lambda[mode.row] = -rows_[j].sign * mu;
  }
  return solved.ok;
}

void LawRows::set_up(const System& system, const State& state, Workspace& w, StepReport& report) {
  const std::vector<Mode>& modes = w.modes.modes();
  // The motion if none of them acted, and what its acceleration does to each of them.
  lambda_ = w.lambda;
  constrained_acceleration(system, state.q, state.v, state.time, 0, 0, w, acceleration_, report);
  w.lambda = lambda_;
  b_.resize(static_cast<Eigen::Index>(rows_.size()));
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const int row = modes[rows_[j].mode].row;
    b_[static_cast<Eigen::Index>(j)] =
        rows_[j].sign * (along(row, acceleration_, w.pattern) + raw_.bias[row]);
  }
  respond(system, w.start, w, report);
}

const VecX& LawRows::room(const System& system, const State& state, Workspace& w,
                          StepReport& report) {
  std::vector<Mode>& modes = w.modes.modes();
  room_.setConstant(static_cast<Eigen::Index>(modes.size()), Bounds{}.upper);
  lambda_ = w.lambda;
  StepReport solve_report;
  constrained_acceleration(system, state.q, state.v, state.time, 0, 0, w, acceleration_,
                           solve_report);
  report.add(solve_report);
  was_singular_ = solve_report.regularized;
  lambda_.swap(w.lambda);
  rows_.clear();
  bool is_contradicted = false;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const Mode& mode = modes[i];
    if (!mode.is_equation || !has_bounds(mode)) continue;
    const double force = lambda_[mode.row], sign = mode.target == mode.law.lower ? 1 : -1;
    const double left =
        is_limit(mode) ? -sign * force : std::min(mode.law.upper - force, force - mode.law.lower);
    room_[static_cast<Eigen::Index>(i)] = left * mode.mobility;
    is_contradicted = is_contradicted || left < 0;
    rows_.push_back({i, is_limit(mode) ? sign : 1.0});
  }
  if (!is_contradicted || !solve_report.regularized) return room_;

  // Several multipliers do the same, and the smallest ones may not be within their bounds: only
  // complementarity tells.
  complete(system, state, w);
  const std::vector<Mode> before = modes;
  for (const Row& row : rows_) set(modes[row.mode], false, 0, w);
  set_up(system, state, w, report);
  solve(modes);
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    const double mu = impulse_[at], rate = b_[at] + A_.row(at).dot(impulse_);
    const double left = std::min(mu - bounds_[j].lower, bounds_[j].upper - mu);
    room_[static_cast<Eigen::Index>(rows_[j].mode)] = left * mobility_[at] - std::abs(rate);
  }
  modes = before;
  return room_;
}

}  // namespace taut
