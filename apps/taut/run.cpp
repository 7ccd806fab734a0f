#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "commands.hpp"
#include "interrupt.hpp"
#include "output_arguments.hpp"
#include "progress_bar.hpp"
#include "run_arguments.hpp"
#include "run_plan.hpp"
#include "taut/analysis/explanation.hpp"
#include "taut/analysis/verify.hpp"
#include "taut/base/error.hpp"
#include "taut/record/checkpoint_file.hpp"
#include "taut/record/output.hpp"
#include "taut/scene/reference_track.hpp"
#include "taut/solve/contact_solvers.hpp"

namespace taut::cli {
namespace {

// Up to this many rows, constraint forces are measured even if they are not written: that costs
// about as much as the steps, and for a large cloth a single force says little.
constexpr int most_measured = 5000;

std::optional<double> read_verify(const std::string& text) {
  if (text.empty()) return std::nullopt;
  double error = NAN;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), error);
  if (trouble != std::errc{} || end != text.data() + text.size() || !(error > 0) ||
      !std::isfinite(error))
    throw Error(fmt::format("--verify: found \"{}\", expected a number > 0", text));
  return error;
}

}  // namespace

ExitCode run_scene(const RunArguments& arguments, std::unique_ptr<io::CheckpointFile> resumed) {
  if (!arguments.engine.empty()) return run_on_engine(arguments);
  // All that can be wrong with the input is found before anything is written.
  const io::FilesRead files;
  const io::Scene scene = load_scene(arguments.scene);
  if (resumed) resumed->require_same(files.files());
  RunOptions options;
  options.duration = arguments.duration.value_or(scene.duration);
  options.record_every = arguments.record_every.value_or(scene.record_every);
  options.error_bound = arguments.error_bound.value_or(0);
  options.solver = arguments.solver;
  options.contact_solver = find_contact_solver(arguments.contact_solver).name;
  if (arguments.contact_time) {
    require_positive(*arguments.contact_time, "--contact-time");
    options.contact_time = 1e-6 * *arguments.contact_time;
  }
  options.reactions = scene.system.row_count() <= most_measured;
  require_positive(options.duration, "--duration");
  apply(arguments.steps, scene, options);
  if (options.step > 0) require_countable(options.duration, options.step);
  if (arguments.record_interval) {
    require_positive(*arguments.record_interval, "--record-interval");
    if (options.step > 0)
      throw Error("--record-interval: only with --step auto; otherwise use --record-every");
    options.record_interval = *arguments.record_interval;
  }
  if (options.step == 0) require_countable(options.duration, options.record_interval);
  require_solver(options.solver);
  if (options.record_every < 1) throw Error("--record-every: expected a whole number ≥ 1");
  if (arguments.error_bound) require_positive(*arguments.error_bound, "--error-bound");
  const std::optional<double> verify = read_verify(arguments.verify);
  const bool is_compared = verify || !arguments.no_verify;
  options.reference = io::reference_track(scene);
  const ChosenMethod chosen = chosen_method(
      scene, arguments.method, options.step > 0 ? options.step : scene.step, options.duration);
  const MethodInfo& info = *chosen.info;
  warn_of_couplings(scene.system, info.name, options.step > 0 ? options.step : scene.step);

  apply_interval(arguments.checkpoints, options);
  const std::unique_ptr<io::CheckpointFile> checkpoints =
      resumed ? std::move(resumed) : checkpoints_of(arguments, scene, files);
  options.checkpoints = checkpoints.get();
  io::RunOutput output(scene, std::string(info.name),
                       wanted_outputs(arguments.outputs, scene, options.duration),
                       frame_rate(arguments.outputs), options);
  catch_interrupts();
  RunReport report;
  {
    ProgressBar bar(!arguments.quiet);
    const std::string label = fmt::format("{} with {}", scene.name, info.name);
    options.keep_going = [&, flush = std::move(options.keep_going)](const RunProgress& progress) {
      bar.update(progress.fraction, label);
      return (!flush || flush(progress)) && !interrupted();
    };
    const State start = scene.system.initial_state();
    if (is_compared)
      report = simulate_verified(scene.system, start, chosen.make, options,
                                 verify.value_or(trusted_error),
                                 verify ? VerifyWhat::all : VerifyWhat::unasked);
    else
      report = simulate(scene.system, start, *chosen.make(), options);
  }
  report.sensors = output.sensors();
  explain(scene.system, info.promises, report);
  std::string not_written;  // is told last: the summary is worth having all the same
  try {
    output.finish(report);
  } catch (const OutputError& error) {
    not_written = error.what();
  }
  if (checkpoints)
    end_checkpoints(*checkpoints, report.status != RunStatus::interrupted && not_written.empty());
  print_warnings(report);
  if (arguments.json) {
    fmt::print("{}", io::report_json(scene, info.name, report));
  } else if (!arguments.quiet) {
    print_run_summary(scene, info.name, report);
    if (!chosen.reason.empty())
      fmt::print("  chosen            {}: {}\n", info.name, chosen.reason);
    print_ignored(scene);
    print_run_verdict(report);
    if (not_written.empty()) print_outputs(output.written());
  }
  if (!not_written.empty()) throw OutputError(not_written);
  if (report.status == RunStatus::interrupted) return exit_interrupted;
  if (report.status != RunStatus::ok) return exit_bad_result;
  return arguments.strict && !report.is_trusted() ? exit_suspect : exit_ok;
}

void add_run_options(CLI::App* command, const std::shared_ptr<RunArguments>& arguments) {
  add_scene_arguments(*command, arguments->scene);
  add_sensor_arguments(*command, arguments->scene);
  command
      ->add_option("--method", arguments->method,
                   "Method to use instead of the scene's; auto chooses one (see taut list methods)")
      ->type_name("METHOD");
  command
      ->add_option("--step", arguments->steps.step,
                   "Time step in s instead of the scene's; auto: chosen from the tolerance")
      ->type_name("SECONDS|auto");
  command
      ->add_option("--tolerance", arguments->steps.tolerance,
                   "Largest error of a step, relative to the scene's extent and speeds; 1e-6 by "
                   "default. Implies --step auto")
      ->type_name("NUMBER");
  add_start_argument(*command, arguments->steps.start);
  command
      ->add_option("--duration", arguments->duration,
                   "Time to simulate in s instead of the scene's. The last step is shortened if "
                   "necessary")
      ->type_name("SECONDS");
  add_output_arguments(*command, arguments->outputs);
  command
      ->add_option("--record-every", arguments->record_every,
                   "Write every K-th step, and the last one, to the tables")
      ->type_name("K");
  command
      ->add_option("--record-interval", arguments->record_interval,
                   "With --step auto: time in s between the lines of the tables")
      ->type_name("SECONDS");
  command
      ->add_option("--engine", arguments->engine,
                   "petsc: large cloth on several processes, which mpirun starts (see "
                   "docs/distributed.md); in programs built with TAUT_PETSC")
      ->type_name("petsc");
  command
      ->add_option("--yarn-ends", arguments->yarn_ends,
                   "With --engine petsc: what the preconditioner does with yarns that lead from "
                   "one process to another; cut by default")
      ->type_name("cut|overlap");
  command->add_option("--solver", arguments->solver, "Linear solver (see taut list solvers)")
      ->type_name("SOLVER")
      ->capture_default_str();
  command
      ->add_option("--contact-solver", arguments->contact_solver,
                   "Solver for contacts (see taut list contact_solvers)")
      ->type_name("CONTACT_SOLVER")
      ->capture_default_str();
  command
      ->add_option("--contact-time", arguments->contact_time,
                   "Most time in µs for a solve for contacts, which then takes the best so far; "
                   "results depend on the clock")
      ->type_name("MICROSECONDS");
  command
      ->add_option("--error-bound", arguments->error_bound,
                   "Stop as diverged when a constraint error (m or rad) exceeds this; by default "
                   "100 times the scene's extent")
      ->type_name("NUMBER");
  command->add_flag("--verify{1e-3}", arguments->verify,
                    "Run a second time with half the step (with --step auto: a tenth of the "
                    "tolerance), compare, and estimate the error. --verify=E: the run is suspect "
                    "if the error exceeds E times the scene's size; 1e-3 by default. Most runs "
                    "of a few seconds are compared anyway");
  command->add_flag("--no-verify", arguments->no_verify,
                    "Run only once, unless --verify asks for more");
  command->add_flag("--strict", arguments->strict,
                    "Exit with code 4 if the run ended but its verdict is suspect");
  command->add_flag("--json", arguments->json, "Print the report as JSON, and nothing else");
  command->add_flag("--quiet", arguments->quiet, "Print no summary and no progress bar");
  add_checkpoint_arguments(*command, arguments->checkpoints);
}

void add_run(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("run", "Simulate a scene with one method");
  auto arguments = std::make_shared<RunArguments>();
  add_run_options(command, arguments);
  command->footer(
      "During a run, results are in files that end in .partial. They get their final names at the\n"
      "end of the run, and also after Ctrl-C. If the run is killed or the disk is full, the\n"
      ".partial files stay, with everything recorded until then.\n\n"
      "Examples:\n"
      "  taut run two_link --method rattle --step 0.005 --out results/rattle\n"
      "  taut run two_link --method dop853 --step auto --tolerance 1e-9\n"
      "  taut run two_link --verify=1e-6 --strict\n"
      "  taut run chain --set N=1000 --json\n"
      "  taut run arm6.urdf --set elbow=1.2 --set floating=0\n"
      "  taut run chain --recording chain.taut --frames-per-second 60\n"
      "  taut run chain --duration 3600 --checkpoint 60 --out results/long\n"
      "  taut run two_link --sensor 'height=node2.y' --sensor 'span=distance(node1, node2)'\n"
      "  generate_scene | taut run -\n"
      "  mpirun -n 2 taut run cloth --set n=2000 --engine petsc");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_scene(*arguments); }; });
}

}  // namespace taut::cli
