// The part of a step in which contacts open, close, begin to stick or slide.
#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"
#include "taut/model/stiffness_product.hpp"
#include "taut/simulate/contact_step.hpp"

namespace taut {
namespace {

constexpr int rounds_of_geometry = 8;  // at the end of a part
constexpr int rounds_to_close = 2;     // gaps of what bears a load
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
    problem_.set_mass();
  } else {
    // (M + h² K + h D) v⁺ = M v + h F + h D v
    raw_.add_force_stiffness(system, w.pattern, pose_, state.v, 0, state.time);
    Kv_ = raw_.K;
    raw_.add_force_stiffness(system, w.pattern, pose_, state.v, 1 / length, state.time);
    problem_.set_mass(w.pattern, 1, raw_.K, length * length);
    Kv_ = raw_.K - Kv_;
    velocity_ = length * length * state.v;
    add_product(w.pattern.coupling_blocks, Kv_, velocity_, problem_.momentum);
  }
  problem_.right_side = -raw_.C_t;  // errors that there are go out of the positions alone
}

double ContactStep::widest_loaded_gap(const ContactRows& rows) const {
  double widest = 0;
  for (const Contact& contact : rows.contacts())
    if (contact.gap > widest && !contact.is_compliant() && find(contact)) widest = contact.gap;
  return widest;
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
    cones =
        problem_.solve({.tolerance = tolerance,
                        .good_enough = is_real_time() ? good_in_real_time
                                                      : std::min(1e-6, no_gap_ / (length * speed_)),
                        .speed = speed_,
                        .turn = speed_ / size_,
                        .solver = solver_,
                        .most_time = most_time_});
    report.linear_solves += cones.backsolves;
    report.iterations += cones.newton_steps + cones.admm_iterations + cones.sweeps;
    for (std::size_t i = 0; i < law_rows_.size(); ++i)
      law_rows_[i].impulse = problem_.law_impulse(i);
    state.v = problem_.velocity();
    system.advance(at_start_.q, state.v, length, state.q);
    rows->velocities(state.v, u_end_);
    friction_ = friction_work(*rows, problem_.impulse, u_end_) + damping_work(*rows, length);
    remember(*rows, u_end_, length);
    return cones.ok() && state.q.allFinite();
  };
  const double rough =
      std::clamp(0.1 * deepest_overlap() / (length * speed_), cone_tolerance, 1e-4);
  for (int round = 0;; ++round) {
    problem_.set_rows(w.pattern, raw_, law_rows_, left_out_);
    problem_.set_contacts(*rows, ContactProblem::Friction::as_it_is, ContactProblem::Which::all);
    problem_.bias.setZero(3 * rows->count());
    if (round > 0) rows->velocities(state.v, u_end_);
    for (int c = 0; c < rows->count(); ++c) {
      const double gap = rows->contacts()[static_cast<std::size_t>(c)].gap;
      problem_.bias[3 * c] = round == 0
                                 ? to_close(gap) / length
                                 : (is_noise(gap) ? 0 : gap - deepest) / length - u_end_[3 * c];
    }
    set_springs(*rows, length, round == 0);
    recall(*rows, length, problem_.impulse);
    const bool is_last = round + 1 == most_rounds;
    if (!move(is_last ? cone_tolerance : rough)) {
      if (round == 0) outcome = Outcome::unsolved;
      break;
    }
    if (most_rounds == 1) break;
    velocity_ = state.v;
    state.v = v_free_;  // as far as it may reach
    reached_.find(system, state, length, no_gap_, sleep_.asleep());
    state.v = velocity_;
    // Nothing overlaps, and what bears a load touches, if a few rounds can make it so.
    if (reached_.lowest().gap >= deepest - deepest_overlap() &&
        (is_last || round >= rounds_to_close || widest_loaded_gap(reached_) <= deepest_overlap())) {
      if (passes(system, at_start_, state, length)) break;  // a shorter part is needed
      outcome = Outcome::clear;
    }
    if (outcome == Outcome::clear && cones.residual > cone_tolerance && !move(cone_tolerance)) {
      outcome = round == 0 ? Outcome::unsolved : Outcome::overlaps;
      break;
    }
    if (outcome == Outcome::clear || is_last) break;
    std::swap(at_end_, reached_);
    rows = &at_end_;
  }
  take_back_push(system, length, *rows, w, state);
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
    // In real time, and at last, what overlaps is taken out of the positions alone.
    const int rounds = cut < most_cuts && !is_real_time() ? rounds_of_geometry : 1;
    if (turmoil(system, length, rounds, state, w, done) != Outcome::overlaps || rounds == 1) {
      if (rounds == 1 && passes(system, from_, state, length))
        done.status = StepStatus::not_converged;
      add_part(report, done);
      return length;
    }
    report.add(done);
    state = from_;
    touches_ = remembered_;
    if (cut + 1 < most_cuts) length /= 2;
  }
}

}  // namespace taut
