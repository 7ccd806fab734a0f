// The equations that Newton's method solves, at a guess of the end of a step: what is left of them,
// and their matrix. How the guess becomes better is in newton_step.cpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "taut/methods/newton_step.hpp"
#include "taut/model/rotation.hpp"
#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr double accepted_motion = 0.5;  // by r, relative to what is accepted of C
// … or relative to the way that the forces alone would move bodies in the step, in the mean, where
// linear systems are iterated and no tolerance is given: below what the step itself is off.
constexpr double accepted_part = 0.06;
// Where a row is this near to its bound, relative to what is accepted of C, it stays what it is.
constexpr double undecided = 4;
constexpr int rounds_at_once = 30;    // of changes of rows; after them, one row at a time
constexpr double stiff_at = 0.05;     // of the mobility of a body that nothing binds
constexpr double most_carried = 1e4;  // by the force of a row, relative to the largest coordinate

}  // namespace

NewtonStep::Size NewtonStep::evaluate(Problem& p, double compliance) {
  const StepEquations& eq = p.equations;
  Workspace& w = p.w;
  const double end = p.start.time + eq.h;
  const Chart chart = eq.over_step() ? Chart::cayley : Chart::rotation_vector;
  p.system.difference(p.start.q, p.q_end, chart, delta_);
  p.v_end = eq.alpha * delta_ - eq.u;
  w.evaluate(p.system, p.q_end, end, w.end, RowForm::smooth);
  if (w.modes.in_solve) decide_rows(p);
  if (eq.over_step()) {
    mean_pose_.set_mean(p.system, start_pose_, w.end.pose);
    const Passage passage{start_pose_, w.end.pose, mean_pose_, p.start.time + 0.5 * eq.h};
    between_.linearize_between(p.system, w.pattern, passage);
    w.modes.apply(w.pattern, end, p.system.velocity_size(), between_, held_);
    if (w.modes.in_solve) w.modes.hold(w.pattern, between_, held_);
    B_ = &between_.J;
    velocity_ = delta_ / eq.h;
    p.system.forces_between(passage, velocity_, w.F);
    if (held_.size() > 0) w.F += held_;
  } else {
    B_ = &w.end.J;
    if (!w.pattern.velocity_rows.empty()) {
      between_.J = w.end.J;  // where the way's derivative takes its place
      B_ = &between_.J;
    }
    velocity_ = p.v_end;
    if (eq.has_forces()) {
      w.plain_forces(p.system, w.end, velocity_, end);
    } else {
      w.F.setZero(velocity_.size());
      if (w.modes.in_solve) w.F += held_;  // the others are in v_base
    }
  }

  w.measure_way(p.system, p.start, eq.h, p.q_end, w.end, WayJacobian::derive, chart);

  // r = M (v⁺ − v_base)/τ − F + Bᵀλ
  displaced_ = (p.v_end - eq.v_base) / eq.tau;
  p.system.apply_mass(displaced_, r_);
  multiply_transposed(w.pattern, *B_, w.lambda, constraint_force_);
  r_ += constraint_force_ - w.F;
  C_ = w.end.C;
  if (compliance > 0) C_ -= compliance * w.lambda;
  for (const RowModes::Mode& mode : w.modes.modes())
    C_[mode.row] = mode.is_equation ? C_[mode.row] - eq.time_squared() * w.modes.compliance(mode) *
                                                         w.lambda[mode.row]
                                    : 0;

  for (const int row : independent_.out()) C_[row] = 0;

  Size size;
  size.C = relative_error(w.pattern, C_, length_) / p.limits.tolerance;
  if (!(p.limits.motion > 0)) p.limits.motion = least_motion(p);
  const VecX& mobility = kkt_->mobility();
  const bool is_known = mobility.size() == r_.size();
  // r counts as the displacement it would cause.
  if (!is_known || carried_ > 0) {
    p.system.apply_inverse_mass(r_, displaced_);
    size.r = eq.time_squared() * relative_displacement(p.system, displaced_, length_) /
             (p.limits.tolerance * (0.05 + 100 * carried_));
    size.will_do = size.worst() <= 1;
  }
  // Where it is known, as what pulls at a body lets it. Forces along constraints, which carry much
  // and move nothing, then do not hide the others.
  if (is_known) {
    displaced_ = mobility.cwiseProduct(r_);
    size.r = left_of_motion(p);
    if (kkt_->is_iterative() && is_free(p))
      size.whole = way_of_the_whole(p).norm() / (length_ * accepted_motion * p.limits.motion);
  }
  return size;
}

// Where a fold snaps from one side to the other, a few bodies are long on their way while all
// others are where they should be. Backward Euler, which does not resolve such motion, may leave
// them on it. So where a few iterations have not been enough, the mean counts, weighted with the
// masses, and of a single body a part only.
double NewtonStep::left_of_motion(const Problem& p) const {
  const double accepted = accepted_motion * p.limits.motion;
  const double worst = relative_displacement(p.system, displaced_, length_) / accepted;
  if (!is_lenient_ || !(p.equations.uneven > 1)) return worst;
  double sum = 0, mass = 0;
  for (int i = 0; i < p.system.body_count(); ++i) {
    const BodySlot& slot = p.system.slot({i});
    const double m = p.system.mass({i});
    sum += m * displaced_.segment<3>(slot.v).squaredNorm() / (length_ * length_);
    if (slot.rigid >= 0) sum += m * displaced_.segment<3>(slot.v + 3).squaredNorm();
    mass += m;
  }
  return std::max(std::sqrt(sum / mass) / accepted, worst / p.equations.uneven);
}

// Whether nothing but forces keeps all bodies together from going anywhere: J of a translation is
// 0.
bool NewtonStep::is_free(const Problem& p) {
  if (is_free_) return *is_free_;
  is_free_ = true;
  VecX moved;  // of rows; this is done once
  for (int axis = 0; axis < 3; ++axis) {
    displaced_.setZero();
    for (int i = 0; i < p.system.body_count(); ++i) displaced_[p.system.slot({i}).v + axis] = 1;
    multiply(p.w.pattern, p.w.end.J, displaced_, moved);
    if (moved.size() > 0 && moved.cwiseAbs().maxCoeff() > 1e-9) is_free_ = false;
  }
  return *is_free_;
}

// How far all bodies together still have to go. What binds them to each other stiffly lets each of
// them move little, and the whole as far as its mass does.
Vec3 NewtonStep::way_of_the_whole(const Problem& p) const {
  Vec3 force = Vec3::Zero();
  double mass = 0;
  for (int i = 0; i < p.system.body_count(); ++i) {
    force += r_.segment<3>(p.system.slot({i}).v);
    mass += p.system.mass({i});
  }
  return mass > 0 ? Vec3(-p.equations.time_squared() / mass * force) : Vec3(Vec3::Zero());
}

// Springs that are stiff for the step nearly everywhere. Then r, which counts as what it moves each
// body, tells little of what it moves many.
bool NewtonStep::is_stiff(const Problem& p) const {
  const VecX& mobility = kkt_->mobility();
  int stiff = 0;
  for (int i = 0; i < p.system.body_count(); ++i) {
    const double alone = p.equations.time_squared() / p.system.mass({i});
    if (mobility[p.system.slot({i}).v] < stiff_at * alone) ++stiff;
  }
  return 10 * stiff > p.system.body_count();
}

// What r may leave of the motion. The way is that of the whole: forces between bodies, such as
// those of stiff springs that a guess has stretched, drive nothing.
double NewtonStep::least_motion(const Problem& p) {
  if (!kkt_->is_iterative()) return p.limits.tolerance;
  const StepEquations& eq = p.equations;
  Vec3 force = Vec3::Zero();
  double mass = 0;
  for (int i = 0; i < p.system.body_count(); ++i) {
    const int at = p.system.slot({i}).v;
    mass += p.system.mass({i});
    if (eq.has_forces())
      force += p.w.F.segment<3>(at);
    else
      force += p.system.mass({i}) / eq.tau * (eq.v_base - p.start.v).segment<3>(at);
  }
  const double driven = mass > 0 ? eq.time_squared() * force.lpNorm<1>() / (3 * mass) : 0;
  return std::max(p.limits.tolerance, accepted_part * driven / length_);
}

// Which rows with a law are equations follows from λ and C as they are now; at the solution, that
// is complementarity.
void NewtonStep::decide_rows(Problem& p) {
  Workspace& w = p.w;
  const bool one_only = rounds_ > rounds_at_once;
  w.modes.turn_to_nearer_bounds(w.end.C);
  const int wrong =
      w.modes.decide(w.pattern, p.equations.time_squared(), undecided * p.limits.tolerance, length_,
                     w.end.C, w.lambda, one_only);
  changed_rows_ += wrong;
  wrong_rows_ = one_only ? std::max(0, wrong - 1) : 0;
  if (p.equations.has_forces()) {
    w.modes.hold(w.pattern, w.end, w.end.held);
  } else {
    held_.setZero(p.system.velocity_size());
    w.modes.hold(w.pattern, w.end, held_);
  }
}

void NewtonStep::weigh_constraint_forces(const Problem& p) {
  const RowPattern& pattern = p.w.pattern;
  displaced_.setZero();
  for (int r = 0; r < pattern.rows(); ++r) {
    const double size = std::abs(p.w.lambda[r]);
    for (int b = pattern.first_block[r]; b < pattern.first_block[r + 1]; ++b) {
      const JacobianBlock& block = pattern.blocks[b];
      for (int i = 0; i < block.size; ++i)
        displaced_[block.dof + i] =
            std::max(displaced_[block.dof + i], size * std::abs((*B_)[block.value + i]));
    }
  }
  p.system.apply_inverse_mass(displaced_, displaced_);
  // Bounded, so that multipliers that explode are never taken for large forces.
  carried_ =
      std::min(p.equations.time_squared() * relative_displacement(p.system, displaced_, length_),
               most_carried);
}

// Per rigid body, d/dη of I (ω⁺ − ω_base)/τ + ω × Iω, and the skew part ½[τ]× of ∂(Bᵀλ)/∂q.
void NewtonStep::turning_terms(const Problem& p, double stiffness, double rate) {
  if (turning_.empty()) return;
  const double mass = p.equations.alpha / p.equations.tau;
  for (int i = 0; i < p.system.body_count(); ++i) {
    const BodySlot& slot = p.system.slot({i});
    if (slot.rigid < 0) continue;
    const Vec3 turn = delta_.segment<3>(slot.v + 3), omega = velocity_.segment<3>(slot.v + 3);
    const Mat3& inertia = p.system.inertia({i});
    const Mat3 gyroscopic = cross_matrix(omega) * inertia - cross_matrix(inertia * omega);
    const Mat3 tangent =
        p.equations.over_step() ? inverse_cayley_tangent(turn) : logarithm_tangent(turn);
    const Vec3 torque = constraint_force_.segment<3>(slot.v + 3);
    turning_[slot.rigid] =
        (mass * inertia + rate * gyroscopic) * tangent + (0.5 * stiffness) * cross_matrix(torque);
  }
}

void NewtonStep::factor(Problem& p, double compliance) {
  const StepEquations& eq = p.equations;
  const double stiffness = eq.over_step() ? 0.5 : 1, mass = eq.alpha / eq.tau;
  const double rate = eq.over_step() ? 1 / eq.h : eq.alpha;  // dv/dδ of the velocity in F
  turning_terms(p, stiffness, rate);
  const Passage passage{start_pose_, p.w.end.pose, mean_pose_, p.start.time + 0.5 * eq.h};
  if (eq.over_step())
    between_.add_force_stiffness_between(p.system, p.w.pattern, passage, velocity_,
                                         rate / stiffness);
  else if (eq.has_forces())
    between_.add_force_stiffness(p.system, p.w.pattern, p.w.end.pose, velocity_, rate / stiffness,
                                 p.start.time + eq.h);
  const std::array both{Definiteness::exact, Definiteness::positive};
  for (const Definiteness wanted : std::span(both).subspan(kkt_->is_iterative() ? 1 : 0)) {
    if (eq.over_step())
      between_.add_stiffness_between(p.system, p.w.pattern, passage, p.w.lambda, wanted);
    else
      between_.add_stiffness(p.system, p.w.pattern, p.w.end.pose, p.start.time + eq.h, p.w.lambda,
                             RowForm::smooth, wanted);
    if (kkt_->factor(p.system,
                     {mass, turning_, stiffness, between_.G, between_.K, *B_, p.w.end.J, p.w.modes,
                      false, std::pow(p.limits.tolerance / p.limits.motion, 0.25)},
                     compliance))
      break;
  }
  if (kkt_->is_iterative() && !is_stiff(p))
    kept_.made(factors_of(eq, compliance));
  else
    kept_.forget();
}

}  // namespace taut
