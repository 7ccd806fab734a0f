#include "taut/simulate/contact_turmoil.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"
#include "taut/model/stiffness_product.hpp"
#include "taut/simulate/contact_springs.hpp"

namespace taut {
namespace {

constexpr int rounds_of_geometry = 8;  // at the end of a part
constexpr int rounds_to_close = 2;     // gaps of what bears a load
constexpr int most_cuts = 7;           // of a part, in halves, where that is not enough

/// J, below 0: what friction does, rolling and spinning included.
double friction_work(const ContactRows& rows, const KeptVec& impulse, const KeptVec& u) {
  double work = 0;
  for (int c = 0; c < rows.count(); ++c) {
    work += impulse.segment<2>(3 * c + 1).dot(u.segment<2>(3 * c + 1));
    if (rows.lever(c) > 0)
      work += impulse.segment<3>(rows.torque(c)).dot(u.segment<3>(rows.torque(c)));
  }
  return work;
}

}  // namespace

/// What does not depend on where the contacts are looked for.
void ContactTurmoil::prepare(const System& system, double length, const State& state,
                             Workspace& w) {
  equations_.linearize(system, state.q, state.time + length, w, scale_.still());
  equations_.set_laws(system, state, ContactEquations::Laws::over_step, length, scale_.size, w);
  start_.free_velocity(system, length, state.v, v_free_);
  system.apply_mass(v_free_, problem_.momentum);
  if (w.pattern.coupling_blocks.empty()) {
    problem_.set_mass();
  } else {
    // (M + h² K + h D) v⁺ = M v + h F + h D v
    equations_.take_stiffness(system, state, 0, w);
    D_ = equations_.rows.K;
    equations_.take_stiffness(system, state, 1 / length, w);
    problem_.set_mass(w.pattern, 1, equations_.rows.K, length * length);
    D_ = equations_.rows.K - D_;
    velocity_ = length * length * state.v;
    add_product(w.pattern.coupling_blocks, D_, velocity_, problem_.momentum);
  }
  // Errors that there are go out of the positions alone.
  problem_.right_side = -equations_.rows.C_t;
}

/// A gap may close just within the part. What overlaps by up to `deepest` may stay as it is.
void ContactTurmoil::set_gaps(const ContactRows& rows, double length, double deepest, bool is_first,
                              const State& state) {
  problem_.set_contacts(rows, ContactProblem::Friction::as_it_is, ContactProblem::Which::all);
  problem_.bias.setZero(3 * rows.count());
  if (!is_first) rows.velocities(state.v, u_);
  for (int c = 0; c < rows.count(); ++c) {
    const double gap = rows.contact(c).gap;
    problem_.bias[3 * c] = is_first
                               ? scale_.to_close(gap) / length
                               : (scale_.is_noise(gap) ? 0 : gap - deepest) / length - u_[3 * c];
  }
  set_springs(rows, length, is_first ? nullptr : &u_, problem_);
  loads_.recall(rows, length, problem_.impulse);
}

/// Solves, and takes the state there from from_.
ConeReport ContactTurmoil::move(const System& system, const ContactRows& rows, double length,
                                double tolerance, State& state, StepReport& report) {
  ConeOptions options = scale_.as_asked();
  options.tolerance = tolerance;
  if (length * relative_displacement(system, from_.v, scale_.size) <= ContactScale::little_way)
    options.at_rest = ContactScale::rests;
  // Where round-off in the gaps keeps the solver from going on, speeds that move nothing by more
  // than that are good enough.
  options.good_enough = scale_.is_real_time()
                            ? ContactScale::good_in_real_time
                            : std::min(1e-6, scale_.no_gap / (length * scale_.speed));
  const ConeReport cones = problem_.solve(options);
  report.linear_solves += cones.backsolves;
  report.iterations += cones.newton_steps + cones.admm_iterations + cones.sweeps;
  for (std::size_t i = 0; i < equations_.laws.size(); ++i)
    equations_.laws[i].impulse = problem_.law_impulse(i);
  state.v = problem_.velocity();
  system.advance(from_.q, state.v, length, state.q);
  rows.velocities(state.v, u_);
  friction_ = friction_work(rows, problem_.impulse, u_) + damping_work(rows, problem_, length, u_);
  work_.remember(rows, u_, length);
  return cones;
}

ContactTurmoil::Outcome ContactTurmoil::try_length(const System& system, double length,
                                                   int most_rounds, State& state, Workspace& w,
                                                   StepReport& report) {
  constexpr double tolerance = ContactScale::cone_tolerance;
  const double deepest = std::min(0.0, start_.rows.lowest().gap);
  const double rough =
      std::clamp(0.1 * scale_.deepest_overlap() / (length * scale_.speed), tolerance, 1e-4);
  prepare(system, length, state, w);
  Outcome outcome = Outcome::overlaps;
  ConeReport cones;
  const auto is_moved = [&] { return cones.ok() && state.q.allFinite(); };
  const ContactRows* rows = &start_.rows;
  for (int round = 0;; ++round) {
    equations_.give(w, problem_);
    set_gaps(*rows, length, deepest, round == 0, state);
    const bool is_last = round + 1 == most_rounds;
    cones = move(system, *rows, length, is_last ? tolerance : rough, state, report);
    if (!is_moved()) {
      if (round == 0) outcome = Outcome::unsolved;
      break;
    }
    if (most_rounds == 1) break;
    velocity_ = state.v;
    state.v = v_free_;  // as far as it may reach
    reached_.find(system, state, length, scale_.no_gap, work_.sleep.asleep());
    state.v = velocity_;
    // Nothing overlaps, and what bears a load touches, if a few rounds can make it so.
    if (reached_.lowest().gap >= deepest - scale_.deepest_overlap() &&
        (is_last || round >= rounds_to_close ||
         loads_.widest_gap(reached_) <= scale_.deepest_overlap())) {
      if (work_.passes(system, from_, state, length)) break;  // a shorter part is needed
      outcome = Outcome::clear;
    }
    if (outcome == Outcome::clear && cones.residual > tolerance) {
      cones = move(system, *rows, length, tolerance, state, report);
      if (!is_moved()) {
        outcome = round == 0 ? Outcome::unsolved : Outcome::overlaps;
        break;
      }
    }
    if (outcome == Outcome::clear || is_last) break;
    std::swap(at_end_, reached_);
    rows = &at_end_;
  }
  take_back_push(system, length, *rows, w, state);
  cones.backsolves = cones.newton_steps = cones.admm_iterations = cones.sweeps = 0;
  scale_.count(cones, length, report);
  state.time += length;
  report.friction_energy += friction_;
  problem_.row_impulses(w.lambda);
  report.work += w.lambda.dot(equations_.rows.C_t);  // of what is driven: −Λ · J v⁺
  w.lambda /= length;
  return outcome;
}

// Where bodies turn fast, the contacts at the start do not tell all: a shorter part does.
double ContactTurmoil::run(const System& system, double length, State& state, Workspace& w,
                           StepReport& report) {
  from_ = state;
  touches_from_ = loads_.touches;
  for (int cut = 0;; ++cut) {
    StepReport done;
    // In real time, and at last, what overlaps is taken out of the positions alone.
    const int rounds = cut < most_cuts && !scale_.is_real_time() ? rounds_of_geometry : 1;
    if (try_length(system, length, rounds, state, w, done) != Outcome::overlaps || rounds == 1) {
      if (rounds == 1 && work_.passes(system, from_, state, length))
        done.status = StepStatus::not_converged;
      add_part(report, done);
      return length;
    }
    report.add(done);
    state = from_;
    loads_.touches = touches_from_;
    if (cut + 1 < most_cuts) length /= 2;
  }
}

// A contact that closes at the end of turmoil pushes along the normal there, but what moves on a
// curve got there along a chord: u_N may be above 0 while r_N is, and such a push does work. With
// M (v⁺ − v) = h (F + G) + Hᵀ r − Jᵀ Λ, where G are the gyroscopic torques, the energy grows by
//   r·u − ½ |v⁺ − v|²_M + h G·v⁺,
// apart from the work of forces. Only what is above 0 is taken.
void ContactTurmoil::take_back_push(const System& system, double length, const ContactRows& rows,
                                    const Workspace& w, State& state) {
  if (!equations_.rows.C_t.isZero(0)) return;  // what is driven may gain
  energies_.look(system, problem_, rows, state.v);
  for (int c = 0; c < rows.count(); ++c) {
    double work = problem_.impulse.segment<3>(3 * c).dot(u_.segment<3>(3 * c));
    if (rows.lever(c) > 0)
      work += problem_.impulse.segment<3>(rows.torque(c)).dot(u_.segment<3>(rows.torque(c)));
    // A spring gives back what it has.
    if (rows.contact(c).is_compliant()) work -= problem_.impulse[3 * c] * u_[3 * c];
    energies_.surplus(rows.blocks(c).front().body) += work;
  }
  const VecX &v = state.v, &before = from_.v;
  for (int i = 0; i < system.body_count(); ++i) {
    double& surplus = energies_.surplus(i);
    const int at = system.slot({i}).v;
    surplus -= 0.5 * system.mass({i}) * (v - before).segment<3>(at).squaredNorm();
    if (!system.is_rigid({i})) continue;
    const Mat3& inertia = system.inertia({i});
    const Vec3 turn = v.segment<3>(at + 3), start = before.segment<3>(at + 3);
    const Vec3 gyroscopic = inertia * (v_free_.segment<3>(at + 3) - start) -
                            length * (start_.F.segment<3>(at + 3) + start.cross(inertia * start));
    surplus += gyroscopic.dot(turn) - 0.5 * (turn - start).dot(inertia * (turn - start));
  }
  energies_.take(system, w.pattern.rows() == 0, false, state);
}

}  // namespace taut
