#include "taut/methods/block_descent.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "taut/base/dense_solve.hpp"
#include "taut/model/rotation.hpp"
#include "taut/model/scale.hpp"

namespace taut {

void BlockDescent::adapt(const System& system, const Workspace& w) {
  if (topology_ == system.topology()) return;
  topology_ = system.topology();
  const RowPattern& pattern = w.pattern;
  std::vector<int> body_at(static_cast<std::size_t>(system.velocity_size()), -1);
  for (int i = 0; i < system.body_count(); ++i)
    body_at[static_cast<std::size_t>(system.slot({i}).v)] = i;
  const std::size_t bodies = static_cast<std::size_t>(system.body_count());
  std::vector<std::vector<Incidence>> touching(bodies);
  for (std::size_t b = 0; b < system.constraints().size(); ++b) {
    const ConstraintBatch& batch = *system.constraints()[b];
    for (int c = 0; c < batch.size(); ++c) {
      const int row = pattern.batch_start[b].row + c * batch.rows_per_constraint();
      for (int i = pattern.first_block[row]; i < pattern.first_block[row + 1]; ++i)
        touching[static_cast<std::size_t>(body_at[static_cast<std::size_t>(pattern.blocks[i].dof)])]
            .push_back({static_cast<int>(b), c, i - pattern.first_block[row]});
    }
  }
  std::vector<std::vector<StiffnessBlock>> diagonals(bodies);
  for (const StiffnessBlock& block : pattern.stiffness_blocks)
    if (block.row_dof == block.col_dof)
      diagonals[static_cast<std::size_t>(body_at[static_cast<std::size_t>(block.row_dof)])]
          .push_back(block);
  first_incidence_.assign(1, 0);
  first_diagonal_.assign(1, 0);
  incidences_.clear();
  diagonal_blocks_.clear();
  for (std::size_t i = 0; i < bodies; ++i) {
    incidences_.insert(incidences_.end(), touching[i].begin(), touching[i].end());
    diagonal_blocks_.insert(diagonal_blocks_.end(), diagonals[i].begin(), diagonals[i].end());
    first_incidence_.push_back(static_cast<int>(incidences_.size()));
    first_diagonal_.push_back(static_cast<int>(diagonal_blocks_.size()));
  }
  mode_at_.assign(static_cast<std::size_t>(pattern.rows()), -1);
  for (std::size_t i = 0; i < w.modes.modes().size(); ++i)
    mode_at_[static_cast<std::size_t>(w.modes.modes()[i].row)] = static_cast<int>(i);
  for (VecX* per_row : {&k, &lambda, &offset}) per_row->setZero(pattern.rows());
}

const RowModes::Mode* BlockDescent::mode_of(int row, const Workspace& w) const {
  const int number = mode_at_[static_cast<std::size_t>(row)];
  return number < 0 ? nullptr : &w.modes.modes()[static_cast<std::size_t>(number)];
}

void BlockDescent::begin(const System& system, double h, const State& start, Workspace& w,
                         StepReport& report) {
  adapt(system, w);
  // The free step has the forces of motors; which limits act is found in the sweeps.
  decides_ = std::exchange(w.modes.in_solve, false);
  free_.predict(FreeBase::implicit_forces, system, h, start, w, report);
  w.modes.in_solve = decides_;
  system.advance(start.q, start.v, h, q_next_);
}

// What the rows with a law ask for.
void BlockDescent::apply_laws(double time, int begin, int end, Workspace& w) const {
  for (int row = begin; row < end; ++row) {
    const RowModes::Mode* mode = mode_of(row, w);
    if (!mode) continue;
    double& C = w.end.C[row];
    C = RowModes::measured(*mode, C, w.end.C_t[row], time);
    if (!mode->is_limit() && !mode->is_equation) C = 0;
  }
}

double BlockDescent::force(int row, double C, const Workspace& w) const {
  const double wanted = k[row] * (C - offset[row]) + lambda[row];
  const RowModes::Mode* mode = mode_of(row, w);
  if (!mode) return wanted;
  if (mode->is_limit() && decides_) return std::clamp(wanted, mode->least(), mode->most());
  return mode->is_equation ? wanted : 0;
}

const VecX& BlockDescent::look(const System& system, double h, const State& start, Workspace& w) {
  w.evaluate(system, q_next_, start.time + h, w.end, RowForm::smooth);
  w.measure_way(system, start, h, q_next_, w.end);
  return w.end.C;
}

void BlockDescent::measure_inertia(const System& system, double h, const State& start, Workspace& w,
                                   VecX& stiffness) {
  w.linearize(system, start.q, start.time, w.start);
  stiffness.resize(w.pattern.rows());
  for (int row = 0; row < w.pattern.rows(); ++row) {
    const auto values = w.pattern.values_of(row, row + 1);
    const double moved = w.start.J.segment(values.begin, values.size)
                             .dot(w.start.WJ.segment(values.begin, values.size));
    stiffness[row] = moved > 0 ? 1 / (h * h * moved) : 0;
  }
}

void BlockDescent::sweep(const System& system, double h, const State& start, Workspace& w) {
  look(system, h, start, w);
  force_.resize(w.pattern.rows());
  for (int row = 0; row < w.pattern.rows(); ++row) force_[row] = force(row, w.end.C[row], w);
  stiffness_.add_stiffness(system, w.pattern, w.end.pose, start.time + h, force_, RowForm::smooth,
                           Definiteness::positive);
  for (int body = 0; body < system.body_count(); ++body) move(system, body, h, start, w);
}

void BlockDescent::move(const System& system, int body, double h, const State& start,
                        Workspace& w) {
  const BodySlot& slot = system.slot({body});
  const int size = slot.rigid < 0 ? 3 : 6;
  const double inertia = system.mass({body}) / (h * h);
  Eigen::Matrix<double, 6, 6> H = Eigen::Matrix<double, 6, 6>::Zero();
  Vec6 g = Vec6::Zero();

  // M_i (δ_i/h − v̂_i)/h
  const auto v = free_.candidate().segment(slot.v, size);
  g.head<3>() =
      inertia * (q_next_.segment<3>(slot.q) - start.q.segment<3>(slot.q) - h * Vec3(v.head<3>()));
  for (int i = 0; i < 3; ++i) H(i, i) = inertia;
  if (slot.rigid >= 0) {
    const Mat3 turning = system.inertia({body}) / (h * h);
    const Quat from = quaternion_at(start.q.data() + slot.q + 3),
               to = quaternion_at(q_next_.data() + slot.q + 3);
    g.tail<3>() = turning * (logarithm(from.conjugate() * to) - h * Vec3(v.tail<3>()));
    H.bottomRightCorner<3, 3>() = turning;
  }

  const double end = start.time + h;
  for (int n = first_incidence_[static_cast<std::size_t>(body)];
       n < first_incidence_[static_cast<std::size_t>(body) + 1]; ++n) {
    const Incidence& touch = incidences_[static_cast<std::size_t>(n)];
    const ConstraintBatch& batch = *system.constraints()[static_cast<std::size_t>(touch.batch)];
    const BatchStart from = w.pattern.batch_start[static_cast<std::size_t>(touch.batch)];
    const int rows = batch.rows_per_constraint(), row = from.row + touch.constraint * rows;
    batch.linearize(w.end.pose, end, RowForm::smooth, w.pattern, from,
                    {touch.constraint, touch.constraint + 1}, w.end);
    w.measure_way(system, start, h, q_next_, w.end);
    apply_laws(end, row, row + rows, w);
    for (int r = row; r < row + rows; ++r) {
      const double f = force(r, w.end.C[r], w);
      const RowModes::Mode* mode = mode_of(r, w);
      // A limit that does not push is not stiff, either.
      if (mode && f == 0) continue;
      const JacobianBlock& block =
          w.pattern.blocks[static_cast<std::size_t>(w.pattern.first_block[r] + touch.block)];
      const auto J = w.end.J.segment(block.value, size);
      g.head(size) += f * J;
      for (int j = 0; j < size; ++j)
        for (int i = 0; i < size; ++i) H(i, j) += k[r] * J[i] * J[j];
    }
  }
  for (int n = first_diagonal_[static_cast<std::size_t>(body)];
       n < first_diagonal_[static_cast<std::size_t>(body) + 1]; ++n) {
    const StiffnessBlock& block = diagonal_blocks_[static_cast<std::size_t>(n)];
    const double* values = stiffness_.G.data() + block.value;
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i)
        H(i, j) += block.is_scalar ? (i == j ? *values : 0) : values[j * size + i];
  }

  std::array<double, 36> matrix;
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) matrix[static_cast<std::size_t>(j * size + i)] = H(i, j);
  g = -g;
  if (!solve_positive_definite(matrix.data(), size, g.data())) return;
  system.displace({body}, g.data(), q_next_);
  w.end.pose.update({body});
}

void BlockDescent::finish(const System& system, double h, State& state, Workspace& w,
                          StepReport& report) {
  look(system, h, state, w);
  for (int row = 0; row < w.pattern.rows(); ++row) w.lambda[row] = force(row, w.end.C[row], w);
  if (decides_) {
    for (RowModes::Mode& mode : w.modes.modes())
      if (mode.is_limit()) mode.is_equation = w.lambda[mode.row] != 0;
    w.modes.drop_slack(w.end.C);
  }
  report.residual = relative_error(w.pattern, w.end.C, length_scale(system, w.pattern, q_next_));
  system.difference(state.q, q_next_, Chart::rotation_vector, state.v);
  state.v /= h;
  state.q = q_next_;
  state.time += h;
}

}  // namespace taut
