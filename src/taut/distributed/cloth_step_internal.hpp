// One step of fast_projection (methods/fast_projection.cpp) over all processes: the free step, and
// then smallest steps towards the constraints,
//   τ² A δλ = C(q_j),   q_{j+1} = q_j − τ² W Jᵀδλ,   A = J W Jᵀ,
// until no row is strained more than permitted. Where that does not end, a shorter step has to do:
// there is no Newton's method behind it.
#pragma once

#include "taut/distributed/free_motion_internal.hpp"
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

 private:
  bool project(double h, const State& state, StepReport& report);
  double worst_strain(const VecX& C) const;

  Domain& domain_;
  const FastProjectionOptions& options_;
  FreeMotion free_;
  RowSolver solver_;
  VecX lengths_;  // per row: what C is compared with
  VecX q_next_, v_next_, right_, change_;
};

}  // namespace taut::distributed
