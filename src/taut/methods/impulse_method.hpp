// What methods share that solve for rows and contacts by sweeps over impulses.
//
// All through a step, sweeps know the inertia of bodies where it begins, and angular velocities are
// in the frames that they have there. At its end, when a body has turned by ΔR, its angular
// momentum is what it was: ω ← I⁻¹ ΔRᵀ I ω. So gyroscopic torques neither let it grow nor shrink,
// whatever the step.
#pragma once

#include "taut/methods/contact_sweeps.hpp"
#include "taut/methods/free_step.hpp"
#include "taut/methods/row_sweeps.hpp"

namespace taut {

struct ImpulseMethod : Method {
  bool implicit_forces = true;

  ForceResponse force_response() const override { return taut::force_response(base()); }

  void archive(Archive& a, const System& system, Workspace& w) override {
    free_.archive(a, system, w);
  }

 protected:
  /// How errors go out of rows, and overlaps of contacts.
  struct Softnesses {
    Softness rows;
    ContactSweeps::Softnesses contacts;
  };

  /// A step in parts of length h begins.
  void begin(const System& system, double h, const State& state, Workspace& w);
  /// v ← v + h W F, and what impulses of the last part do: where the next part begins.
  void start_part(const System& system, const Softnesses& softnesses, State& state, Workspace& w,
                  StepReport& report);
  void sweep(Bias bias, const Workspace& w, StepReport& report);
  /// q ← q ⊕ h v
  void advance(const System& system, State& state);
  /// How a step of length `step` went, with the last kind of sweep; restitution, and v at its end.
  void finish(const System& system, Bias bias, double step, State& state, Workspace& w,
              StepReport& report);

 private:
  FreeBase base() const {
    return implicit_forces ? FreeBase::implicit_forces : FreeBase::explicit_forces;
  }

  void to_frames_of_now(const System& system, const VecX& v, VecX& out) const;

  FreeStep free_;
  RowSweeps rows_;
  ContactSweeps contacts_;
  double h_ = 0;
  bool is_first_ = true;      // part
  VecX v_;                    // in the frames of the start of the step
  Pose start_, now_;          // of the step; of the part
  std::vector<Mat3> turned_;  // per rigid body: from the frame of the start to that of now
};

inline constexpr std::string_view implicit_forces_doc =
    "forces that a step does not resolve, such as stiff springs, are those at its end";

}  // namespace taut
