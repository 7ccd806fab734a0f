// Energy and momentum conserved exactly, with exact constraints, at any step size: the implicit
// midpoint rule with discrete gradients (Gonzalez 1996, 1999),
//
//   M (v⁺ − v)/h = F̄ − B(q, q⁺)ᵀλ,   q⁺ = q ⊕ (h/2)(v + v⁺),   C(q⁺) = 0.
//
// B·(q⁺ − q) = C(q⁺) − C(q) = 0, so the constraint forces do no work; F̄·(q⁺ − q) = V(q) − V(q⁺).
// Turns are composed by Cayley's map, which conserves angular momentum: see Pose::set_mean().
// Where C depends on time, −λᵀB(q⁺ − q) is exactly the work done by what drives it.
//
// The step is symmetric in time, so symmetric compositions of it are of order 4 and 6 and keep what
// it keeps.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "taut/methods/archive.hpp"
#include "taut/methods/newton_step.hpp"
#include "taut/methods/options.hpp"
#include "taut/methods/projection.hpp"

namespace taut {

enum class CompositionOrder { two, four, six };
template <>
struct Choices<CompositionOrder> {
  static constexpr std::array<std::string_view, 3> names{"2", "4", "6"};
};

namespace {

// Compositions, each stage in two halves. A step turns the part of the velocity that is normal to
// the constraints around (it is of order h²): only pairs of steps are near the identity, which the
// conditions for a higher order suppose. With whole stages Suzuki's are of order 4 in positions
// alone, Kahan and Li's of order 4 instead of 6.
template <std::size_t N>
constexpr std::array<double, 2 * N> in_halves(const std::array<double, N>& stages) {
  std::array<double, 2 * N> halves{};
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = 0.5 * stages[i / 2];
  return halves;
}
// Suzuki (1990), five stages: 1/(4 − 4^⅓) twice before and after what is left.
constexpr double s = 0.41449077179437573714;
constexpr auto suzuki4 = in_halves(std::array<double, 5>{s, s, 1 - 4 * s, s, s});
// Kahan and Li (1997), nine stages, s9odr6a.
constexpr double k1 = 0.39216144400731413928, k2 = 0.33259913678935943860,
                 k3 = -0.70624617255763935981, k4 = 0.082213596293550800230,
                 k5 = 1 - 2 * (k1 + k2 + k3 + k4);
constexpr auto kahan_li6 = in_halves(std::array<double, 9>{k1, k2, k3, k4, k5, k4, k3, k2, k1});
constexpr std::array<double, 1> plain{1};

struct EnergyMomentum final : NewtonMethod {
  CompositionOrder composition = CompositionOrder::two;

  int order() const override { return 2 + 2 * static_cast<int>(composition); }
  ForceResponse force_response() const override { return midpoint_response; }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    if (w.modes.in_solve && stages().size() > 1)
      in_short_steps(system, h, state, w, report);
    else
      for (const double stage : stages()) substep(system, stage * h, state, w, report);
    return report;
  }

  void archive(Archive& a, const System& system, Workspace& w) override {
    newton_.archive(a, system, w);
    a(acting_);
  }

 private:
  // Where stops and strings are decided in the solve. What is hit is hit forwards in time, so there
  // are as many equal steps in place of the composition, some of whose steps lead back. In each of
  // them, 2v̄ − v makes what was hit rebound; it stays where it is instead.
  void in_short_steps(const System& system, double h, State& state, Workspace& w,
                      StepReport& report) {
    const double part = h / static_cast<double>(stages().size());
    for (std::size_t i = 0; i < stages().size(); ++i) {
      acting_.clear();
      for (const RowModes::Mode& mode : w.modes.modes()) acting_.push_back(mode.is_equation);
      substep(system, part, state, w, report);
      bool hit = false;
      for (std::size_t m = 0; m < acting_.size(); ++m) {
        const RowModes::Mode& mode = w.modes.modes()[m];
        hit = hit || (mode.is_limit() && mode.is_equation && !acting_[m]);
      }
      if (!hit) continue;
      const double energy = system.kinetic_energy(state.v);
      project_velocity(system, state.time, state.q, state.v, w, report);
      report.impact_energy += system.kinetic_energy(state.v) - energy;
    }
  }

  std::span<const double> stages() const {
    switch (composition) {
      case CompositionOrder::four:
        return suzuki4;
      case CompositionOrder::six:
        return kahan_li6;
      default:
        return plain;
    }
  }

  void substep(const System& system, double h, State& state, Workspace& w, StepReport& report) {
    const StepEquations equations{StepEquations::Forces::over_step, h, 2 / h, h, state.v, state.v};
    system.advance(state.q, state.v, h, q_next_);
    const StepStatus status =
        newton_.solve(system, state, equations, limits(), w, q_next_, v_next_, report);
    // A compromise has no energy to keep, and 2v̄ − v would ring on for ever.
    if (status == StepStatus::compromise) v_next_ = 0.5 * (state.v + v_next_);
    if (system.constraints_depend_on_time())
      report.work += newton_.constraint_work();
    else if (w.modes.in_solve)
      report.impact_energy += std::min(newton_.equations_work(), 0.0);
    state.time += h;
    state.q = q_next_;
    state.v = v_next_;
  }

  NewtonStep newton_;
  std::vector<char> acting_;  // per row with a law
  VecX q_next_, v_next_;
};

}  // namespace

MethodInfo describe_energy_momentum() {
  return describe_method<EnergyMomentum>(
      "energy_momentum", "exact energy, momentum and constraints at any step; order 2, 4 or 6",
      Promises{.energy = Promises::Energy::conserves,
               .exact_constraints = true,
               .passes_singular = true,
               .decides_laws = true,
               .takes_stiff_forces = true,
               .forces = Promises::Forces::in_mean},
      FieldList<EnergyMomentum>()
          .optional("order", &EnergyMomentum::composition, "",
                    "2, or 4 and 6 by composition of 10 and 18 steps")
          .inherit(newton_fields<EnergyMomentum>()));
}

}  // namespace taut
