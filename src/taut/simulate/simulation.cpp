#include "taut/simulate/simulation.hpp"

#include <fmt/core.h>

#include <cmath>
#include <vector>

#include "taut/base/error.hpp"
#include "taut/simulate/checkpointed_run_internal.hpp"
#include "taut/simulate/run_loop_internal.hpp"
#include "taut/simulate/verdict.hpp"

namespace taut {
std::string_view status_text(RunStatus status) {
  switch (status) {
    case RunStatus::ok:
      return "ok";
    case RunStatus::diverged:
      return "diverged";
    case RunStatus::interrupted:
      return "interrupted";
  }
  return "";
}

std::string_view verdict_text(const RunReport& report) {
  if (!report.is_trusted()) return "suspect";
  return report.verification && report.verification->is_sensitive ? "sensitive" : "trusted";
}

double spread(const System& system, const State& state) {
  std::vector<Vec3> places;
  for (int i = 0; i < system.body_count(); ++i)
    places.push_back(state.q.segment<3>(system.slot({i}).q));
  for (const auto& batch : system.constraints()) {
    std::vector<Anchor> anchors(static_cast<std::size_t>(batch->anchors_per_constraint()));
    for (int c = 0; c < batch->size(); ++c) {
      batch->anchors(c, anchors);
      for (const Anchor& anchor : anchors)
        if (anchor.body.is_world() && !anchor.is_direction) places.push_back(anchor.local);
    }
  }
  Vec3 center = Vec3::Zero();
  for (const Vec3& place : places) center += place / static_cast<double>(places.size());
  double farthest = 0;
  for (const Vec3& place : places) farthest = std::max(farthest, (place - center).norm());
  if (farthest > 0) return farthest;
  for (const auto& source : system.contact_sources())
    farthest = std::max(farthest, source->reach());
  if (farthest > 0) return farthest;
  for (int i = 0; i < system.body_count(); ++i)
    farthest = std::max(farthest, radius_of_gyration(system, {i}));
  return farthest > 0 ? farthest : 1e-3;
}

double extent(const System& system, const State& state) {
  double farthest = spread(system, state);
  const Pose pose(system, state.q);
  for (const auto& batch : system.constraints()) {
    std::vector<double> errors(static_cast<std::size_t>(batch->size()));
    batch->errors(pose, state.time, errors);
    for (const double error : errors) farthest = std::max(farthest, error);
  }
  return farthest;
}

RunReport simulate(const System& system, State state, Method& method, const RunOptions& options) {
  const bool automatic = options.tolerance != 0;
  if (automatic && (!(options.tolerance > 0) || !std::isfinite(options.tolerance)))
    throw Error(fmt::format("the tolerance must be a number > 0, found {}", options.tolerance));
  if (!automatic && (!(options.step > 0) || !std::isfinite(options.step)))
    throw Error(fmt::format("the step must be a number > 0, found {}", options.step));
  if (!(options.duration > 0) || !std::isfinite(options.duration))
    throw Error(fmt::format("the duration must be a number > 0, found {}", options.duration));
  if (!automatic && options.duration / options.step > 1e15)
    throw Error(fmt::format("a step of {} s makes too many steps", options.step));

  if (options.checkpoints) return detail::simulate_with_checkpoints(system, state, method, options);
  detail::Run run(system, std::move(state), method, options);
  run.start();
  run.go_on({});
  return run.finish();
}

}  // namespace taut
