// Vertex block descent (Chen, Liu, Yang and Yuksel 2024; with rigid bodies and multipliers Giles,
// Diaz and Yuksel 2025): the end of a step of backward Euler is the minimum of
//
//   1/(2h²) |q⁺ ⊖ q − h v̂|²_M + Σ ½ k C*(q⁺)² + λ C*(q⁺),   v̂: the velocity of the free step,
//
// and is approached body by body. Each moves to where its own part is least, one Newton step with
// its 3 × 3 or 6 × 6 block, and sees where those before it have gone:
//
//   (M_i/h² + Σ k J_iᵀJ_i + G_i) Δ = −M_i (δ_i/h − v̂_i)/h − Σ J_iᵀ f,   f = k C* + λ in its bounds.
//
// G_i is the body's block of the geometric stiffness, with the f of the last sweep and without what
// is negative. Forces other than those of rows are in v̂ (free_step.hpp). A body has the force
// of the whole sum only in the end: until then, momentum is not kept.
#pragma once

#include <vector>

#include "taut/methods/free_step.hpp"
#include "taut/methods/method.hpp"

namespace taut {

class BlockDescent {
 public:
  /// To the system; k, λ and the offset of another one are set to 0.
  void adapt(const System& system, const Workspace& w);
  /// A step from `start`, to the end that FreeStep leads to without rows. Guess of it: q ⊕ h v.
  void begin(const System& system, double h, const State& start, Workspace& w, StepReport& report);
  /// One sweep over the bodies.
  void sweep(const System& system, double h, const State& start, Workspace& w);
  /// After the last one: which limits act, v⁺, and the state at the end.
  void finish(const System& system, double h, State& state, Workspace& w, StepReport& report);

  /// C* of all rows at the end as it is now; of limits, what λ = 0 leaves to be met is not dropped.
  const VecX& look(const System& system, double h, const State& start, Workspace& w);
  /// k C* + λ of a row, in its bounds.
  double force(int row, double C, const Workspace& w) const;
  /// 1/(h² J W Jᵀ) of the rows where the step began: how stiff the inertia of its bodies is.
  void measure_inertia(const System& system, double h, const State& start, Workspace& w,
                       VecX& stiffness);

  VecX k, lambda;  ///< per row
  VecX offset;     ///< per row: C* = C − offset

 private:
  struct Incidence {
    int batch, constraint,
        block;  // the constraint's number in its batch, the body's block in a row
  };
  void apply_laws(double time, int begin, int end, Workspace& w) const;
  const RowModes::Mode* mode_of(int row, const Workspace& w) const;
  void move(const System& system, int body, double h, const State& start, Workspace& w);

  long topology_ = -1;
  std::vector<int> first_incidence_;  // per body
  std::vector<Incidence> incidences_;
  std::vector<int> mode_at_;  // per row; −1: an equation
  std::vector<StiffnessBlock> diagonal_blocks_;
  std::vector<int> first_diagonal_;  // per body
  bool decides_ = false;
  FreeStep free_;
  Rows stiffness_;  // its G
  VecX force_, q_next_;
};

}  // namespace taut
