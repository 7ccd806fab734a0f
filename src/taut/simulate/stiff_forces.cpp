#include "taut/simulate/stiff_forces.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "taut/methods/workspace.hpp"

namespace taut {
namespace {

/// The least n with S/n² + D/n ≤ 1.
double parts_for(double S, double D) {
  return std::max(1.0, std::ceil(0.5 * (D + std::sqrt(D * D + 4 * S)) * (1 - 1e-9)));
}

}  // namespace

StiffForces::StiffForces(const System& system, const Method& method)
    : most_(method.order() >= 4 ? 2.5 : 1) {
  if (method.promises.takes_stiff_forces) return;
  const State start = system.initial_state();
  for (const auto& batch : system.all_forces())
    if (batch->is_done_in_parts())
      batch->visit_stiff(system, Pose(system, start.q), start.v, start.time, along_,
                         [&](int, double, double) { any_ = true; });
}

double StiffForces::mobility(const System& system, bool with_constraints, Workspace& w) {
  system.apply_inverse_mass(along_, response_);
  if (with_constraints) {
    StepReport report;
    dropped_.resize(system.velocity_size());
    w.J(w.start, response_, w.Jv);
    w.solve_equations(w.Jv, w.rhs, report);
    w.WJt(w.start, w.rhs, dropped_);
    response_ -= dropped_;
  }
  return std::max(0.0, along_.dot(response_));
}

StiffForces::Need StiffForces::need(const System& system, double h, const State& state,
                                    Workspace& w) {
  w.adapt(system);
  pose_.set(system, state.q);
  Need need;
  // First as if nothing bound the bodies: that costs little, and mostly suffices.
  for (const bool with_constraints : {false, true}) {
    if (with_constraints) {
      w.linearize_decided(system, state.q, state.time, w.start);
      w.factor(w.start);
    }
    double S = 0, D = 0, most = 0;
    std::size_t batch = 0;
    const auto add = [&](int force, double stiffness, double damping) {
      const double m = mobility(system, with_constraints, w);
      S += h * h * stiffness * m;
      D += h * damping * m;
      const double own = h * m * (h * stiffness + damping);
      if (own <= most) return;
      most = own;
      need.batch = batch;
      need.force = force;
    };
    for (const auto& each : system.all_forces()) {
      if (each->is_done_in_parts())
        each->visit_stiff(system, pose_, state.v, state.time, along_, std::ref(add));
      ++batch;
    }
    need.parts = parts_for(S / most_, D / most_);
    if (need.parts == 1 || w.pattern.rows() == 0) break;
  }
  return need;
}

std::string StiffForces::name(const System& system, const Need& need) {
  for (const System::NamedForce& named : system.named_forces())
    if (named.batch == static_cast<int>(need.batch) && named.force == need.force) return named.name;
  return fmt::format("{}{}", system.all_forces()[need.batch]->type(), need.force);
}

}  // namespace taut
