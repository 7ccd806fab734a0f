#include "taut/methods/projection.hpp"

#include <algorithm>
#include <cmath>

#include "taut/methods/explicit_base.hpp"
#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr int most_iterations = 50;
constexpr double smallest_share = 1.0 / 256;  // of a Newton step, when backing off
// What is left when |C| cannot be made smaller: round-off below this, a contradiction above.
constexpr double round_off = 1e-10;

// Newton: A μ = C, q ← q ⊕ −W Jᵀ μ. While an old factor of A still contracts |C| tenfold per
// iteration it is kept: after a step of a good method |C| is so small that it always does. A step
// that makes |C| larger is taken back by halves; that ⊕ along one direction can be undone by ⊕
// along the opposite one makes it possible in place.
void find_position(const System& system, double time, VecX& q, Workspace& w, StepReport& report,
                   double tolerance) {
  w.linearize_positions(system, q, time, w.end);
  const double length = length_scale(system, w.pattern, q);
  double norm = w.end.C.norm();
  bool fresh = false;  // whether the factor is that of this q
  bool factored = false, creeping = false;
  for (int iteration = 0;; ++iteration) {
    const double worst = relative_error(w.pattern, w.end.C, length);
    if (worst <= tolerance) {
      report.residual = std::max(report.residual, worst);
      return;
    }
    const auto give_up = [&](bool least_squares) {
      report.residual = std::max(report.residual, worst);
      if (worst <= round_off || report.status != StepStatus::ok) return;
      report.status = least_squares ? StepStatus::compromise : StepStatus::not_converged;
    };
    if (iteration == most_iterations || !std::isfinite(worst)) return give_up(creeping);
    if (!factored) {
      w.factor(w.end);
      factored = fresh = true;
    }
    w.solve(w.end.C, w.rhs, report);
    ++report.iterations;
    w.WJt(w.end, w.rhs, w.correction);
    if (!w.correction.allFinite()) return give_up(false);

    double share = 1;
    system.advance(q, w.correction, -share, q);
    w.linearize_positions(system, q, time, w.end);
    double next = w.end.C.norm();
    while (!(next < norm) && share > smallest_share) {
      share *= 0.5;
      system.advance(q, w.correction, share, q);
      w.linearize_positions(system, q, time, w.end);
      next = w.end.C.norm();
    }
    if (!(next < norm)) {  // no way down along this direction
      system.advance(q, w.correction, share, q);
      w.linearize_positions(system, q, time, w.end);
      if (fresh) return give_up(true);
      factored = false;  // perhaps along that of a fresh factor
      continue;
    }
    // Conflicting rows: Gauss–Newton creeps to the least-squares point, where |C| no longer falls.
    if (fresh && share == 1 && next > (1 - 1e-9) * norm) return give_up(true);
    creeping = next > 0.5 * norm;
    factored = share == 1 && next < 0.1 * norm;
    fresh = false;
    norm = next;
  }
}

}  // namespace

void project_position(const System& system, double time, VecX& q, Workspace& w, StepReport& report,
                      double tolerance) {
  find_position(system, time, q, w, report, tolerance);
  if (w.end.has_only_positions) w.linearize(system, q, time, w.end);
}

void project_velocity(VecX& v, Workspace& w, StepReport& report) {
  if (w.pattern.rows() == 0) return;
  // A μ = J v + C_t,  v ← v − W Jᵀ μ
  w.J(w.end, v, w.Jv);
  w.Jv += w.end.C_t;
  w.factor(w.end);
  w.solve(w.Jv, w.rhs, report);
  w.WJt(w.end, w.rhs, w.correction);
  v -= w.correction;
}

void project_velocity(const System& system, double time, const VecX& q, VecX& v, Workspace& w,
                      StepReport& report) {
  w.linearize(system, q, time, w.end);
  project_velocity(v, w, report);
}

void project(const System& system, State& state, Workspace& w, StepReport& report) {
  project_position(system, state.time, state.q, w, report);
  project_velocity(state.v, w, report);
}

void reactions(const System& system, const State& state, Workspace& w, VecX& lambda,
               StepReport& report, VecX* acceleration) {
  w.adapt(system);
  VecX& out = acceleration ? *acceleration : w.error_v;
  constrained_acceleration(system, state.q, state.v, state.time, 0, 0, w, out, report);
  if (&lambda != &w.lambda) lambda = w.lambda;
}

}  // namespace taut
