#include "taut/methods/position_sweep.hpp"

#include <algorithm>
#include <array>

#include "taut/base/dense_solve.hpp"
#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr int most_swept_rows = 6, most_swept_bodies = 8;  // of a constraint
// Rows of a constraint that depend on each other: what is added to the diagonal, relatively.
constexpr double sweep_shift = 1e-9;

}  // namespace

void PositionSweep::begin(const System& system, Workspace& w) {
  p_.setZero(w.pattern.rows());
  moved_.setZero(system.velocity_size());
  if (topology_ == system.topology()) return;
  topology_ = system.topology();
  body_at_.assign(static_cast<std::size_t>(system.velocity_size()), -1);
  for (int i = 0; i < system.body_count(); ++i)
    body_at_[static_cast<std::size_t>(system.slot({i}).v)] = i;
}

const RowModes::Mode* PositionSweep::apply_law(const Step& step, const RowModes& modes, int row,
                                               LinearizedRows& at) const {
  if (modes.empty()) [[likely]]
    return nullptr;
  const auto mode =
      std::lower_bound(modes.modes().begin(), modes.modes().end(), row,
                       [](const RowModes::Mode& one, int other) { return one.row < other; });
  if (mode == modes.modes().end() || mode->row != row) return nullptr;
  double& C = at.C[row];
  C = RowModes::measured(*mode, C, at.C_t[row], step.start.time + step.h);
  if (!mode->is_limit() || !step.decides) C = mode->is_equation ? C : 0;
  return &*mode;
}

void PositionSweep::sweep(const Step& step, Workspace& w, VecX& q) {
  LinearizedRows& at = w.end;
  const RowPattern& pattern = w.pattern;
  if (at.C.size() != pattern.rows() || at.J.size() != pattern.jacobian_values) at.resize(pattern);
  at.pose.set(step.system, q);
  const double end = step.start.time + step.h;
  for (std::size_t b = 0; b < step.system.constraints().size(); ++b) {
    const ConstraintBatch& batch = *step.system.constraints()[b];
    const BatchStart start = pattern.batch_start[b];
    const int rows = batch.rows_per_constraint();
    std::array<const RowModes::Mode*, most_swept_rows> laws{};
    for (int i = 0; i < batch.size(); ++i) {
      batch.linearize(at.pose, end, RowForm::given, pattern, start, {i, i + 1}, at);
      w.measure_way(step.system, step.start, step.h, q, at);
      const Constraint constraint{start.row + i * rows, rows};
      for (int r = 0; r < rows; ++r)
        laws[static_cast<std::size_t>(r)] = apply_law(step, w.modes, constraint.row + r, at);
      satisfy(step, constraint, std::span(laws).first(static_cast<std::size_t>(rows)), w, q);
    }
  }
}

void PositionSweep::satisfy(const Step& step, Constraint constraint,
                            std::span<const RowModes::Mode* const> laws, Workspace& w, VecX& q) {
  const RowPattern& pattern = w.pattern;
  LinearizedRows& at = w.end;
  // What acts: equations, and limits that are beyond their bound or have pushed.
  std::array<int, most_swept_rows> active{};
  int count = 0;
  for (int r = 0; r < constraint.rows; ++r) {
    const int row = constraint.row + r;
    const RowModes::Mode* law = laws[static_cast<std::size_t>(r)];
    const bool is_off = law && (law->is_limit() && step.decides
                                    ? RowModes::beyond(*law, at.C[row]) == 0 && p_[row] == 0
                                    : !law->is_equation);
    if (!is_off) active[static_cast<std::size_t>(count++)] = row;
  }
  if (count == 0) return;
  const int first = pattern.first_block[constraint.row];
  const int bodies = pattern.first_block[constraint.row + 1] - first;
  const auto block_of = [&](int row, int b) -> const JacobianBlock& {
    return pattern.blocks[static_cast<std::size_t>(pattern.first_block[row] + b)];
  };

  std::array<std::array<Vec6, most_swept_bodies>, most_swept_rows> WJ;
  std::array<double, most_swept_rows * most_swept_rows> A{}, kept{};
  std::array<double, most_swept_rows> change{};
  for (int i = 0; i < count; ++i) {
    const int row = active[static_cast<std::size_t>(i)];
    for (int b = 0; b < bodies; ++b) {
      const JacobianBlock& block = block_of(row, b);
      step.system.apply_inverse_mass({body_at_[static_cast<std::size_t>(block.dof)]},
                                     at.J.data() + block.value, WJ[i][b].data());
    }
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int b = 0; b < bodies; ++b) {
        const JacobianBlock& block = block_of(active[static_cast<std::size_t>(j)], b);
        for (int k = 0; k < block.size; ++k) sum += at.J[block.value + k] * WJ[i][b][k];
      }
      A[static_cast<std::size_t>(j * count + i)] = A[static_cast<std::size_t>(i * count + j)] = sum;
    }
    A[static_cast<std::size_t>(i * count + i)] += step.compliance;
    change[static_cast<std::size_t>(i)] = at.C[row] - step.compliance * p_[row];
  }
  kept = A;
  const std::array<double, most_swept_rows> wanted = change;
  if (!solve_positive_definite(A.data(), count, change.data())) {
    for (int i = 0; i < count; ++i) {
      double& diagonal = kept[static_cast<std::size_t>(i * count + i)];
      diagonal = diagonal > 0 ? (1 + sweep_shift) * diagonal : 1;
    }
    change = wanted;
    if (!solve_positive_definite(kept.data(), count, change.data())) return;
  }
  for (int i = 0; i < count; ++i) {
    const int row = active[static_cast<std::size_t>(i)];
    double& own = change[static_cast<std::size_t>(i)];
    own *= step.share;
    const RowModes::Mode* law = laws[static_cast<std::size_t>(row - constraint.row)];
    if (law && law->is_limit() && step.decides)
      own = std::clamp(p_[row] + own, law->least(), law->most()) - p_[row];
    p_[row] += own;
  }
  for (int b = 0; b < bodies; ++b) {
    const BodyId body{body_at_[static_cast<std::size_t>(block_of(active[0], b).dof)]};
    Vec6 way = Vec6::Zero();
    for (int i = 0; i < count; ++i)
      way.head(block_of(active[0], b).size) -=
          change[static_cast<std::size_t>(i)] * WJ[i][b].head(block_of(active[0], b).size);
    step.system.displace(body, way.data(), q);
    at.pose.update(body);
    moved_.segment<3>(block_of(active[0], b).dof) += way.head<3>();
  }
}

void PositionSweep::velocity(const Step& step, const VecX& q, const VecX& free, VecX& v) {
  if (step.system.rigid_count() > 0) {
    step.system.difference(step.start.q, q, Chart::rotation_vector, turned_);
    turned_ /= step.h;
  }
  v = free + moved_ / step.h;
  for (const BodySlot& slot : step.system.slots())
    if (slot.rigid >= 0) v.segment<3>(slot.v + 3) = turned_.segment<3>(slot.v + 3);
}

double PositionSweep::violation(const Step& step, Workspace& w, const VecX& q) {
  w.evaluate(step.system, q, step.start.time + step.h, w.end);
  w.measure_way(step.system, step.start, step.h, q, w.end);
  if (step.decides) w.modes.drop_slack(w.end.C);
  return relative_error(w.pattern, w.end.C, length_scale(step.system, w.pattern, q));
}

bool PositionSweep::is_limited(const RowModes& modes) const {
  return std::any_of(
      modes.modes().begin(), modes.modes().end(),
      [this](const RowModes::Mode& mode) { return mode.is_limit() && p_[mode.row] != 0; });
}

void note_limits(const VecX& impulse, RowModes& modes) {
  for (RowModes::Mode& mode : modes.modes())
    if (mode.is_limit()) mode.is_equation = impulse[mode.row] != 0;
}

}  // namespace taut
