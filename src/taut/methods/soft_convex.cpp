// MuJoCo's soft constraints (Todorov 2014; "Computation" in MuJoCo's documentation). Each row is
// asked for an acceleration that brings it back like a damped spring, and gives way to its force:
//
//   C̈ + R f = a_ref = −b Ċ − k C,   (A + R) λ = J W F + J̇v + … − a_ref,   f = −λ,
//
// the minimum of a convex function of λ within its bounds: unique, since R > 0. With the impedance
// d(|C|), which rises from d_0 to d_width over a width (solimp), a time constant T and a damping
// ratio ζ (solref),
//
//   b = 2/(d_width T),   k = d/(d_width T ζ)²,   R = (1 − d)/d · J W Jᵀ of the row.
//
// A single row so has C̈ = (1 − d) C̈_free + d a_ref: without forces, beyond the width, the damped
// oscillator C̈ + 2 Ċ/T + C/(Tζ)² = 0, whatever the masses are; under a load C rests at
// (1 − d) C̈_free/(d k). T is at least 2h (MuJoCo's refsafe).
//
// Then v⁺ = v + h v̇ and q⁺ = q ⊕ h v⁺, where forces that depend on the velocity are taken at its
// end ("implicitfast"): (M + h D) v̇ = F − Jᵀλ, D = −∂F/∂v of the forces that know it. λ is solved
// for with M alone, as in MuJoCo.
//
// Limits are rows while they are beyond their bound, and push only. Motors and friction have a
// bounded λ. Which bounds hold is found by active sets, as in workspace_bounds.cpp.
#include <algorithm>
#include <array>
#include <cmath>

#include "taut/methods/options.hpp"
#include "taut/model/scale.hpp"
#include "taut/model/stiffness_product.hpp"
#include "taut/solve/body_diagonal.hpp"
#include "taut/solve/krylov.hpp"

namespace taut {

enum class SoftIntegrator { euler, implicitfast };
template <>
struct Choices<SoftIntegrator> {
  static constexpr std::array<std::string_view, 2> names{"euler", "implicitfast"};
};

namespace {

constexpr int soft_rounds_together = 8, most_soft_rounds = 200;  // of rows that change sides
constexpr double soft_undecided = 1e-12;                         // of the largest right-hand side
constexpr double velocity_tolerance = 1e-12;                     // of M + h D, relative

struct SoftConvex final : Method {
  double time_constant = 0.02, damping_ratio = 1;    // solref
  double impedance_min = 0.9, impedance_max = 0.95;  // solimp: d_0, d_width, …
  double width = 0.001, midpoint = 0.5, power = 2;
  SoftIntegrator integrator = SoftIntegrator::implicitfast;

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    w.linearize(system, state.q, state.time, w.start);
    w.add_bias(system, state.v, state.time, w.start);
    w.forces(system, w.start, state.v, state.time);
    if (w.pattern.rows() > 0) {
      w.J(w.start, w.WF, w.rhs);
      w.rhs += w.start.bias;
      soften(h, state, w);
      solve(system, w, report);
    }
    w.WJt(w.start, w.lambda, w.correction);
    acceleration_ = w.WF - w.correction;
    if (integrator == SoftIntegrator::implicitfast) make_implicit(system, h, state, w, report);
    state.v += h * acceleration_;
    system.advance(state.q, state.v, h, state.q);
    state.time += h;
    report.residual =
        relative_error(w.pattern, violation_, length_scale(system, w.pattern, state.q));
    return report;
  }

 private:
  double impedance(double error) const {
    const double least = std::clamp(impedance_min, 1e-4, 0.9999);
    const double most = std::clamp(impedance_max, 1e-4, 0.9999);
    const double x = width > 0 ? std::min(std::abs(error) / width, 1.0) : 1;
    const double m = std::clamp(midpoint, 1e-4, 0.9999), p = std::max(power, 1.0);
    const double y = x <= m ? std::pow(x, p) / std::pow(m, p - 1)
                            : 1 - std::pow(1 - x, p) / std::pow(1 - m, p - 1);
    return least + y * (most - least);
  }

  // R, and the right-hand side less a_ref. Limits with a gap are no rows.
  void soften(double h, const State& state, Workspace& w) {
    if (w.modes.in_solve) w.modes.turn_to_nearer_bounds(w.start.C);
    violation_ = w.start.C;
    if (w.modes.in_solve) w.modes.drop_slack(violation_);
    w.J(w.start, state.v, w.Jv);
    w.Jv += w.start.C_t;
    const double T = std::max(time_constant, 2 * h);
    const double largest = std::clamp(impedance_max, 1e-4, 0.9999);
    const int rows = w.pattern.rows();
    R_.resize(rows);
    own_.resize(rows);
    is_open_.assign(static_cast<std::size_t>(rows), 0);
    for (int row = 0; row < rows; ++row) {
      const auto values = w.pattern.values_of(row, row + 1);
      own_[row] = w.start.J.segment(values.begin, values.size)
                      .dot(w.start.WJ.segment(values.begin, values.size));
      const double d = impedance(w.start.C[row]);
      const double stretch = largest * T * damping_ratio;
      R_[row] = (1 - d) / d * own_[row];
      w.rhs[row] += 2 / (largest * T) * w.Jv[row];
      if (damping_ratio > 0) w.rhs[row] += d / (stretch * stretch) * w.start.C[row];
    }
    for (const RowModes::Mode& mode : w.modes.modes())
      is_open_[static_cast<std::size_t>(mode.row)] =
          w.modes.in_solve && mode.is_limit() && RowModes::beyond(mode, w.start.C[mode.row]) == 0;
  }

  // (A + R) λ = b within the bounds of λ.
  void solve(const System& system, Workspace& w, StepReport& report) {
    if (topology_ != system.topology()) {
      topology_ = system.topology();
      A_ = NormalMatrix(w.pattern);
      solver_ = make_linear_solver("auto", A_.matrix());
    }
    for (RowModes::Mode& mode : w.modes.modes())
      if (is_open_[static_cast<std::size_t>(mode.row)]) {
        mode.is_equation = false;
        mode.held = 0;
        w.rhs[mode.row] = 0;
      }
    pulled_.resize(w.WF.size());
    const double nothing = soft_undecided * w.rhs.lpNorm<Eigen::Infinity>();
    int fewest = w.pattern.rows() + 1, rounds_left = soft_rounds_together;
    for (int round = 0;; ++round) {
      solve_equations(w, report);
      if (!w.modes.in_solve) return;
      // What is left of the rows, (A + R) λ being what they take.
      multiply_transposed(w.pattern, w.start.WJ, w.lambda, pulled_);
      w.J(w.start, pulled_, unmet_);
      unmet_ = w.rhs - unmet_ - R_.cwiseProduct(w.lambda);
      for (const RowModes::Mode& mode : w.modes.modes())
        if (is_open_[static_cast<std::size_t>(mode.row)]) unmet_[mode.row] = 0;
      const int wrong =
          w.modes.decide(w.pattern, 1, nothing, 1, unmet_, w.lambda, rounds_left <= 0);
      if (wrong == 0) return;
      if (round == most_soft_rounds || !w.lambda.allFinite()) {
        report.status = StepStatus::not_converged;
        return;
      }
      rounds_left = wrong < fewest ? soft_rounds_together : rounds_left - 1;
      fewest = std::min(fewest, wrong);
    }
  }

  // λ of the rows that are equations; what the others do is known.
  void solve_equations(Workspace& w, StepReport& report) {
    J_ = w.start.J;
    WJ_ = w.start.WJ;
    b_ = w.rhs;
    w.lambda.setZero();
    if (w.modes.in_solve) {
      for (const RowModes::Mode& mode : w.modes.modes())
        if (!mode.is_equation) w.lambda[mode.row] = mode.held;
      if (!w.lambda.isZero(0)) {
        multiply_transposed(w.pattern, w.start.WJ, w.lambda, pulled_);
        w.J(w.start, pulled_, unmet_);
        b_ -= unmet_;
      }
      for (const RowModes::Mode& mode : w.modes.modes()) {
        if (mode.is_equation) continue;
        const auto values = w.pattern.values_of(mode.row, mode.row + 1);
        J_.segment(values.begin, values.size).setZero();
        WJ_.segment(values.begin, values.size).setZero();
        b_[mode.row] = 0;
      }
    }
    A_.assemble(J_, WJ_);
    for (int row = 0; row < w.pattern.rows(); ++row)
      A_.add_to_diagonal(row, own_[row] > 0 ? R_[row] : 1);
    for (const RowModes::Mode& mode : w.modes.modes())
      if (!mode.is_equation && own_[mode.row] > 0) A_.add_to_diagonal(mode.row, own_[mode.row]);
    solver_->factor(A_.matrix());
    const SolveSummary summary = solver_->solve(b_, x_);
    ++report.linear_solves;
    report.linear_iterations += summary.iterations;
    report.regularized = report.regularized || summary.regularized;
    w.lambda += x_;
    for (const RowModes::Mode& mode : w.modes.modes())
      if (!mode.is_equation) w.lambda[mode.row] = mode.held;
  }

  // v̇ ← (M + h D)⁻¹ M v̇
  void make_implicit(const System& system, double h, const State& state, Workspace& w,
                     StepReport& report) {
    const std::vector<StiffnessBlock>& blocks = w.pattern.coupling_blocks;
    if (blocks.empty() || !system.forces_depend_on_velocity()) return;
    with_.add_force_stiffness(system, w.pattern, w.start.pose, state.v, 1, state.time);
    without_.add_force_stiffness(system, w.pattern, w.start.pose, state.v, 0, state.time);
    D_ = h * (with_.K - without_.K);
    if (D_.isZero(0)) return;
    if (diagonal_topology_ != system.topology()) {
      diagonal_topology_ = system.topology();
      diagonal_ = BodyDiagonal(system);
      product_ = StiffnessProduct(blocks);
    }
    diagonal_.set_mass(system, 1);
    for (const StiffnessBlock& block : blocks) {
      if (block.row_dof != block.col_dof) continue;
      double* own = diagonal_.block(diagonal_.body_at(block.row_dof));
      for (int i = 0; i < (block.is_scalar ? 3 : block.value_count()); ++i)
        own[block.is_scalar ? 4 * i : i] += D_[block.value + (block.is_scalar ? 0 : i)];
    }
    if (!diagonal_.invert()) return;
    system.apply_mass(acceleration_, right_);
    const auto multiply = [&](const VecX& x, VecX& out) {
      system.apply_mass(x, out);
      product_.add(blocks, D_, x, out);
    };
    const auto precondition = [&](const VecX& f, VecX& out) { diagonal_.apply(f, out); };
    const KrylovResult result =
        conjugate_gradients_from(multiply, precondition, right_, acceleration_, scratch_,
                                 {velocity_tolerance * right_.norm(), 500});
    ++report.linear_solves;
    report.linear_iterations += result.iterations;
  }

  long topology_ = -1, diagonal_topology_ = -1;
  NormalMatrix A_;
  std::unique_ptr<LinearSolver> solver_;
  std::vector<char> is_open_;  // per row: a limit with a gap
  VecX R_, own_, J_, WJ_, b_, x_, unmet_, pulled_, violation_;
  Rows with_, without_;  // the forces' stiffness, with their damping and without
  BodyDiagonal diagonal_;
  StiffnessProduct product_;
  ConjugateGradientScratch scratch_;
  VecX D_, right_, acceleration_;
};

}  // namespace

MethodInfo describe_soft_convex() {
  return describe_method<SoftConvex>(
      "soft_convex", "soft constraints as in MuJoCo: one convex solve, errors fade in a given time",
      Promises{.solves_rows = false,
               .decides_laws = true,
               .forces = Promises::Forces::before_constraints},
      FieldList<SoftConvex>()
          .optional("time_constant", &SoftConvex::time_constant, "s",
                    "in which errors fade (solref); at least two steps", Range::positive)
          .optional("damping_ratio", &SoftConvex::damping_ratio, "",
                    "of that: 1 critical, 0: errors are left as they are", Range::non_negative)
          .optional("impedance_min", &SoftConvex::impedance_min, "",
                    "share of the wanted acceleration where C = 0 (solimp)", Range::positive)
          .optional("impedance_max", &SoftConvex::impedance_max, "",
                    "share of it where |C| is the width or more", Range::positive)
          .optional("width", &SoftConvex::width, "m", "where the impedance is largest (m or rad)",
                    Range::non_negative)
          .optional("midpoint", &SoftConvex::midpoint, "", "of its rise, of the width",
                    Range::positive)
          .optional("power", &SoftConvex::power, "", "of its rise", Range::positive)
          .optional("integrator", &SoftConvex::integrator, "",
                    "damping forces at the start of the step, or at its end"));
}

}  // namespace taut
