// One step of fast_projection (methods/fast_projection.cpp) over all processes: the free step, and
// then smallest steps towards the constraints,
//   τ² A δλ = C(q_j),   q_{j+1} = q_j − τ² W Jᵀδλ,   A = J W Jᵀ,
// until no row is strained more than permitted. The impulses Λ = Σ τ δλ acted along the directions
// that rows had on the way; at the nearest point they act along those at the end,
//   r = M (v⁺ − v̂) + J(q⁺)ᵀΛ = 0.
// Where that is missed by too much, both are solved for together. Newton's matrix of r is M + τ G,
// with the geometric stiffness G of the impulses, a sum over edges of Λ/l [1 −1; −1 1]. A diagonal
// that is not less than that, D = M + 2τ Σ max(Λ, 0)/l, takes its place:
//   τ J D⁻¹ Jᵀ δΛ = C − τ J D⁻¹ r,   v⁺ ← v⁺ − D⁻¹ (r + Jᵀ δΛ),
// which cannot overshoot, and needs the same solver with D⁻¹ for W. Where that, too, takes too
// long, a shorter step has to do.
#pragma once

#include "taut/distributed/domain_internal.hpp"
#include "taut/distributed/row_solver_internal.hpp"
#include "taut/methods/fast_projection.hpp"

namespace taut::distributed {

class ClothStep {
 public:
  ClothStep(Domain& domain, const FastProjectionOptions& options, YarnEnds ends);

  /// Everybody gets the same report.
  StepReport step(double h, State& state);
  /// v ← the nearest velocity with J v + C_t = 0; J and C_t are those of workspace.end.
  void settle_velocity(VecX& v, StepReport& report);
  /// Pins that have let go by then are no equations any more.
  void release(double time);
  long row_iterations() const { return row_iterations_; }

 private:
  bool project(double h, const State& state, StepReport& report);
  struct Distance {
    double largest = 0, mean = 0;
  };
  /// r, and D as mobility_ = D⁻¹. Returns the ways h D⁻¹ r: how far off it is, about.
  Distance look_at_motion(double h);
  double small_way(double h, const State& state) const;
  void correct(double h, bool turns, StepReport& report);
  double worst_strain(const VecX& C) const;

  Domain& domain_;
  const FastProjectionOptions& options_;
  FreeStep free_;
  RowSolver solver_;
  VecX lengths_;  // per row: what C is compared with
  long row_iterations_ = 0;
  double shortest_ = 0;
  int unseen_ = 0;                // steps before the motion is looked at again
  ProjectionPause turning_;       // while it lasts, steps begin with solving for both
  VecX lambda_;                   // of the last step that went well
  VecX inverse_mass_, mobility_;  // W, D⁻¹
  VecX q_next_, v_next_, right_, change_, impulse_, motion_;
};

}  // namespace taut::distributed
