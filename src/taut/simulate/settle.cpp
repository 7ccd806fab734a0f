#include "taut/simulate/settle.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/largest.hpp"
#include "taut/methods/projection.hpp"
#include "taut/model/scale.hpp"
#include "taut/model/stiffness_product.hpp"

namespace taut {
namespace {

// A velocity that would have more than this times the kinetic energy is not carried over.
constexpr double most_energy = 100;
constexpr double round_off = 1e-10;  // of the scene: no violation

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

/// v ← v − W Jᵀ A⁻¹ J v, with A of workspace.start factored.
void make_tangent(VecX& v, Workspace& w, StepReport& report) {
  w.J(w.start, v, w.Jv);
  w.solve(w.Jv, w.rhs, report);
  w.WJt(w.start, w.rhs, w.correction);
  v -= w.correction;
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

// Position: along the constraint directions of the start, q⁺ = Ψ(q) = q ⊕ −W J(q)ᵀp, C(q⁺) = 0.
//
// Velocity: however fast the constraints pull the state in, their forces cannot change its momentum
// along displacements w that leave C as it is, J(q) w = 0. Ψ carries w to DΨ w, so v⁺ must have
//   ⟨DΨ w, v⁺⟩ = ⟨w, v⟩  for all such w   (⟨,⟩ weighted with M),   J(q⁺) v⁺ + C_t = 0.
// If the constraints do not mind a rotation of all, it is such a w, and Ψ carries it to the same
// rotation: angular momentum stays. A bead pulled in from r to R gets faster, by r/R; the nearest
// legal velocity would have it keep its speed.
// With G = ∂(Jᵀp)/∂q, DΨ w = w − W G w − W Jᵀ dp, and dp such that J(q⁺) DΨ w = 0. Eliminating dp:
//   (M − G) z = M v − J(q)ᵀμ,  J(q) z = 0;   v⁺ = z − W J(q⁺)ᵀν,  J(q⁺) v⁺ + C_t = 0.
SettleReport Settle::apply(const System& system, State& state, Workspace& w) {
  SettleReport settled;
  settled.before = violation(system, state, w);
  start_ = state;

  // The frozen direction, with no velocity but that of the impulses, in a second that ends now.
  w.linearize_positions(system, state.q, state.time, w.start);
  direction_.takes_no_time = true;
  displacement_.setZero(system.velocity_size());
  StepReport report;
  start_.time -= 1;
  direction_.solve(system, 1, start_, 1e-13, 50, w, displacement_, q_, report);
  start_.time += 1;
  settled.step.add(report);
  settled.step.regularized = report.regularized;
  const double length = length_scale(system, w.pattern, q_);
  const bool solved = q_.allFinite() && relative_error(w.pattern, w.end.C, length) <= round_off;
  if (solved && carry_momentum(system, start_.v, w, v_, settled.step)) state.v = v_;
  if (solved) state.q = q_;
  project(system, state, w, settled.step);  // the nearest legal state, where there was no solution

  settled.position_change = largest_move(system, state.q, start_.q);
  change_ = state.v - start_.v;
  settled.velocity_change = largest(change_);
  system.apply_mass(change_, product_);
  settled.impulse = largest(product_);
  settled.after = violation(system, state, w);
  return settled;
}

// In the space J(q) z = 0, with its projection P = 1 − W Jᵀ A⁻¹ J:  P (1 − W G) z = P v.
bool Settle::carry_momentum(const System& system, const VecX& v, Workspace& w, VecX& out,
                            StepReport& report) {
  if (topology_ != system.topology()) {
    topology_ = system.topology();
    given_ = RowPattern(system, RowForm::given);
  }
  w.start.add_stiffness(system, given_, w.start.pose, start_.time, direction_.impulse());
  change_ = v;
  make_tangent(change_, w, report);
  const auto matrix = [&](const VecX& x, VecX& result) {
    product_.setZero(x.size());
    add_product(given_.stiffness_blocks, w.start.G, x, product_);
    system.apply_inverse_mass(product_, product_);
    result = x - product_;
    make_tangent(result, w, report);
  };
  const auto precondition = [](const VecX& x, VecX& result) { result = x; };
  const KrylovResult solved = bicgstab(matrix, precondition, change_, out, krylov_, {1e-13, 200});
  report.linear_iterations += solved.iterations;
  return out.allFinite() && solved.residual <= 1e-8 &&
         system.kinetic_energy(out) <= most_energy * system.kinetic_energy(v);
}

}  // namespace taut
