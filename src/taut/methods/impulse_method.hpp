// What methods share that solve for rows and contacts by sweeps over impulses.
//
// Angular velocities are those of the body's frame, and sweeps know the inertia where a part of the
// step begins. When a body has turned by ΔR, its angular momentum is what it was:
// ω ← I⁻¹ ΔRᵀ I ω. So gyroscopic torques neither let it grow nor shrink, at any step.
#pragma once

#include "taut/methods/contact_sweeps.hpp"
#include "taut/methods/free_step.hpp"
#include "taut/methods/row_sweeps.hpp"

namespace taut {

struct ImpulseMethod : Method {
  bool implicit_forces = true;

  ForceResponse force_response() const override { return taut::force_response(base()); }

 protected:
  /// How errors go out of rows, and overlaps of contacts.
  struct Softnesses {
    Softness rows;
    ContactSweeps::Softnesses contacts;
  };

  /// A step in parts of length h begins.
  void begin(const System& system, double h, const State& state, Workspace& w);
  /// v ← v + h W F, and what impulses of the last part do: where the next part begins.
  void start_part(const System& system, const Softnesses& softnesses, bool is_first, State& state,
                  Workspace& w, StepReport& report);
  void sweep(Bias bias, State& state, Workspace& w, StepReport& report);
  /// q ← q ⊕ h v
  void advance(const System& system, State& state);
  /// Of the last part, with the sweeps that were the last: how the step went, and restitution.
  void finish(const System& system, Bias bias, double step, State& state, Workspace& w,
              StepReport& report);
  /// Angular velocities in the frames that bodies have now.
  void end_part(const System& system, State& state);

 private:
  FreeBase base() const {
    return implicit_forces ? FreeBase::implicit_forces : FreeBase::explicit_forces;
  }

  FreeStep free_;
  RowSweeps rows_;
  ContactSweeps contacts_;
  double h_ = 0;
  Pose pose_, next_;  // where a part begins and ends
};

inline constexpr std::string_view implicit_forces_doc =
    "forces that a step does not resolve, such as stiff springs, are those at its end";

}  // namespace taut
