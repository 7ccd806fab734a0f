#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/simulate/activation_internal.hpp"
#include "taut/simulate/metrics.hpp"
#include "taut/simulate/verdict.hpp"

namespace taut::detail {
namespace {

constexpr double jumping = 1e-6;  // of the extent: the least that is called a jump
constexpr int bisections = 30;

}  // namespace

Activation::Activation(const System& system, const RunOptions& options, double extent,
                       BoundedStep& bounded, RunReport& report)
    : system_(system),
      bounded_(bounded),
      report_(report),
      active_(options.start == Start::settle),
      position_bound_(legal * extent),
      speed_(extent / options.duration) {
  for (const auto& batch : system.constraints()) driven_ = driven_ || batch->depends_on_time();
  if (is_fabric(system)) return;
  may_open_ = driven_ && !system.contact_sources().empty();
  for (const auto& batch : system.all_forces()) pushed_ = pushed_ || !batch->is_passive();
}

void Activation::start(State& state, Workspace& w) {
  if (!active_) return;
  bounded_.touch(system_, state, w);
  const Violation violation = settle_.violation(system_, state, w);
  if (!std::isfinite(violation.position) || !std::isfinite(violation.velocity)) return;
  const double speed = std::max(speed_, state.v.lpNorm<Eigen::Infinity>());
  if (violation.position <= position_bound_ && violation.velocity <= legal * speed) return;
  const Worst worst = worst_violation(state);
  const double size = spread(system_, state);
  settle(state, w);
  warn_if_far(size, worst);
  warn_if_undirected(worst_violation(state), state, w);
}

Activation::Worst Activation::worst_violation(const State& state) const {
  const Pose pose(system_, state.q);
  Worst worst;
  int first = 0;
  std::vector<double> errors;
  for (const auto& batch : system_.constraints()) {
    errors.resize(static_cast<std::size_t>(batch->size()));
    batch->errors(pose, state.time, errors);
    for (int i = 0; i < batch->size(); ++i)
      if (const double error = errors[static_cast<std::size_t>(i)]; error > worst.error)
        worst = {error, first + i, batch->unit()};
    first += batch->size();
  }
  return worst;
}

void Activation::warn_if_far(double spread, const Worst& worst) {
  const double moved = report_.activation.position_change;
  if (!(moved > spread) || worst.constraint < 0) return;
  report_.warnings.push_back(fmt::format(
      "to satisfy the constraints, the start was moved by {:.4g} m, although the whole scene lies "
      "within {:.4g} m of its centre; {} was violated most, by {:.4g} {}: check its lengths, "
      "places "
      "and units",
      moved, spread, constraint_label(system_, worst.constraint), worst.error, worst.unit));
}

// As a rod whose ends are in one place: which way to push them apart nobody knows.
void Activation::warn_if_undirected(const Worst& worst, const State& state, Workspace& w) {
  if (worst.constraint < 0 || !(worst.error > position_bound_)) return;
  int row = 0, rows = 0, left = worst.constraint;
  for (const auto& batch : system_.constraints()) {
    rows = batch->rows_per_constraint();
    row += std::min(left, batch->size()) * rows;
    if (left < batch->size()) break;
    left -= batch->size();
  }
  w.linearize(system_, state.q, state.time, w.end);
  const auto& first = w.pattern.first_block;
  for (int b = first[row]; b < first[row + rows]; ++b) {
    const JacobianBlock& block = w.pattern.blocks[b];
    if (!w.end.J.segment(block.value, block.size).isZero(0)) return;
  }
  report_.warnings.push_back(fmt::format(
      "{} is off by {:.4g} {} at the start, and has no direction there, because its points are in "
      "one place: nothing can bring it about; place them apart",
      constraint_label(system_, worst.constraint), worst.error, worst.unit));
}

// Only rows that depend on time can jump: the others stay 0 here.
void Activation::sample(double time, const Workspace& w, VecX& C, VecX& C_t) {
  for (std::size_t b = 0; b < system_.constraints().size(); ++b) {
    const ConstraintBatch& batch = *system_.constraints()[b];
    if (batch.depends_on_time())
      batch.linearize(pose_, time, RowForm::given, w.pattern, w.pattern.batch_start[b],
                      {0, batch.size()}, rows_);
  }
  C = rows_.C;
  C_t = rows_.C_t;
  for (const RowModes::Mode& mode : w.modes.modes()) {
    if (mode.is_equation)
      C[mode.row] = RowModes::measured(mode, C[mode.row], C_t[mode.row], time);
    else
      C[mode.row] = C_t[mode.row] = 0;
  }
}

// At rest, J̇v + 2 C_qt·v + C_tt is C_tt.
void Activation::sample_drives(double time, const Workspace& w, VecX& C_tt) {
  rows_.bias.setZero();
  for (std::size_t b = 0; b < system_.constraints().size(); ++b) {
    const ConstraintBatch& batch = *system_.constraints()[b];
    if (!batch.depends_on_time()) continue;
    const BatchStart start = w.pattern.batch_start[b];
    batch.linearize(pose_, time, RowForm::given, w.pattern, start, {0, batch.size()}, rows_);
    batch.add_bias(pose_, still_, time, w.pattern, start, rows_);
  }
  C_tt = rows_.bias;
  for (const RowModes::Mode& mode : w.modes.modes())
    if (!mode.is_equation) C_tt[mode.row] = 0;
}

// What depends on time adds energy.
void Activation::sample_forces(double time, const VecX& v, VecX& acceleration) {
  acceleration.setZero(v.size());
  for (const auto& batch : system_.all_forces())
    if (!batch->is_passive()) batch->add(system_, pose_, v, time, acceleration);
  system_.apply_inverse_mass(acceleration, acceleration);
}

template <class Take, class Defect>
std::optional<Activation::Jump> Activation::bisect(double a, double b, double least,
                                                   const Take& take, const Defect& defect) {
  int left = 0, middle = 1, right = 2;
  take(a, left);
  take(b, right);
  const double whole = defect(left, right, b - a);
  if (!(whole > least) || !std::isfinite(whole)) return std::nullopt;
  double left_over = whole;
  for (int i = 0; i < bisections && left_over > 0.1 * whole; ++i) {
    const double m = 0.5 * (a + b);
    take(m, middle);
    const double first = defect(left, middle, m - a), second = defect(middle, right, b - m);
    std::swap(middle, first > second ? right : left);
    (first > second ? b : a) = m;
    left_over = std::max(first, second);
  }
  if (!(left_over > 0.1 * whole)) return std::nullopt;
  return Jump{a, b};
}

// With q held, C(t) changes as the drive does. A drive that is smooth on (a, b) has, for short
// b − a, a small defect |C(b) − C(a) − (b − a)(C_t(a) + C_t(b))/2|, that falls by eight with each
// halving, and a small change of C_t, that falls by two. Over a jump neither falls however short
// the interval. So the half with the larger defect is halved again and again: what is left of the
// first defect tells, whatever the size of the step or the history of the run.
std::optional<Activation::Jump> Activation::jump_of_rows(const State& state, double h,
                                                         Workspace& w) {
  if (rows_.C.size() != w.pattern.rows() || rows_.J.size() != w.pattern.jacobian_values)
    rows_.resize(w.pattern);
  return bisect(
      state.time, state.time + h, position_bound_ * (jumping / legal),
      [&](double time, int i) { sample(time, w, C_[i], rate_[i]); },
      [&](int from, int to, double length) {
        const VecX &C0 = C_[from], &C1 = C_[to], &r0 = rate_[from], &r1 = rate_[to];
        const double place = (C1 - C0 - (0.5 * length) * (r0 + r1)).lpNorm<Eigen::Infinity>();
        return std::max(place, h * (r1 - r0).lpNorm<Eigen::Infinity>());
      });
}

// So with forces, whose kinks do little harm. What one step makes of a jump in its middle is a
// wrong velocity, for the rest of the run. In two halves: a blow may be over when the step is.
std::optional<Activation::Jump> Activation::jump_of_forces(const State& state, double h) {
  const auto find = [&](double a, double b) {
    return bisect(
        a, b, jumping * speed_, [&](double time, int i) { sample_forces(time, state.v, C_[i]); },
        [&](int from, int to, double) {
          return h * (C_[to] - C_[from]).lpNorm<Eigen::Infinity>();
        });
  };
  const double begin = state.time, middle = begin + 0.5 * h;
  std::optional<Jump> jump = find(begin, middle);
  if (!jump) jump = find(middle, begin + h);
  if (jump) jump->is_of_force = true;
  return jump;
}

// Where the acceleration of a drive jumps, so does the force with which something lies on it: it
// may begin to slide or lift off there. In the middle of a step that would be noticed too late, or
// too soon, and by half the step just as well.
std::optional<Activation::Jump> Activation::kink_of_rows(const State& state, double h,
                                                         Workspace& w) {
  if (rows_.C.size() != w.pattern.rows() || rows_.J.size() != w.pattern.jacobian_values)
    rows_.resize(w.pattern);
  still_.setZero(state.v.size());
  auto kink = bisect(
      state.time, state.time + h, jumping * speed_,
      [&](double time, int i) { sample_drives(time, w, C_[i]); },
      [&](int from, int to, double) { return h * (C_[to] - C_[from]).lpNorm<Eigen::Infinity>(); });
  if (kink) kink->is_of_force = true;
  return kink;
}

std::optional<Activation::Jump> Activation::find_jump(const State& state, double h, Workspace& w) {
  const bool may_settle = active_ && driven_;
  if (!may_settle && !pushed_ && !may_open_) return std::nullopt;
  pose_.set(system_, state.q);
  std::optional<Jump> first;
  const auto take = [&](const std::optional<Jump>& jump) {
    if (jump && (!first || jump->after < first->before)) first = jump;
  };
  if (may_settle) first = jump_of_rows(state, h, w);
  if (pushed_) take(jump_of_forces(state, h));
  if (may_open_) take(kink_of_rows(state, h, w));
  return first;
}

StepReport Activation::settle(State& state, Workspace& w) {
  const double energy_before = system_.energy(state);
  const Worst worst = worst_violation(state);
  bounded_.touch(system_, state, w);
  const SettleReport settled = settle_.apply(system_, state, w);
  RunReport::Activation& noted = report_.activation;
  ++noted.count;
  if (noted.times.size() < 1000) noted.times.push_back(state.time);
  noted.position_change = std::max(noted.position_change, settled.position_change);
  noted.velocity_change = std::max(noted.velocity_change, settled.velocity_change);
  noted.impulse = std::max(noted.impulse, settled.impulse);
  if (noted.worst.empty() || settled.before.position > noted.error_before)
    noted.worst = worst.constraint < 0 ? "" : constraint_name(system_, worst.constraint);
  noted.error_before = std::max(noted.error_before, settled.before.position);
  noted.error_after = std::max(noted.error_after, settled.after.position);
  noted.rate_before = std::max(noted.rate_before, settled.before.velocity);
  noted.energy_change += system_.energy(state) - energy_before;
  report_.cost.add(settled.step);
  return settled.step;
}

}  // namespace taut::detail
