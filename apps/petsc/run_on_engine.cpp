// taut run --engine petsc, in the program taut-petsc.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <new>

#include "interrupt.hpp"
#include "progress_bar.hpp"
#include "run_arguments.hpp"
#include "taut/base/error.hpp"
#include "taut/distributed/cloth_output.hpp"
#include "taut/distributed/cloth_run.hpp"
#include "taut/record/recording_times.hpp"
#include "taut/scene/scene_share.hpp"
#include "taut/solve/contact_solvers.hpp"

namespace taut::cli {
namespace {

using distributed::ClothRun;
using distributed::ClothRunOptions;
using distributed::Processes;

/// Whatever was asked for that would be left undone.
void refuse_options(const RunArguments& arguments) {
  const auto refuse = [](bool is_given, std::string_view option, std::string_view why) {
    if (is_given) throw Error(fmt::format("{}: not with --engine petsc: {}", option, why));
  };
  refuse(arguments.scene.scene == "-", "SCENE",
         "every process reads the scene, and standard input is there for one; give a file");
  refuse(!arguments.scene.sensors.empty(), "--sensor", "no process has the whole scene");
  refuse(!arguments.scene.inputs.empty(), "--input", "scenes with inputs cannot be divided");
  refuse(arguments.steps.tolerance || arguments.steps.step == "auto", "--step auto",
         "give a step in s");
  refuse(arguments.record_interval.has_value(), "--record-interval", "use --record-every");
  refuse(arguments.solver != "auto", "--solver", "it has one of its own");
  refuse(arguments.contact_solver != contact_solvers().front().name || arguments.contact_time,
         "--contact-solver", "nothing touches there");
  refuse(!arguments.checkpoints.every.empty(), "--checkpoint", "start it again from the beginning");
  refuse(!arguments.verify.empty(), "--verify", "compare runs with different steps yourself");
  const auto& places = arguments.outputs.places;
  for (const auto& [writer, place] : places)
    refuse(!place.empty() && writer != "recording", fmt::format("--{}", writer),
           "use --recording, and then taut export");
}

std::unique_ptr<Method> make_projection(const io::Scene& scene, const RunArguments& arguments) {
  const std::string& name = arguments.method.empty() ? scene.method : arguments.method;
  if (name != "fast_projection" && name != auto_method)
    throw Error(
        fmt::format("--method: found \"{}\", expected fast_projection: it is the only one "
                    "with --engine petsc",
                    name));
  const MethodInfo& info = find_method("fast_projection");
  const std::vector<OptionValue> given = method_options(scene, info);
  std::unique_ptr<Method> method = info.create(info, given);
  for (const OptionValue& option : given)
    if (option.name == "fallback" && option.value == "newton")
      throw Error(
          "method.fallback: found newton, expected none: with --engine petsc a step that "
          "does not converge is divided instead");
  if (dynamic_cast<const FastProjectionOptions&>(*method).base == FreeBase::bdf2)
    throw Error("method.free_step: found bdf2, expected explicit or implicit with --engine petsc");
  return method;
}

struct Task {
  io::SceneShare share;
  std::unique_ptr<Method> method;
  ClothRunOptions options;
  std::string recording, results;
  io::RecordedPositions positions = io::RecordedPositions::automatic;
  io::RecordingTimes times;
};

Task read_task(const RunArguments& arguments, const Processes& processes) {
  refuse_options(arguments);
  Task task{io::load_scene_share(arguments.scene.scene, read_settings(arguments.scene),
                                 processes.rank(), processes.count()),
            {},
            {},
            {},
            arguments.outputs.results,
            io::RecordedPositions::automatic,
            {}};
  const io::Scene& scene = task.share.scene;
  task.method = make_projection(scene, arguments);
  RunOptions plan;
  plan.duration = arguments.duration.value_or(scene.duration);
  plan.record_every = arguments.record_every.value_or(scene.record_every);
  require_positive(plan.duration, "--duration");
  apply(arguments.steps, scene, plan);
  require_countable(plan.duration, plan.step);
  if (plan.record_every < 1) throw Error("--record-every: expected a whole number ≥ 1");
  if (arguments.error_bound) require_positive(*arguments.error_bound, "--error-bound");
  wanted_outputs(arguments.outputs, scene, plan.duration);  // what makes no sense is found there
  task.recording = arguments.outputs.places.at("recording");
  if (const std::string& text = arguments.outputs.options.at("recorded-positions"); !text.empty())
    task.positions = text == "float32"  ? io::RecordedPositions::float32
                     : text == "uint16" ? io::RecordedPositions::uint16
                                        : io::RecordedPositions::automatic;
  task.times = {static_cast<double>(plan.record_every) * plan.step, 0};
  if (!task.recording.empty())
    task.times = io::plan_recording(frame_rate(arguments.outputs), !task.results.empty(), plan);
  task.options.step = plan.step;
  task.options.duration = plan.duration;
  task.options.record_every = plan.record_every;
  task.options.start = plan.start;
  task.options.error_bound = arguments.error_bound.value_or(0);
  using distributed::YarnEnds;
  if (const std::string& ends = arguments.yarn_ends; !ends.empty()) {
    const auto& names = Choices<YarnEnds>::names;
    const auto found = std::find(names.begin(), names.end(), ends);
    if (found == names.end())
      throw Error(fmt::format("--yarn-ends: found \"{}\"{}", ends, suggestion(ends, names)));
    task.options.yarn_ends = static_cast<YarnEnds>(found - names.begin());
  }
  return task;
}

void print_costs(const ClothRun& run) {
  for (std::size_t p = 0; p < run.costs.size(); ++p) {
    const distributed::ProcessCost& cost = run.costs[p];
    fmt::print(
        "{:<20}{}: {:.0f} vertices and {:.0f} rows, {:.3g} s of CPU in {:.3g} s, {:.4g} MB "
        "at most\n",
        p == 0 ? "  processes" : "", p, cost.bodies, cost.rows, cost.cpu_seconds, cost.wall_seconds,
        1e-6 * cost.most_memory);
  }
}

ExitCode run_task(const RunArguments& arguments, const Processes& processes, Task& task) {
  ClothRunOptions& options = task.options;
  const bool is_first = processes.is_first();
  std::optional<distributed::ClothRecording> recording;
  std::optional<distributed::ClothTrajectory> trajectory;
  const std::filesystem::path folder = task.results;
  if (!task.recording.empty())
    recording.emplace(task.recording, processes, task.share, task.times.frames, task.positions);
  if (!task.results.empty()) {
    if (is_first) make_directory(folder);
    trajectory.emplace(folder / "trajectory.csv", processes, task.share);
  }
  const auto is_due = [&](double time, double interval) {
    const double turns = time / interval;
    return std::abs(turns - std::round(turns)) < 1e-6;
  };
  double last_line = -1;
  options.record = [&](const distributed::Domain& domain, const State& state) {
    if (recording && is_due(state.time, task.times.frames)) recording->record(domain, state);
    const bool is_end = state.time >= options.duration * (1 - 1e-12);
    if (trajectory && (is_due(state.time, task.times.tables) || is_end) &&
        state.time != last_line) {
      trajectory->record(domain, state);
      last_line = state.time;
    }
  };
  catch_interrupts();
  ClothRun run;
  {
    ProgressBar bar(is_first && !arguments.quiet);
    const std::string label = fmt::format("{} on {}", task.share.scene.name, processes.count());
    options.keep_going = [&](const RunProgress& progress) {
      if (is_first) bar.update(progress.fraction, label);
      return !interrupted();
    };
    run = run_cloth(processes, task.share, dynamic_cast<const FastProjectionOptions&>(*task.method),
                    options);
  }
  if (recording) recording->finish();
  if (trajectory) trajectory->finish();
  const RunReport& report = run.report;
  if (is_first) {
    const std::string json = distributed::report_json(task.share, run);
    if (!task.results.empty()) write_output(folder / "report.json", json);
    print_warnings(report);
    if (arguments.json) {
      fmt::print("{}", json);
    } else if (!arguments.quiet) {
      print_run_summary(task.share.scene, "fast_projection", report);
      print_costs(run);
      print_run_verdict(report);
      if (recording)
        fmt::print("  recording         {} frames: {}\n", recording->frames(), task.recording);
      if (!task.results.empty())
        fmt::print("\nresults: {}, {}\n", (folder / "trajectory.csv").string(),
                   (folder / "report.json").string());
    }
  }
  if (report.status == RunStatus::interrupted) return exit_interrupted;
  if (report.status != RunStatus::ok) return exit_bad_result;
  return arguments.strict && !report.is_trusted() ? exit_suspect : exit_ok;
}

/// The same trouble everywhere is told once.
ExitCode complain_once(const Processes& processes, const std::string& message) {
  if (processes.is_first()) fmt::print(stderr, "taut: {}\n", message);
  return exit_bad_input;
}

}  // namespace

ExitCode run_on_engine(const RunArguments& arguments) {
  const Processes processes;
  std::optional<Task> task;
  std::string wrong;
  try {
    task.emplace(read_task(arguments, processes));
  } catch (const Error& error) {
    wrong = error.what();
  } catch (const std::bad_alloc&) {
    wrong = "not enough memory for this scene";
  } catch (const std::exception& error) {
    processes.abort(exit_bad_input, error.what());
  }
  if (const std::string text = processes.first_text(wrong); !text.empty())
    return complain_once(processes, text);
  try {
    return run_task(arguments, processes, *task);
  } catch (const distributed::AgreedError& error) {
    return complain_once(processes, error.what());
  } catch (const OutputError& error) {
    processes.abort(exit_not_written, error.what());
  } catch (const std::bad_alloc&) {
    processes.abort(exit_bad_input, "not enough memory");
  } catch (const std::exception& error) {
    processes.abort(exit_bad_result, error.what());
  }
}

}  // namespace taut::cli
