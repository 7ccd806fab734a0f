#include "taut/simulate/sheet_method.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/archive.hpp"
#include "taut/model/scale.hpp"

namespace taut {
namespace {
constexpr int most_rounds = 25;  // in which touches are looked for
// Of cloth whose edges are rows the mean error counts. Springs that are stiff for the step let each
// body move little and many of them together far: there the worst counts.
constexpr double rows_of_cloth = 1.5;  // per body, at least
// In thicknesses: how deep is good enough to end the step, by how much more it may be than it was,
// and what is moved apart then. Looking for touches again in the step costs more than that.
constexpr double accepted_depth = 0.9, more_depth = 0.05, lifted_depth = 0.85;
constexpr double hardly = 0.02;  // of a way that is free: what is in the way is moved apart first
constexpr int most_separations = 4;
// Of the motion's energy, from nothing: where the worst of the motion and the touches is asked for
// instead of the mean; and where the step has failed all the same.
constexpr double suspect_gain = 1e-2, most_gain = 2;
// Of a linear system, relative. More gains no iteration, unless it decides which rows act, or less
// was not good enough.
constexpr double solved_to = 0.1, solved_strictly = 1e-3;
constexpr double separating = 0.1;  // thicknesses per step: a speed that releases what holds
}  // namespace

SheetMethod::SheetMethod() {
  promises = {.energy = Promises::Energy::dissipates,
              .exact_constraints = true,
              .passes_singular = true,
              .decides_laws = true};
}

void SheetMethod::adapt(const System& system, Workspace& w) {
  w.adapt(system);
  if (system.topology() == topology_ && pattern_ == &w.pattern) return;
  if (topology_ >= 0) forces_.forget();  // else they may come from a checkpoint
  topology_ = system.topology();
  pattern_ = &w.pattern;
  kkt_ = std::make_unique<KktKrylov>(system, w.pattern);
  if (!solver_to_come_.empty()) {
    Archive saved(solver_to_come_);
    kkt_->archive(saved);
    solver_to_come_.clear();
  }
  rows_.resize(w.pattern);
  has_springs_ = w.pattern.rows() < rows_of_cloth * system.body_count() || !w.modes.modes().empty();
  // By motors and moving ground, what C does not tell.
  const auto moves = [](const ConstraintBatch& batch) {
    const RowLaw::Kind kind = batch.size() > 0 ? batch.law(0, 0).kind : RowLaw::Kind::equation;
    return batch.depends_on_time() &&
           (kind == RowLaw::Kind::rate || kind == RowLaw::Kind::velocity);
  };
  is_pushed_ = std::any_of(system.constraints().begin(), system.constraints().end(),
                           [&](const auto& each) { return moves(*each); }) ||
               std::any_of(system.all_forces().begin(), system.all_forces().end(),
                           [](const auto& each) { return !each->is_passive(); });
  drives_.emplace(system);
  turning_.resize(static_cast<std::size_t>(system.rigid_count()));
  for (VecX* per_velocity : {&zero_, &displaced_}) per_velocity->setZero(system.velocity_size());
}

void SheetMethod::find(const Problem& p, bool is_first) {
  here_.set(p.system, q_);
  wanted_pose_.set(p.system, wanted_);
  p.system.sheets()->find(here_, wanted_pose_, touches_);
  holds_touches_ = std::any_of(touches_.begin(), touches_.end(), [](const SheetTouch& each) {
    return each.release != Release::complementarity;
  });
  contacts_.clear();
  p.system.difference(q_, wanted_, Chart::rotation_vector, displaced_);
  for (const auto& source : p.system.contact_sources())
    source->find(here_, displaced_, 1, 0.1 * thickness_, contacts_);
  for (const Contact& contact : contacts_) {
    SheetTouch touch;
    touch.feature = contact.feature;
    touch.add({contact.a, 1});
    touch.add({contact.b, -1});
    touch.normal = contact.normal;
    touch.gap = contact.gap;
    touch.thickness = thickness_;
    touch.friction = contact.friction;
    touch.sides[0].shape = contact.shape_a;
    touch.sides[1].shape = contact.shape_b;
    touch.source = contact.source;
    touches_.push_back(touch);
  }
  forces_.set({p.system, start_pose_, here_, stiffness_, p.has_forces, !p.has_forces,
               p.has_forces ? &p.v : nullptr, separating * thickness_ / p.h, is_first},
              touches_);
}

double SheetMethod::depth_of_touches() const {
  double depth = 0;
  for (const SheetTouch& touch : touches_) depth = std::max(depth, -touch.gap / touch.thickness);
  return depth;
}

double SheetMethod::deepest(const System& system) {
  here_.set(system, q_);
  system.sheets()->find(here_, here_, touches_);
  return depth_of_touches();
}

bool SheetMethod::solve(Problem& p, bool is_first, double& part) {
  lambda_before_ = p.w.lambda;
  find(p, is_first);
  if (!iterate(p)) {
    if (solved_to_ == solved_strictly || !p.has_forces) return false;
    solved_to_ = solved_strictly;
    p.w.lambda = lambda_before_;
    q_hat_ = wanted_;
    find(p, is_first);
    if (!iterate(p)) return false;
  }
  if (p.has_forces) balance(p);
  end_pose_.set(p.system, q_hat_);
  part = p.system.sheets()->free_part(here_, end_pose_);
  return true;
}

SheetMethod::Outcome SheetMethod::go(Problem& p) {
  start_pose_.set(p.system, p.start.q);
  if (!p.has_forces) wanted_ = q_;
  q_hat_ = wanted_;
  forces_.clear();
  evaluate(p);
  assemble(p);
  stiffness_of_bodies(p);
  int separations = 0;
  for (int round = 0; round < most_rounds; ++round) {
    double part = 0;
    if (!solve(p, round == 0, part)) return Outcome::failed;
    const double depth = depth_of_touches();
    p.system.difference(q_, q_hat_, Chart::rotation_vector, from_here_);
    forces_.remember();
    if (p.has_forces) forces_.loads(touches_, loads_);
    wanted_ = q_hat_;
    if (part >= 1)
      q_ = q_hat_;
    else
      p.system.advance(q_, from_here_, part, q_);
    if (!p.has_forces) return part >= 1 ? Outcome::solved : Outcome::stuck;
    const double deepest_now = deepest(p.system);
    if (part >= 1 && deepest_now <= std::max(accepted_depth, depth) + more_depth)
      return Outcome::solved;
    if (part < hardly && deepest_now > lifted_depth && separations++ < most_separations)
      separate(p);
  }
  return Outcome::stuck;
}

void SheetMethod::separate(Problem& motion) {
  const VecX lambda = motion.w.lambda, from = q_, wanted = wanted_;
  const TouchForces forces = forces_;
  const State placed{motion.start.time, q_, zero_};
  motion.w.lambda.setZero();
  Problem places{motion.system, placed, motion.h, zero_, false, motion.w, motion.report};
  go(places);
  motion.w.lambda = lambda;
  forces_ = forces;
  start_pose_.set(motion.system, motion.start.q);
  motion.system.difference(from, q_, Chart::rotation_vector, displaced_);
  separated_ += displaced_;
  motion.system.advance(wanted, displaced_, 1, wanted_);
  q_hat_ = wanted_;
}

// What is pressed together by something heavy is lifted no farther than with the energy that the
// step has lost. (All of the way is free, and so is a part of it.)
void SheetMethod::lift_apart(Problem& motion, double lost) {
  const System& system = motion.system;
  const VecX placed = q_;
  end_pose_.set(system, placed);
  const double before = system.potential_energy(end_pose_);
  separate(motion);
  end_pose_.set(system, q_);
  const double gained = system.potential_energy(end_pose_) - before;
  if (!(gained > std::max(lost, 0.0))) return;
  system.difference(placed, q_, Chart::rotation_vector, displaced_);
  system.advance(placed, displaced_, std::max(lost, 0.0) / gained, q_);
}

SheetMethod::Outcome SheetMethod::go_from_start(Problem& p) {
  p.system.advance(p.start.q, p.start.v, p.h, wanted_);
  separated_ = zero_;
  solved_to_ = p.w.modes.in_solve ? solved_strictly : solved_to;
  q_ = p.start.q;
  return go(p);
}

// All goes straight on as far as is free, if the constraints allow that, or else stays.
void SheetMethod::give_up(Problem& p, State& state) {
  const System& system = p.system;
  system.difference(state.q, wanted_, Chart::rotation_vector, displaced_);
  const double way = relative_displacement(system, displaced_, length_);
  separated_ = zero_;
  q_ = state.q;
  system.advance(state.q, state.v, p.h, wanted_);
  here_.set(system, state.q);
  end_pose_.set(system, wanted_);
  system.advance(state.q, state.v, p.h * system.sheets()->free_part(here_, end_pose_), q_hat_);
  p.w.evaluate(system, q_hat_, state.time + p.h, p.w.end, RowForm::smooth);
  if (meets_rows(p)) q_ = q_hat_;
  system.advance(q_, state.v, p.h, wanted_);
  find(p, true);
  q_hat_ = q_;
  p.report.status = StepStatus::not_converged;
  p.report.unsolved += std::max(evaluate(p).motion * accepted_motion_, way);
  p.report.residual = std::max(p.report.residual, relative_error(p.w.pattern, p.w.end.C, length_));
  zones_.unite(system, here_, touches_, state.v);
  forces_.forget();
  p.w.lambda.setZero();
  state.q = q_;
  state.time += p.h;
}

// Backward Euler only takes energy. Where the solver stops early, what it leaves may be a blow in a
// place where cloth crumples, which is not much in the mean.
bool SheetMethod::has_gained(const Problem& p, double most) {
  if (is_pushed_) return false;
  p.system.difference(p.start.q, q_, Chart::rotation_vector, delta_);
  delta_ -= separated_;
  v_ = delta_ / p.h;
  p.system.advance(p.start.q, delta_, 1, q_before_);  // without what was only moved apart
  const double scale = p.system.kinetic_energy(p.start.v) + energy_of_fall_;
  const double driven =
      drives_->most(start_pose_, p.start.time, p.start.time + p.h, lambda_at_start_, p.w.lambda);
  return p.system.energy({p.start.time, q_before_, v_}) - p.system.energy(p.start) >
         driven + most * scale;
}

StepReport SheetMethod::step(const System& system, double h, State& state, Workspace& w) {
  StepReport report;
  adapt(system, w);
  set_tolerances(system, h, state, w);
  Problem motion{system, state, h, state.v, true, w, report};
  lambda_at_start_ = w.lambda;
  Outcome outcome = go_from_start(motion);
  if (outcome == Outcome::solved && has_gained(motion, suspect_gain)) {
    w.lambda = lambda_at_start_;
    forces_.forget();
    counts_worst_ = true;
    outcome = go_from_start(motion);
    counts_worst_ = false;
    if (outcome == Outcome::solved && has_gained(motion, most_gain)) outcome = Outcome::failed;
  }
  report.friction_energy += std::min(0.0, forces_.friction_work());
  if (outcome != Outcome::solved) {
    give_up(motion, state);
    return report;
  }
  report.residual = std::max(report.residual, relative_error(w.pattern, w.end.C, length_));
  system.difference(state.q, q_, Chart::rotation_vector, delta_);
  delta_ -= separated_;
  const VecX velocity = delta_ / h;
  const double depth = depth_of_touches();
  report.overlap = std::max(report.overlap, (depth - 1) * thickness_);
  if (depth > lifted_depth)
    lift_apart(motion, system.energy(state) - system.energy({state.time, q_, velocity}));
  state.q = q_;
  state.v = velocity;
  state.time += h;
  return report;
}

}  // namespace taut
