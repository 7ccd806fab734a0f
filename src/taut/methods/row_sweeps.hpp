// Sweeps over the rows of constraints, one after the other (projected Gauss–Seidel). Each changes
// the velocity at once, so that it would be met by itself:
//
//   Λ ← clamp(Λ + m (J v + C_t + b)/A − s Λ, h λ_least, h λ_most),   v ← v − W Jᵀ ΔΛ.
//
// Impulses add up over sweeps, and their sums are clamped: so limits and motors keep their laws.
// The bias b = β C drives errors out (softness.hpp). A stop that is not yet reached may be reached
// just within the step: b = C/h, rigid.
#pragma once

#include <span>
#include <vector>

#include "taut/methods/method.hpp"
#include "taut/methods/softness.hpp"

namespace taut {

class RowSweeps {
 public:
  /// The rows where the state is. The next sweeps are for a part of the step that is h long, and
  /// have velocities in frames of which those of now are `turned`, per rigid body; none: of now.
  void look(const System& system, const State& state, double h, const Softness& softness,
            std::span<const Mat3> turned, Workspace& w);
  /// v ← v − W Jᵀ Λ, with the forces of the last part.
  void warm_start(const Workspace& w, VecX& v);
  void sweep(Bias bias, const Workspace& w, VecX& v);
  /// How far one more sweep would still move something in a time: lengths relative to `size`,
  /// angles in rad.
  double unsolved(Bias bias, const Workspace& w, const VecX& v, double time, double size) const;
  /// w.lambda ← the forces of this part; which laws act.
  void finish(Workspace& w) const;

 private:
  void turn(const System& system, std::span<const Mat3> turned, Workspace& w) const;
  void set_law(const RowModes::Mode& mode, const Softness& softness, double C);
  double change(int row, double rate, Bias bias) const;
  double rate(int row, const Workspace& w, const VecX& v) const;

  long topology_ = -1;
  double h_ = 0;
  std::vector<int> rigid_at_;        // per velocity: the rigid body that begins there, or −1
  std::vector<char> has_no_C_;       // per row: it is one of velocities
  std::vector<RowTarget> on_, off_;  // per row
  VecX A_, least_, most_, impulse_;  // per row
};

}  // namespace taut
