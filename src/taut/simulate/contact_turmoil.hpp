// The part of a step in which contacts open, close, begin to stick or slide: a step of first order,
//   M v⁺ = M v + h F + Hᵀ r − Jᵀ Λ,   J v⁺ + C_t = 0,   q⁺ = q ⊕ h v⁺.
//
// The contacts are first taken where the bodies are, and then where they get to, until nothing
// overlaps there: near the end q_k of the last round, reached with v_k, the gap at the end of the
// next is g(q_k) + H(q_k) h (v − v_k). Until nothing overlaps, speeds need not be more accurate
// than overlaps are; then they are found to the last digit.
#pragma once

#include <vector>

#include "taut/simulate/contact_look.hpp"
#include "taut/simulate/island_energies.hpp"

namespace taut {

class ContactTurmoil {
 public:
  ContactTurmoil(ContactWork& work, const ContactLook& start)
      : work_(work),
        start_(start),
        scale_(work.scale),
        loads_(work.loads),
        at_end_(work.at_end),
        equations_(work.equations),
        problem_(work.problem) {}

  /// Does as much of the length as leaves no deep overlap. Returns that.
  double run(const System& system, double length, State& state, Workspace& w, StepReport& report);
  /// The state and the loads at its start.
  const State& from() const { return from_; }
  const std::vector<Touch>& touches_before() const { return touches_from_; }

 private:
  void prepare(const System& system, double length, const State& state, Workspace& w);
  void set_gaps(const ContactRows& rows, double length, double deepest, bool is_first,
                const State& state);
  ConeReport move(const System& system, const ContactRows& rows, double length, double tolerance,
                  State& state, StepReport& report);
  enum class Outcome { clear, overlaps, unsolved };
  Outcome try_length(const System& system, double length, int most_rounds, State& state,
                     Workspace& w, StepReport& report);
  void take_back_push(const System& system, double length, const ContactRows& rows,
                      const Workspace& w, State& state);

  ContactWork& work_;
  const ContactLook& start_;
  const ContactScale& scale_;
  ContactLoads& loads_;
  ContactRows& at_end_;
  ContactEquations& equations_;
  ContactProblem& problem_;

  State from_;
  std::vector<Touch> touches_from_ = no_touches();
  VecX v_free_;          // as F makes it, without contacts
  ContactRows reached_;  // contacts where a round got to
  KeptVec u_;            // of the rows of the last round, at its end
  double friction_ = 0;  // J, of the last round
  IslandEnergies energies_;
  VecX velocity_, D_;
};

}  // namespace taut
