// A step with hundreds of limits (cloth whose strain is limited), beside motors: complementarity by
// redoing the whole step.
//
// The step is done with a guess (what the state shows, or what was so in the last step). Where the
// answer contradicts it (a thread that pushes, one that is too long, a motor beyond its bound)
// those rows are changed, and the step is done again. A few passes find out which limits act; what
// these leave, a little too long or a weak push, is left to the next step.
#pragma once

#include <vector>

#include "taut/methods/method.hpp"
#include "taut/simulate/law_rows.hpp"

namespace taut {

class ManyLimits {
 public:
  StepReport step(const System& system, Method& method, double h, State& state, Workspace& w);

 private:
  using Mode = RowModes::Mode;

  void guess(const State& state, Workspace& w);
  bool has_new_limit(const Workspace& w) const;
  StepReport pivot(const System& system, Method& method, double h, State& state, Workspace& w);
  /// Changes what the last solve contradicts; false where it contradicts nothing.
  bool revise(Workspace& w, int pass);
  bool revise_limit(Mode& mode, double largest_lambda, Workspace& w);
  bool revise_motor(std::size_t i, Workspace& w);

  LawRows laws_;
  State from_;
  std::vector<double> slip_;   // per mode: of a motor, its speed minus the wanted one at the start
  std::vector<int> switches_;  // per mode: how often it was changed in this step
};

}  // namespace taut
