#include "taut/simulate/contact_positions.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr int most_displacements = 12;
constexpr double solved = 1e-9;  // of lengths: what is left after them is not worth a word

}  // namespace

/// How far the contacts in at_end_ are from where they should be: what bears a load touches.
double ContactPositions::misplacement(Loaded loaded) const {
  double worst = 0;
  for (const Contact& contact : at_end_.contacts()) {
    if (contact.is_compliant() || std::abs(contact.gap) <= worst) continue;
    if (contact.gap < 0 || (loaded == Loaded::touches && loads_.find(contact)))
      worst = std::abs(contact.gap);
  }
  return worst;
}

void ContactPositions::note_entry(const State& state) {
  entry_ = {};
  int deepest = -1;
  for (int c = 0; c < at_end_.count(); ++c)
    if (const Contact& contact = at_end_.contact(c);
        - contact.gap > entry_.depth && !contact.is_compliant() && !loads_.find(contact)) {
      entry_.depth = -contact.gap;
      deepest = c;
    }
  if (!(entry_.depth > scale_.no_gap)) return;
  at_end_.velocities(state.v, u_);
  entry_.speed = -u_[3 * deepest];
}

/// In at_end_ stay only contacts with at most this gap.
void ContactPositions::keep_near(double gap) {
  near_.resize(static_cast<std::size_t>(at_end_.count()));
  for (std::size_t c = 0; c < near_.size(); ++c) near_[c] = at_end_.contacts()[c].gap <= gap;
  at_end_.keep(near_);
}

/// Of the contacts in at_end_, with problem_.right_side given. False where there is no such
/// displacement.
bool ContactPositions::displace(const System& system, double worst, Loaded loaded, State& state,
                                Workspace& w, StepReport& report) {
  keep_near(10 * worst);
  bears_.resize(static_cast<std::size_t>(at_end_.count()));
  problem_.bias.setZero(3 * at_end_.count());
  for (int c = 0; c < at_end_.count(); ++c) {
    const Contact& contact = at_end_.contact(c);
    bears_[static_cast<std::size_t>(c)] = loaded == Loaded::touches && loads_.find(contact);
    problem_.bias[3 * c] = contact.gap;
  }
  problem_.set_mass();
  equations_.give(w, problem_);
  problem_.set_gaps(at_end_, bears_);
  problem_.momentum.setZero(system.velocity_size());
  problem_.impulse.resize(0);
  const ConeReport cones = problem_.solve({.tolerance = 1e-6,
                                           .good_enough = 1e-3,
                                           .speed = worst,
                                           .turn = worst / scale_.size,
                                           .stages = loaded == Loaded::touches ? 1 : 3});
  report.linear_solves += cones.backsolves;
  if (!cones.ok() && loaded == Loaded::touches) return false;
  system.advance(state.q, problem_.velocity(), 1, state.q);
  return true;
}

bool ContactPositions::close_gaps(const System& system, double length, State& state, Workspace& w,
                                  StepReport& report) {
  Loaded loaded = Loaded::touches;
  double last = INFINITY;
  for (int round = 0;; ++round) {
    at_end_.find(system, state, length, scale_.reach, work_.sleep.asleep());
    if (round == 0) note_entry(state);
    const double worst = misplacement(loaded);
    if (worst <= scale_.placed() * scale_.size) return true;
    // Where contacts all but contradict each other, displacements grow, and find another place.
    if (round == most_displacements || !(worst <= last)) return false;
    if (round > 0) last = worst;
    equations_.look_at_positions(system, state, scale_.size, w);
    problem_.right_side.setZero(w.pattern.rows());
    if (!displace(system, worst, loaded, state, w, report)) loaded = Loaded::may_open;
  }
}

void ContactPositions::separate(const System& system, double h, State& state, Workspace& w,
                                StepReport& report) {
  // In real time nothing changes after this: what is found here is for the next step as well.
  const double time = scale_.is_real_time() ? ContactScale::ahead * h : 0,
               margin = (scale_.is_real_time() ? 1.1 : 1) * scale_.reach;
  const auto find_contacts = [&] {
    at_end_.find(system, state, time, margin, work_.sleep.asleep(), scale_.still());
  };
  find_contacts();
  // What is farther apart than geometry explains has opened.
  Loaded loaded = loads_.widest_gap(at_end_) <= 10 * scale_.deepest_overlap() ? Loaded::touches
                                                                              : Loaded::may_open;
  for (int round = 0;; ++round) {
    equations_.look_at_positions(system, state, scale_.size, w, scale_.still());
    if (round > 0) find_contacts();
    double worst = misplacement(loaded) / scale_.size;
    if (round == 0) report.overlap = std::max(report.overlap, -at_end_.lowest().gap);
    VecX& C = problem_.right_side;
    C = equations_.rows.C;
    for (const ContactEquations::LawRow& row : equations_.laws) {
      C[row.row] = 0;
      worst = std::max(worst, -row.w / (row.law.unit == ConeLaw::Unit::angle ? 1 : scale_.size));
    }
    for (const int row : equations_.left_out) C[row] = 0;
    worst = std::max(worst, relative_error(w.pattern, C, scale_.size));
    if (worst <= scale_.placed() || round == most_displacements) {
      if (worst > solved && report.status == StepStatus::ok) {
        report.status = StepStatus::not_converged;
        report.residual = std::max(report.residual, worst);
      }
      return;
    }
    C = -C;
    if (!displace(system, worst * scale_.size, loaded, state, w, report)) loaded = Loaded::may_open;
    if (!state.q.allFinite()) return;
  }
}

// The velocity with which turmoil was done is that of a chord. At its end it must be one that the
// constraints and the contacts that bear a load allow, or the next part begins with a jump: these
// contacts give back what they did, and do what they have to at the end. What is about to bounce
// goes on to approach, but not faster. This takes energy, or leaves it as it is.
void ContactPositions::align_velocity(const System& system, double length, State& state,
                                      Workspace& w, StepReport& report) {
  keep_near(scale_.no_gap);
  if (w.pattern.rows() == 0 && at_end_.empty()) return;
  at_end_.velocities(state.v, u_);
  equations_.set_laws(system, state, ContactEquations::Laws::at_impact, 1, scale_.size, w);
  problem_.set_mass();
  equations_.give(w, problem_);
  problem_.set_contacts(at_end_, ContactProblem::Friction::as_it_is, ContactProblem::Which::rigid);
  problem_.compliance.resize(0);
  problem_.right_side = -equations_.rows.C_t;
  problem_.bias.setZero(3 * at_end_.count());
  loads_.recall(at_end_, length, problem_.impulse);
  springs_.clear();  // what is compliant goes on as it is
  for (int c = 0; c < at_end_.count(); ++c) {
    const Contact& contact = at_end_.contact(c);
    if (contact.is_compliant()) {
      if (const Touch* touch = loads_.find(contact)) springs_.push_back(*touch);
      at_end_.set_impulse(c, Vec3::Zero(), Vec3::Zero(), problem_.impulse);
    }
    const bool bounces = contact.restitution > 0 && u_[3 * c] < -scale_.slow;
    if (bounces || !loads_.find(contact)) problem_.bias[3 * c] = std::max(0.0, -u_[3 * c]);
  }
  system.apply_mass(state.v, problem_.momentum);
  at_end_.add_impulses(problem_.impulse, -1, problem_.momentum);
  const ConeReport cones = problem_.solve(scale_.exactly());
  report.linear_solves += cones.backsolves;
  if (!cones.ok()) return;
  before_ = state.v;
  state.v = problem_.velocity();
  problem_.row_impulses(impulses_);
  report.work += impulses_.dot(equations_.rows.C_t);
  at_end_.velocities(state.v, u_);
  work_.remember(at_end_, u_, length);
  loads_.touches.insert(loads_.touches.end(), springs_.begin(), springs_.end());
  std::sort(loads_.touches.begin(), loads_.touches.end(), Touch::before);
  if (equations_.rows.C_t.isZero(0)) take_back_gain(system, before_, w, state);
}

/// What the kinetic energy grew from velocities `before` on.
void ContactPositions::take_back_gain(const System& system, const VecX& before, const Workspace& w,
                                      State& state) {
  energies_.look(system, problem_, at_end_, state.v);
  for (int i = 0; i < system.body_count(); ++i)
    energies_.surplus(i) += kinetic_change(system, i, before, state.v);
  energies_.take(system, w.pattern.rows() == 0, false, state);
}

}  // namespace taut
