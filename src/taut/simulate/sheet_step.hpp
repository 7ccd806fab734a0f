// A step of a system with cloth that may touch something (model/sheet_source.hpp).
//
// As long as no cloth is near anything, the method does the step alone, with the contacts of rigid
// bodies as ever (contact_step.hpp), and keeps its order. Where cloth touches, or would have got
// through something, SheetMethod does it whatever the method is, and takes the contacts of rigid
// bodies along: backward Euler, of first order.
#pragma once

#include "taut/simulate/contact_step.hpp"
#include "taut/simulate/sheet_method.hpp"

namespace taut {

class SheetStep {
 public:
  StepReport step(const System& system, Method& method, double h, State& state, Workspace& w);
  ContactStep& contacts() { return contacts_; }

 private:
  bool is_free(const System& system, const State& from, const State& to);
  StepReport part(const System& system, Method& method, double h, State& state, Workspace& w);

  ContactStep contacts_;
  SheetMethod touching_;
  bool touched_ = false;  // in the last step
  State from_;
  std::vector<RowModes::Mode> modes_from_;
  VecX lambda_from_, moved_;
  Pose start_, end_;
  std::vector<SheetTouch> touches_;
};

}  // namespace taut
