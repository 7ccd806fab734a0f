// Augmented vertex block descent (Giles, Diaz and Yuksel 2025): the springs of vertex block descent
// (block_descent.hpp) get multipliers and become stiffer where they have to, sweep by sweep, so
// that constraints become hard:
//
//   λ ← k C* + λ in its bounds,   k ← k + β |C*|   where λ is not at a bound,
//   C* = C(q⁺) − α C(q)           so that an old error fades instead of kicking,
//
// and to begin a step with, λ ← αγ λ and k ← max(γ k, k_min): what was found in the last one.
//
// Published k_min and β are numbers of N/m and N/m², good for scenes of boxes of 1 kg and 1 m at 60
// steps a second. Here they are counted in the stiffness that the inertia of a row's own bodies has
// in the step, 1/(h² J W Jᵀ), and C* relative to the scene's size (or in rad), so that scenes of
// all scales are treated alike. In the authors' program β is about 50 in these units, and k_min
// 5e-4.
#include <algorithm>
#include <cmath>

#include "taut/methods/archive.hpp"
#include "taut/methods/block_descent.hpp"
#include "taut/methods/options.hpp"
#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr double stiffest = 1e6;  // k, in the units above

struct Avbd final : Method {
  int iterations = 10;
  double alpha = 0.99, beta = 50, gamma = 0.99;
  double start_stiffness = 1;

  ForceResponse force_response() const override { return backward_euler_response; }

  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    w.adapt(system);
    descent_.adapt(system, w);
    recall(state);
    descent_.begin(system, h, state, w, report);
    begin(system, h, state, w);
    const double length = length_scale(system, w.pattern, state.q);
    for (int i = 0; i < iterations; ++i) {
      descent_.sweep(system, h, state, w);
      stiffen(system, h, state, length, w);
    }
    report.iterations = iterations;
    // What the last sweep left of C is known to λ, but has not moved anything.
    descent_.finish(system, h, state, w, report);
    w.lambda = descent_.lambda;
    end_ = state;
    return report;
  }

  void archive(Archive& a, const System& system, Workspace& w) override {
    descent_.adapt(system, w);
    a(descent_.k, descent_.lambda, start_, end_, lambda_before_, k_before_);
  }

 private:
  /// λ and k with which a step from this state begins: those that the last one left, or began with,
  /// if it is done again. So a step is the same whenever it is repeated.
  void recall(const State& state) {
    const auto is = [&](const State& other) {
      return other.q.size() == state.q.size() && other.q == state.q && other.v == state.v;
    };
    if (is(start_) && state.time == start_.time) {
      descent_.lambda = lambda_before_;
      descent_.k = k_before_;
    } else if (!is(end_)) {
      descent_.lambda.setZero();
      descent_.k.setZero();
    }
    start_ = state;
    lambda_before_ = descent_.lambda;
    k_before_ = descent_.k;
  }

  void begin(const System& system, double h, const State& state, Workspace& w) {
    descent_.measure_inertia(system, h, state, w, unit_);
    descent_.lambda *= std::min(alpha, 1.0) * std::min(gamma, 1.0);
    descent_.k = (std::min(gamma, 1.0) * descent_.k).cwiseMax(start_stiffness * unit_);
    descent_.k = descent_.k.cwiseMin(stiffest * unit_);
    // Of limits that are open nothing is left to fade; rows on velocities have no C.
    descent_.offset = std::min(alpha, 1.0) * w.start.C;
    for (const RowModes::Mode& mode : w.modes.modes())
      if (!mode.is_timed())
        descent_.offset[mode.row] =
            std::min(alpha, 1.0) * RowModes::beyond(mode, w.start.C[mode.row]);
  }

  void stiffen(const System& system, double h, const State& state, double length, Workspace& w) {
    const VecX& C = descent_.look(system, h, state, w);
    for (int row = 0; row < w.pattern.rows(); ++row) {
      const double wanted =
          descent_.k[row] * (C[row] - descent_.offset[row]) + descent_.lambda[row];
      const double force = descent_.force(row, C[row], w);
      descent_.lambda[row] = force;
      if (force != wanted) continue;
      const double scale = w.pattern.is_angle[static_cast<std::size_t>(row)] ? 1 : length;
      const double more = beta * unit_[row] * std::abs(C[row] - descent_.offset[row]) / scale;
      descent_.k[row] = std::min(descent_.k[row] + more, stiffest * unit_[row]);
    }
  }

  BlockDescent descent_;
  State start_, end_;              // of the last step, …
  VecX lambda_before_, k_before_;  // … and what it began with
  VecX unit_;                      // of k, per row
};

}  // namespace

MethodInfo describe_avbd() {
  return describe_method<Avbd>(
      "avbd", "augmented vertex block descent: body by body, with multipliers",
      Promises{.energy = Promises::Energy::dissipates,
               .passes_singular = true,
               .solves_rows = false,
               .decides_laws = true,
               .forces = Promises::Forces::before_constraints},
      FieldList<Avbd>()
          .optional("iterations", &Avbd::iterations, "", "sweeps per step", Range::positive)
          .optional("alpha", &Avbd::alpha, "",
                    "share of an old error that is left after a step, at most 1",
                    Range::non_negative)
          .optional("beta", &Avbd::beta, "",
                    "how fast springs stiffen, in units of inertia per error of the scene's size",
                    Range::non_negative)
          .optional("gamma", &Avbd::gamma, "",
                    "share of multipliers and stiffness that the next step begins with, at most 1",
                    Range::non_negative)
          .optional("start_stiffness", &Avbd::start_stiffness, "", "the least, in units of inertia",
                    Range::positive));
}

}  // namespace taut
