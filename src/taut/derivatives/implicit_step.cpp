#include "taut/derivatives/implicit_step.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/rotation.hpp"
#include "taut/model/scale.hpp"

namespace taut::detail {
namespace {

// Steps at which the derivatives are compared with the residual: the first few, then now and then.
constexpr long checked_at_first = 4, checked_every = 64;
constexpr double agreement = 1e-6;
constexpr double left_of_differences = 1e-10;  // of the largest

/// What has died out on the way would go on as numbers too small for the processor, which slow it
/// down a hundredfold.
void drop_tiny(VecX& x) {
  constexpr double tiny = 1e-100;
  for (double& value : x)
    if (std::abs(value) < tiny) value = 0;
}

}  // namespace

ImplicitStep::ImplicitStep(Formula formula, const System& system)
    : formula_(formula), system_(system), equations_(system) {
  for (const auto& batch : system.all_forces())
    forces_by_differences_ = forces_by_differences_ || !is_uniform(*batch);
  const RowPattern& pattern = equations_.workspace().pattern;
  for (const auto& batch : system.constraints())
    depends_on_time_ = depends_on_time_ || batch->depends_on_time();
  // Rows over the way of a step; and the mean of two rotations, whose derivatives Newton's method
  // takes nearly.
  rows_by_differences_ = !pattern.velocity_rows.empty();
  for (const RowPattern::BoundedRow& row : pattern.bounded)
    rows_by_differences_ = rows_by_differences_ || row.law.kind == RowLaw::Kind::rate;
  pull_by_differences_ =
      rows_by_differences_ || (formula == Formula::midpoint && system.rigid_count() > 0);
  if (is_explicit(formula)) given_.emplace(system, RowForm::given);
  VecX masses = VecX::Ones(system.velocity_size());
  system.apply_mass(masses, masses);
  for (const BodySlot& slot : system.slots())  // turns have other units
    lightest_ = lightest_ > 0 ? std::min(lightest_, masses[slot.v]) : masses[slot.v];
}

double ImplicitStep::misfit(const StepRecord& step) {
  equations_.residual(formula_, step, r_, C_);
  const FormulaTerms terms(formula_, step);
  const double length = length_scale(system_, equations_.workspace().pattern, step.to.q);
  VecX way = r_;
  system_.apply_inverse_mass(way, way);
  const double motion =
      std::abs(terms.tau / terms.alpha) * relative_displacement(system_, way, length);
  // The velocity that the state has, and the one that follows from its places.
  const VecX off = (equations_.end_velocity() - step.to.v) * step.h;
  return std::max({motion, relative_displacement(system_, off, length),
                   relative_error(equations_.workspace().pattern, C_, length)});
}

void ImplicitStep::find_tangents(const StepRecord& step) {
  const std::size_t rigid = static_cast<std::size_t>(system_.rigid_count());
  for (Blocks* blocks : {&end_turn_, &start_turn_, &gyro_, &skew_, &turning_})
    blocks->assign(rigid, Mat3::Zero());
  past_end_.assign(step.h_before > 0 ? rigid : 0, Mat3::Zero());
  past_start_ = past_end_;
  VecX past;
  if (step.h_before > 0 && rigid > 0)
    system_.difference(step.before.q, step.from.q, Chart::rotation_vector, past);
  for (int i = 0; i < system_.body_count(); ++i) {
    const BodySlot& slot = system_.slot({i});
    if (slot.rigid < 0) continue;
    const std::size_t at = static_cast<std::size_t>(slot.rigid);
    const Vec3 turn = equations_.delta().segment<3>(slot.v + 3);
    const auto tangent = over_step_ ? inverse_cayley_tangent : logarithm_tangent;
    end_turn_[at] = tangent(turn);
    start_turn_[at] = -tangent(-turn);  // exp(−η) on the left is exp(−θ) seen from the other end
    if (!past_end_.empty()) {
      const Vec3 before = past.segment<3>(slot.v + 3);
      past_end_[at] = logarithm_tangent(before);
      past_start_[at] = -logarithm_tangent(-before);
    }
    const Vec3 omega = V_.segment<3>(slot.v + 3);
    const Mat3& inertia = system_.inertia({i});
    gyro_[at] = cross_matrix(omega) * inertia - cross_matrix(inertia * omega);
    // Newton's method over the step has half of it, as of G, which is near enough to solve with.
    skew_[at] = (0.5 * stiffness_) * cross_matrix(equations_.pull().segment<3>(slot.v + 3));
    turning_[at] = ((alpha_ / tau_) * inertia + rate_ * gyro_[at]) * end_turn_[at];
    if (acts_at(Side::end)) turning_[at] += skew_[at];
  }
}

/// λ of the rows that act by themselves: what others do is a force.
VecX ImplicitStep::pulling() {
  VecX lambda = step_->lambda;
  for (const RowModes::Mode& mode : equations_.workspace().modes.modes())
    if (!mode.is_equation) lambda[mode.row] = 0;
  return lambda;
}

void ImplicitStep::measure_stiffness(Definiteness wanted) {
  Rows& between = equations_.between();
  Workspace& w = equations_.workspace();
  if (over_step_) {
    const Passage passage{equations_.start_pose(), w.end.pose, equations_.mean_pose(),
                          step_->from.time + 0.5 * step_->h};
    between.add_stiffness_between(system_, w.pattern, passage, step_->lambda, wanted);
  } else if (given_) {
    stiffness_rows_.add_stiffness(system_, *given_, w.start.pose, step_->from.time, pulling(),
                                  RowForm::given, wanted);
  } else {
    between.add_stiffness(system_, w.pattern, w.end.pose, step_->from.time + step_->h,
                          step_->lambda, RowForm::smooth, wanted);
  }
}

void ImplicitStep::linearize(const StepRecord& step) {
  step_ = &step;
  const FormulaTerms terms(formula_, step);
  alpha_ = terms.alpha;
  tau_ = terms.tau;
  carry_ = terms.carry;
  over_step_ = terms.over_step;
  stiffness_ = over_step_ ? 0.5 : 1;
  rate_ = over_step_ ? 1 / step_->h : takes_v(formula_) ? 0 : alpha_;
  Workspace& w = equations_.workspace();
  length_ = length_scale(system_, w.pattern, step.to.q);
  const bool is_checked = linearized_ < checked_at_first || linearized_ % checked_every == 0;
  ++linearized_;
  if (over_step_ && !rows_by_differences_ && !has_linear_ways_) {
    has_linear_ways_ = slopes_.has_linear_ways(equations_, step, length_);
    pull_by_differences_ = pull_by_differences_ || !*has_linear_ways_;  // G is not exact
  }
  for (;;) {
    has_P_V_ = forces_by_differences_ || system_.rigid_count() > 0;
    equations_.residual(formula_, *step_, r_, C_);
    V_ = equations_.velocity();
    B_ = equations_.B();
    J_ = continues_C(formula_) ? B_ : w.end.J;
    find_tangents(*step_);
    size_ = equations_.pull().norm() + mass(equations_.end_velocity()).norm();
    give_.setZero(C_.size());
    for (const RowModes::Mode& mode : w.modes.modes())
      give_[mode.row] = mode.is_equation ? std::abs(tau_ / alpha_) * w.modes.compliance(mode) : 1;
    measure_stiffness(Definiteness::exact);
    G_ = given_ ? stiffness_rows_.G : equations_.between().G;
    if (forces_by_differences_ || pull_by_differences_) {
      const Slopes::Of what = rows_by_differences_   ? Slopes::Of::rows
                              : pull_by_differences_ ? Slopes::Of::pull
                                                     : Slopes::Of::forces;
      if (!colours_) colours_.emplace(system_, w.pattern, forces_by_differences_);
      slopes_.measure(equations_, formula_, *step_, V_, *colours_, what, forces_by_differences_,
                      has_linear_ways_.value_or(false) && !forces_by_differences_, length_);
    }
    if (forces_by_differences_ && !pull_by_differences_) {
      double largest = 0;
      for (const EntryList* list : {&slopes_.P_q1, &slopes_.P_q0})
        for (const EntryList::Entry& e : list->entries)
          largest = std::max(largest, std::abs(e.value));
      round_off_ =
          std::max(round_off_, left_of_differences * largest * tau_ / (alpha_ * lightest_));
    }
    if (rows_by_differences_ || !is_checked || is_right()) {
      // Where the last evaluation was a displaced one (B_ and the rows at the end are not of it).
      if (forces_by_differences_ || rows_by_differences_ || is_checked)
        equations_.residual(formula_, *step_, r_, C_);
      break;
    }
    // A second derivative that is not what it should be: differences are.
    rows_by_differences_ = pull_by_differences_ = true;
  }
  factor();
}

void ImplicitStep::factor() {
  Workspace& w = equations_.workspace();
  Rows& between = equations_.between();
  between.add_force_stiffness(
      system_, w.pattern, over_step_ ? equations_.mean_pose() : equations_.pull_pose(formula_), V_,
      rate_ / stiffness_, step_->from.time + (over_step_ ? 0.5 : 1) * step_->h);
  if (given_) {
    between.G.setZero(w.pattern.stiffness_values);
    between.K.setZero();
  } else {
    between.G = G_;
  }
  solver_.adapt(system_, w.pattern);
  terms_.emplace(
      KktSolver::Terms{alpha_ / tau_, turning_, stiffness_, between.G, between.K, B_, J_, w.modes});
  solver_.factor(system_, *terms_,
                 [this](const VecX& x, const VecX& y, bool transposed, VecX& out_x, VecX& out_y) {
                   apply(x, y, transposed, out_x, out_y);
                 });
}

bool ImplicitStep::is_right() {
  const Eigen::Index size = system_.velocity_size();
  VecX end(size), start(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    end[i] = std::sin(1.0 + 2.3 * static_cast<double>(i));
    start[i] = std::cos(2.0 + 1.7 * static_cast<double>(i));
  }
  for (const BodySlot& slot : system_.slots()) {
    end.segment<3>(slot.v) *= length_;
    start.segment<3>(slot.v) *= length_;
  }
  const VecX expected_r = r_slope(Side::end, end, false) + r_slope(Side::start, start, false);
  const VecX expected_C = C_slope(Side::end, end) + C_slope(Side::start, start);
  constexpr double part = 3e-6;
  VecX r[2], C[2], q0, q1;
  for (int side = 0; side < 2; ++side) {
    const double factor = side == 0 ? -part : part;
    system_.advance(step_->from.q, start, factor, q0);
    system_.advance(step_->to.q, end, factor, q1);
    equations_.residual(formula_, *step_,
                        {q0, step_->from.v, q1, &step_->before.q, &step_->before.v}, r[side],
                        C[side]);
    if (step_->h_before > 0) {  // where the step looks back, that moves with its start
      VecX moved;
      system_.difference(step_->before.q, q0, Chart::rotation_vector, moved);
      VecX plain;
      system_.difference(step_->before.q, step_->from.q, Chart::rotation_vector, plain);
      const VecX way = moved - plain;
      const VecX u = (carry_ / tau_) * way;
      r[side] += mass(u);
      if (!over_step_) {
        VecX through = VecX::Zero(size);
        add_P_V(u, false, through);
        r[side] += through;
      }
    }
  }
  const double scale = expected_r.norm() + mass(alpha_ * end).norm();
  return ((r[1] - r[0]) / (2 * part) - expected_r).norm() <= agreement * scale &&
         ((C[1] - C[0]) / (2 * part) - expected_C).norm() <=
             agreement * (expected_C.norm() + length_);
}

void ImplicitStep::tangent(const Perturbation& dx, const Perturbation* before,
                           const ResidualSlope* parameter, Perturbation& out) {
  const Eigen::Index size = dx.q.size();
  VecX u = VecX::Zero(size), base = dx.v;
  if (over_step_) u = dx.v;
  if (carry_ > 0) {
    u = (carry_ / tau_) *
        (turned(past_end_, dx.q, 1, false) + turned(past_start_, before->q, -1, false));
    base += carry_ * (dx.v - before->v);
  }
  VecX x = -r_slope(Side::start, dx.q, false) + mass(u + base);
  if (takes_v(formula_)) {
    VecX through = VecX::Zero(size);
    add_P_V(dx.v, false, through);
    x -= through;
  } else if (!over_step_) {
    VecX through = VecX::Zero(size);
    add_P_V(u, false, through);
    x += through;
  }
  VecX y = -C_slope(Side::start, dx.q);
  if (parameter) {
    x -= parameter->r;
    y -= parameter->C;
  }
  solver_.solve(x, y, false);
  out.v = alpha_ * (turned(end_turn_, x, 1, false) + turned(start_turn_, dx.q, -1, false)) - u;
  out.q = std::move(x);
  drop_tiny(out.q);
  drop_tiny(out.v);
}

void ImplicitStep::adjoint(const Perturbation& a, Perturbation& out, Perturbation* before, VecX& mu,
                           VecX& nu) {
  mu = a.q + alpha_ * turned(end_turn_, a.v, 1, true);
  nu = VecX::Zero(C_.size());
  solver_.solve(mu, nu, true);
  drop_tiny(mu);
  drop_tiny(nu);
  out.q = alpha_ * turned(start_turn_, a.v, -1, true) - r_slope(Side::start, mu, true);
  VecX constraint = VecX::Zero(out.q.size());
  add_C_transposed(Side::start, nu, constraint);
  out.q -= constraint;
  const VecX by_base = mass(mu);
  VecX by_u = by_base - a.v;
  out.v = by_base;
  if (takes_v(formula_)) {
    VecX through = VecX::Zero(mu.size());
    add_P_V(mu, true, through);
    out.v -= through;
  } else if (!over_step_) {
    add_P_V(mu, true, by_u);
  }
  if (over_step_) out.v += by_u;
  if (carry_ > 0) {
    out.v += carry_ * by_base;
    before->v -= carry_ * by_base;
    const VecX by_way = (carry_ / tau_) * by_u;
    out.q += turned(past_end_, by_way, 1, true);
    before->q += turned(past_start_, by_way, -1, true);
  }
  drop_tiny(out.q);
  drop_tiny(out.v);
}

}  // namespace taut::detail
