// The end of a part: overlaps, gaps and errors of constraints go out of the positions, by the
// smallest displacement in the sense of M,
//   min ½ |δq|²_M  with  g + H_N δq ≥ 0 (= 0 for what bears a load),  J δq = −C,
// and never become velocity. And the velocity becomes one that goes on from there.
#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"
#include "taut/simulate/contact_step.hpp"

namespace taut {
namespace {

constexpr int most_displacements = 12;
constexpr double solved = 1e-9;  // of lengths: what is left after them is not worth a word

}  // namespace

/// Constraints and the laws of positions at a state.
void ContactStep::look_at_positions(const System& system, const State& state, Workspace& w) {
  pose_.set(system, state.q);
  raw_.resize(w.pattern);
  raw_.linearize(system, w.pattern, pose_, state.time);
  set_laws(system, state, Laws::of_positions, 1, w);
  if (w.pattern.velocity_rows.empty()) return;  // they ask for nothing of positions
  left_out_.insert(left_out_.end(), w.pattern.velocity_rows.begin(), w.pattern.velocity_rows.end());
  std::sort(left_out_.begin(), left_out_.end());
}

/// How far the contacts in at_end_ are from where they should be: what bears a load touches.
double ContactStep::misplacement(Loaded loaded) const {
  double worst = 0;
  for (const Contact& contact : at_end_.contacts()) {
    if (contact.is_compliant()) continue;
    const bool touches = loaded == Loaded::touches && find(contact);
    worst = std::max(worst, touches ? std::abs(contact.gap) : -contact.gap);
  }
  return worst;
}

/// In at_end_ stay only contacts with at most this gap.
void ContactStep::keep_near(double gap) {
  near_.resize(static_cast<std::size_t>(at_end_.count()));
  for (std::size_t c = 0; c < near_.size(); ++c) near_[c] = at_end_.contacts()[c].gap <= gap;
  at_end_.keep(near_);
}

/// Of the contacts in at_end_, with problem_.right_side given. False where there is no such
/// displacement.
bool ContactStep::displace(const System& system, double worst, Loaded loaded, State& state,
                           Workspace& w, StepReport& report) {
  keep_near(10 * worst);
  bears_.resize(static_cast<std::size_t>(at_end_.count()));
  problem_.bias.setZero(3 * at_end_.count());
  for (int c = 0; c < at_end_.count(); ++c) {
    const Contact& contact = at_end_.contacts()[static_cast<std::size_t>(c)];
    bears_[static_cast<std::size_t>(c)] = loaded == Loaded::touches && find(contact);
    problem_.bias[3 * c] = contact.gap;
  }
  problem_.set_mass();
  problem_.set_rows(w.pattern, raw_, law_rows_, left_out_);
  problem_.set_gaps(at_end_, bears_);
  problem_.momentum.setZero(system.velocity_size());
  problem_.impulse.resize(0);
  const ConeReport cones = problem_.solve({.tolerance = 1e-6,
                                           .good_enough = 1e-3,
                                           .speed = worst,
                                           .turn = worst / size_,
                                           .stages = loaded == Loaded::touches ? 1 : 3});
  report.linear_solves += cones.backsolves;
  if (!cones.ok() && loaded == Loaded::touches) return false;
  system.advance(state.q, problem_.velocity(), 1, state.q);
  return true;
}

/// After a part that a method did: what bears a load touches again, in at_end_. Errors of
/// constraints are the method's affair.
bool ContactStep::close_gaps(const System& system, double length, State& state, Workspace& w,
                             StepReport& report) {
  Loaded loaded = Loaded::touches;
  double last = INFINITY;
  for (int round = 0;; ++round) {
    at_end_.find(system, state, length, reach_, sleep_.asleep());
    if (round == 0) {
      is_clear_ = true;
      for (const Contact& contact : at_end_.contacts())
        is_clear_ = is_clear_ && (contact.is_compliant() || contact.gap >= -no_gap_ ||
                                  held(contact) >= 0);
    }
    const double worst = misplacement(loaded);
    if (worst <= placed() * size_) return true;
    // Where contacts all but contradict each other, displacements grow, and find another place.
    if (round == most_displacements || !(worst <= last)) return false;
    if (round > 0) last = worst;
    look_at_positions(system, state, w);
    problem_.right_side.setZero(w.pattern.rows());
    if (!displace(system, worst, loaded, state, w, report)) loaded = Loaded::may_open;
  }
}

/// After turmoil, and wherever else something overlaps. at_end_ then has the contacts there.
void ContactStep::separate(const System& system, double h, State& state, Workspace& w,
                           StepReport& report) {
  // In real time nothing changes after this: what is found here is for the next step as well.
  const double time = is_real_time() ? ahead * h : 0, margin = (is_real_time() ? 1.1 : 1) * reach_;
  const auto find_contacts = [&] { at_end_.find(system, state, time, margin, sleep_.asleep()); };
  find_contacts();
  // What is farther apart than geometry explains has opened.
  Loaded loaded =
      widest_loaded_gap(at_end_) <= 10 * deepest_overlap() ? Loaded::touches : Loaded::may_open;
  for (int round = 0;; ++round) {
    look_at_positions(system, state, w);
    if (round > 0) find_contacts();
    double worst = misplacement(loaded) / size_;
    if (round == 0) report.overlap = std::max(report.overlap, -at_end_.lowest().gap);
    for (const LawRow& row : law_rows_) {
      raw_.C[row.row] = 0;
      worst = std::max(worst, -row.w / (row.law.unit == ConeLaw::Unit::angle ? 1 : size_));
    }
    for (const int row : left_out_) raw_.C[row] = 0;
    worst = std::max(worst, relative_error(w.pattern, raw_.C, size_));
    if (worst <= placed() || round == most_displacements) {
      if (worst > solved && report.status == StepStatus::ok) {
        report.status = StepStatus::not_converged;
        report.residual = std::max(report.residual, worst);
      }
      return;
    }
    problem_.right_side = -raw_.C;
    if (!displace(system, worst * size_, loaded, state, w, report)) loaded = Loaded::may_open;
    if (!state.q.allFinite()) return;
  }
}

// The velocity with which turmoil was done is that of a chord. At its end it must be one that the
// constraints and the contacts that bear a load allow, or the next part begins with a jump: these
// contacts give back what they did, and do what they have to at the end. What is about to bounce
// goes on to approach, but not faster. This takes energy, or leaves it as it is.
void ContactStep::align_velocity(const System& system, double length, State& state, Workspace& w,
                                 StepReport& report) {
  keep_near(no_gap_);
  if (w.pattern.rows() == 0 && at_end_.empty()) return;
  at_end_.velocities(state.v, u_end_);
  set_laws(system, state, Laws::at_impact, 1, w);
  problem_.set_mass();
  problem_.set_rows(w.pattern, raw_, law_rows_, left_out_);
  problem_.set_contacts(at_end_, ContactProblem::Friction::as_it_is, ContactProblem::Which::rigid);
  problem_.compliance.resize(0);
  problem_.right_side = -raw_.C_t;
  problem_.bias.setZero(3 * at_end_.count());
  recall(at_end_, length, problem_.impulse);
  springs_.clear();  // what is compliant goes on as it is
  for (int c = 0; c < at_end_.count(); ++c) {
    const Contact& contact = at_end_.contacts()[static_cast<std::size_t>(c)];
    if (contact.is_compliant()) {
      if (const Touch* touch = find(contact)) springs_.push_back(*touch);
      at_end_.set_impulse(c, Vec3::Zero(), Vec3::Zero(), problem_.impulse);
    }
    const bool bounces = contact.restitution > 0 && u_end_[3 * c] < -slow_;
    if (bounces || !find(contact)) problem_.bias[3 * c] = std::max(0.0, -u_end_[3 * c]);
  }
  system.apply_mass(state.v, problem_.momentum);
  at_end_.add_impulses(problem_.impulse, -1, problem_.momentum);
  const ConeReport cones = problem_.solve({.tolerance = cone_tolerance,
                                           .good_enough = good_enough,
                                           .speed = speed_,
                                           .turn = speed_ / size_});
  report.linear_solves += cones.backsolves;
  if (!cones.ok()) return;
  velocity_ = state.v;
  state.v = problem_.velocity();
  at_end_.velocities(state.v, u_law_);
  remember(at_end_, u_law_, length);
  touches_.insert(touches_.end(), springs_.begin(), springs_.end());
  std::sort(touches_.begin(), touches_.end(), Touch::before);
  if (raw_.C_t.isZero(0)) take_back_gain(system, velocity_, w, state);
}

}  // namespace taut
