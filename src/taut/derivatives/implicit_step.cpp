#include "taut/derivatives/implicit_step.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/rotation.hpp"
#include "taut/model/scale.hpp"
#include "taut/model/stiffness_product.hpp"

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
  // Rows over the way of a step; and the mean of two rotations, whose derivatives Newton's method
  // takes nearly.
  rows_by_differences_ = !pattern.velocity_rows.empty();
  for (const RowPattern::BoundedRow& row : pattern.bounded)
    rows_by_differences_ = rows_by_differences_ || row.law.kind == RowLaw::Kind::rate;
  pull_by_differences_ =
      rows_by_differences_ || (formula == Formula::midpoint && system.rigid_count() > 0);
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

VecX ImplicitStep::mass(const VecX& x) const {
  VecX out;
  system_.apply_mass(x, out);
  return out / tau_;
}

void ImplicitStep::add_turning(const Blocks& blocks, const VecX& x, bool transposed,
                               VecX& out) const {
  if (blocks.empty()) return;
  for (const BodySlot& slot : system_.slots()) {
    if (slot.rigid < 0) continue;
    const Mat3& block = blocks[static_cast<std::size_t>(slot.rigid)];
    const Vec3 turn = x.segment<3>(slot.v + 3);
    out.segment<3>(slot.v + 3) += transposed ? Vec3(block.transpose() * turn) : Vec3(block * turn);
  }
}

VecX ImplicitStep::turned(const Blocks& blocks, const VecX& x, double linear,
                          bool transposed) const {
  VecX out = linear * x;
  if (blocks.empty()) return out;
  for (const BodySlot& slot : system_.slots())
    if (slot.rigid >= 0) out.segment<3>(slot.v + 3).setZero();
  add_turning(blocks, x, transposed, out);
  return out;
}

void ImplicitStep::add_P(Side side, const VecX& x, bool transposed, VecX& out) const {
  const EntryList& slopes = side == Side::end ? slopes_.P_q1 : slopes_.P_q0;
  if (transposed)
    slopes.add_transposed(x, 1, out);
  else
    slopes.add(x, 1, out);
  if (pull_by_differences_) return;
  if (side == Side::start && !over_step_) return;
  add_product(equations_.pattern().stiffness_blocks, G_, stiffness_ * x, out);
  if (side == Side::end) add_turning(skew_, x, transposed, out);
}

void ImplicitStep::add_P_V(const VecX& x, bool transposed, VecX& out) const {
  if (!has_P_V_) return;
  if (!forces_by_differences_)
    add_turning(gyro_, x, transposed, out);
  else if (transposed)
    slopes_.P_V.add_transposed(x, 1, out);
  else
    slopes_.P_V.add(x, 1, out);
}

VecX ImplicitStep::r_slope(Side side, const VecX& x, bool transposed) const {
  const Blocks& blocks = side == Side::end ? end_turn_ : start_turn_;
  const double linear = side == Side::end ? 1 : -1;
  VecX out;
  if (!has_P_V_) {
    out = alpha_ * linear * mass(x);  // particles, that nothing but gravity acts on
    add_P(side, x, transposed, out);
    return out;
  }
  if (transposed) {
    VecX along = alpha_ * mass(x), through_V = VecX::Zero(x.size());
    add_P_V(x, true, through_V);
    out = turned(blocks, along + rate_ * through_V, linear, true);
  } else {
    const VecX delta = turned(blocks, x, linear, false);
    out = alpha_ * mass(delta);
    add_P_V(rate_ * delta, false, out);
  }
  add_P(side, x, transposed, out);
  return out;
}

VecX ImplicitStep::C_slope(Side side, const VecX& x) const {
  VecX out = VecX::Zero(C_.size());
  if (rows_by_differences_)
    (side == Side::end ? slopes_.C_q1 : slopes_.C_q0).add(x, 1, out);
  else if (side == Side::end)
    multiply(equations_.pattern(), J_, x, out);
  return out;
}

void ImplicitStep::add_C_transposed(Side side, const VecX& y, VecX& out) const {
  if (rows_by_differences_) {
    (side == Side::end ? slopes_.C_q1 : slopes_.C_q0).add_transposed(y, 1, out);
  } else if (side == Side::end) {
    VecX product(out.size());
    multiply_transposed(equations_.pattern(), J_, y, product);
    out += product;
  }
}

void ImplicitStep::apply(const VecX& x, const VecX& y, bool transposed, VecX& out_x,
                         VecX& out_y) const {
  const RowPattern& pattern = equations_.pattern();
  out_x = r_slope(Side::end, x, transposed);
  if (transposed) {
    add_C_transposed(Side::end, y, out_x);
    multiply(pattern, B_, x, out_y);
  } else {
    VecX pull(out_x.size());
    multiply_transposed(pattern, B_, y, pull);
    out_x += pull;
    out_y = C_slope(Side::end, x);
  }
  out_y -= give_.cwiseProduct(y);
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
    turning_[at] = ((alpha_ / tau_) * inertia + rate_ * gyro_[at]) * end_turn_[at] + skew_[at];
  }
}

void ImplicitStep::measure_stiffness(Definiteness wanted) {
  Rows& between = equations_.between();
  Workspace& w = equations_.workspace();
  if (over_step_) {
    const Passage passage{equations_.start_pose(), w.end.pose, equations_.mean_pose(),
                          step_->from.time + 0.5 * step_->h};
    between.add_stiffness_between(system_, w.pattern, passage, step_->lambda, wanted);
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
  rate_ = over_step_ ? 1 / step_->h : alpha_;
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
    J_ = w.end.J;
    B_ = equations_.B();
    find_tangents(*step_);
    give_.setZero(C_.size());
    for (const RowModes::Mode& mode : w.modes.modes())
      give_[mode.row] = mode.is_equation ? std::abs(tau_ / alpha_) * w.modes.compliance(mode) : 1;
    measure_stiffness(Definiteness::exact);
    G_ = equations_.between().G;
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
      for (const EntryList::Entry& e : slopes_.P_q1.entries)
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
  between.add_force_stiffness(system_, w.pattern, over_step_ ? equations_.mean_pose() : w.end.pose,
                              V_, rate_ / stiffness_,
                              step_->from.time + (over_step_ ? 0.5 : 1) * step_->h);
  between.G = G_;
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
  if (!over_step_) {
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
  if (!over_step_) add_P_V(mu, true, by_u);
  out.v = by_base;
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
