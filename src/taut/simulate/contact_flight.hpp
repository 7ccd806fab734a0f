// The part of a step in which nothing touches.
#pragma once

#include <vector>

#include "taut/simulate/contact_work.hpp"

namespace taut {

class ContactFlight {
 public:
  explicit ContactFlight(ContactWork& work)
      : work_(work), scale_(work.scale), at_end_(work.at_end) {}

  /// Returns how much of the length it did: with `locates`, up to the first impact. at_end has the
  /// contacts there.
  double fly(const System& system, Method& method, double length, bool locates, State& state,
             Workspace& w, StepReport& report);

 private:
  ContactWork& work_;
  const ContactScale& scale_;
  ContactRows& at_end_;
  State from_;
  std::vector<RowModes::Mode> modes_from_;  // at from_
  KeptVec u_;
};

}  // namespace taut
