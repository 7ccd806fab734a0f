// Soft constraints in small parts of a step, and relaxation ("TGS soft": Catto, solver2d, 2024, and
// Box2D 3; small steps: Macklin et al. 2019). Contacts are looked for once in a step. In each part
// of length h′ = h/n:
//
//   v ← v + h′ W F,   Λ and r of the last part
//   a sweep, with soft rows (softness.hpp)          errors go out
//   q ← q ⊕ h′ v
//   a sweep, with rigid rows and C = 0              … and the velocity that did so, too
//
// and, at the end, restitution. Frequencies are at most as high as a part resolves.
#include <algorithm>

#include "taut/methods/impulse_method.hpp"
#include "taut/methods/options.hpp"

namespace taut {
namespace {

struct TgsSoft final : ImpulseMethod {
  int substeps = 4;
  int iterations = 1;
  int relaxations = 1;
  double contact_hertz = 30, contact_damping = 10;
  double joint_hertz = 60, joint_damping = 2;
  double push_speed = 3;

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    const double part = h / substeps, end = state.time + h;
    const Softnesses softnesses = of_part(part);
    begin(system, part, state, w);
    for (int i = 0; i < substeps; ++i) {
      start_part(system, softnesses, state, w, report);
      for (int k = 0; k < iterations; ++k) sweep(Bias::on, w, report);
      advance(system, state);
      for (int k = 0; k < relaxations; ++k) sweep(Bias::off, w, report);
    }
    finish(system, Bias::off, h, state, w, report);
    state.time = end;
    return report;
  }

 private:
  Softnesses of_part(double h) const {
    const double contact = std::min(contact_hertz, 0.25 / h);
    const double joint = std::min(joint_hertz, 0.125 / h);
    return {soft(joint, joint_damping, h),
            {soft(contact, contact_damping, h), soft(2 * contact, contact_damping, h), push_speed}};
  }
};

}  // namespace

MethodInfo describe_tgs_soft() {
  return describe_method<TgsSoft>(
      "tgs_soft", "substeps with soft rows and contacts, and relaxation, as in Box2D 3",
      Promises{.passes_singular = true,
               .solves_rows = false,
               .decides_laws = true,
               .forces = Promises::Forces::before_constraints,
               .solves_contacts = true},
      FieldList<TgsSoft>()
          .optional("substeps", &TgsSoft::substeps, "", "parts of a step", Range::positive)
          .optional("iterations", &TgsSoft::iterations, "", "sweeps in a part, with soft rows",
                    Range::positive)
          .optional("relaxations", &TgsSoft::relaxations, "", "sweeps in a part, with rigid rows",
                    Range::non_negative)
          .optional("contact_hertz", &TgsSoft::contact_hertz, "Hz",
                    "frequency of contacts; those with the world have twice that", Range::positive)
          .optional("contact_damping", &TgsSoft::contact_damping, "", "damping ratio of contacts",
                    Range::non_negative)
          .optional("joint_hertz", &TgsSoft::joint_hertz, "Hz", "frequency of constraints",
                    Range::positive)
          .optional("joint_damping", &TgsSoft::joint_damping, "", "damping ratio of constraints",
                    Range::non_negative)
          .optional("push_speed", &TgsSoft::push_speed, "m/s",
                    "how fast overlaps are pushed out, at most", Range::positive)
          .optional("implicit_forces", &ImpulseMethod::implicit_forces, "", implicit_forces_doc));
}

}  // namespace taut
