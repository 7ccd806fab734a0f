#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

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
#include "taut/scene/final_error.hpp"
#include "taut/scene/reference_track.hpp"
#include "taut/solve/contact_solvers.hpp"

namespace taut::cli {
namespace {

// Up to this many rows, constraint forces are measured even if they are not written: that costs
// about as much as the steps, and for a large cloth a single force says little.
constexpr int most_measured = 5000;

std::string headline(const io::Scene& scene, std::string_view method, const RunReport& report) {
  std::string text = fmt::format("{} with {}: ", scene.name, method);
  if (report.status == RunStatus::diverged) {
    text += fmt::format("diverged at step {} ({:.4g} s)", report.diverged_at_step, report.time);
    if (!report.reason.empty()) text += fmt::format(": {}", report.reason);
  } else {
    text += fmt::format("{} {}", report.steps, report.steps == 1 ? "step" : "steps");
    text += report.control.automatic
                ? fmt::format(" chosen for a tolerance of {:g}", report.control.tolerance)
                : fmt::format(" of {} s", report.step);
    const double all = report.step * static_cast<double>(report.steps);
    if (!report.control.automatic && all > report.time + 1e-6 * report.step)
      text += report.steps == 1 ? ", shortened" : ", the last one shortened";
    text += fmt::format(", {:.6g} s simulated", report.time);
    if (report.status == RunStatus::interrupted) text += ", then interrupted";
  }
  return text;
}

void print_steps(const RunReport& report) {
  if (const auto& control = report.control; control.automatic)
    fmt::print("  steps             {} accepted, {} rejected, from {:.3g} s to {:.3g} s\n",
               control.accepted, control.rejected, control.smallest, control.largest);
  if (const auto& settled = report.activation; settled.count > 0)
    fmt::print(
        "  settled           {}, first at {:.4g} s: moved {:.4g} m, velocity changed by {:.4g} "
        "m/s; "
        "error {:.3g}{} → {:.3g}, energy {:+.4g} J\n",
        settled.count == 1 ? "once" : fmt::format("{} times", settled.count), settled.times.front(),
        settled.position_change, settled.velocity_change, settled.error_before,
        settled.worst.empty() ? "" : fmt::format(" in {}", settled.worst), settled.error_after,
        settled.energy_change);
  if (report.cost.halved_steps > 0)
    fmt::print("  halved            {} steps converged only after they were divided\n",
               report.cost.halved_steps);
  if (report.cost.unconverged_steps > 0)
    fmt::print(
        "  residual          {} steps were accepted although they missed the method's tolerance\n",
        report.cost.unconverged_steps);
  if (report.cost.compromise_steps > 0)
    fmt::print("  compromise        in {} steps the constraints contradicted each other\n",
               report.cost.compromise_steps);
}

void print_forces(const RunReport& report) {
  // Forces and torques cannot be compared: one line for each.
  for (const std::string_view unit : {"N", "N·m"}) {
    const RunReport::Reaction* largest = nullptr;
    for (const RunReport::Reaction& reaction : report.reactions)
      if (reaction.unit == unit && reaction.largest > (largest ? largest->largest : 0))
        largest = &reaction;
    if (largest)
      fmt::print("  largest {:<9} {:.5g} {} in {} at {:.4g} s\n", unit == "N" ? "force" : "torque",
                 largest->largest, unit, largest->constraint, largest->at);
  }
}

void print_joints(const RunReport& report) {
  constexpr std::size_t most = 12;
  for (std::size_t i = 0; i < std::min(most, report.joints.size()); ++i) {
    const RunReport::JointSummary& joint = report.joints[i];
    std::string text = fmt::format("{} ({}):", joint.name, joint.type);
    for (const auto& moved : joint.coordinates)
      text +=
          fmt::format(" {} {:.5g} {}, {:.4g} {}/s, range {:.4g} … {:.4g};", moved.name, moved.final,
                      moved.unit, moved.final_rate, moved.unit, moved.least, moved.largest);
    fmt::print("{:<20}{} transmits up to {:.4g} N, {:.4g} N·m\n", i == 0 ? "  joints" : "", text,
               joint.largest_force, joint.largest_torque);
  }
  if (report.joints.size() > most)
    fmt::print("{:<20}and {} more (--json lists all)\n", "", report.joints.size() - most);
  if (report.active_limits.most > 0)
    fmt::print("  active limits     {:.4g} rows on average, {} at most\n",
               report.active_limits.mean, report.active_limits.most);
  if (report.impacts.count > 0)
    fmt::print("  impacts           {}, energy {:+.4g} J\n", report.impacts.count,
               report.impacts.energy_change);
  if (const auto& contacts = report.contacts; contacts.most > 0)
    fmt::print(
        "  contacts          {} at most, {} at the end; up to {:.5g} N; overlap at most {:.2g} m; "
        "slip at most {:.4g} m/s; friction {:+.4g} J\n",
        contacts.most, contacts.final, contacts.largest_force, contacts.overlap, contacts.slip,
        report.energy.friction);
}

void print_sensors(const RunReport& report) {
  constexpr std::size_t most = 12;
  const auto& sensors = report.sensors;
  for (std::size_t i = 0; i < std::min(most, sensors.size()); ++i) {
    const RunReport::SensorSummary& sensor = sensors[i];
    const std::string unit = sensor.unit.empty() ? "" : " " + sensor.unit;
    std::string text = fmt::format("{}: ", sensor.name);
    if (sensor.least <= sensor.largest)
      text += fmt::format("{:.5g} … {:.5g}{}, largest at {:.4g} s; final {:.5g}", sensor.least,
                          sensor.largest, unit, sensor.largest_at, sensor.final);
    if (sensor.not_finite > 0)
      text += fmt::format("{}no number {} {}, first at {:.4g} s",
                          sensor.least <= sensor.largest ? "; " : "", sensor.not_finite,
                          sensor.not_finite == 1 ? "time" : "times", sensor.not_finite_at);
    fmt::print("{:<20}{}\n", i == 0 ? "  sensors" : "", text);
  }
  if (sensors.size() > most)
    fmt::print("{:<20}and {} more (--json lists all)\n", "", sensors.size() - most);
}

}  // namespace

void print_run_summary(const io::Scene& scene, std::string_view method, const RunReport& report) {
  fmt::print("{}\n\n", headline(scene, method, report));
  const auto& error = report.constraint_error;
  fmt::print(
      "  constraint error  accumulated {:.4g}, max {:.4g}{}, final {:.4g} (m; rad for angles)\n",
      error.accumulated, error.max,
      error.worst.empty() ? "" : fmt::format(" ({} at {:.4g} s)", error.worst, error.worst_at),
      error.final);
  if (const auto& rate = report.rate_error)
    fmt::print(
        "  rate error        max {:.4g}{}, final {:.4g} (m/s; rad/s for angles)\n", rate->max,
        rate->worst.empty() ? "" : fmt::format(" ({} at {:.4g} s)", rate->worst, rate->worst_at),
        rate->final);
  fmt::print("  energy            {:.6g} J at the start, {:.6g} J at the end",
             report.energy.initial, report.energy.final);
  if (report.energy.conservative) {
    fmt::print(", largest error {:.4g} J\n", report.energy.max_abs_error);
  } else {
    fmt::print(" (not conserved in this scene)\n");
    if (report.energy.work != 0)
      fmt::print("  work              {:.6g} J by driven constraints, largest error {:.4g} J\n",
                 report.energy.work, report.energy.max_abs_error);
  }
  print_forces(report);
  print_joints(report);
  print_sensors(report);
  if (const auto& deviation = report.reference_deviation)
    fmt::print("  from reference    {} {}: max {:.4g} m, rms {:.4g} m within {:.4g} s\n",
               deviation->point, deviation->axis, deviation->max, deviation->rms, deviation->until);
  if (const auto wrong = io::final_error(scene, report.final_state))
    fmt::print("  reference error   position {:.4g}, velocity {:.4g} at {:.4g} s\n",
               wrong->position, wrong->velocity, scene.final_values->time);
  const auto& cost = report.cost;
  fmt::print(
      "  cost              {} in all, {:.3g} µs and {:.3g} linear solves per step",
      duration_text(cost.wall_seconds), cost.microseconds_per_step,
      static_cast<double>(cost.linear_solves) / static_cast<double>(std::max(1L, report.steps)));
  fmt::print("{}\n", cost.solver.empty() ? "" : fmt::format(" ({})", cost.solver));
  print_steps(report);
  if (cost.regularized_steps > 0)
    fmt::print("  singular          in {} steps the constraint rows were linearly dependent\n",
               cost.regularized_steps);
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(most, report.findings.size()); ++i)
    fmt::print("{}{}\n", i == 0 ? "  findings          " : "                    ",
               report.findings[i]);
  if (report.findings.size() > most)
    fmt::print("                    and {} more (--json lists all)\n",
               report.findings.size() - most);
}

namespace {

/// "3 digits"
std::string digits_text(double relative_error) {
  const double digits = relative_error > 0 ? std::floor(-std::log10(relative_error)) : 15;
  const int count = static_cast<int>(std::clamp(digits, 0.0, 15.0));
  return fmt::format("{} digit{}", count == 0 ? "no" : std::to_string(count),
                     count == 1 ? "" : "s");
}

// How far the result can be trusted: by comparison, else by a few steps.
void print_accuracy(const RunReport& report) {
  if (const auto& found = report.verification) {
    const bool is_whole = found->compared_until >= (1 - 1e-6) * report.time;
    fmt::print("  verified          with {}{}: error about {:.2g} m, {} of the scene's size{}\n",
               found->other,
               is_whole ? "" : fmt::format(" for the first {:.4g} s", found->compared_until),
               found->error, digits_text(found->relative_error),
               is_whole ? "" : " over the whole run, if it grows as before");
  } else if (const auto& error = report.estimated_error; error && report.is_trusted()) {
    fmt::print(
        "  estimated         steps miss about {:.2g} of the scene's size in all; what impacts and "
        "a sensitive motion make of it only --verify shows\n",
        *error);
  }
}

}  // namespace

void print_run_verdict(const RunReport& report) {
  print_accuracy(report);
  for (const std::string& remark : report.remarks) fmt::print("  remark            {}\n", remark);
  if (report.is_trusted()) {
    const auto& compared = report.verification;
    const bool is_told = report.estimated_error || report.energy.conservative;
    fmt::print(
        "  verdict           {}{}\n", verdict_text(report),
        compared
            ? (compared->is_sensitive ? fmt::format(": trusted until {:.4g} s", compared->until)
                                      : "")
        : is_told ? ", as far as one run tells (--verify compares two)"
                  : ", as far as constraints tell; how accurate the motion is only --verify shows");
  } else {
    for (std::size_t i = 0; i < report.doubts.size(); ++i)
      fmt::print("  {:<17} {}\n", i == 0 ? "verdict: suspect" : "", report.doubts[i]);
  }
}

namespace {

std::optional<double> read_verify(const std::string& text) {
  if (text.empty()) return std::nullopt;
  double error = NAN;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), error);
  if (trouble != std::errc{} || end != text.data() + text.size() || !(error > 0) ||
      !std::isfinite(error))
    throw Error(fmt::format("--verify: found \"{}\", expected a number > 0", text));
  return error;
}

void read_checkpoint(const std::string& text, RunOptions& options) {
  std::string_view number = text;
  const bool is_steps = number.ends_with("steps");
  if (is_steps)
    number.remove_suffix(5);
  else if (number.ends_with("s"))
    number.remove_suffix(1);
  while (number.ends_with(' ')) number.remove_suffix(1);
  double every = NAN;
  const auto [end, trouble] = std::from_chars(number.data(), number.data() + number.size(), every);
  if (trouble != std::errc{} || end != number.data() + number.size() || !(every > 0) ||
      !std::isfinite(every) || (is_steps && (every != std::floor(every) || every > 1e15)))
    throw Error(fmt::format(
        "--checkpoint: found \"{}\", expected simulated seconds, as in 10 or 10s, or 1000steps",
        text));
  if (is_steps)
    options.checkpoint_steps = static_cast<long>(every);
  else
    options.checkpoint_interval = every;
}

/// Where checkpoints go; nullptr: there are none.
std::unique_ptr<io::CheckpointFile> checkpoints_of(const RunArguments& arguments,
                                                   const io::Scene& scene,
                                                   const io::FilesRead& files) {
  if (arguments.checkpoint.empty()) {
    if (!arguments.checkpoint_file.empty())
      throw Error("--checkpoint-file: found no --checkpoint, expected how often");
    return nullptr;
  }
  if (arguments.scene.scene == "-")
    throw Error(
        "--checkpoint: a scene from standard input cannot be read again; found -, expected "
        "a file");
  std::filesystem::path path = arguments.checkpoint_file;
  if (path.empty())
    path = std::filesystem::path(arguments.outputs.results) / (scene.name + ".checkpoint");
  make_directory(path.parent_path());
  std::error_code no_throw;
  return std::make_unique<io::CheckpointFile>(
      path, io::CheckpointJob{given_words(), std::filesystem::current_path(no_throw).string(),
                              files.files()});
}

/// `resumed`: what a run goes on with; nullptr: it begins.
ExitCode run(const RunArguments& arguments, std::unique_ptr<io::CheckpointFile> resumed = nullptr) {
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

  if (!arguments.checkpoint.empty()) read_checkpoint(arguments.checkpoint, options);
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
  const bool has_ended = report.status != RunStatus::interrupted && not_written.empty();
  if (checkpoints && !has_ended && std::filesystem::exists(checkpoints->path()))
    fmt::print(stderr, "taut: taut resume {} goes on from the last checkpoint\n",
               checkpoints->path().string());
  else if (checkpoints)
    checkpoints->remove();
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
  command
      ->add_option("--checkpoint", arguments->checkpoint,
                   "Keep what the run needs to go on after it was stopped, each so many simulated "
                   "seconds (10 or 10s) or steps (1000steps): see taut resume")
      ->type_name("EVERY");
  command
      ->add_option("--checkpoint-file", arguments->checkpoint_file,
                   "Where; SCENE.checkpoint in the folder of --out by default")
      ->type_name("FILE");
}

ExitCode resume(const std::string& file, bool quiet, bool json) {
  auto saved = std::make_unique<io::CheckpointFile>(file);
  const io::CheckpointJob job = saved->job();
  std::error_code trouble;
  std::filesystem::current_path(job.folder, trouble);
  if (trouble)
    throw Error(fmt::format("{}: the run was begun in the folder {}, which cannot be entered: {}",
                            file, job.folder, trouble.message()));
  CLI::App app;
  auto arguments = std::make_shared<RunArguments>();
  add_run_options(app.add_subcommand("run"), arguments);
  std::vector<std::string> words(job.words.rbegin(), job.words.rend());  // as CLI11 takes them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw Error(fmt::format("{}: its command line is not understood: {}", file, error.what()));
  }
  arguments->quiet = arguments->quiet || quiet;
  arguments->json = arguments->json || json;
  return run(*arguments, std::move(saved));
}

}  // namespace

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
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

void add_resume(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("resume", "Go on with a run that was stopped, from its last checkpoint");
  struct Arguments {
    std::string file;
    bool quiet = false, json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  command->add_option("FILE", arguments->file, "The checkpoint: taut run --checkpoint writes it")
      ->type_name("")
      ->required();
  command->add_flag("--json", arguments->json, "Print the report as JSON, and nothing else");
  command->add_flag("--quiet", arguments->quiet, "Print no summary and no progress bar");
  command->footer(
      "The run ends as if it had not been stopped, bit for bit, with all its files. It must be "
      "the\n"
      "same scene, the same build of taut and the same kind of processor.\n\n"
      "Examples:\n"
      "  taut run chain --duration 3600 --checkpoint 60 --out results/long\n"
      "  taut resume results/long/chain.checkpoint");
  command->callback([arguments, &chosen] {
    chosen = [arguments] { return resume(arguments->file, arguments->quiet, arguments->json); };
  });
}

}  // namespace taut::cli
