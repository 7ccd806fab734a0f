#include "taut/simulate/simulation.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <vector>

#include "taut/base/error.hpp"
#include "taut/simulate/metrics.hpp"

namespace taut {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The number of steps that reach `duration`; a last step that would be all round-off is not taken.
long step_count(double duration, double h) {
  return std::max(1L, static_cast<long>(std::ceil(duration / h * (1 - 1e-12) - 1e-9)));
}

bool is_finite(const State& state) { return state.q.allFinite() && state.v.allFinite(); }

}  // namespace

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

double extent(const System& system, const State& state) {
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
  double farthest = 1e-3;
  for (const Vec3& place : places) farthest = std::max(farthest, (place - center).norm());
  const Pose pose(system, state.q);
  for (const auto& batch : system.constraints()) {
    std::vector<double> errors(static_cast<std::size_t>(batch->size()));
    batch->errors(pose, state.time, errors);
    for (const double error : errors) farthest = std::max(farthest, error);
  }
  return farthest;
}

RunReport simulate(const System& system, State state, Method& method, const RunOptions& options) {
  if (!(options.step > 0) || !std::isfinite(options.step))
    throw Error(fmt::format("the step must be a number > 0, found {}", options.step));
  if (!(options.duration > 0) || !std::isfinite(options.duration))
    throw Error(fmt::format("the duration must be a number > 0, found {}", options.duration));
  if (options.duration / options.step > 1e15)
    throw Error(fmt::format("a step of {} s makes too many steps", options.step));

  Workspace workspace(system, options.solver);
  const double h = options.step;
  const double start_time = state.time;
  const double size = extent(system, state);
  const double bound = options.error_bound > 0 ? options.error_bound : 100 * size;
  const double residual_bound = options.residual_bound > 0 ? options.residual_bound : 1e-4 * size;
  RunProgress progress{0, step_count(options.duration, h), start_time};

  RunReport report;
  report.step = h;
  report.cost.solver = workspace.solver_name();
  Metrics metrics(system, state, options, report);
  if (options.record) options.record(state, workspace.lambda);

  const auto diverged = [&](std::string reason) {
    report.status = RunStatus::diverged;
    report.reason = std::move(reason);
    report.diverged_at_step = progress.step;
  };

  const Clock::time_point begin = Clock::now();
  const double cpu_begin = cpu_seconds();
  Clock::time_point asked = begin;
  Clock::duration stepping{};
  while (progress.step < progress.steps && report.status == RunStatus::ok) {
    const Clock::time_point before = Clock::now();
    const StepReport step = method.step(system, h, state, workspace);
    const Clock::time_point after = Clock::now();
    stepping += after - before;

    ++progress.step;
    state.time = start_time + static_cast<double>(progress.step) * h;  // no sum of round-offs
    progress.time = state.time;
    report.cost.linear_solves += step.linear_solves;
    report.cost.iterations += step.iterations;
    report.cost.regularized_steps += step.regularized ? 1 : 0;

    if (!is_finite(state)) {
      diverged("the state is not finite");
      break;
    }
    const Metrics::Worst worst = metrics.measure(state);
    if (step.status != StepStatus::ok) ++report.cost.unconverged_steps;
    if (step.status != StepStatus::ok && !(step.residual <= residual_bound)) {
      diverged(fmt::format("the step {}: residual {:.3g} after {} iterations",
                           status_text(step.status), step.residual, step.iterations));
    } else if (!(worst.error <= bound)) {
      diverged(fmt::format("the error of {} is {:.3g}, more than the bound {:.3g}",
                           constraint_label(system, worst.constraint), worst.error, bound));
    }
    if (options.record && (progress.step % options.record_every == 0 ||
                           progress.step == progress.steps || report.status != RunStatus::ok))
      options.record(state, workspace.lambda);

    if (options.keep_going && after - asked > std::chrono::milliseconds(20)) {
      asked = after;
      if (!options.keep_going(progress) && progress.step < progress.steps &&
          report.status == RunStatus::ok)
        report.status = RunStatus::interrupted;
    }
  }
  if (options.keep_going) options.keep_going(progress);
  metrics.finish();

  report.steps = progress.step;
  report.time = progress.time;
  report.cost.wall_seconds = seconds(Clock::now() - begin);
  report.cost.cpu_seconds = cpu_seconds() - cpu_begin;
  report.cost.microseconds_per_step = 1e6 * seconds(stepping) / static_cast<double>(progress.step);
  report.final_state = std::move(state);
  return report;
}

}  // namespace taut
