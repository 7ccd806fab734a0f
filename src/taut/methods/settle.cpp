#include "taut/methods/settle.hpp"

#include <algorithm>
#include <cmath>

#include "taut/methods/projection.hpp"

namespace taut {
namespace {

constexpr int most_halvings = 10;

double largest(const VecX& values) {
  return values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0.0;
}

/// The largest difference of positions (m), or of a coordinate of a unit quaternion, doubled: rad.
double largest_move(const System& system, const VecX& a, const VecX& b) {
  double move = 0;
  for (const BodySlot& slot : system.slots()) {
    move = std::max(move, (a.segment<3>(slot.q) - b.segment<3>(slot.q)).norm());
    if (slot.rigid >= 0)
      move = std::max(move, 2 * (a.segment<4>(slot.q + 3) - b.segment<4>(slot.q + 3)).norm());
  }
  return move;
}

}  // namespace

Violation Settle::violation(const System& system, const State& state, Workspace& w) {
  w.adapt(system);
  if (w.pattern.rows() == 0) return {};
  w.evaluate(system, state.q, state.time, w.end);
  w.J(w.end, state.v, w.Jv);
  w.Jv += w.end.C_t;
  return {largest(w.end.C), largest(w.Jv)};
}

// SHAKE's position stage, v⁺ = v + h W F − W J(q)ᵀ p with C(q ⊕ h v⁺, t+h) = 0, then the velocity
// of the end: v ← v⁺ − W J(q⁺)ᵀ μ, J v + C_t = 0. For a bead that is pulled in to its wire both
// impulses are radial, so its angular momentum stays and its speed grows by r/R; the nearest legal
// position with the nearest legal velocity would lose that.
bool Settle::try_impulses(const System& system, double h, State& state, Workspace& w,
                          SettleReport& settled) {
  StepReport report;
  w.linearize(system, state.q, state.time, w.start);
  w.forces(system, w.start, state.v, state.time);
  v_ = state.v + h * w.WF;
  system.advance(state.q, v_, h, free_q_);
  direction_.solve(system, h, state, 1e-13, 50, w, v_, q_, report);
  settled.step.linear_solves += report.linear_solves;
  settled.step.iterations += report.iterations;
  settled.step.regularized = settled.step.regularized || report.regularized;
  // A residual at the level of round-off is as good as none.
  const double round_off = 1e-10 * std::max(1.0, largest(q_));
  if (!v_.allFinite() || (report.status != StepStatus::ok && !(report.residual <= round_off)))
    return false;

  settled.impulse = largest(direction_.impulse());
  settled.position_change = largest_move(system, q_, free_q_);
  change_ = state.v;
  state.q = q_;
  state.v = v_;
  state.time += h;
  project_velocity(system, state.time, state.q, state.v, w, settled.step);
  settled.velocity_change = largest(state.v - change_);
  settled.time = h;
  return true;
}

SettleReport Settle::step(const System& system, double h, State& state, Workspace& w,
                          double least) {
  SettleReport settled;
  settled.before = violation(system, state, w);
  bool done = false;
  double part = h;
  for (int i = 0; i <= most_halvings && !done && part >= least; ++i, part *= 0.5)
    done = try_impulses(system, part, state, w, settled);
  if (!done) {
    state.time += least;
    settled.time = least;
    q_ = state.q;
    v_ = state.v;
    project(system, state, w, settled.step);
    settled.position_change = largest_move(system, state.q, q_);
    settled.velocity_change = largest(state.v - v_);
  }
  settled.after = violation(system, state, w);
  settled.step.residual = settled.after.position;
  return settled;
}

}  // namespace taut
