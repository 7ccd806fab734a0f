// The derivatives of a step's residual at its solution, as products with vectors.
#include <algorithm>

#include "taut/derivatives/implicit_step.hpp"
#include "taut/model/rotation.hpp"
#include "taut/model/scale.hpp"
#include "taut/model/stiffness_product.hpp"

namespace taut::detail {
namespace {

constexpr double part_of_way = 1e-5;  // of the scene's size

}  // namespace

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
  if (!acts_at(side)) return;
  add_product((given_ ? *given_ : equations_.pattern()).stiffness_blocks, G_, stiffness_ * x, out);
  if (!over_step_ || side == Side::end) add_turning(skew_, x, transposed, out);
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

VecX ImplicitStep::C_slope(Side side, const VecX& x) {
  VecX out = VecX::Zero(C_.size());
  if (rows_by_differences_) {
    (side == Side::end ? slopes_.C_q1 : slopes_.C_q0).add(x, 1, out);
  } else if (continues_C(formula_)) {
    VecX moved =
        turned(side == Side::end ? end_turn_ : start_turn_, x, side == Side::end ? 1 : -1, false);
    if (side == Side::start) moved += x;
    multiply(equations_.pattern(), J_, moved, out);
    if (side == Side::start) out += way_slope(x);
  } else if (side == Side::end) {
    multiply(equations_.pattern(), J_, x, out);
  }
  return out;
}

void ImplicitStep::add_C_transposed(Side side, const VecX& y, VecX& out) {
  if (rows_by_differences_) {
    (side == Side::end ? slopes_.C_q1 : slopes_.C_q0).add_transposed(y, 1, out);
    return;
  }
  if (side == Side::start && !continues_C(formula_)) return;
  VecX product(out.size());
  multiply_transposed(equations_.pattern(), J_, y, product);
  if (!continues_C(formula_)) {
    out += product;
    return;
  }
  out += turned(side == Side::end ? end_turn_ : start_turn_, product, side == Side::end ? 1 : -1,
                true);
  if (side == Side::end) return;
  out += product;
  add_way_transposed(y, out);
}

/// Along one direction a difference is enough.
VecX ImplicitStep::way_slope(const VecX& x) {
  const double size = relative_displacement(system_, x, length_);
  VecX sides[2] = {VecX::Zero(C_.size()), VecX::Zero(C_.size())};
  if (size == 0) return sides[0];
  const double factor = part_of_way / size;
  VecX q;
  for (const int side : {0, 1}) {
    system_.advance(step_->from.q, x, side == 0 ? -factor : factor, q);
    equations_.way_of_rows(*step_, q, equations_.delta(), sides[side]);
  }
  return (sides[1] - sides[0]) / (2 * factor);
}

/// y·(J δ + h C_t) = δ·Jᵀy + h y·C_t: its gradient is that of Jᵀy, transposed, times δ; and the
/// gradient of C_t is the rate of J.
void ImplicitStep::add_way_transposed(const VecX& y, VecX& out) {
  Workspace& w = equations_.workspace();
  const RowPattern& pattern = equations_.pattern();
  const double start = step_->from.time;
  w.evaluate(system_, step_->from.q, start, w.start);
  VecX pull(out.size());
  // Of rows that are off, J is not in what they say.
  if (w.modes.in_solve) w.modes.hold(pattern, w.start, w.start.held);
  VecX weights = y;
  for (const RowModes::Mode& mode : w.modes.modes())
    if (!mode.is_equation) weights[mode.row] = 0;
  multiply_transposed(pattern, w.start.J, weights, pull);
  stiffness_rows_.add_stiffness(system_, *given_, w.start.pose, start, weights, RowForm::given,
                                Definiteness::exact);
  add_product(given_->stiffness_blocks, stiffness_rows_.G, equations_.delta(), out);
  for (const BodySlot& slot : system_.slots())
    if (slot.rigid >= 0)
      out.segment<3>(slot.v + 3) += 0.5 * cross_matrix(pull.segment<3>(slot.v + 3)).transpose() *
                                    equations_.delta().segment<3>(slot.v + 3);
  if (!depends_on_time_) return;
  constexpr double little_time = 1e-3;  // of the step
  const double dt = little_time * step_->h;
  VecX later(out.size()), earlier(out.size());
  for (const bool is_later : {true, false}) {
    w.evaluate(system_, step_->from.q, start + (is_later ? dt : -dt), w.start);
    if (w.modes.in_solve) w.modes.hold(pattern, w.start, w.start.held);
    multiply_transposed(pattern, w.start.J, weights, is_later ? later : earlier);
  }
  out += (step_->h / (2 * dt)) * (later - earlier);
}

void ImplicitStep::apply(const VecX& x, const VecX& y, bool transposed, VecX& out_x, VecX& out_y) {
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

}  // namespace taut::detail
