// What solving linear systems cost.
#pragma once

namespace taut {

struct LinearCost {
  int linear_solves = 0;
  int linear_iterations = 0;  ///< of iterative linear solvers, in all
};

}  // namespace taut
