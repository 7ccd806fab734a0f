// A step of any method with contacts (model/contact.hpp).
//
// Contacts are no rows of the method. What they do in a step is an impulse for each of them, found
// with the equations, stops, strings and motors in one solve (solve/cone_solver.hpp), so that
// nothing enters anything and friction obeys Coulomb's law. There are four kinds of parts of a
// step:
//
//   flight   Nothing touches: the method does the part alone. A method of higher order is cut at
//            the moment something is hit.
//   impact   Something is hit: the velocity jumps, restitution included, and energy never grows.
//   hold     What touches stays as it is, sticking or sliding, and what comes does so softly: the
//            method does the part, with the contacts' forces as constant forces; they are corrected
//            until the laws hold at the end.
//   turmoil  Contacts open, close, begin to stick or slide: a step of first order,
//              M v⁺ = M v + h F + Hᵀ r − Jᵀ Λ,   J v⁺ + C_t = 0,   q⁺ = q ⊕ h v⁺,
//            where a gap may close just within the step, and stiff forces are taken at its end. H
//            and the gaps are those at q⁺, found by a few rounds. A method of higher order then
//            tries to hold what was found.
//
// Compliant contacts are springs with dampers that only push. They are never hit and overlap as
// they must. In turmoil the spring is that at the end of the part; where it is held, its force is
// that of the mean gap, so that spring and motion exchange energy without loss
// (contact_springs.hpp).
//
// Round-off leaves small overlaps. They are taken out of the positions, with the least motion in
// the sense of M that keeps the constraints, and never become velocity. What is at rest sleeps
// (contact_sleep.hpp).
//
// A method that solves for contacts itself does whole steps (ContactHandover), unless another
// solver was asked for.
//
// Each kind of part is a class: ContactFlight, ContactImpact, ContactHold and ContactTurmoil. They
// begin with what ContactLook sees, and end with what ContactPositions puts right. What they share
// is in ContactWork; all else is their own. Here is only which of them follows which.
#pragma once

#include <vector>

#include "taut/simulate/contact_flight.hpp"
#include "taut/simulate/contact_handover.hpp"
#include "taut/simulate/contact_hold.hpp"
#include "taut/simulate/contact_impact.hpp"
#include "taut/simulate/contact_turmoil.hpp"

namespace taut {

class Archive;

class ContactStep {
 public:
  ContactStep() = default;
  ContactStep(const ContactStep&) = delete;  // its parts know each other
  ContactStep& operator=(const ContactStep&) = delete;

  StepReport step(const System& system, Method& method, double h, State& state, Workspace& w);

  /// Those at the end of the last step, by source and feature.
  const std::vector<Touch>& touches() const {
    return work_.sleep.any() ? all_touches_ : work_.loads.touches;
  }
  void archive(Archive& a, const System& system);
  BoundedStep& bounded() { return work_.bounded; }
  /// How contacts are solved for, and how long a solve may take, in s (0: any). Positions are
  /// always separated by the exact solver. In real time what touches is always turmoil: one solve,
  /// and the positions.
  void use(ContactSolver solver, double most_time = 0) {
    work_.scale.solver = solver;
    work_.scale.most_time = most_time;
  }
  /// From now on nothing falls asleep: to measure what contacts cost.
  void keep_awake() { may_sleep_ = false; }

 private:
  StepReport step_in_parts(const System& system, Method& method, double h, State& state,
                           Workspace& w);
  bool sleeps_through(const System& system, double h, const State& state, Workspace& w);
  void tuck_in(const System& system, State& state, Workspace& w, StepReport& report);
  bool do_quietly(const System& system, Method& method, double& length, bool locates, State& state,
                  Workspace& w, StepReport& report);
  bool hold_what_came(const System& system, Method& method, double length, State& state,
                      Workspace& w, StepReport& report);

  ContactWork work_;
  ContactLook start_{work_};
  ContactPositions positions_{work_};
  ContactFlight flight_{work_};
  ContactImpact impact_{work_, start_};
  ContactHold hold_{work_, start_, positions_};
  ContactTurmoil turmoil_{work_, start_};
  ContactHandover handover_{work_};

  bool may_sleep_ = true;
  double still_ = 0;                               // m/s: what is slower is at rest
  std::vector<Touch> all_touches_ = no_touches();  // those of what sleeps, too
  State from_;                                     // of a part, and what goes with it
  std::vector<RowModes::Mode> modes_from_;
  std::vector<Touch> touches_from_ = no_touches();
  Pose pose_;
  VecX F_, change_;
};

}  // namespace taut
