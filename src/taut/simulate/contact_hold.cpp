// The part of a step in which what touches goes on sticking or sliding, or opens.
//
// The method does the part, with a constant force f for each contact, which acts as
//   ½ (H₀ᵀ f₀ + H₁ᵀ f₁):
// where the contact is at the start and where it is at the end, turned with the normal. f is
// corrected until the velocity at the end obeys the laws there, and friction is opposite to the
// mean of the slips at both ends. Gaps that the method leaves are closed in the positions. What
// rests must not creep: its force is corrected until its way is 0, and only then its velocity. So
// a body that rolls is followed with second order, and where forces are constant the part is exact.
// Methods of higher order end the part where something that slides comes to rest and turns back.
#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"
#include "taut/model/stiffness_product.hpp"
#include "taut/simulate/contact_step.hpp"

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
constexpr double no_turn = 1e-6;         // rad: a body does not roll
constexpr double no_slip = 1e-6;         // of speeds: it rests
constexpr double out_of_reach = 1e3;     // of speeds
constexpr double agrees = 1e-9;          // of speeds: the method and the laws agree,
constexpr double all_but_agrees = 1e-7;  // … this is put right in the velocity alone,
constexpr double nearly_agrees = 1e-4;   // … and so is this where it gets no better

}  // namespace

void ContactStep::note_slips() {
  slips_.assign(remembered_.size(), Vec3::Zero());
  spins_.assign(remembered_.size(), Vec3::Zero());
  stops_.assign(remembered_.size(), 0);
  stopping_.assign(remembered_.size(), {});
  for (int c = 0; c < rows_.count(); ++c)
    if (const int touch = held(rows_.contacts()[static_cast<std::size_t>(c)]); touch >= 0) {
      slips_[static_cast<std::size_t>(touch)] = rows_.slip(c, u_);
      spins_[static_cast<std::size_t>(touch)] = rows_.spin(c, u_);
    }
}

/// Which of the touches at the start it is; −1: none.
int ContactStep::held(const Contact& contact) const {
  const Touch* touch = find_touch(remembered_, contact);
  return touch ? static_cast<int>(touch - remembered_.data()) : -1;
}

/// A vector of one of the touches at the start, turned as its contact in at_end_ is.
Vec3 ContactStep::turned_to_end(int contact, const std::vector<Vec3>& of_touches) const {
  const Contact& at_end = at_end_.contacts()[static_cast<std::size_t>(contact)];
  const int touch = held(at_end);
  if (touch < 0) return Vec3::Zero();
  const std::size_t number = static_cast<std::size_t>(touch);
  return turned(remembered_[number].normal, at_end.normal, of_touches[number]);
}

/// The slip at the start of the part.
Vec3 ContactStep::slip_before(int contact) const {
  return at_end_.along(contact, turned_to_end(contact, slips_));
}

/// J, what friction does in the part: with a constant force, and the slips at both ends. It never
/// gives: where these say so, as of what turns back and opens, that is an error of the part.
double ContactStep::held_friction_work(int contact) const {
  const Vec3 slip = at_end_.slip(contact, u_law_) + turned_to_end(contact, slips_);
  const Vec3 spin = at_end_.spin(contact, u_law_) + turned_to_end(contact, spins_);
  const Vec3 normal = at_end_.contacts()[static_cast<std::size_t>(contact)].normal;
  const Vec3 force = at_end_.force(contact, problem_.impulse);
  const double work = (force - force.dot(normal) * normal).dot(slip) +
                      at_end_.torque(contact, problem_.impulse).dot(spin);
  return 0.5 * std::min(0.0, work);
}

/// How far the method alone, without what closed gaps, moved the contacts in at_end_ since from_:
/// Σ H Δq with H as the mean of both ends. That is ways_, in the world.
void ContactStep::note_ways(const System& system) {
  const auto whole = [&](const ContactRows& rows, int c) {
    return Vec3(rows.slip(c, u_law_) +
                u_law_[3 * c] * rows.contacts()[static_cast<std::size_t>(c)].normal);
  };
  system.difference(from_.q, unclosed_, Chart::rotation_vector, velocity_);
  ways_at_start_.assign(remembered_.size(), Vec3::Zero());
  rows_.velocities(velocity_, u_law_);
  for (int c = 0; c < rows_.count(); ++c)
    if (const int touch = held(rows_.contacts()[static_cast<std::size_t>(c)]); touch >= 0)
      ways_at_start_[static_cast<std::size_t>(touch)] = whole(rows_, c);
  at_end_.velocities(velocity_, u_law_);
  ways_.resize(static_cast<std::size_t>(at_end_.count()));
  turns_.assign(static_cast<std::size_t>(at_end_.count()), 0);
  for (int c = 0; c < at_end_.count(); ++c) {
    const std::size_t number = static_cast<std::size_t>(c);
    ways_[number] = 0.5 * (whole(at_end_, c) + turned_to_end(c, ways_at_start_));
    for (const ContactRows::Block& block : at_end_.blocks(c))
      if (block.size == 6 && velocity_.segment<3>(block.dof + 3).norm() > no_turn)
        turns_[number] = 1;
  }
}

/// The same contacts at the end, with the forces that would make the laws hold there. With `aim`
/// at places, what sticks is to have gone nowhere; else it is to be at rest.
ConeReport ContactStep::solve_at_end(const System& system, const Method& method, double length,
                                     Aim aim, const State& state, Workspace& w) {
  const ForceResponse response = method.force_response();
  const double reach = response.way * length, rest = no_slip * loaded_speed_;
  const auto way_back = [&](int c) {
    const Vec3& way = ways_[static_cast<std::size_t>(c)];
    Vec3 along = at_end_.along(c, way);
    along[0] = way.dot(at_end_.contacts()[static_cast<std::size_t>(c)].normal);
    return along;
  };
  recall(at_end_, length, problem_.impulse);
  problem_.bias.setZero(3 * at_end_.count());
  for (int c = 0; c < at_end_.count(); ++c) {
    const Contact& contact = at_end_.contacts()[static_cast<std::size_t>(c)];
    const int touch = held(contact);
    const std::size_t number = static_cast<std::size_t>(touch);
    if (touch < 0) {
      // What comes fast, but is not there yet, is hit in a later part.
      const bool is_hit_later = is_clear_ && !contact.is_compliant() && contact.gap > no_gap_ &&
                                u_end_[3 * c] < -slow_ && method.order() >= 2;
      problem_.bias[3 * c] =
          is_hit_later ? out_of_reach * fastest_ : to_close(contact.gap) / length;
      continue;
    }
    const Vec3 slip = slip_before(c);
    // At rest friction may be as large as it can be. Such a contact is to go nowhere just like the
    // others of its body: else they contradict each other.
    const bool rests = remembered_[number].how == Touch::How::sticks || slip.norm() <= rest;
    if (!rests && !stops_[number])
      problem_.bias.segment<3>(3 * c) = slip;
    else if (aim == Aim::places && rests && !turns_[static_cast<std::size_t>(c)])
      problem_.bias.segment<3>(3 * c) = way_back(c) / reach - u_end_.segment<3>(3 * c);
  }
  set_held_springs(length, method);
  w.evaluate(system, state.q, state.time, w.end);
  system.apply_mass(state.v, problem_.momentum);
  problem_.momentum *= response.mass;
  if (response.stiffness == 0 || w.pattern.coupling_blocks.empty()) {
    problem_.set_mass(response.mass);
  } else {
    pose_.set(system, state.q);
    raw_.resize(w.pattern);
    raw_.add_force_stiffness(system, w.pattern, pose_, state.v,
                             response.damping / (response.stiffness * length), state.time);
    const double factor = response.stiffness * length * length;
    problem_.set_mass(w.pattern, response.mass, raw_.K, factor);
    velocity_ = factor * state.v;
    add_product(w.pattern.coupling_blocks, raw_.K, velocity_, problem_.momentum);
  }
  law_rows_.clear();
  left_out_.clear();
  if (!held_laws_.empty())
    held_laws_.set_laws(reach, aim, w, law_rows_, left_out_, problem_.momentum);
  const Rows& rows = held_laws_.empty() ? w.end : held_laws_.rows();
  problem_.set_rows(w.pattern, rows, law_rows_, left_out_);
  problem_.set_contacts(at_end_, ContactProblem::Friction::as_it_is, ContactProblem::Which::all);
  multiply(w.pattern, rows.J, state.v, problem_.right_side);
  at_end_.add_impulses(problem_.impulse, -1, problem_.momentum);
  return problem_.solve({.tolerance = cone_tolerance,
                         .good_enough = good_enough,
                         .speed = speed_,
                         .turn = speed_ / size_,
                         // Where that is hard, the part is not held; joints are worth more.
                         .stages = held_laws_.empty() ? 1 : 3,
                         .solver = solver_,
                         .most_time = most_time_});
}

/// Whether what has not touched before approaches so slowly that a force stops it in the part.
bool ContactStep::comes_softly(const Touch& touch) const {
  const auto is_of = [&](const Contact& contact) {
    return contact.source == touch.source && contact.feature == touch.feature;
  };
  const auto number = [&](const ContactRows& rows) {
    int c = 0;
    while (c < rows.count() && !is_of(rows.contacts()[static_cast<std::size_t>(c)])) ++c;
    return c;
  };
  const auto is_soft = [&](const ContactRows& rows, int c, const VecX& u) {
    return !rows.contacts()[static_cast<std::size_t>(c)].is_compliant() && u[3 * c] >= -slow_;
  };
  if (const int c = number(rows_); c < rows_.count()) return is_soft(rows_, c, u_);
  const int c = number(at_end_);
  return c < at_end_.count() && is_soft(at_end_, c, u_end_);
}

// What opens, begins to slide or comes to rest does so without a jump of velocities: a part with a
// constant force goes through it. What closes fast does not.
ContactStep::Held ContactStep::judge_hold() {
  for (const Touch& touch : touches_)
    if (!std::binary_search(remembered_.begin(), remembered_.end(), touch, Touch::before) &&
        !comes_softly(touch))
      return Held::no;
  // What pushed, but is out of reach at the end, pushed too much.
  std::size_t pushed = 0;
  for (const Contact& contact : at_end_.contacts())
    pushed += find_touch(applied_, contact) != nullptr;
  Held result = pushed < applied_.size() ? Held::not_yet : Held::yes;
  turns_back_ = 1;
  for (int c = 0; c < at_end_.count(); ++c) {
    const int touch = held(at_end_.contacts()[static_cast<std::size_t>(c)]);
    if (touch < 0) continue;
    const std::size_t number = static_cast<std::size_t>(touch);
    if (remembered_[number].how == Touch::How::sticks) continue;
    const Vec3 before = slip_before(c);
    const double speed = before.norm();
    if (speed <= no_slip * loaded_speed_) continue;  // it rests
    const Contact& contact = at_end_.contacts()[static_cast<std::size_t>(c)];
    if (const Touch* now = find(contact); stops_[number] && now) {
      const double friction = at_end_.along(c, now->force).dot(before) / speed;
      if (std::abs(stopping_[number].to_hold(friction)) >=
          at_end_.friction(c) * now->force.dot(contact.normal))
        turns_back_ = std::min(turns_back_, stopping_[number].at());
    }
    const double onwards = u_law_.segment<3>(3 * c).dot(before) / speed;
    if (stops_[number] || onwards > 0) continue;
    stops_[number] = 1;
    stopping_[number] = {
        speed, std::min(u_end_.segment<3>(3 * c).dot(before) / speed, onwards),
        -at_end_.friction(c) * remembered_[number].force.dot(remembered_[number].normal)};
    result = Held::not_yet;
  }
  return result;
}

/// The end of a part that is held: what has not gone anywhere may still be about to.
bool ContactStep::stop_what_sticks(const System& system, const Method& method, double length,
                                   State& state, Workspace& w, StepReport& report) {
  held_laws_.look(system, state, w);
  at_end_.velocities(state.v, u_end_);
  bool moves = false;
  for (int c = 0; c < at_end_.count(); ++c) {
    const Touch* touch = find(at_end_.contacts()[static_cast<std::size_t>(c)]);
    moves = moves || (touch && touch->how == Touch::How::sticks &&
                      u_end_.segment<3>(3 * c).norm() > cone_tolerance * loaded_speed_);
  }
  if (!moves && !held_laws_.creeps()) return true;
  touches_ = applied_;
  const ConeReport cones = solve_at_end(system, method, length, Aim::speeds, state, w);
  count(cones, length, report);
  at_end_.velocities(problem_.velocity(), u_law_);
  remember(at_end_, u_law_, length);
  state.v = problem_.velocity();
  return cones.ok() && judge_hold() != Held::no && held_laws_.take(problem_, w).is_settled;
}

bool ContactStep::hold(const System& system, Method& method, bool may_cut, double& length,
                       State& state, Workspace& w, StepReport& report) {
  from_ = state;
  modes_from_ = w.modes.modes();
  touches_of_hold_ = touches_;
  // What has a gap or still approaches is among the forces, but not among what goes on as it is.
  remembered_.clear();
  for (int c = 0; c < rows_.count(); ++c) {
    const Contact& contact = rows_.contacts()[static_cast<std::size_t>(c)];
    const bool goes_on = contact.is_compliant() || (is_closed(c) && is_still(c));
    if (const Touch* touch = find(contact); touch && goes_on) remembered_.push_back(*touch);
  }
  std::sort(remembered_.begin(), remembered_.end(), Touch::before);
  note_start_gaps();
  for (int cuts = 0;; ++cuts) {
    note_slips();
    held_laws_.start(system, length, from_, w);
    bounded_.leave_rates(held_laws_.has_rates());
    const Hold outcome = hold_with_forces(system, method, length, state, w, report,
                                          may_cut && cuts < most_rests, cuts < most_stops);
    bounded_.leave_rates(false);
    if (outcome == Hold::done) {
      held_laws_.finish(w);
      return true;
    }
    state = from_;
    if (outcome == Hold::failed) {
      touches_ = touches_of_hold_;
      return false;
    }
    length *= turns_back_;  // with the forces found so far
  }
}

/// at_end_ ← the contacts where the bodies would get to if they went on as they do. False if what
/// touches is not among them, or if that is where they are.
bool ContactStep::foresee_end(const System& system, double length, State& state) {
  if (length * relative_displacement(system, from_.v, size_) < hardly_moves) return false;
  system.advance(from_.q, from_.v, length, state.q);
  at_end_.find(system, state, length, reach_, sleep_.asleep());
  std::size_t known = 0;
  for (const Contact& contact : at_end_.contacts()) known += find(contact) != nullptr;
  return known == touches_.size();
}

/// Finds the forces of the contacts, and does the part with them.
ContactStep::Hold ContactStep::hold_with_forces(const System& system, Method& method, double length,
                                                State& state, Workspace& w, StepReport& report,
                                                bool may_cut, bool may_stop) {
  recall(rows_, length, impulse_);
  bool knows_end = foresee_end(system, length, state);
  if (knows_end) recall(at_end_, length, impulse_at_end_);
  // Two-step methods must find the state that they left, and stiff springs be left in peace.
  const bool is_delicate = method.has_memory() || rows_.has_compliant();
  const double close_enough = is_delicate ? agrees : all_but_agrees;
  double last_change = INFINITY;
  int slow_rounds = 0;
  for (int round = 0; round < most_corrections; ++round) {
    w.modes.external.setZero(system.velocity_size());
    const double share = knows_end ? 0.5 : 1;
    rows_.add_impulses(impulse_, share / length, w.modes.external);
    if (knows_end) at_end_.add_impulses(impulse_at_end_, share / length, w.modes.external);
    sleep_.add_forces(system, w.modes.external);
    state = from_;
    w.modes.restore(modes_from_);
    held_laws_.apply(w);
    StepReport done = bounded_.step(system, method, length, state, w);
    w.modes.external.resize(0);
    sleep_.restore(system, state);
    if (const double reached = bounded_.reached() / length; reached < 1 - same_time) {
      report.add(done);
      turns_back_ = reached;
      return may_stop ? Hold::cut : Hold::failed;
    }
    unclosed_ = state.q;
    const bool ok = done.status == StepStatus::ok && state.q.allFinite() && done.impacts == 0 &&
                    close_gaps(system, length, state, w, done);
    if (!ok) {
      report.add(done);
      break;
    }
    note_ways(system);
    held_laws_.look(system, state, w);
    at_end_.velocities(state.v, u_end_);
    const ConeReport cones = solve_at_end(system, method, length, Aim::places, state, w);
    count(cones, length, done);
    at_end_.velocities(problem_.velocity(), u_law_);
    applied_ = touches_;
    remember(at_end_, u_law_, length);
    Held is_held = cones.ok() ? judge_hold() : Held::no;
    const HeldLaws::Change of_rates = held_laws_.take(problem_, w);
    if (is_held == Held::yes && !of_rates.is_settled) is_held = Held::not_yet;
    turns_back_ = std::min(turns_back_, of_rates.turns_back);
    if (is_held != Held::no && may_cut && std::abs(turns_back_ - 0.5) < 0.5 - least_cut) {
      report.add(done);
      return Hold::cut;
    }
    if (is_held == Held::no) {
      report.add(done);
      break;
    }
    const double change = std::max((u_law_ - u_end_).lpNorm<Eigen::Infinity>(),
                                   agrees * loaded_speed_ * of_rates.slip);
    if (change > runs_away * last_change) {
      report.add(done);
      break;
    }
    slow_rounds = change > too_slow * last_change ? slow_rounds + 1 : 0;
    const bool is_best = round + 1 == most_corrections || slow_rounds == 2;
    if (is_held == Held::yes &&
        change <= (is_best ? nearly_agrees : close_enough) * loaded_speed_) {
      if (change > agrees * loaded_speed_) state.v = problem_.velocity();
      if (!stop_what_sticks(system, method, length, state, w, done) ||
          !keep_energy(system, method, w, state)) {
        report.add(done);
        break;
      }
      add_part(report, done);
      report.friction_energy += damping_;
      for (int c = 0; c < at_end_.count(); ++c) report.friction_energy += held_friction_work(c);
      return Hold::done;
    }
    report.add(done);
    if (round > 3 && is_best) break;
    last_change = change;
    knows_end = true;
    recall(rows_, length, impulse_);
    recall(at_end_, length, impulse_at_end_);
  }
  return Hold::failed;
}

}  // namespace taut
