// The end of a part: overlaps, gaps and errors of constraints go out of the positions, by the
// smallest displacement in the sense of M,
//   min ½ |δq|²_M  with  g + H_N δq ≥ 0 (= 0 for what bears a load),  J δq = −C,
// and never become velocity. And the velocity becomes one that goes on from there.
#pragma once

#include <vector>

#include "taut/simulate/contact_look.hpp"
#include "taut/simulate/island_energies.hpp"

namespace taut {

class ContactPositions {
 public:
  explicit ContactPositions(ContactWork& work)
      : work_(work),
        scale_(work.scale),
        loads_(work.loads),
        at_end_(work.at_end),
        equations_(work.equations),
        problem_(work.problem) {}

  /// After a part that a method did: what bears a load touches again, in at_end. Errors of
  /// constraints are the method's affair. False where that is not possible.
  bool close_gaps(const System& system, double length, State& state, Workspace& w,
                  StepReport& report);
  /// How deep, and how fast, the method had taken what bears no load into something else.
  struct Entry {
    double depth = 0, speed = 0;
  };
  const Entry& entry() const { return entry_; }
  /// After turmoil in a step of length h, and wherever else something overlaps. at_end then has the
  /// contacts there.
  void separate(const System& system, double h, State& state, Workspace& w, StepReport& report);
  /// Then: a velocity that contacts and constraints allow there.
  void align_velocity(const System& system, double length, State& state, Workspace& w,
                      StepReport& report);

 private:
  enum class Loaded { touches, may_open };  // a contact that bears a load
  double misplacement(Loaded loaded) const;
  void note_entry(const State& state);
  void keep_near(double gap);
  bool displace(const System& system, double worst, Loaded loaded, State& state, Workspace& w,
                StepReport& report);
  void take_back_gain(const System& system, const VecX& before, const Workspace& w, State& state);

  ContactWork& work_;
  const ContactScale& scale_;
  ContactLoads& loads_;
  ContactRows& at_end_;
  ContactEquations& equations_;
  ContactProblem& problem_;
  IslandEnergies energies_;
  Entry entry_;
  std::vector<char> bears_;     // per contact of at_end_: it bears a load
  std::vector<char> near_;      // … it is near enough to count
  std::vector<Touch> springs_;  // touches of compliant contacts
  KeptVec u_;
  VecX before_, impulses_;
};

}  // namespace taut
