// The classical fourth-order scheme on v̇ = W(F − Jᵀλ), A λ = J W F + J̇v + 2 C_qt v + C_tt, then a
// projection of position and velocity. The exact motion lies on the constraints, so the projection
// moves the result by no more than the error it has, and the order stays.

#include "taut/methods/explicit_base.hpp"
#include "taut/methods/options.hpp"
#include "taut/methods/projection.hpp"

namespace taut {
namespace {

struct Rk4Projected final : Method {
  int order() const override { return 4; }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    base_.step(Base::rk4, system, h, state, [&](const VecX& q, const VecX& v, double t, VecX& out) {
      constrained_acceleration(system, q, v, t, 0, 0, w, out, report);
    });
    project(system, state, w, report);
    return report;
  }

 private:
  ExplicitBase base_;
};

}  // namespace

MethodInfo describe_rk4_projected() {
  return describe_method<Rk4Projected>(
      "rk4_projected", "fourth-order Runge-Kutta, then position and velocity projection",
      Promises{.exact_constraints = true, .exact_rates = true});
}

}  // namespace taut
