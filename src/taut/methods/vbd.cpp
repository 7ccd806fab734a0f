// Vertex block descent (Chen, Liu, Yang and Yuksel 2024): springs of a given stiffness instead of
// constraints, and a fixed number of sweeps over the bodies towards the step of backward Euler
// (block_descent.hpp). Stable with any number of sweeps: each lowers what is to be least. Stiff
// springs between light bodies need many, and their lack shows as slow motion.
//
// Not from the paper: the extrapolation over sweeps (its section 3.8), which rotations have no use
// for, is left out.
#include "taut/methods/block_descent.hpp"
#include "taut/methods/options.hpp"

namespace taut {
namespace {

struct Vbd final : Method {
  int iterations = 20;
  double stiffness = 1e4;

  ForceResponse force_response() const override { return backward_euler_response; }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    descent_.begin(system, h, state, w, report);
    descent_.k.setConstant(stiffness);
    for (int i = 0; i < iterations; ++i) descent_.sweep(system, h, state, w);
    report.iterations = iterations;
    descent_.finish(system, h, state, w, report);
    return report;
  }

 private:
  BlockDescent descent_;
};

}  // namespace

MethodInfo describe_vbd() {
  return describe_method<Vbd>(
      "vbd", "vertex block descent: springs, solved body by body",
      Promises{.energy = Promises::Energy::dissipates,
               .passes_singular = true,
               .solves_rows = false,
               .decides_laws = true,
               .forces = Promises::Forces::before_constraints},
      FieldList<Vbd>()
          .optional("iterations", &Vbd::iterations, "", "sweeps per step", Range::positive)
          .optional("stiffness", &Vbd::stiffness, "N/m", "of the spring that replaces a row",
                    Range::positive));
}

}  // namespace taut
