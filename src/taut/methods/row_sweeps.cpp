#include "taut/methods/row_sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/base/small_dot.hpp"

namespace taut {
namespace {

constexpr double any = std::numeric_limits<double>::infinity();

double dot(const double* a, const double* b, int size) {
  if (size == 6) return small_dot<6>(a, b);
  if (size == 3) return small_dot<3>(a, b);
  double sum = 0;
  for (int i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

/// x −= factor · a
void subtract(const double* a, double factor, int size, double* x) {
  using Six = Eigen::Map<const Vec6>;
  if (size == 6)
    Eigen::Map<Vec6>{x} -= factor * Six(a);
  else
    for (int k = 0; k < size; ++k) x[k] -= factor * a[k];
}

}  // namespace

// J_then = J_now T for ω_now = T ω_then.
void RowSweeps::turn(const System& system, std::span<const Mat3> turned, Workspace& w) const {
  for (const JacobianBlock& block : w.pattern.blocks) {
    if (block.size != 6) continue;
    const int rigid = rigid_at_[static_cast<std::size_t>(block.dof)];
    Eigen::Map<Vec3> turning(w.start.J.data() + block.value + 3);
    turning = Vec3(turned[static_cast<std::size_t>(rigid)].transpose() * Vec3(turning));
  }
  system.apply_inverse_mass(w.pattern.blocks, w.start.J, w.start.WJ);
}

void RowSweeps::look(const System& system, const State& state, double h, const Softness& softness,
                     std::span<const Mat3> turned, Workspace& w) {
  const RowPattern& pattern = w.pattern;
  const std::size_t rows = static_cast<std::size_t>(pattern.rows());
  if (topology_ != system.topology()) {
    topology_ = system.topology();
    has_no_C_.assign(rows, 0);
    for (const int row : pattern.velocity_rows) has_no_C_[static_cast<std::size_t>(row)] = 1;
    rigid_at_.assign(static_cast<std::size_t>(system.velocity_size()), -1);
    for (const BodySlot& slot : system.slots())
      rigid_at_[static_cast<std::size_t>(slot.v)] = slot.rigid;
    for (VecX* of_rows : {&A_, &least_, &most_, &impulse_}) of_rows->setZero(pattern.rows());
  }
  h_ = h;
  if (rows == 0) return;
  w.linearize(system, state.q, state.time, w.start);
  if (!turned.empty()) turn(system, turned, w);
  if (w.modes.in_solve) w.modes.turn_to_nearer_bounds(w.start.C);
  on_.resize(rows);
  off_.assign(rows, {});
  least_.setConstant(-any);
  most_.setConstant(any);
  for (int row = 0; row < pattern.rows(); ++row) {
    double A = 0;
    for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) {
      const JacobianBlock& block = pattern.blocks[b];
      A += dot(w.start.J.data() + block.value, w.start.WJ.data() + block.value, block.size);
    }
    A_[row] = A;
    const std::size_t i = static_cast<std::size_t>(row);
    on_[i] = has_no_C_[i]
                 ? RowTarget{}
                 : RowTarget{softness.rate * w.start.C[row], softness.mass, softness.impulse};
  }
  if (!w.modes.in_solve) return;
  for (const RowModes::Mode& mode : w.modes.modes())
    if (!mode.is_timed()) set_law(mode, softness, w.start.C[mode.row]);
}

void RowSweeps::set_law(const RowModes::Mode& mode, const Softness& softness, double C) {
  const std::size_t row = static_cast<std::size_t>(mode.row);
  least_[mode.row] = h_ * mode.least();
  most_[mode.row] = h_ * mode.most();
  if (!mode.is_limit()) {  // a motor keeps its speed, wherever it is
    on_[row] = {};
  } else if (RowModes::beyond(mode, C) == 0) {
    on_[row] = off_[row] = {C / h_, 1, 0};
  } else {
    on_[row] = {softness.rate * C, softness.mass, softness.impulse};
  }
}

void RowSweeps::warm_start(const Workspace& w, VecX& v) {
  const RowPattern& pattern = w.pattern;
  for (int row = 0; row < pattern.rows(); ++row) {
    const double guess = A_[row] > 0 ? h_ * w.lambda[row] : 0;
    impulse_[row] = std::isfinite(guess) ? std::clamp(guess, least_[row], most_[row]) : 0;
  }
  if (pattern.rows() == 0) return;
  for (int row = 0; row < pattern.rows(); ++row) {
    if (impulse_[row] == 0) continue;
    for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) {
      const JacobianBlock& block = pattern.blocks[b];
      subtract(w.start.WJ.data() + block.value, impulse_[row], block.size, v.data() + block.dof);
    }
  }
}

double RowSweeps::rate(int row, const Workspace& w, const VecX& v) const {
  const RowPattern& pattern = w.pattern;
  double sum = w.start.C_t[row];
  for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) {
    const JacobianBlock& block = pattern.blocks[b];
    sum += dot(w.start.J.data() + block.value, v.data() + block.dof, block.size);
  }
  return sum;
}

double RowSweeps::change(int row, double rate, Bias bias) const {
  const std::size_t i = static_cast<std::size_t>(row);
  const RowTarget& target = bias == Bias::on ? on_[i] : off_[i];
  const double before = impulse_[row];
  const double wanted =
      before + target.mass * (rate + target.bias) / A_[row] - target.impulse * before;
  return std::clamp(wanted, least_[row], most_[row]) - before;
}

void RowSweeps::sweep(Bias bias, const Workspace& w, VecX& v) {
  const RowPattern& pattern = w.pattern;
  for (int row = 0; row < pattern.rows(); ++row) {
    if (!(A_[row] > 0)) continue;
    const double more = change(row, rate(row, w, v), bias);
    impulse_[row] += more;
    for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) {
      const JacobianBlock& block = pattern.blocks[b];
      subtract(w.start.WJ.data() + block.value, more, block.size, v.data() + block.dof);
    }
  }
}

double RowSweeps::unsolved(Bias bias, const Workspace& w, const VecX& v, double time,
                           double size) const {
  double most = 0;
  for (int row = 0; row < w.pattern.rows(); ++row) {
    if (!(A_[row] > 0)) continue;
    const double way = time * A_[row] * std::abs(change(row, rate(row, w, v), bias));
    const double unit = w.pattern.is_angle[static_cast<std::size_t>(row)] ? 1 : size;
    most = std::max(most, way / unit);
  }
  return most;
}

void RowSweeps::finish(Workspace& w) const {
  for (int row = 0; row < w.pattern.rows(); ++row) w.lambda[row] = impulse_[row] / h_;
  if (!w.modes.in_solve) return;
  for (RowModes::Mode& mode : w.modes.modes()) {
    if (mode.is_timed()) continue;
    const double impulse = impulse_[mode.row];
    const bool is_bound = impulse == least_[mode.row] || impulse == most_[mode.row];
    mode.is_equation = !is_bound;
    mode.held = is_bound ? impulse / h_ : 0;
  }
}

}  // namespace taut
