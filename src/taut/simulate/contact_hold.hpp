// The part of a step in which what touches goes on sticking or sliding, or opens.
//
// The method does the part, with a constant force f for each contact, which acts as
//   ½ (H₀ᵀ f₀ + H₁ᵀ f₁):
// where the contact is at the start and where it is at the end, turned with the normal. f is
// corrected until the velocity at the end obeys the laws there, and friction is opposite to the
// mean of the slips at both ends. Gaps that the method leaves are closed in the positions. What
// rests must not creep: its force is corrected until its way is 0, and only then its velocity. So
// a body that rolls is followed with second order, and where forces are constant the part is exact.
// Methods of higher order end the part where something that slides comes to rest and turns back.
#pragma once

#include <vector>

#include "taut/simulate/contact_positions.hpp"
#include "taut/simulate/contact_springs.hpp"
#include "taut/simulate/held_touches.hpp"

namespace taut {

class ContactHold {
 public:
  ContactHold(ContactWork& work, const ContactLook& start, ContactPositions& positions)
      : work_(work),
        start_(start),
        positions_(positions),
        scale_(work.scale),
        loads_(work.loads),
        at_end_(work.at_end),
        problem_(work.problem) {}

  /// False: it is not held, the loads are as they were, and the caller puts back the state. With
  /// `may_cut`, `length` becomes what was done of it. With `locates`, impacts are located: what is
  /// about to hit something flies on to the end of the part, which may be cut there.
  bool hold(const System& system, Method& method, bool may_cut, bool locates, double& length,
            State& state, Workspace& w, StepReport& report);

 private:
  enum class Outcome { done, cut, failed };
  Outcome with_forces(const System& system, Method& method, double length, State& state,
                      Workspace& w, StepReport& report, bool may_cut, bool may_stop);
  bool foresee_end(const System& system, double length, State& state);
  using Aim = HeldLaws::Aim;
  ConeReport solve_at_end(const System& system, const Method& method, double length, Aim aim,
                          const State& state, Workspace& w);
  void set_aims(double length, double reach, Aim aim);
  bool flies(int contact) const;
  bool is_missed(double length);
  bool opens_late(double length);
  bool stop_what_sticks(const System& system, const Method& method, double length, State& state,
                        Workspace& w, StepReport& report);
  bool comes_softly(const Touch& touch) const;
  enum class Held { yes, no, not_yet };
  Held judge();
  double friction_work(int contact) const {
    return touches_.friction_work(at_end_, contact, problem_.impulse, u_law_);
  }
  bool keep_energy(const System& system, const Method& method, const Workspace& w, State& state);

  ContactWork& work_;
  const ContactLook& start_;
  ContactPositions& positions_;
  const ContactScale& scale_;
  ContactLoads& loads_;
  ContactRows& at_end_;
  ContactProblem& problem_;

  HeldTouches touches_;
  HeldLaws laws_;
  HeldSprings springs_;
  IslandEnergies energies_;
  std::vector<ContactProblem::LawRow> law_rows_;
  std::vector<int> left_out_;
  State from_;
  std::vector<RowModes::Mode> modes_from_;  // at from_
  std::vector<Touch> loads_from_;           // the same
  std::vector<Touch> applied_;              // with which the method did the part
  bool locates_ = false, aims_ = false;     // at impacts
  double entered_ = 0;     // m, by what bore no load, where the method left the part
  double turns_back_ = 1;  // when the first thing comes to rest and turns back, of the part
  KeptVec impulse_, impulse_at_end_;  // of the contacts at both ends
  VecX unclosed_;                     // q where the method left the part
  KeptVec u_end_, u_law_;             // of at_end_: as the method left it, and as the laws ask for
  VecX displacement_, stiff_;
};

}  // namespace taut
