// The derivative of a step by the implicit function theorem. The step solves r = 0, C = 0
// (implicit_equations.hpp) for q⁺ and λ, so
//
//   [ H   Bᵀ ] [ dq⁺ ]       [ r_x dx + r_p dp ]
//   [ J  −ε  ] [ dλ  ]  =  − [ C_x dx + C_p dp ],   H = (α/τ) M T + P_q⁺ + P_V V_δ T + ∂(Bᵀλ)/∂q⁺,
//
// with everything exact at the state where the step ended: the whole curvature G of the constraints
// and the exact derivatives of the forces, where the method itself may have left something out. The
// adjoint solves with the transposed matrix.
#pragma once

#include <memory>
#include <optional>

#include "taut/derivatives/perturbation.hpp"
#include "taut/derivatives/slopes.hpp"
#include "taut/derivatives/step_solver.hpp"

namespace taut::detail {

/// What a step's residual changes by a parameter, at fixed states and λ.
struct ResidualSlope {
  VecX r, C;
};

class ImplicitStep {
 public:
  ImplicitStep(Formula formula, const System& system);

  /// How far the record is from meeting the equations: as a displacement, relative to the scene.
  double misfit(const StepRecord& step);
  /// Derivatives at a step, which has to stay: for the functions below. Throws Error where the
  /// matrix is singular.
  void linearize(const StepRecord& step);

  /// dx⁺ for dx (and that of the state before it, where the step looks back) and r_p, C_p.
  void tangent(const Perturbation& dx, const Perturbation* before, const ResidualSlope* parameter,
               Perturbation& out);
  /// For the adjoint `a` of x⁺: that of x, and of the state before it (added to `before`), and the
  /// multipliers with which r_p and C_p count: dL/dp = −μ·r_p − ν·C_p.
  void adjoint(const Perturbation& a, Perturbation& out, Perturbation* before, VecX& mu, VecX& nu);

  ImplicitEquations& equations() { return equations_; }
  Formula formula() const { return formula_; }
  /// What r and C are at the step that was linearized last, nearly 0; how large the terms of r are,
  /// and the scene.
  const VecX& residual() const { return r_; }
  const VecX& violation() const { return C_; }
  double size() const { return size_; }
  double length() const { return length_; }
  /// What the round-off of differences of stiff forces may have made of a step, relative to it: the
  /// largest so far.
  double round_off() const { return round_off_; }

 private:
  using Blocks = std::vector<Mat3>;  // per rigid body
  enum class Side { end, start };    // of the step
  void find_tangents(const StepRecord& step);
  /// M x / τ
  VecX mass(const VecX& x) const;
  /// x with its turns multiplied by blocks, or their transposed, and ways by a number.
  VecX turned(const Blocks& blocks, const VecX& x, double linear, bool transposed) const;
  void add_turning(const Blocks& blocks, const VecX& x, bool transposed, VecX& out) const;
  /// Whether Bᵀλ and the forces depend on the place of that end.
  bool acts_at(Side side) const {
    return over_step_ || is_explicit(formula_) == (side == Side::start);
  }
  /// Of linearised: the derivative of J δ + h C_t with respect to the start, δ fixed.
  VecX way_slope(const VecX& x);
  void add_way_transposed(const VecX& y, VecX& out);
  // out += ∂P/∂… x, of P + Bᵀλ:
  void add_P(Side side, const VecX& x, bool transposed, VecX& out) const;
  void add_P_V(const VecX& x, bool transposed, VecX& out) const;
  /// The derivative of r with respect to a place, through δ, too.
  VecX r_slope(Side side, const VecX& x, bool transposed) const;
  VecX C_slope(Side side, const VecX& x);
  void add_C_transposed(Side side, const VecX& y, VecX& out);
  void apply(const VecX& x, const VecX& y, bool transposed, VecX& out_x, VecX& out_y);
  VecX pulling();
  void measure_stiffness(Definiteness wanted);
  void factor();
  /// Whether the derivatives are those of the residual, along one direction.
  bool is_right();

  Formula formula_;
  const System& system_;
  ImplicitEquations equations_;
  Slopes slopes_;
  std::optional<BodyColours> colours_;
  StepSolver solver_;
  bool forces_by_differences_ = false, rows_by_differences_ = false, has_P_V_ = false;
  bool depends_on_time_ = false;         // a row
  bool pull_by_differences_ = false;     // ∂(Bᵀλ)/∂q; with the rows, at least
  std::optional<bool> has_linear_ways_;  // of midpoint: Slopes::has_linear_ways()
  long linearized_ = 0;
  double lightest_ = 0, round_off_ = 0;

  // Of the last linearize():
  const StepRecord* step_ = nullptr;
  double tau_ = 0, alpha_ = 0, carry_ = 0, rate_ = 0, stiffness_ = 0, length_ = 1, size_ = 0;
  bool over_step_ = false;
  Blocks end_turn_, start_turn_, past_end_, past_start_;  // dδ for turns of either end
  Blocks gyro_, skew_, turning_;
  VecX G_, J_, B_, give_, V_, r_, C_;
  std::optional<KktSolver::Terms> terms_;
  // Of frozen and linearised, whose rows are solved as they were given:
  std::optional<RowPattern> given_;
  Rows stiffness_rows_;
};

}  // namespace taut::detail
