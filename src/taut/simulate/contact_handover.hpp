// A step of a method that solves for contacts itself (Promises::solves_contacts): it gets those
// that may close within the step, found once, and tells how they push. What it leaves of overlaps
// is reported, and goes out by the method's own means. Nothing sleeps.
#pragma once

#include "taut/methods/contact_task.hpp"
#include "taut/simulate/contact_work.hpp"

namespace taut {

class ContactHandover {
 public:
  explicit ContactHandover(ContactWork& work) : work_(work) {}

  StepReport step(const System& system, Method& method, double h, State& state, Workspace& w);

 private:
  void look(const System& system, double h, const State& state, const Workspace& w);
  void see_overlaps(const System& system, const State& state, StepReport& report);

  ContactWork& work_;
  ContactTask task_;
  Pose pose_;
  VecX change_;                  // of the velocity, by forces
  std::vector<char> may_close_;  // per contact
  State from_;
  std::vector<Touch> touches_from_ = no_touches();
};

}  // namespace taut
