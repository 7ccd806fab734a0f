// Gauss and Seidel's sweeps over constraints, on positions, as position-based dynamics does them.
// Each constraint moves its own bodies, and sees what those before it did. With p = h² λ, what it
// has done so far in the step, and its compliance α̃ = α/h² (Macklin, Müller and Chentanez 2016),
//
//   (J W Jᵀ + α̃) Δp = C − α̃ p,   δx = −s W Jᵀ Δp,   s: the share of it that is done.
//
// The rows of one constraint, such as those of a joint, are solved for together (Deul, Charrier and
// Bender 2016). Limits push only: Σ Δp keeps its sign. Motors and friction come as equations or
// with the force that is known, as in strain_limit.cpp. Rows on velocities are met over the way of
// the step.
#pragma once

#include <span>
#include <vector>

#include "taut/methods/method.hpp"

namespace taut {

class PositionSweep {
 public:
  /// What a step has in common with its sweeps.
  struct Step {
    const System& system;
    const State& start;
    double h;
    double compliance;  ///< α̃
    double share;       ///< s
    bool decides;       ///< which limits act; else rows come as they are
  };

  /// Before the first sweep of a step from q: p = 0.
  void begin(const System& system, Workspace& w);
  /// One sweep; q is that at the end of the step, as far as it is known.
  void sweep(const Step& step, Workspace& w, VecX& q);
  /// C at q, what is slack dropped, in workspace.end; returns the largest of it, relatively.
  double violation(const Step& step, Workspace& w, const VecX& q);
  /// Whether a limit pushed in the step.
  bool is_limited(const RowModes& modes) const;
  /// p of the step.
  const VecX& impulse() const { return p_; }
  /// v⁺ = (q⁺ ⊖ q)/h. Of places, as v̂ and what the sweeps did to it: to subtract places would leave
  /// their round-off, divided by h, in the velocity.
  void velocity(const Step& step, const VecX& q, const VecX& free, VecX& v);

 private:
  struct Constraint {
    int row, rows;  // the first, and how many
  };
  /// Makes C of a row what is to be met; returns its law, nullptr: an equation.
  const RowModes::Mode* apply_law(const Step& step, const RowModes& modes, int row,
                                  LinearizedRows& at) const;
  void satisfy(const Step& step, Constraint constraint, std::span<const RowModes::Mode* const> laws,
               Workspace& w, VecX& q);

  long topology_ = -1;
  std::vector<int> body_at_;  // by velocity
  VecX p_;
  VecX moved_;  // by the sweeps, per velocity
  VecX turned_;
};

/// After the last sweep: which limits acted, for whoever asks.
void note_limits(const VecX& impulse, RowModes& modes);

}  // namespace taut
