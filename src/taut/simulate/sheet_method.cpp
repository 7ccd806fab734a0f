#include "taut/simulate/sheet_method.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/archive.hpp"
#include "taut/model/rotation.hpp"
#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr int for_rows_after = 3;    // iterations: rows that are left are taken alone
constexpr int most_rounds = 25;      // in which touches are looked for
constexpr int most_iterations = 40;  // of Newton's method in each
constexpr double accepted = 1e-5;    // of constraints, relative to the scene
// Of places, relative to what forces move in the step, and to the scene.
constexpr double accepted_motion = 2e-3, least_motion = 1e-6;
constexpr double accepted_touch = 5e-3;  // of gaps and slips, in thicknesses
// In the mean. A few places where cloth buckles or crumples are long on their way while all others
// are where they should be; backward Euler, which does not resolve that, may leave them on it. So
// one body or touch alone may be off by this much more.
constexpr double uneven_motion = 20, uneven_touch = 20;
// … of cloth whose edges are rows. Springs that are stiff for the step let each body move little
// and many of them together far: there the worst counts.
constexpr double rows_of_cloth = 1.5;  // per body, at least
// What is accepted later, relative to that: where cloth buckles, iterations gain little.
constexpr double motion_patience = 0.5, most_motion = 5, most_motion_of_springs = 20,
                 touch_patience = 1, most_touch = 8, rows_patience = 0.2, most_rows = 2;
// Of the motion, relative to the errors of the touches: then their forces are corrected.
constexpr double settled = 1;
// In thicknesses: how deep is good enough to end the step, by how much more it may be than it was,
// and what is moved apart then. Looking for touches again in the step costs more than that.
constexpr double accepted_depth = 0.9, more_depth = 0.05, lifted_depth = 0.85;
constexpr int separating_iterations = 8;
constexpr double separated = 20;  // of errors of touches, in what is accepted
constexpr double hardly = 0.02;   // of a way that is free: what is in the way is moved apart first
constexpr int most_separations = 4;
// Of the motion's energy, from nothing: where the worst of the motion and the touches is asked for
// instead of the mean; and where the step has failed all the same.
constexpr double suspect_gain = 1e-2, most_gain = 2;
// Of a linear system, relative. More gains no iteration, unless it decides which rows act, or less
// was not good enough.
constexpr double solved_to = 0.1, solved_strictly = 1e-3;
// So little that a taut sheet that is loaded across does not give way by more than rows may be off.
constexpr double least_compliance = 1e-9;
constexpr double separating = 0.1;  // thicknesses per step: a speed that releases what holds
constexpr int most_tries = 8;       // of how much of a step to take
constexpr double flat = 0.3;        // slope, of that at its start

/// As relative_displacement(), in the mean, weighted with the masses: what is heavy has the energy.
double mean_displacement(const System& system, const VecX& displacement, double length) {
  double sum = 0, mass = 0;
  for (int i = 0; i < system.body_count(); ++i) {
    const BodySlot& slot = system.slot({i});
    const double m = system.mass({i});
    sum += m * displacement.segment<3>(slot.v).squaredNorm() / (length * length);
    if (slot.rigid >= 0) sum += m * displacement.segment<3>(slot.v + 3).squaredNorm();
    mass += m;
  }
  return std::sqrt(sum / mass);
}

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
  is_driven_ = std::any_of(system.constraints().begin(), system.constraints().end(),
                           [](const auto& each) { return each->depends_on_time(); }) ||
               std::any_of(system.all_forces().begin(), system.all_forces().end(),
                           [](const auto& each) { return !each->is_passive(); });
  turning_.resize(static_cast<std::size_t>(system.rigid_count()));
  for (VecX* per_velocity : {&zero_, &displaced_}) per_velocity->setZero(system.velocity_size());
}

void SheetMethod::set_tolerances(const System& system, double h, const State& state, Workspace& w) {
  length_ = length_scale(system, w.pattern, state.q);
  thickness_ = system.sheets()->thickness();
  w.linearize(system, state.q, state.time + h, w.end);
  double most = 0;
  for (int r = 0; r < w.pattern.rows(); ++r) {
    const RowPattern::Values at = w.pattern.values_of(r, r + 1);
    most =
        std::max(most, w.end.J.segment(at.begin, at.size).dot(w.end.WJ.segment(at.begin, at.size)));
  }
  compliance_ = least_compliance * h * h * most;
  w.forces(system, w.end, state.v, state.time + h);
  w.WF *= h * h;
  system.apply_mass(w.WF, displaced_);
  energy_of_fall_ = 0.5 * w.WF.dot(displaced_) / (h * h);
  accepted_motion_ =
      std::max(least_motion, accepted_motion * relative_displacement(system, w.WF, length_));
}

SheetMethod::Size SheetMethod::evaluate(Problem& p) {
  is_assembled_ = false;
  Workspace& w = p.w;
  const double end = p.start.time + p.h;
  p.system.difference(p.start.q, q_hat_, Chart::rotation_vector, delta_);
  if (p.has_forces) delta_ -= separated_;
  v_ = delta_ / p.h;
  w.evaluate(p.system, q_hat_, end, w.end, RowForm::smooth);
  if (w.modes.in_solve) {
    w.modes.turn_to_nearer_bounds(w.end.C);
    wrong_rows_ = w.modes.decide(w.pattern, p.h * p.h, 4 * accepted, length_, w.end.C, w.lambda,
                                 ++decided_ > most_iterations / 2);
    w.modes.hold(w.pattern, w.end, w.end.held);
  }
  if (p.has_forces)
    w.plain_forces(p.system, w.end, v_, end);
  else
    w.F.setZero(v_.size());
  w.measure_way(p.system, p.start, p.h, q_hat_, w.end, WayJacobian::derive);

  displaced_ = (v_ - p.v) / p.h;
  p.system.apply_mass(displaced_, beside_touches_);
  multiply_transposed(w.pattern, w.end.J, w.lambda, displaced_);
  beside_touches_ += displaced_ - w.F;
  C_ = w.end.C;
  for (const RowModes::Mode& mode : w.modes.modes())
    C_[mode.row] = mode.is_equation
                       ? C_[mode.row] - p.h * p.h * w.modes.compliance(mode) * w.lambda[mode.row]
                       : 0;
  return evaluate_touches(p);
}

SheetMethod::Size SheetMethod::evaluate_touches(Problem& p) {
  p.system.difference(q_, q_hat_, Chart::rotation_vector, from_here_);
  r_ = beside_touches_;
  forces_.evaluate(from_here_, r_);
  Size size;
  size.rows = relative_error(p.w.pattern, C_, length_) / accepted;
  const VecX& mobility = kkt_->mobility();
  if (mobility.size() == r_.size()) {
    displaced_ = mobility.cwiseProduct(r_);
  } else {
    p.system.apply_inverse_mass(r_, displaced_);
    displaced_ *= p.h * p.h;
  }
  size.motion = relative_displacement(p.system, displaced_, length_) / accepted_motion_;
  if (!has_springs_ && !counts_worst_ && !holds_touches_)
    size.motion = std::max(mean_displacement(p.system, displaced_, length_) / accepted_motion_,
                           size.motion / uneven_motion);
  size.touches = forces_.error() / accepted_touch;
  if (p.has_forces && !counts_worst_ && !holds_touches_)
    size.touches = std::max(forces_.mean_error() / accepted_touch, size.touches / uneven_touch);
  return size;
}

void SheetMethod::assemble(Problem& p) {
  is_assembled_ = true;
  Workspace& w = p.w;
  const double mass = 1 / (p.h * p.h);
  for (int i = 0; i < p.system.body_count(); ++i) {
    const BodySlot& slot = p.system.slot({i});
    if (slot.rigid < 0) continue;
    const Vec3 turn = delta_.segment<3>(slot.v + 3), omega = v_.segment<3>(slot.v + 3);
    const Mat3& inertia = p.system.inertia({i});
    const Mat3 gyroscopic =
        p.has_forces ? Mat3(cross_matrix(omega) * inertia - cross_matrix(inertia * omega))
                     : Mat3(Mat3::Zero());
    turning_[static_cast<std::size_t>(slot.rigid)] =
        (mass * inertia + (1 / p.h) * gyroscopic) * logarithm_tangent(turn);
  }
  if (p.has_forces)
    rows_.add_force_stiffness(p.system, w.pattern, w.end.pose, v_, 1 / p.h, p.start.time + p.h);
  else
    rows_.K.setZero();
  rows_.add_stiffness(p.system, w.pattern, w.end.pose, p.start.time + p.h, w.lambda,
                      RowForm::smooth, Definiteness::positive);
}

/// What resists the motion of a body, all others held: its mass and the mean of G and K.
void SheetMethod::stiffness_of_bodies(const Problem& p) {
  const double mass = 1 / (p.h * p.h);
  stiffness_.resize(p.system.body_count());
  for (int i = 0; i < p.system.body_count(); ++i) stiffness_[i] = mass * p.system.mass({i});
  const auto add = [&](const std::vector<StiffnessBlock>& blocks, const VecX& values) {
    if (values.size() == 0) return;
    for (const StiffnessBlock& block : blocks) {
      if (block.row_dof != block.col_dof) continue;
      const double* at = values.data() + block.value;
      const double mean =
          block.is_scalar ? at[0] : (at[0] + at[block.rows + 1] + at[2 * block.rows + 2]) / 3;
      stiffness_[kkt_->body_at(block.row_dof)] += std::max(0.0, mean);
    }
  };
  add(p.w.pattern.stiffness_blocks, rows_.G);
  add(p.w.pattern.coupling_blocks, rows_.K);
}

// With λ⁺ = λ + δλ, the step η minimises a quadratic model of the Lagrangian, which goes down along
// it at first: its slope is −ηᵀHη. Where touches begin to push on the way, it goes up again, and
// less of the step is taken: as much as brings the slope near to zero.
SheetMethod::Size SheetMethod::advance(Problem& p, bool for_rows) {
  const double slope = r_.dot(eta_) - change_.dot(C_);  // J η = −C
  q_before_ = q_hat_;
  p.w.lambda += change_;
  p.system.advance(q_before_, eta_, 1, q_hat_);
  Size size = evaluate(p);
  if (for_rows) return size;
  double low = 0, slope_low = slope, high = 1, slope_high = r_.dot(eta_);
  for (int i = 0; i < most_tries && slope_high > flat * std::abs(slope); ++i) {
    const double part =
        std::clamp(slope_low / (slope_low - slope_high), 0.1, 0.9) * (high - low) + low;
    p.system.advance(q_before_, eta_, part, q_hat_);
    size = evaluate(p);
    const double here = r_.dot(eta_);
    if (std::abs(here) <= flat * std::abs(slope)) break;
    (here > 0 ? high : low) = part;
    (here > 0 ? slope_high : slope_low) = here;
  }
  return size;
}

bool SheetMethod::iterate(Problem& p) {
  decided_ = wrong_rows_ = 0;
  Size size = is_assembled_ && !p.w.modes.in_solve ? evaluate_touches(p) : evaluate(p);
  double best = INFINITY;
  int since_best = 0;
  bool for_rows = false;
  // Forces go on to be corrected in the next step: the longer it takes, the more is left to that.
  const auto is_in_place = [&](int i) {
    return wrong_rows_ == 0 &&
           size.motion <= std::min(1 + motion_patience * i,
                                   has_springs_ ? most_motion_of_springs : most_motion) &&
           size.touches <= std::min(1 + touch_patience * i, most_touch);
  };
  const auto is_done = [&](int i) {
    if (!p.has_forces)  // what is still too near is moved apart in the next step
      return size.rows <= most_rows && (i >= separating_iterations || size.touches <= separated);
    return size.rows <= std::min(1 + rows_patience * i, most_rows) && is_in_place(i);
  };
  for (int i = 0; i == 0 || !is_done(i); ++i) {
    if (i == most_iterations || !std::isfinite(size.worst())) return false;
    if (size.worst() < 0.7 * best) {
      best = size.worst();
      since_best = 0;
    } else if (++since_best > 12) {
      return false;
    }
    // Where nothing but C is left, it is taken away alone: what is still on its way would go on and
    // bring it back.
    for_rows = p.has_forces && i >= for_rows_after && !for_rows && is_in_place(i);
    if (!is_assembled_) assemble(p);
    ++p.report.iterations;
    kkt_->factor(p.system,
                 {1 / (p.h * p.h), turning_, 1, rows_.G, rows_.K, p.w.end.J, p.w.end.J, p.w.modes,
                  false, 1, &forces_},
                 compliance_);
    eta_ = -r_;
    if (for_rows) eta_.setZero();
    change_ = -C_;
    kkt_->solve(eta_, change_, solved_to_, p.report);
    if (!p.has_forces) {  // without G, a long step would bend taut cloth far off its lengths
      const double far = relative_displacement(p.system, eta_, length_) * length_ / thickness_;
      if (far > 1) {
        eta_ /= far;
        change_ /= far;
      }
    }
    size = advance(p, for_rows);
    if (is_done(i + 1)) break;
    if (size.motion <= std::max(1.0, settled * size.touches * accepted_touch * thickness_ /
                                         (accepted_motion_ * length_))) {
      forces_.update();
      size = evaluate_touches(p);
    }
  }
  return true;
}

void SheetMethod::balance(Problem& p) {
  free_zones_.begin(p.system);
  free_zones_.join_rows(p.system, p.w.pattern, p.w.end.J);
  forces_.join(free_zones_);
  if (!free_zones_.way(p.system, p.h, r_, displaced_)) return;
  p.system.advance(q_hat_, displaced_, 1, q_hat_);
  evaluate(p);
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
  if (relative_error(p.w.pattern, p.w.end.C, length_) <= most_rows * accepted) q_ = q_hat_;
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
  if (is_driven_) return false;
  p.system.difference(p.start.q, q_, Chart::rotation_vector, delta_);
  delta_ -= separated_;
  v_ = delta_ / p.h;
  p.system.advance(p.start.q, delta_, 1, q_before_);  // without what was only moved apart
  const double scale = p.system.kinetic_energy(p.start.v) + energy_of_fall_;
  return p.system.energy({p.start.time, q_before_, v_}) - p.system.energy(p.start) > most * scale;
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
