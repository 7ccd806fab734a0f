// The parts of a step with contacts: flight and impact.
#include <algorithm>
#include <cmath>

#include "taut/base/dense_solve.hpp"
#include "taut/model/rotation.hpp"
#include "taut/model/stiffness_product.hpp"
#include "taut/simulate/contact_step.hpp"

namespace taut {
namespace {

constexpr int most_shots = 24;  // at the moment of an impact

}  // namespace

/// v ← I⁻¹ of the momentum of free bodies after a step, with gyroscopic torques as at its end,
/// which never add energy: I ω⁺ + h ω⁺ × I ω⁺ = I ω + h τ. F has those of the start.
void ContactStep::free_velocity(const System& system, double h, const VecX& v) {
  const VecX& F = F_;
  VecX& out = v_free_;
  system.apply_inverse_mass(F, out);
  out = v + h * out;
  for (int i = 0; i < system.body_count(); ++i) {
    if (!system.is_rigid({i})) continue;
    const int at = system.slot({i}).v + 3;
    const Mat3& inertia = system.inertia({i});
    const Vec3 before = v.segment<3>(at);
    const Vec3 momentum =
        inertia * before + h * (F.segment<3>(at) + before.cross(inertia * before));
    Vec3 turn = before;
    for (int k = 0; k < 4; ++k) {
      const Vec3 spin = inertia * turn;
      Vec3 correction = spin + h * turn.cross(spin) - momentum;
      Mat3 slope = inertia + h * (cross_matrix(turn) * inertia - cross_matrix(spin));
      if (!solve_square(slope.data(), 3, correction.data())) break;
      turn -= correction;
    }
    out.segment<3>(at) = turn;
  }
  sleep_.stop(system, out);
}

/// The rows that are no equations, at the rows in raw_.
void ContactStep::set_laws(const System& system, const State& state, Laws laws, double length,
                           Workspace& w) {
  law_rows_.clear();
  left_out_.clear();
  if (w.modes.empty()) return;
  laws_.look(system, state, w);
  for (const RowModes::Mode& mode : w.modes.modes()) {
    LawRow row;
    row.row = mode.row;
    if (laws == Laws::over_step && w.lambda.size() == w.pattern.rows())
      row.impulse = -w.lambda[mode.row] * length;
    row.law.unit = w.pattern.is_angle[static_cast<std::size_t>(mode.row)] ? ConeLaw::Unit::angle
                                                                          : ConeLaw::Unit::length;
    if (LawRows::is_timed(mode)) {
      if (LawRows::is_over(mode, state.time)) left_out_.push_back(mode.row);
      continue;
    }
    if (LawRows::is_limit(mode)) {
      const LawRows::Stop at = laws_.stop(mode);
      row.sign = at.sign;
      row.impulse *= row.sign;
      switch (laws) {
        case Laws::over_step:
          row.w = row.sign * laws_.drive(mode) + std::max(at.gap, 0.0) / length;
          break;
        case Laws::at_impact:
          if (at.gap > StopsAhead::no_gap(row.law.unit == ConeLaw::Unit::angle, size_)) {
            left_out_.push_back(mode.row);
            continue;
          }
          row.w = row.sign * laws_.drive(mode);
          break;
        case Laws::of_positions:
          row.w = at.gap;
          break;
      }
      law_rows_.push_back(row);
      continue;
    }
    const bool is_bounded = std::isfinite(mode.law.upper);
    if (laws == Laws::of_positions || (laws == Laws::at_impact && is_bounded)) {
      left_out_.push_back(mode.row);
      continue;
    }
    row.law.kind = ConeLaw::Kind::interval;
    row.law.lower = -mode.law.upper * length;
    row.law.upper = -mode.law.lower * length;
    row.w = laws_.drive(mode);
    law_rows_.push_back(row);
  }
}

/// The velocity after an impact. With several contacts Newton's restitution can create energy: then
/// only a part of the rebound is taken.
void ContactStep::hit(const System& system, State& state, Workspace& w, StepReport& report) {
  raw_.resize(w.pattern);
  pose_.set(system, state.q);
  raw_.linearize(system, w.pattern, pose_, state.time);
  problem_.set_mass();
  problem_.compliance.resize(0);
  system.apply_mass(state.v, problem_.momentum);
  multiply(w.pattern, raw_.J, state.v, problem_.right_side);
  const ConeOptions options{.tolerance = cone_tolerance,
                            .good_enough = good_enough,
                            .speed = fastest_,
                            .turn = fastest_ / size_,
                            .solver = solver_,
                            .most_time = most_time_};
  const auto solve = [&](bool bounces) {
    set_laws(system, state, Laws::at_impact, 1, w);
    for (LawRow& row : law_rows_)
      if (const StopsAhead::Stop* stop = stops_ahead_.find(row.row);
          bounces && stop && stop->rate < 0)
        row.w += stop->restitution * stop->rate;
    problem_.set_rows(w.pattern, raw_, law_rows_, left_out_);
    problem_.set_contacts(rows_, ContactProblem::Friction::as_it_is, ContactProblem::Which::rigid);
    problem_.bias.setZero(3 * rows_.count());
    for (int c = 0; c < rows_.count(); ++c) {
      const Contact& contact = rows_.contacts()[static_cast<std::size_t>(c)];
      const double rate = u_[3 * c];
      if (!is_closed(c))
        problem_.bias[3 * c] = 1e3 * fastest_;  // out of reach
      else if (bounces && rate < -slow_)
        problem_.bias[3 * c] = contact.restitution * rate;
    }
    problem_.impulse.resize(0);
    count(problem_.solve(options), 1, report);
  };
  const double energy = system.kinetic_energy(state.v);
  solve(true);
  velocity_ = problem_.velocity();
  const double after = system.kinetic_energy(velocity_);
  if (after > energy) {
    solve(false);
    // |a + θ (b − a)|² = energy
    const VecX& dead = problem_.velocity();
    momentum_ = velocity_ - dead;
    const double low = system.kinetic_energy(dead), square = system.kinetic_energy(momentum_);
    const double linear = 0.5 * (after - low - square);
    const double missing = energy - low;
    const double theta =
        missing > 0 ? missing / (linear + std::sqrt(linear * linear + square * missing)) : 0;
    velocity_ = dead + std::clamp(theta, 0.0, 1.0) * momentum_;
  }
  ++report.impacts;
  report.impact_energy += system.kinetic_energy(velocity_) - energy;
  state.v = velocity_;
  // Elsewhere all goes on as before.
  energies_.look(system, problem_, rows_, velocity_);
  std::erase_if(touches_, [&](const Touch& touch) { return energies_.touches(touch.body); });
}

// An impact is aimed at: between the last moment known to be clear and the first at which something
// overlaps, to where a straight line through the gaps, or along the gap's rate, crosses 0.
double ContactStep::fly(const System& system, Method& method, double length, bool locates,
                        State& state, Workspace& w, StepReport& report) {
  from_ = state;
  modes_from_ = w.modes.modes();
  double clear = 0, clear_gap = INFINITY, inside = length, inside_gap = 0, inside_rate = 0;
  for (int shot = 0;; ++shot) {
    state = from_;
    w.modes.restore(modes_from_);
    if (sleep_.any()) {
      w.modes.external.setZero(system.velocity_size());
      sleep_.add_forces(system, w.modes.external);
    }
    const StepReport done = bounded_.step(system, method, length, state, w);
    w.modes.external.resize(0);
    sleep_.restore(system, state);
    const bool is_stopped = bounded_.reached() < length;
    length = bounded_.reached();
    const bool failed = done.status == StepStatus::not_converged || !state.q.allFinite();
    // A part that failed, too, may end inside something.
    ContactRows::Lowest lowest;
    if (state.q.allFinite()) {
      at_end_.find(system, state, inside - length, no_gap_, sleep_.asleep());
      lowest = at_end_.lowest();
    }
    const double exact = locates ? no_gap_ : deepest_overlap();
    const bool is_clear = lowest.gap >= -exact;
    const bool is_there = is_clear && (shot == 0 || is_stopped || lowest.gap <= exact);
    // Where the time does not matter, the depth does for what bounces.
    const bool aims =
        locates || shot > 0 ||
        (!is_clear && at_end_.contacts()[static_cast<std::size_t>(lowest.contact)].restitution > 0);
    if (failed || !aims || is_there || shot == most_shots) {
      add_part(report, done);
      return length;
    }
    report.add(done);
    double next;
    if (is_clear) {
      if (clear > 0) inside_gap /= 2;  // the Illinois rule: else one end might stay for ever
      clear = length;
      clear_gap = lowest.gap;
      next = clear + (inside - clear) * clear_gap / (clear_gap - inside_gap);
    } else {
      at_end_.velocities(state.v, u_end_);
      inside = length;
      inside_gap = lowest.gap;
      inside_rate = u_end_[3 * lowest.contact];
      next = inside - inside_gap / inside_rate;
    }
    const double least = 1e-3 * (inside - clear);
    const bool is_good = next > clear + least && next < inside && shot % 4 != 3;
    length = is_good ? next : 0.5 * (clear + inside);
  }
}

double ContactStep::friction_work(const ContactRows& rows, const VecX& impulse, const VecX& u) {
  double work = 0;
  for (int c = 0; c < rows.count(); ++c) {
    work += impulse.segment<2>(3 * c + 1).dot(u.segment<2>(3 * c + 1));
    if (rows.lever(c) > 0)
      work += impulse.segment<3>(rows.torque(c)).dot(u.segment<3>(rows.torque(c)));
  }
  return work;
}

}  // namespace taut
