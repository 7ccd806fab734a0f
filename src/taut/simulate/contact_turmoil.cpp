// The part of a step in which contacts open, close, begin to stick or slide; and how overlaps are
// taken out of the positions.
#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"
#include "taut/model/stiffness_product.hpp"
#include "taut/simulate/contact_step.hpp"

namespace taut {
namespace {

constexpr int most_separations = 12;
constexpr int rounds_of_geometry = 8;  // at the end of a part
constexpr int most_cuts = 7;           // of a part, in halves, where that is not enough

}  // namespace

/// What does not depend on where the contacts are looked for.
void ContactStep::prepare_turmoil(const System& system, double length, const State& state,
                                  Workspace& w) {
  raw_.resize(w.pattern);
  pose_.set(system, state.q);
  raw_.linearize(system, w.pattern, pose_, state.time + length);
  set_laws(system, state, Laws::over_step, length, w);
  free_velocity(system, length, state.v);
  system.apply_mass(v_free_, problem_.momentum);
  if (w.pattern.coupling_blocks.empty()) {
    problem_.set_mass(w.pattern);
  } else {
    // (M + h² K + h D) v⁺ = M v + h F + h D v
    raw_.add_force_stiffness(system, w.pattern, pose_, state.v, 0, state.time);
    Kv_ = raw_.K;
    raw_.add_force_stiffness(system, w.pattern, pose_, state.v, 1 / length, state.time);
    problem_.set_mass(w.pattern, raw_.K, length * length);
    Kv_ = raw_.K - Kv_;
    velocity_ = length * length * state.v;
    add_product(w.pattern.coupling_blocks, Kv_, velocity_, problem_.momentum);
  }
  problem_.right_side = -raw_.C_t;  // errors that there are go out of the positions alone
}

// A contact that closes at the end of a part pushes along the normal there, but what moves on a
// curve got there along a chord: u_N may be above 0 while r_N is, and such a push does work. With
// M (v⁺ − v) = h (F + G) + Hᵀ r − Jᵀ Λ, where G are the gyroscopic torques, the energy grows by
//   r·u − ½ |v⁺ − v|²_M + h G·v⁺,
// apart from the work of forces. Where that is above 0, the bodies of the island lose as much of
// their speed.
void ContactStep::take_back_gain(const System& system, double length, const ContactRows& rows,
                                 const Workspace& w, State& state) {
  if (!raw_.C_t.isZero(0)) return;  // what is driven may gain
  gains_.assign(static_cast<std::size_t>(system.body_count()), {});
  const auto island_of = [&](int body) -> IslandGain& {
    return gains_[static_cast<std::size_t>(problem_.island_of(body))];
  };
  for (int c = 0; c < rows.count(); ++c) {
    const auto blocks = rows.blocks(c);
    IslandGain& island = island_of(blocks.front().body);
    island.energy += problem_.impulse.segment<3>(3 * c).dot(u_end_.segment<3>(3 * c));
    if (blocks.size() == 1 && problem_.impulse[3 * c] > 0) island.is_held = true;
  }
  const VecX &v = state.v, &before = at_start_.v;
  for (int i = 0; i < system.body_count(); ++i) {
    IslandGain& island = island_of(i);
    const double mass = system.mass({i});
    const int at = system.slot({i}).v;
    island.energy -= 0.5 * mass * (v - before).segment<3>(at).squaredNorm();
    island.kinetic += 0.5 * mass * v.segment<3>(at).squaredNorm();
    island.mass += mass;
    island.momentum += mass * v.segment<3>(at);
    if (!system.is_rigid({i})) continue;
    const Mat3& inertia = system.inertia({i});
    const Vec3 turn = v.segment<3>(at + 3), start = before.segment<3>(at + 3);
    const Vec3 gyroscopic = inertia * (v_free_.segment<3>(at + 3) - start) -
                            length * (F_.segment<3>(at + 3) + start.cross(inertia * start));
    island.energy += gyroscopic.dot(turn) - 0.5 * (turn - start).dot(inertia * (turn - start));
    island.kinetic += 0.5 * turn.dot(inertia * turn);
  }
  const bool has_rows = w.pattern.rows() > 0;
  for (int i = 0; i < system.body_count(); ++i) {
    const IslandGain& island = island_of(i);
    if (!(island.energy > 0)) continue;
    // What nothing holds keeps its momentum.
    Vec3 common = Vec3::Zero();
    double kinetic = island.kinetic;
    if (!island.is_held && !has_rows) {
      common = island.momentum / island.mass;
      kinetic -= 0.5 * island.momentum.dot(common);
    }
    const double left = kinetic > island.energy ? std::sqrt(1 - island.energy / kinetic) : 0;
    const int at = system.slot({i}).v;
    state.v.segment<3>(at) = common + left * (state.v.segment<3>(at) - common);
    if (system.is_rigid({i})) state.v.segment<3>(at + 3) *= left;
  }
}

// The contacts are first taken where the bodies are, and then where they get to, until nothing
// overlaps there: near the end q_k of the last round, reached with v_k, the gap at the end of the
// next is g(q_k) + H(q_k) h (v − v_k). Until nothing overlaps, speeds need not be more accurate
// than overlaps are; then they are found to the last digit.
ContactStep::Outcome ContactStep::turmoil(const System& system, double length, int most_rounds,
                                          State& state, Workspace& w, StepReport& report) {
  const double deepest = std::min(0.0, rows_.lowest().gap);  // what overlaps may stay as it is
  prepare_turmoil(system, length, state, w);
  ConeReport cones;
  Outcome outcome = Outcome::overlaps;
  at_start_ = state;
  const ContactRows* rows = &rows_;
  const auto move = [&](double tolerance) {
    // Where round-off in the gaps keeps the solver from going on, speeds that move nothing by more
    // than that are good enough.
    cones = problem_.solve({.tolerance = tolerance,
                            .good_enough = std::min(1e-6, no_gap_ / (length * speed_)),
                            .speed = speed_,
                            .solver = solver_});
    report.linear_solves += cones.backsolves;
    report.iterations += cones.newton_steps + cones.admm_iterations + cones.sweeps;
    state.v = problem_.velocity();
    system.advance(at_start_.q, state.v, length, state.q);
    rows->velocities(state.v, u_end_);
    friction_ = friction_work(problem_.impulse, u_end_);
    remember(*rows, problem_.impulse, length);
    return cones.ok() && state.q.allFinite();
  };
  const double rough =
      std::clamp(0.1 * deepest_overlap * size_ / (length * speed_), cone_tolerance, 1e-4);
  for (int round = 0;; ++round) {
    problem_.set_rows(w.pattern, raw_, law_rows_, left_out_);
    problem_.set_contacts(*rows, ContactProblem::Friction::as_it_is);
    problem_.bias.setZero(3 * rows->count());
    if (round > 0) rows->velocities(state.v, u_end_);
    for (int c = 0; c < rows->count(); ++c) {
      const double gap = rows->contacts()[static_cast<std::size_t>(c)].gap;
      problem_.bias[3 * c] = round == 0
                                 ? to_close(gap) / length
                                 : (is_noise(gap) ? 0 : gap - deepest) / length - u_end_[3 * c];
    }
    recall(*rows, length, problem_.impulse);
    const bool is_last = round + 1 == most_rounds;
    if (!move(is_last ? cone_tolerance : rough)) {
      if (round == 0) outcome = Outcome::unsolved;
      break;
    }
    velocity_ = state.v;
    state.v = v_free_;  // as far as it may reach
    reached_.find(system, state, length, no_gap_, sleep_.asleep());
    state.v = velocity_;
    if (reached_.lowest().gap >= deepest - deepest_overlap * size_) outcome = Outcome::clear;
    if (outcome == Outcome::clear && cones.residual > cone_tolerance && !move(cone_tolerance)) {
      outcome = round == 0 ? Outcome::unsolved : Outcome::overlaps;
      break;
    }
    if (outcome == Outcome::clear || is_last) break;
    std::swap(at_end_, reached_);
    rows = &at_end_;
  }
  take_back_gain(system, length, *rows, w, state);
  cones.backsolves = cones.newton_steps = cones.admm_iterations = cones.sweeps = 0;
  count(cones, length, report);
  state.time += length;
  report.friction_energy += friction_;
  problem_.row_impulses(w.lambda);
  w.lambda /= length;
  return outcome;
}

// Where bodies turn fast, the contacts at the start do not tell all: a shorter part does.
double ContactStep::careful_turmoil(const System& system, double length, State& state, Workspace& w,
                                    StepReport& report) {
  from_ = state;
  remembered_ = touches_;
  for (int cut = 0;; ++cut) {
    StepReport done;
    // At last what is left is taken out of the positions alone.
    const int rounds = cut < most_cuts ? rounds_of_geometry : 1;
    if (turmoil(system, length, rounds, state, w, done) != Outcome::overlaps || rounds == 1) {
      add_part(report, done);
      return length;
    }
    report.add(done);
    state = from_;
    touches_ = remembered_;
    if (cut + 1 < most_cuts) length /= 2;
  }
}

// The velocity with which a part was done is that of a chord. At its end it must be one that the
// constraints allow, or the next part begins with a jump. What is about to bounce goes on to
// approach, but not faster. This only ever takes energy.
void ContactStep::align_velocity(const System& system, State& state, Workspace& w,
                                 StepReport& report) {
  if (w.pattern.rows() == 0) return;
  at_end_.find(system, state, 0, no_gap_, sleep_.asleep());
  set_laws(system, state, Laws::at_impact, 1, w);
  problem_.set_mass(w.pattern);
  problem_.set_rows(w.pattern, raw_, law_rows_, left_out_);
  problem_.set_contacts(at_end_, ContactProblem::Friction::none);
  system.apply_mass(state.v, problem_.momentum);
  problem_.right_side = -raw_.C_t;
  problem_.bias.setZero(3 * at_end_.count());
  at_end_.velocities(state.v, u_end_);
  for (int c = 0; c < at_end_.count(); ++c) problem_.bias[3 * c] = std::max(0.0, -u_end_[3 * c]);
  problem_.impulse.resize(0);
  const ConeReport cones = problem_.solve({.tolerance = cone_tolerance, .speed = speed_});
  report.linear_solves += cones.backsolves;
  if (cones.ok()) state.v = problem_.velocity();
}

void ContactStep::separate(const System& system, State& state, Workspace& w, StepReport& report) {
  const double length = length_scale(system, w.pattern, state.q);
  for (int round = 0;; ++round) {
    pose_.set(system, state.q);
    raw_.resize(w.pattern);
    raw_.linearize(system, w.pattern, pose_, state.time);
    at_end_.find(system, state, 0, 0, sleep_.asleep());
    set_laws(system, state, Laws::of_positions, 1, w);
    if (!w.pattern.velocity_rows.empty()) {  // they ask for nothing of positions
      left_out_.insert(left_out_.end(), w.pattern.velocity_rows.begin(),
                       w.pattern.velocity_rows.end());
      std::sort(left_out_.begin(), left_out_.end());
    }
    double worst = std::max(0.0, -at_end_.lowest().gap) / length;
    if (round == 0) report.overlap = std::max(report.overlap, worst * length);
    for (const LawRow& row : law_rows_) {
      raw_.C[row.row] = 0;
      worst = std::max(worst, -row.w / (row.law.unit == ConeLaw::Unit::angle ? 1 : length));
    }
    for (const int row : left_out_) raw_.C[row] = 0;
    worst = std::max(worst, relative_error(w.pattern, raw_.C, length));
    if (worst <= 10 * roundoff || round == most_separations) {
      if (worst > 1e-9 && report.status == StepStatus::ok) {
        report.status = StepStatus::not_converged;
        report.residual = std::max(report.residual, worst * length);
      }
      return;
    }
    at_end_.find(system, state, 0, 10 * worst * length, sleep_.asleep());
    problem_.set_mass(w.pattern);
    problem_.set_rows(w.pattern, raw_, law_rows_, left_out_);
    problem_.set_contacts(at_end_, ContactProblem::Friction::none);
    problem_.momentum.setZero(system.velocity_size());
    problem_.right_side = -raw_.C;
    problem_.bias.setZero(3 * at_end_.count());
    for (int c = 0; c < at_end_.count(); ++c)
      problem_.bias[3 * c] = at_end_.contacts()[static_cast<std::size_t>(c)].gap;
    problem_.impulse.resize(0);
    const ConeReport cones =
        problem_.solve({.tolerance = 1e-6, .speed = worst * length, .turn = worst});
    report.linear_solves += cones.backsolves;
    system.advance(state.q, problem_.velocity(), 1, state.q);
    if (!state.q.allFinite()) return;
  }
}

}  // namespace taut
