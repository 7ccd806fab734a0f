#include "taut/methods/explicit_base.hpp"

namespace taut {

void constrained_acceleration(const System& system, const VecX& q, const VecX& v, double t,
                              double alpha, double beta, Workspace& w, VecX& out,
                              StepReport& report) {
  w.linearize(system, q, t, w.start);
  w.add_bias(system, v, t, w.start);
  w.forces(system, w.start, v, t);

  w.J(w.start, w.WF, w.rhs);
  w.rhs += w.start.bias;
  if (alpha != 0 || beta != 0) {
    w.J(w.start, v, w.Jv);
    w.rhs += (2 * alpha) * (w.Jv + w.start.C_t) + (beta * beta) * w.start.C;
  }
  w.factor(w.start);
  w.solve(w.rhs, w.lambda, report);

  w.WJt(w.start, w.lambda, w.correction);
  out = w.WF - w.correction;
}

}  // namespace taut
