#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "interrupt.hpp"
#include "progress_bar.hpp"
#include "run_plan.hpp"
#include "taut/base/build_identity.hpp"
#include "taut/base/checksum.hpp"
#include "taut/base/error.hpp"
#include "taut/farm/fleet.hpp"
#include "taut/report/html.hpp"
#include "taut/sweep/case_run.hpp"
#include "taut/sweep/result_log.hpp"
#include "taut/sweep/table.hpp"
#include "taut/text/files_read.hpp"

namespace taut::cli {
namespace {

struct SweepArguments {
  std::string scene;
  std::vector<std::string> axes, more_axes, sensors, measures;
  std::string method, step, sampling = "latin";
  std::optional<double> duration, tolerance;
  long repeat = 1, samples = 100;
  unsigned long seed = 1;
  std::string out = "sweep.csv", report;
  int jobs = 0;
  bool dry_run = false, quiet = false, verify = false;
};

sweep::Plan plan_of(const SweepArguments& arguments) {
  sweep::Plan plan;
  plan.scene = arguments.scene;
  if (plan.scene == "-")
    throw Error(
        "taut sweep reads the scene once for each case: found -, expected a name or a file");
  for (const auto* list : {&arguments.axes, &arguments.more_axes})
    for (const std::string& text : *list) plan.axes.push_back(sweep::parse_axis(text));
  if (!arguments.method.empty()) plan.methods = sweep::parse_values(arguments.method, "--method");
  if (!arguments.step.empty()) plan.steps = sweep::parse_values(arguments.step, "--step");
  if (arguments.duration) require_positive(*arguments.duration, "--duration");
  if (arguments.tolerance) require_positive(*arguments.tolerance, "--tolerance");
  plan.duration = arguments.duration;
  plan.tolerance = arguments.tolerance;
  plan.repeat = arguments.repeat;
  plan.samples = arguments.samples;
  const std::vector<std::string_view> known{"latin", "random"};
  if (std::find(known.begin(), known.end(), arguments.sampling) == known.end())
    throw Error(fmt::format("--sampling: found \"{}\"{}", arguments.sampling,
                            suggestion(arguments.sampling, known)));
  plan.latin = arguments.sampling == "latin";
  plan.seed = arguments.seed;
  plan.sensors = arguments.sensors;
  plan.measures = arguments.measures;
  plan.verify = arguments.verify;
  return plan;
}

/// Tells one sweep from another: results are only ever added to those of the same.
std::string identity(const sweep::Plan& plan, const std::vector<sweep::Case>& cases,
                     const io::FilesRead& files) {
  std::string all = fmt::format("{}|{}|{}|{}|{}|{}", plan.scene, plan.duration.value_or(-1),
                                plan.tolerance.value_or(-1), plan.verify,
                                sweep::csv_line(plan.sensors), sweep::csv_line(plan.measures));
  for (const io::FileRead& file : files.files())
    all += fmt::format("|{} {:x}", file.path, file.sum);
  std::uint64_t sum = checksum(all);
  for (std::size_t i = 0; i < cases.size(); ++i)
    sum = checksum(sweep::csv_line(sweep::case_cells(plan, static_cast<long>(i), cases[i])), sum);
  return fmt::format("taut sweep of {} cases {:016x}, {}, {}", cases.size(), sum, build_identity(),
                     kernel_identity());
}

void list_cases(const sweep::Plan& plan, const std::vector<sweep::Case>& cases) {
  fmt::print("{}\n", sweep::csv_line(sweep::case_columns(plan)));
  for (std::size_t i = 0; i < cases.size(); ++i)
    fmt::print("{}\n", sweep::csv_line(sweep::case_cells(plan, static_cast<long>(i), cases[i])));
}

ExitCode run_sweep(const SweepArguments& arguments) {
  namespace fs = std::filesystem;
  const sweep::Plan plan = plan_of(arguments);
  const std::vector<sweep::Case> cases = sweep::cases_of(plan);
  if (arguments.jobs < 0) throw Error("--jobs: expected a whole number ≥ 1");
  if (arguments.dry_run) {
    sweep::check(plan);
    list_cases(plan, cases);
    return exit_ok;
  }
  const farm::Work work = [&](long number) {
    return sweep::csv_line(sweep::run_case(plan, cases[static_cast<std::size_t>(number)]));
  };
  const std::unique_ptr<farm::Fleet> fleet = farm::Fleet::of_mpi();
  if (fleet && !fleet->is_leader()) {
    fleet->serve(work, arguments.jobs);
    return exit_ok;
  }
  const io::FilesRead files;
  sweep::check(plan);
  sweep::Table table;
  table.columns = sweep::case_columns(plan);
  table.case_columns = table.columns.size();
  for (const std::string& column : sweep::result_columns(plan)) table.columns.push_back(column);

  const fs::path out = arguments.out;
  make_directory(out.parent_path());
  make_directory(fs::path(arguments.report).parent_path());
  sweep::ResultLog log(out.string() + ".partial", identity(plan, cases, files));
  std::vector<long> left;
  for (long i = 0; i < static_cast<long>(cases.size()); ++i)
    if (!log.results().contains(i)) left.push_back(i);
  const std::size_t before = log.results().size();
  if (before > 0 && !arguments.quiet)
    fmt::print(stderr, "taut: {} of {} cases were done before\n", before, cases.size());

  catch_interrupts();
  bool is_whole = false;
  {
    ProgressBar bar(!arguments.quiet);
    const auto show = [&] {
      const auto done = log.results().size() - before;
      bar.update(
          static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(1, left.size())),
          fmt::format("{} of {} cases", log.results().size(), cases.size()));
    };
    farm::Options options;
    options.processes = arguments.jobs;
    options.fleet = fleet.get();
    options.keep_going = [&] {
      show();
      return !interrupted();
    };
    is_whole = farm::work_through(
        left, work,
        [&](const farm::Result& result) {
          log.add(result.number, result.is_done
                                     ? result.text
                                     : sweep::csv_line(sweep::failed_row(plan, result.text)));
        },
        options);
  }
  if (!is_whole) {
    fmt::print(stderr,
               "taut: interrupted; {} of {} cases are in {}.partial: the same command goes on\n",
               log.results().size(), cases.size(), out.string());
    return exit_interrupted;
  }
  long bad = 0;
  for (const auto& [number, text] : log.results()) {
    std::vector<std::string> row =
        sweep::case_cells(plan, number, cases[static_cast<std::size_t>(number)]);
    const std::vector<std::string> cells = sweep::csv_cells(text);
    if (cells.front() != "ok") ++bad;
    row.insert(row.end(), cells.begin(), cells.end());
    table.rows.push_back(std::move(row));
  }
  write_output(out, sweep::csv(table));
  if (!arguments.report.empty())
    write_output(arguments.report, report::html(sweep::document(plan, table)));
  log.remove();
  if (!arguments.quiet) {
    fmt::print("{}: {} cases", out.string(), cases.size());
    if (bad > 0) fmt::print(", {} of them failed or diverged (columns status and reason)", bad);
    fmt::print("\n");
    if (!arguments.report.empty()) fmt::print("{}\n", arguments.report);
  }
  return bad > 0 ? exit_bad_result : exit_ok;
}

}  // namespace

void add_sweep(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("sweep", "Run a scene with many settings, on all cores, into one table");
  auto arguments = std::make_shared<SweepArguments>();
  command
      ->add_option("SCENE", arguments->scene, "A built-in scene or robot, or a JSON or URDF file")
      ->type_name("")
      ->required();
  command
      ->add_option("--set", arguments->axes,
                   "What varies: FROM:TO:linN, FROM:TO:logN, FROM:TO:int, a list with commas, or a "
                   "distribution such as uniform(0, 1); may be repeated, for all combinations")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUES");
  command->add_option("SETTINGS", arguments->more_axes, "More of them, as with --set")
      ->type_name("KEY=VALUES");
  command->add_option("--method", arguments->method, "Methods, with commas between them")
      ->type_name("METHODS");
  command->add_option("--step", arguments->step, "Steps in s: a list or a range; auto is one, too")
      ->type_name("VALUES");
  command
      ->add_option("--tolerance", arguments->tolerance,
                   "Of chosen steps; without --step it implies --step auto")
      ->type_name("NUMBER");
  command->add_option("--duration", arguments->duration, "Time to simulate in s")
      ->type_name("SECONDS");
  command->add_option("--repeat", arguments->repeat, "Run each case so often")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--samples", arguments->samples,
                   "How many points, where something is random: all that is varies together")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--sampling", arguments->sampling,
                   "latin: evenly along each axis (a Latin hypercube); random: independent")
      ->type_name("latin|random")
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "Of random samples")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--measure", arguments->measures,
                   "A column: a value of the report (energy.max_abs_error), a sensor at the end "
                   "(height), min(height), max(height), at(height, 2.5), or NAME=one of these; may "
                   "be repeated")
      ->allow_extra_args(false)
      ->type_name("[NAME=]VALUE");
  command
      ->add_option("--sensor", arguments->sensors,
                   "A formula over time, to be measured; may be repeated (see taut list sensors)")
      ->allow_extra_args(false)
      ->type_name("NAME=FORMULA");
  command->add_option("--out", arguments->out, "The table")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("--report", arguments->report, "A page with plots of the table")
      ->type_name("FILE.html");
  command
      ->add_option("--jobs,-j", arguments->jobs,
                   "Runs at a time on this machine; one per core by default, under mpirun one per "
                   "process")
      ->type_name("N");
  command->add_flag("--verify", arguments->verify,
                    "Compare each run with one of half the step, as taut run --verify");
  command->add_flag("--dry-run", arguments->dry_run, "List the cases, and run none");
  command->add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  command->footer(
      "Every run is a process of its own: a case that crashes is a row with its reason. Results "
      "are\n"
      "kept in OUT.partial as they come; after a kill or a power cut the same command goes on, "
      "and\n"
      "ends with the same table. Under mpirun the cases are shared out among all processes; with\n"
      "mpirun --enable-recovery it survives the death of any but the first.\n\n"
      "Examples:\n"
      "  taut sweep heavy_chain --set R=1:10000:log9 --duration 1 --report sweep.html\n"
      "  taut sweep two_link --method rattle,icd2 --step 0.001:0.1:log5 --measure "
      "energy.max_abs_error\n"
      "  taut sweep chain --set N=2:10:int4 --sensor 'end=node2.y' --measure 'min(end)' --dry-run\n"
      "  taut sweep heavy_chain --set 'R=log_uniform(1, 1000)' --samples 50 --seed 7\n"
      "  mpirun --enable-recovery -n 4 taut sweep heavy_chain --set R=1:10000:log20");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_sweep(*arguments); }; });
}

}  // namespace taut::cli
