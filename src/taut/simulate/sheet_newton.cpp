// How a step of touching cloth is solved for, with the touches that were found: Newton's method.
#include <algorithm>
#include <cmath>

#include "taut/model/rotation.hpp"
#include "taut/model/scale.hpp"
#include "taut/simulate/sheet_method.hpp"

namespace taut {
namespace {
constexpr int for_rows_after = 3;    // iterations: rows that are left are taken alone
constexpr int most_iterations = 40;  // of Newton's method
constexpr double accepted = 1e-5;    // of constraints, relative to the scene
// Of places, relative to what forces move in the step, and to the scene.
constexpr double accepted_motion = 2e-3, least_motion = 1e-6;
constexpr double accepted_touch = 5e-3;  // of gaps and slips, in thicknesses
// In the mean. A few places where cloth buckles or crumples are long on their way while all others
// are where they should be; backward Euler, which does not resolve that, may leave them on it. So
// one body or touch alone may be off by this much more.
constexpr double uneven_motion = 20, uneven_touch = 20;
// What is accepted later, relative to that: where cloth buckles, iterations gain little.
constexpr double motion_patience = 0.5, most_motion = 5, most_motion_of_springs = 20,
                 touch_patience = 1, most_touch = 8, rows_patience = 0.2, most_rows = 2;
// Of the motion, relative to the errors of the touches: then their forces are corrected.
constexpr double settled = 1;
// Where places alone are put right: iterations, and errors of touches, in what is accepted.
constexpr int separating_iterations = 8;
constexpr double separated = 20;
// So little that a taut sheet that is loaded across does not give way by more than rows may be off.
constexpr double least_compliance = 1e-9;
constexpr int most_tries = 8;  // of how much of a step to take
constexpr double flat = 0.3;   // slope, of that at its start

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

bool SheetMethod::meets_rows(const Problem& p) const {
  return relative_error(p.w.pattern, p.w.end.C, length_) <= most_rows * accepted;
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

}  // namespace taut
