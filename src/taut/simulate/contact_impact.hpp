// The jump of the velocity where something is hit: restitution and friction of all contacts, stops
// and strings in one solve.
#pragma once

#include "taut/simulate/contact_look.hpp"
#include "taut/simulate/island_energies.hpp"

namespace taut {

class ContactImpact {
 public:
  ContactImpact(ContactWork& work, const ContactLook& start)
      : start_(start),
        scale_(work.scale),
        loads_(work.loads),
        equations_(work.equations),
        problem_(work.problem) {}

  void hit(const System& system, State& state, Workspace& w, StepReport& report);

 private:
  double driven_work();

  const ContactLook& start_;
  const ContactScale& scale_;
  ContactLoads& loads_;
  ContactEquations& equations_;
  ContactProblem& problem_;
  IslandEnergies energies_;
  VecX velocity_, bounce_;
  VecX rates_;     // J v of each row, as it is prescribed
  VecX impulses_;  // Λ, of the problem just solved
};

}  // namespace taut
