#include "taut/simulate/contact_hold.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr double too_slow = 0.7;         // of the change before, twice
constexpr double runs_away = 10;         // the same, once
constexpr int most_corrections = 10;     // of the forces
constexpr int most_rests = 3;            // of a part, where something comes to rest,
constexpr int most_stops = 12;           // … where a joint hits its stop
constexpr double same_time = 1e-7;       // of a part
constexpr double least_cut = 0.01;       // … by that at least
constexpr double hardly_moves = 1e-6;    // of the scene's size
constexpr double agrees = 1e-9;          // of speeds: the method and the laws agree,
constexpr double all_but_agrees = 1e-7;  // … this is put right in the velocity alone,
constexpr double nearly_agrees = 1e-4;   // … and so is this where it gets no better

}  // namespace

/// The end of a part that is held: what has not gone anywhere may still be about to.
bool ContactHold::stop_what_sticks(const System& system, const Method& method, double length,
                                   State& state, Workspace& w, StepReport& report) {
  laws_.look(system, state, w);
  at_end_.velocities(state.v, u_end_);
  bool moves = false;
  for (int c = 0; c < at_end_.count(); ++c) {
    const Touch* touch = loads_.find(at_end_.contact(c));
    moves = moves ||
            (touch && touch->how == Touch::How::sticks &&
             u_end_.segment<3>(3 * c).norm() > ContactScale::cone_tolerance * scale_.loaded_speed);
  }
  if (!moves && !laws_.creeps()) return true;
  loads_.touches = applied_;
  const ConeReport cones = solve_at_end(system, method, length, Aim::speeds, state, w);
  scale_.count(cones, length, report);
  at_end_.velocities(problem_.velocity(), u_law_);
  work_.remember(at_end_, u_law_, length);
  state.v = problem_.velocity();
  return cones.ok() && judge() != Held::no && laws_.take(problem_, w).is_settled;
}

bool ContactHold::hold(const System& system, Method& method, bool may_cut, bool locates,
                       double& length, State& state, Workspace& w, StepReport& report) {
  from_ = state;
  locates_ = locates;
  aims_ = locates && may_cut;
  modes_from_ = w.modes.modes();
  loads_from_ = loads_.touches;
  touches_.start(start_, loads_);
  springs_.start(start_.rows);
  for (int cuts = 0;; ++cuts) {
    touches_.note_slips(start_);
    laws_.start(system, length, from_, w);
    work_.bounded.leave_rates(laws_.has_rates());
    const Outcome outcome = with_forces(system, method, length, state, w, report,
                                        may_cut && cuts < most_rests, cuts < most_stops);
    work_.bounded.leave_rates(false);
    if (outcome == Outcome::done) {
      laws_.finish(w);
      return true;
    }
    state = from_;
    if (outcome == Outcome::failed) {
      loads_.touches = loads_from_;
      return false;
    }
    length *= turns_back_;  // with the forces found so far
  }
}

/// at_end_ ← the contacts where the bodies would get to if they went on as they do. False if what
/// touches is not among them, or if that is where they are.
bool ContactHold::foresee_end(const System& system, double length, State& state) {
  if (length * relative_displacement(system, from_.v, scale_.size) < hardly_moves) return false;
  system.advance(from_.q, from_.v, length, state.q);
  at_end_.find(system, state, length, scale_.reach, work_.sleep.asleep());
  std::size_t known = 0;
  for (const Contact& contact : at_end_.contacts()) known += loads_.find(contact) != nullptr;
  return known == loads_.touches.size();
}

/// Whether the part went on beyond an impact; then turns_back_ is when that was. Things fall faster
/// and faster, so this comes near it from behind, and very near in a few cuts.
bool ContactHold::is_missed(double length) {
  const auto [depth, speed] = positions_.entry();
  if (!aims_ || !(depth > scale_.no_gap && speed > scale_.slow)) return false;
  const double when = 1 - depth / (speed * length);
  if (!(when > least_cut)) return false;
  turns_back_ = when;
  return true;
}

/// Whether something that opened in the part, without a force in it, would have been pressed at its
/// start; then turns_back_ is when it opened, about. The gap is 0 at first and does not change, so
///   g = α t² + β t³,   α = (3 g₁ − u₁ h) / h²,   β = (u₁ h − 2 g₁) / h³
/// with the gap g₁ and its rate u₁ at the end, and g̈ = 0 at −α / 3β. Where what bears it falls away
/// at once, that is too soon: the next part comes nearer.
bool ContactHold::opens_late(double length) {
  double first = 1;
  for (int c = 0; c < at_end_.count(); ++c) {
    const Contact& contact = at_end_.contact(c);
    if (contact.is_compliant() || touches_.find(contact) < 0 || loads_.find(contact)) continue;
    const double gap = touches_.way(c).dot(contact.normal), way = u_end_[3 * c] * length;
    if (!(way > scale_.opening() * length)) continue;
    const double alpha = 3 * gap - way, beta = way - 2 * gap;
    if (alpha < 0 && beta > 0) first = std::min(first, -alpha / (3 * beta));
  }
  if (!(first > least_cut && first < 1 - least_cut)) return false;
  turns_back_ = first;
  return true;
}

/// Finds the forces of the contacts, and does the part with them.
ContactHold::Outcome ContactHold::with_forces(const System& system, Method& method, double length,
                                              State& state, Workspace& w, StepReport& report,
                                              bool may_cut, bool may_stop) {
  loads_.recall(start_.rows, length, impulse_);
  bool knows_end = foresee_end(system, length, state);
  if (knows_end) loads_.recall(at_end_, length, impulse_at_end_);
  // Two-step methods must find the state that they left, and stiff springs be left in peace.
  const bool is_delicate = method.has_memory() || start_.rows.has_compliant();
  const double close_enough = is_delicate ? agrees : all_but_agrees;
  double last_change = INFINITY;
  int slow_rounds = 0;
  for (int round = 0; round < most_corrections; ++round) {
    w.modes.external.setZero(system.velocity_size());
    const double share = knows_end ? 0.5 : 1;
    start_.rows.add_impulses(impulse_, share / length, w.modes.external);
    if (knows_end) at_end_.add_impulses(impulse_at_end_, share / length, w.modes.external);
    state = from_;
    w.modes.restore(modes_from_);
    laws_.apply(w);
    StepReport done = work_.step(system, method, length, state, w);
    if (const double reached = work_.bounded.reached() / length; reached < 1 - same_time) {
      report.add(done);
      turns_back_ = reached;
      return may_stop ? Outcome::cut : Outcome::failed;
    }
    unclosed_ = state.q;
    const bool ok = done.status == StepStatus::ok && state.q.allFinite() && done.impacts == 0 &&
                    positions_.close_gaps(system, length, state, w, done);
    if (!ok) {
      report.add(done);
      break;
    }
    if (may_stop && is_missed(length)) {
      report.add(done);
      return Outcome::cut;
    }
    // Without what closed gaps.
    system.difference(from_.q, unclosed_, Chart::rotation_vector, displacement_);
    touches_.note_ways(displacement_, start_.rows, at_end_);
    laws_.look(system, state, w);
    at_end_.velocities(state.v, u_end_);
    const ConeReport cones = solve_at_end(system, method, length, Aim::places, state, w);
    scale_.count(cones, length, done);
    at_end_.velocities(problem_.velocity(), u_law_);
    applied_ = loads_.touches;
    work_.remember(at_end_, u_law_, length);
    Held is_held = cones.ok() ? judge() : Held::no;
    const HeldLaws::Change of_rates = laws_.take(problem_, w);
    if (is_held == Held::yes && !of_rates.is_settled) is_held = Held::not_yet;
    turns_back_ = std::min(turns_back_, of_rates.turns_back);
    if (is_held != Held::no && may_cut && std::abs(turns_back_ - 0.5) < 0.5 - least_cut) {
      report.add(done);
      return Outcome::cut;
    }
    if (is_held == Held::no) {
      report.add(done);
      break;
    }
    const double change = std::max((u_law_ - u_end_).lpNorm<Eigen::Infinity>(),
                                   agrees * scale_.loaded_speed * of_rates.slip);
    if (change > runs_away * last_change) {
      report.add(done);
      break;
    }
    slow_rounds = change > too_slow * last_change ? slow_rounds + 1 : 0;
    const bool is_best = round + 1 == most_corrections || slow_rounds == 2;
    if (is_held == Held::yes &&
        change <= (is_best ? nearly_agrees : close_enough) * scale_.loaded_speed) {
      if (may_cut && opens_late(length)) {
        report.add(done);
        return Outcome::cut;
      }
      if (change > agrees * scale_.loaded_speed) state.v = problem_.velocity();
      if (!stop_what_sticks(system, method, length, state, w, done) ||
          !keep_energy(system, method, w, state)) {
        report.add(done);
        break;
      }
      add_part(report, done);
      report.friction_energy += springs_.damping();
      for (int c = 0; c < at_end_.count(); ++c) report.friction_energy += friction_work(c);
      return Outcome::done;
    }
    report.add(done);
    if (round > 3 && is_best) break;
    last_change = change;
    knows_end = true;
    loads_.recall(start_.rows, length, impulse_);
    loads_.recall(at_end_, length, impulse_at_end_);
  }
  return Outcome::failed;
}

}  // namespace taut
