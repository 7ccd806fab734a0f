// Projective dynamics (Bouaziz, Martin, Liu, Kavan and Pauly 2014): springs of stiffness w instead
// of constraints, and the step of backward Euler as the minimum of
//
//   g = 1/(2h²) |q⁺ ⊖ q − h v̂|²_M + Σ ½ w |S x − p|²,   v̂: the velocity of the free step,
//
// where S x is what a constraint sees of the places x, and p the place nearest to it that meets the
// constraint. In turns, each constraint finds its p ("local"), and all bodies move with p held
// ("global"): a linear system whose matrix stays the same, and is factored once.
//
// In rows: S x − p is C along the row's own direction, so that the force is −w Jᵀ C, and a local
// and a global step together are the step of a quasi-Newton method (Liu, Bouaziz and Kavan 2017),
//
//   H η = −∇g,   ∇g = M (δ/h − v̂)/h + w Jᵀ C,   H = M/h² + Σ w SᵀS.
//
// Of a row of a length l of a linear function S x, C = l − L, SᵀS is L times the geometric
// stiffness of (l² − L²)/2L for λ = 1, a constant: links and threads of cloth. Of all others SᵀS is
// JᵀJ, which is constant for what is linear (pins). The rows of joints turn with the bodies: H is
// factored anew when J has changed much, or other limits act. A step that would make g larger is
// halved.
#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/methods/archive.hpp"
#include "taut/methods/free_step.hpp"
#include "taut/methods/options.hpp"
#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr double turned_much = 0.1;  // of J, relative to its largest number
constexpr int most_g_halvings = 8;

struct ProjectiveDynamics final : Method {
  int iterations = 10;
  double stiffness = 1e4;

  ForceResponse force_response() const override { return backward_euler_response; }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    adapt(system, w);
    // The free step has the forces of motors; which limits act is found here.
    decides_ = std::exchange(w.modes.in_solve, false);
    free_.predict(FreeBase::implicit_forces, system, h, state, w, report);
    free_.reach(system, state, free_.candidate(), q_next_);
    w.modes.in_solve = decides_;

    double g = look(system, h, state, w);
    prepare(system, h, state.time + h, w);
    for (int i = 0; i < iterations; ++i) {
      gradient(system, h, w);
      solver_->solve(gradient_, way_);
      ++report.linear_solves;
      g = descend(system, h, state, g, w);
    }
    report.iterations = iterations;
    finish(system, h, state, w, report);
    return report;
  }

  void archive(Archive& a, const System& system, Workspace& w) override {
    adapt(system, w);
    free_.archive(a, system, w);
    a(factored_h_, factored_acts_, factored_J_, H_.value);
    if (a.is_reading() && factored_h_ > 0) solver_->factor(H_);
  }

 private:
  // The matrix ------------------------------------------------------------------------------------
  /// Which numbers of H there are.
  void adapt(const System& system, const Workspace& w) {
    if (topology_ == system.topology()) return;
    topology_ = system.topology();
    const RowPattern& pattern = w.pattern;
    is_length_.assign(static_cast<std::size_t>(pattern.rows()), 0);
    for (std::size_t c = 0; c < pattern.constraint_row.size(); ++c) {
      const int row = pattern.constraint_row[c];
      const int block = pattern.first_stiffness_block[c];
      is_length_[static_cast<std::size_t>(row)] =
          pattern.natural_length[static_cast<std::size_t>(row)] > 0 &&
          block < static_cast<int>(pattern.stiffness_blocks.size()) &&
          pattern.stiffness_blocks[static_cast<std::size_t>(block)].is_scalar;
    }
    std::vector<std::vector<int>> columns(static_cast<std::size_t>(system.velocity_size()));
    const auto couple = [&](int i, int j) {
      columns[static_cast<std::size_t>(std::max(i, j))].push_back(std::min(i, j));
    };
    for (const BodySlot& slot : system.slots())
      for (int i = 0; i < (slot.rigid < 0 ? 3 : 6); ++i)
        for (int j = 0; j <= i; ++j)
          if (i == j || (slot.rigid >= 0 && j >= 3)) couple(slot.v + i, slot.v + j);
    for (int row = 0; row < pattern.rows(); ++row)
      for_each_pair(pattern, row, [&](int i, int j, double, double) { couple(i, j); });
    H_ = {};
    for (std::vector<int>& row : columns) {
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      H_.column.insert(H_.column.end(), row.begin(), row.end());
      H_.row_begin.push_back(static_cast<int>(H_.column.size()));
    }
    H_.value.setZero(static_cast<Eigen::Index>(H_.column.size()));
    solver_ = make_linear_solver("ldlt_sparse", H_);
    factored_h_ = 0;
    factored_J_.resize(0);
  }

  /// Calls visit(i, j, J_i, J_j) for the entries i ≥ j of SᵀS of a row; of a length, only those in
  /// the same direction.
  template <class Visit>
  void for_each_pair(const RowPattern& pattern, int row, const Visit& visit,
                     const VecX* J = nullptr) const {
    const bool is_length = is_length_[static_cast<std::size_t>(row)];
    for (int a = pattern.first_block[row]; a < pattern.first_block[row + 1]; ++a)
      for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) {
        const JacobianBlock &one = pattern.blocks[static_cast<std::size_t>(a)],
                            &two = pattern.blocks[static_cast<std::size_t>(b)];
        for (int i = 0; i < one.size; ++i)
          for (int j = 0; j < two.size; ++j)
            if (one.dof + i >= two.dof + j && (!is_length || i == j))
              visit(one.dof + i, two.dof + j, J ? (*J)[one.value + i] : 0,
                    J ? (*J)[two.value + j] : 0);
      }
  }

  double& entry(int i, int j) {
    const auto begin = H_.column.begin() + H_.row_begin[static_cast<std::size_t>(i)],
               end = H_.column.begin() + H_.row_begin[static_cast<std::size_t>(i) + 1];
    return H_.value[std::lower_bound(begin, end, j) - H_.column.begin()];
  }

  /// H, factored, if it is not that of before.
  void prepare(const System& system, double h, double time, Workspace& w) {
    acts_.assign(static_cast<std::size_t>(w.pattern.rows()), 1);
    for (const RowModes::Mode& mode : w.modes.modes())
      acts_[static_cast<std::size_t>(mode.row)] = acts(mode, w.end.C[mode.row]);
    if (h == factored_h_ && acts_ == factored_acts_ && is_near(w)) return;
    factored_h_ = h;
    factored_acts_ = acts_;
    factored_J_ = w.end.J;
    H_.value.setZero();
    for (int body = 0; body < system.body_count(); ++body) {
      const BodySlot& slot = system.slot({body});
      for (int i = 0; i < 3; ++i) entry(slot.v + i, slot.v + i) += system.mass({body}) / (h * h);
      for (int i = 0; slot.rigid >= 0 && i < 3; ++i)
        for (int j = 0; j <= i; ++j)
          entry(slot.v + 3 + i, slot.v + 3 + j) += system.inertia({body})(i, j) / (h * h);
    }
    for (int row = 0; row < w.pattern.rows(); ++row) {
      if (!acts_[static_cast<std::size_t>(row)] || is_length_[static_cast<std::size_t>(row)])
        continue;
      for_each_pair(
          w.pattern, row,
          [&](int i, int j, double a, double b) { entry(i, j) += stiffness * a * b; }, &w.end.J);
    }
    // Lengths: w L G(1).
    multipliers_.setZero(w.pattern.rows());
    for (int row = 0; row < w.pattern.rows(); ++row)
      if (acts_[static_cast<std::size_t>(row)] && is_length_[static_cast<std::size_t>(row)])
        multipliers_[row] = stiffness * w.pattern.natural_length[static_cast<std::size_t>(row)];
    laplacian_.add_stiffness(system, w.pattern, w.end.pose, time, multipliers_, RowForm::smooth);
    for (const StiffnessBlock& block : w.pattern.stiffness_blocks)
      if (block.is_scalar)
        for (int i = 0; i < 3; ++i)
          entry(std::max(block.row_dof, block.col_dof) + i,
                std::min(block.row_dof, block.col_dof) + i) += laplacian_.G[block.value];
    solver_->factor(H_);
  }

  bool is_near(const Workspace& w) const {
    if (factored_J_.size() != w.end.J.size()) return false;
    double largest = 0, change = 0;
    for (int row = 0; row < w.pattern.rows(); ++row) {
      if (is_length_[static_cast<std::size_t>(row)]) continue;
      const auto values = w.pattern.values_of(row, row + 1);
      for (int i = values.begin; i < values.begin + values.size; ++i) {
        largest = std::max(largest, std::abs(w.end.J[i]));
        change = std::max(change, std::abs(w.end.J[i] - factored_J_[i]));
      }
    }
    return change <= turned_much * largest;
  }

  // The iteration
  // -----------------------------------------------------------------------------------
  bool acts(const RowModes::Mode& mode, double C) const {
    return mode.is_limit() && decides_ ? RowModes::beyond(mode, C) != 0 : mode.is_equation;
  }

  /// C, J, δ/h − v̂ and g at q_next.
  double look(const System& system, double h, const State& state, Workspace& w) {
    w.evaluate(system, q_next_, state.time + h, w.end);
    w.measure_way(system, state, h, q_next_, w.end);
    for (const RowModes::Mode& mode : w.modes.modes())
      if (!acts(mode, w.end.C[mode.row])) w.end.C[mode.row] = 0;
    system.difference(state.q, q_next_, Chart::rotation_vector, velocity_);
    velocity_ /= h;
    left_ = velocity_ - free_.candidate();
    return system.kinetic_energy(left_) + 0.5 * stiffness * w.end.C.squaredNorm();
  }

  // −∇g
  void gradient(const System& system, double h, Workspace& w) {
    w.lambda = stiffness * w.end.C;
    force_.resize(left_.size());
    system.apply_mass(left_, gradient_);
    multiply_transposed(w.pattern, w.end.J, w.lambda, force_);
    gradient_ = -gradient_ / h - force_;
  }

  double descend(const System& system, double h, const State& state, double g, Workspace& w) {
    q_before_ = q_next_;
    double part = 1;
    for (int i = 0; i <= most_g_halvings; ++i, part *= 0.5) {
      system.advance(q_before_, way_, part, q_next_);
      const double now = look(system, h, state, w);
      if (now <= g * (1 + 1e-12)) return now;
    }
    q_next_ = q_before_;
    return look(system, h, state, w);
  }

  void finish(const System& system, double h, State& state, Workspace& w, StepReport& report) {
    w.lambda = stiffness * w.end.C;
    report.residual = relative_error(w.pattern, w.end.C, length_scale(system, w.pattern, q_next_));
    if (decides_)
      for (RowModes::Mode& mode : w.modes.modes())
        if (mode.is_limit()) mode.is_equation = w.end.C[mode.row] != 0;
    state.q = q_next_;
    state.v = velocity_;
    state.time += h;
  }

  long topology_ = -1;
  bool decides_ = false;
  FreeStep free_;
  std::vector<char> is_length_;  // per row
  SparseSymmetric H_;
  std::unique_ptr<LinearSolver> solver_;
  double factored_h_ = 0;
  std::vector<char> acts_, factored_acts_;  // per row
  Rows laplacian_;
  VecX factored_J_, multipliers_, q_next_, q_before_, velocity_, left_, gradient_, force_, way_;
};

}  // namespace

MethodInfo describe_projective_dynamics() {
  return describe_method<ProjectiveDynamics>(
      "projective_dynamics", "springs, solved in turns with a matrix that is factored once",
      Promises{.energy = Promises::Energy::dissipates,
               .passes_singular = true,
               .solves_rows = false,
               .decides_laws = true,
               .forces = Promises::Forces::before_constraints},
      FieldList<ProjectiveDynamics>()
          .optional("iterations", &ProjectiveDynamics::iterations, "",
                    "local and global steps per step", Range::positive)
          .optional("stiffness", &ProjectiveDynamics::stiffness, "N/m",
                    "of the spring that replaces a row", Range::positive));
}

}  // namespace taut
