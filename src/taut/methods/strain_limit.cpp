// Strain limiting (Provot 1995, Bridson et al. 2002): the free step, then sweeps over the
// constraints, each of which moves its own bodies until it is within the permitted strain,
//
//   δx = −W Jᵀ (C − C_permitted) / (J W Jᵀ).
//
//   gauss_seidel   each sees what those before it did
//   jacobi         all see the same; a body with n rows has its mass split among them (Tonge et al.
//                  2012), so that they do not overshoot together
//
// Rows without a rest length are brought to C = 0. Strings are moved only where they are too long,
// as published for springs.
#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/methods/archive.hpp"
#include "taut/methods/free_step.hpp"
#include "taut/methods/options.hpp"
#include "taut/model/scale.hpp"

namespace taut {
namespace {

struct StrainLimit : FilterMethod {
  StrainLimit() : FilterMethod(1e-3, 1000) {}

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    adapt(system, w);
    // The free step has the forces of motors; which strings act is found in the sweeps.
    const bool decides = std::exchange(w.modes.in_solve, false);
    free_.predict(base, system, h, state, w, report);
    w.modes.in_solve = decides;
    free_.reach(system, state, free_.candidate(), q_next_);
    const double end = state.time + h;
    for (;; ++report.iterations) {
      w.evaluate(system, q_next_, end, w.end, RowForm::smooth);
      w.measure_way(system, state, h, q_next_, w.end);
      if (decides) w.modes.drop_slack(w.end.C);
      const double worst = worst_strain(w.pattern, w.end.C);
      report.residual =
          relative_error(w.pattern, w.end.C, length_scale(system, w.pattern, q_next_));
      if (worst <= strain * (1 + 1e-9)) break;
      if (report.iterations == max_iterations || !std::isfinite(worst)) {
        report.status = StepStatus::not_converged;
        break;
      }
      sweep(system, h, state, w);
    }
    system.difference(state.q, q_next_, Chart::rotation_vector, v_next_);
    v_next_ = (v_next_ - free_.offset()) / free_.tau();
    free_.remember(system, h, state, q_next_, v_next_, w.modes);
    w.lambda.setZero();  // sweeps know no forces
    for (RowModes::Mode& mode : w.modes.modes())
      if (decides && mode.is_limit()) mode.is_equation = w.end.C[mode.row] != 0;
    state.time = end;
    state.q = q_next_;
    state.v = v_next_;
    return report;
  }

  void archive(Archive& a, const System& system, Workspace& w) override {
    free_.archive(a, system, w);
  }

 protected:
  /// Over the constraints, from where w.end was evaluated.
  virtual void sweep(const System& system, double h, const State& start, Workspace& w) = 0;

  /// How far C of a row is beyond what is permitted.
  double excess(const RowPattern& pattern, int row, double C) const {
    const double permitted = strain * pattern.natural_length[row];
    return C - std::clamp(C, -permitted, permitted);
  }
  int body_of(const JacobianBlock& block) const { return body_at_[block.dof]; }

  VecX q_next_, v_next_;

 private:
  void adapt(const System& system, const Workspace& w) {
    if (topology_ == system.topology()) return;
    topology_ = system.topology();
    body_at_.assign(static_cast<std::size_t>(system.velocity_size()), -1);
    for (int i = 0; i < system.body_count(); ++i) body_at_[system.slot({i}).v] = i;
    count(w.pattern);
  }
  virtual void count(const RowPattern&) {}

  FreeStep free_;
  int topology_ = -1;
  std::vector<int> body_at_;
};

struct GaussSeidel final : StrainLimit {
  void sweep(const System& system, double h, const State& from, Workspace& w) override {
    const RowPattern& pattern = w.pattern;
    LinearizedRows& at = w.end;
    for (std::size_t b = 0; b < system.constraints().size(); ++b) {
      const ConstraintBatch& batch = *system.constraints()[b];
      const BatchStart start = pattern.batch_start[b];
      const int rows = batch.rows_per_constraint();
      for (int i = 0; i < batch.size(); ++i) {
        batch.linearize(at.pose, from.time + h, RowForm::smooth, pattern, start, {i, i + 1}, at);
        w.measure_way(system, from, h, q_next_, at);
        for (int row = start.row + i * rows; row < start.row + (i + 1) * rows; ++row) {
          apply_law(w.modes, row, from.time + h, at);
          satisfy(system, pattern, row, at);
        }
      }
    }
  }

  /// What a row with a law asks for, as evaluate() has it for all rows.
  static void apply_law(const RowModes& modes, int row, double time, LinearizedRows& at) {
    const auto mode =
        std::lower_bound(modes.modes().begin(), modes.modes().end(), row,
                         [](const RowModes::Mode& one, int other) { return one.row < other; });
    if (mode == modes.modes().end() || mode->row != row) return;
    double& C = at.C[row];
    C = RowModes::measured(*mode, C, at.C_t[row], time);
    C = mode->is_timed() ? (mode->is_equation ? C : 0) : RowModes::beyond(*mode, C);
  }

  void satisfy(const System& system, const RowPattern& pattern, int row, LinearizedRows& at) {
    const double too_much = excess(pattern, row, at.C[row]);
    if (too_much == 0) return;
    const std::span blocks = std::span(pattern.blocks)
                                 .subspan(pattern.first_block[row],
                                          pattern.first_block[row + 1] - pattern.first_block[row]);
    double moved = 0;  // J W Jᵀ
    std::array<Vec6, 8> way;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      system.apply_inverse_mass({body_of(blocks[b])}, at.J.data() + blocks[b].value, way[b].data());
      for (int k = 0; k < blocks[b].size; ++k) moved += at.J[blocks[b].value + k] * way[b][k];
    }
    if (!(moved > 0)) return;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const BodyId body{body_of(blocks[b])};
      way[b] *= -too_much / moved;
      system.displace(body, way[b].data(), q_next_);
      at.pose.update(body);
    }
  }
};

struct Jacobi final : StrainLimit {
  void count(const RowPattern& pattern) override {
    rows_at_.clear();
    for (const JacobianBlock& block : pattern.blocks) {
      const std::size_t body = static_cast<std::size_t>(body_of(block));
      if (rows_at_.size() <= body) rows_at_.resize(body + 1, 0);
      ++rows_at_[body];
    }
  }

  void sweep(const System& system, double, const State&, Workspace& w) override {
    const RowPattern& pattern = w.pattern;
    system.apply_inverse_mass(pattern.blocks, w.end.J, w.end.WJ);
    for (int row = 0; row < pattern.rows(); ++row) {
      const double too_much = excess(pattern, row, w.end.C[row]);
      double moved = 0;
      for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) {
        const JacobianBlock& block = pattern.blocks[b];
        moved +=
            rows_at_[body_of(block)] *
            w.end.J.segment(block.value, block.size).dot(w.end.WJ.segment(block.value, block.size));
      }
      w.rhs[row] = moved > 0 ? -too_much / moved : 0;
    }
    w.WJt(w.end, w.rhs, w.correction);
    q_before_ = q_next_;
    system.advance(q_before_, w.correction, 1, q_next_);
  }

  std::vector<int> rows_at_;  // per body
  VecX q_before_;
};

}  // namespace

MethodInfo describe_strain_limit_jacobi() {
  return describe_method<Jacobi>("strain_limit_jacobi",
                                 "a velocity filter: sweeps over edges, all at once",
                                 Promises{.energy = Promises::Energy::dissipates,
                                          .passes_singular = true,
                                          .solves_rows = false,
                                          .decides_laws = true,
                                          .forces = Promises::Forces::before_constraints},
                                 filter_fields<Jacobi>());
}

MethodInfo describe_strain_limit_gauss_seidel() {
  return describe_method<GaussSeidel>("strain_limit_gauss_seidel",
                                      "a velocity filter: sweeps over edges, one by one",
                                      Promises{.energy = Promises::Energy::dissipates,
                                               .passes_singular = true,
                                               .solves_rows = false,
                                               .decides_laws = true,
                                               .forces = Promises::Forces::before_constraints},
                                      filter_fields<GaussSeidel>());
}

}  // namespace taut
