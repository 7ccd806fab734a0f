// The options of methods that iterate on their constraints.
#pragma once

#include "taut/base/type_info.hpp"
#include "taut/methods/method.hpp"

namespace taut {

struct IterationLimits {
  double tolerance = 0;  ///< largest |C| accepted, relative to the largest coordinate
  int max_iterations = 0;
  double motion = 0;  ///< the same for what is left of the forces; 0: as much
};

struct IteratedMethod : Method {
  IteratedMethod(double accepted, int most) : tolerance(accepted), max_iterations(most) {}

  double tolerance;
  int max_iterations;

  IterationLimits limits() const { return {tolerance, max_iterations}; }
};

/// Its fields, for the list of a method M that is one.
template <class M>
FieldList<M> iteration_fields() {
  return FieldList<M>()
      .optional("tolerance", &IteratedMethod::tolerance, "",
                "largest |C| accepted, relative to the largest coordinate", Range::positive)
      .optional("max_iterations", &IteratedMethod::max_iterations, "", "of Newton's iteration",
                Range::positive);
}

}  // namespace taut
