// Where explicit Baumgarte feedback is stable in the plane (αh, βh). Each cell is simulated, with a
// pinned particle that has an error at the start, and compared with the eigenvalues of the map that
// a step applies to the error.
#include <algorithm>
#include <cmath>

#include "taut/analysis/feedback.hpp"
#include "taut/constraints/pin.hpp"
#include "taut/experiment/experiment_internal.hpp"
#include "taut/methods/method.hpp"

namespace taut::experiment::detail {
namespace {

enum Class { decays, oscillates, grows };

/// Simulated with h = 1: only αh and βh matter.
Class simulated(double alpha, double beta) {
  System system;
  const BodyId body = system.add(Particle{1, {1, 0, 0}});
  constrain(system, Pin{body, Vec3(0, 0, 0)});
  State state = system.initial_state();
  Workspace workspace(system);
  const auto method = make_method(
      "baumgarte",
      std::vector<OptionValue>{{"alpha", std::to_string(alpha)}, {"beta", std::to_string(beta)}});
  int changes = 0;
  double before = state.q[0], early = 0;
  constexpr int steps = 2000;
  for (int i = 0; i < steps; ++i) {
    method->step(system, 1, state, workspace);
    if (!std::isfinite(state.q[0]) || std::abs(state.q[0]) > 1e6) return grows;
    if (std::abs(state.q[0]) < 1e-12) break;  // died out
    if (state.q[0] * before < 0) ++changes;
    before = state.q[0];
    if (i == steps / 2) early = std::hypot(state.q[0], state.v[0]);
  }
  if (early > 0 && std::hypot(state.q[0], state.v[0]) >= early) return grows;
  return changes > 0 ? oscillates : decays;
}

Class predicted(double alpha, double beta) {
  const Feedback feedback{alpha, beta};
  if (spectral_radius(feedback, Base::explicit_euler, 1) >= 1) return grows;
  return largest_monotone_step(feedback, Base::explicit_euler) >= 1 ? decays : oscillates;
}

}  // namespace

Region map_region(const RegionSpec& spec) {
  Region region;
  Plot& plot = region.plot;
  plot.title = spec.title;
  plot.caption = spec.caption;
  plot.x_label = "αh";
  plot.y_label = "βh";
  plot.equal_axes = true;
  plot.x_range = {0, spec.alpha_to};
  plot.y_range = {0, spec.beta_to};
  report::Field field;
  field.classes = {"dies out", "oscillates and dies out", "grows"};
  int cells = 0, different = 0;
  const auto center = [&](int i, double to) { return to * (i + 0.5) / spec.cells; };
  for (int i = 0; i < spec.cells; ++i) field.x.push_back(center(i, spec.alpha_to));
  for (int j = 0; j < spec.cells; ++j) {
    field.y.push_back(center(j, spec.beta_to));
    for (int i = 0; i < spec.cells; ++i) {
      const Class measured = simulated(field.x[static_cast<std::size_t>(i)], field.y.back());
      field.value.push_back(measured);
      ++cells;
      const bool stable = measured != grows;
      if (stable != (predicted(field.x[static_cast<std::size_t>(i)], field.y.back()) != grows))
        ++different;
    }
  }
  plot.field = std::move(field);

  // The boundary: where the spectral radius passes one on the way up in βh, for each αh.
  Series upper{"predicted boundary", {}, {}}, lower{"", {}, {}};
  constexpr int pieces = 300, scan = 400;
  for (int i = 1; i <= pieces; ++i) {
    const double alpha = spec.alpha_to * i / pieces;
    const auto stable = [&](double beta) {
      return spectral_radius({alpha, beta}, Base::explicit_euler, 1) < 1;
    };
    double before = 1e-9;
    for (int k = 1; k <= scan; ++k) {
      const double beta = spec.beta_to * k / scan;
      if (stable(before) != stable(beta)) {
        double in = stable(before) ? before : beta, out = stable(before) ? beta : before;
        for (int halving = 0; halving < 40; ++halving) {
          const double middle = 0.5 * (in + out);
          (stable(middle) ? in : out) = middle;
        }
        Series& side = stable(before) ? upper : lower;
        side.x.push_back(alpha);
        side.y.push_back(in);
      }
      before = beta;
    }
  }
  // One curve: down along the lower side, from the tip where the two meet.
  upper.x.insert(upper.x.end(), lower.x.rbegin(), lower.x.rend());
  upper.y.insert(upper.y.end(), lower.y.rbegin(), lower.y.rend());
  plot.series.push_back(std::move(upper));
  region.disagreement = static_cast<double>(different) / cells;
  return region;
}

}  // namespace taut::experiment::detail
