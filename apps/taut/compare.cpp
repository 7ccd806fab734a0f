#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "comparison_table.hpp"
#include "interrupt.hpp"
#include "output_arguments.hpp"
#include "progress_bar.hpp"
#include "run_plan.hpp"
#include "taut/base/error.hpp"
#include "taut/base/version.hpp"
#include "taut/record/run_output.hpp"
#include "taut/scene/reference_track.hpp"
#include "taut/text/json.hpp"

namespace taut::cli {
namespace {

struct CompareArguments {
  SceneArguments scene;
  std::vector<std::string> methods{"all"};
  std::vector<std::string> steps, sensors;
  std::string start;
  std::optional<double> duration, tolerance;
  std::string out;
  bool json = false;
};

std::vector<const MethodInfo*> chosen_methods(const std::vector<std::string>& names) {
  std::vector<const MethodInfo*> chosen;
  const auto add = [&](const MethodInfo& info) {
    if (std::find(chosen.begin(), chosen.end(), &info) == chosen.end()) chosen.push_back(&info);
  };
  for (const std::string& name : names) {
    if (name == "all") {
      for (const MethodInfo& info : methods()) add(info);
    } else {
      add(find_method(name));
    }
  }
  return chosen;
}

bool knows(const MethodInfo& method, const OptionValue& option) {
  return std::any_of(method.options.begin(), method.options.end(),
                     [&](const FieldInfo& known) { return known.name == option.name; });
}

/// --set method.x=… must mean something to one of the methods; the others do without.
void require_known_settings(const io::Scene& scene, const std::vector<const MethodInfo*>& chosen) {
  std::vector<std::string_view> known;
  for (const MethodInfo* method : chosen)
    for (const FieldInfo& option : method->options)
      if (std::find(known.begin(), known.end(), option.name) == known.end())
        known.push_back(option.name);
  for (const OptionValue& setting : scene.method_settings)
    if (std::find(known.begin(), known.end(), setting.name) == known.end())
      throw Error(fmt::format("method.{}: none of the methods has the option \"{}\"{}",
                              setting.name, setting.name, suggestion(setting.name, known)));
}

std::unique_ptr<Method> make(const io::Scene& scene, const MethodInfo& info) {
  std::vector<OptionValue> options = method_options(scene, info);
  std::erase_if(options, [&](const OptionValue& option) {
    const auto& set = scene.method_settings;
    return !knows(info, option) && std::any_of(set.begin(), set.end(), [&](const OptionValue& s) {
      return s.name == option.name;
    });
  });
  return info.make(options);
}

io::Json comparison_json(const io::Scene& scene, const std::vector<ComparedRun>& runs) {
  io::Json json{{"taut", version}, {"scene", scene.name}};
  json["runs"] = io::Json::array();
  for (const ComparedRun& run : runs)
    json["runs"].push_back(io::report_object(scene, run.method, run.report));
  return json;
}

struct Plan {
  const MethodInfo* info;
  std::unique_ptr<Method> method;
  double step;
};

/// How long a run takes, roughly, in steps.
double weight(const RunOptions& options, double step) {
  return step > 0 ? options.duration / step : 1000;
}

ExitCode compare(const CompareArguments& arguments) {
  // All that can be wrong with the input is found before anything is written.
  SceneArguments with_sensors = arguments.scene;
  for (const std::string& sensor : arguments.sensors)
    if (sensor.find('=') != std::string::npos) with_sensors.sensors.push_back(sensor);
  const io::Scene scene = load_scene(with_sensors);
  std::vector<std::size_t> shown;
  for (const std::string& sensor : arguments.sensors)
    shown.push_back(
        static_cast<std::size_t>(scene.sensors.find(sensor.substr(0, sensor.find('=')))));
  const std::vector<const MethodInfo*> chosen = chosen_methods(arguments.methods);
  require_known_settings(scene, chosen);
  RunOptions options;
  options.duration = arguments.duration.value_or(scene.duration);
  options.record_every = scene.record_every;
  require_positive(options.duration, "--duration");
  std::vector<double> steps;  // 0: auto
  for (const std::string& text : arguments.steps) {
    const double step = read_step(text, "--steps");
    if (std::find(steps.begin(), steps.end(), step) == steps.end()) steps.push_back(step);
  }
  if (steps.empty()) steps.push_back(arguments.tolerance ? 0 : scene.step);
  apply({"auto", arguments.tolerance, arguments.start}, scene, options);
  const double tolerance = options.tolerance;
  std::vector<Plan> plans;
  double work = 0;  // steps of all runs
  for (const MethodInfo* info : chosen) {
    for (const double step : steps) {
      if (step > 0) require_countable(options.duration, step);
      plans.push_back({info, make(scene, *info), step});
      work += weight(options, step);
    }
  }
  options.reference = io::reference_track(scene);

  const std::filesystem::path out = arguments.out;
  make_directory(out);
  catch_interrupts();
  std::vector<ComparedRun> runs;
  {
    ProgressBar bar(true);
    double done = 0;
    for (const Plan& plan : plans) {
      if (interrupted()) break;
      const std::string label = plan.step > 0
                                    ? fmt::format("{}, step {}", plan.info->name, plan.step)
                                    : fmt::format("{}, automatic steps", plan.info->name);
      options.step = plan.step;
      options.tolerance = plan.step > 0 ? 0 : tolerance;
      options.keep_going = [&](const RunProgress& progress) {
        bar.update((done + progress.fraction * weight(options, plan.step)) / work, label);
        return !interrupted();
      };
      ComparedRun& run = runs.emplace_back();
      run.method = plan.info->name;
      run.step = plan.step;
      if (!out.empty())
        run.trajectory = plan.step > 0 ? fmt::format("{}_h{}.csv", plan.info->name, plan.step)
                                       : fmt::format("{}_auto.csv", plan.info->name);
      std::vector<io::WantedOutput> wanted;
      if (!out.empty())
        wanted.push_back({&io::find_run_writer("trajectory"), out / run.trajectory, {}});
      RunOptions recorded = options;
      io::RunOutput output(scene, std::string(run.method), std::move(wanted), 0, recorded);
      run.report = simulate(scene.system, scene.system.initial_state(), *plan.method, recorded);
      run.report.sensors = output.sensors();
      output.finish(run.report);
      done += weight(options, plan.step);
    }
  }

  if (!runs.empty()) print_warnings(runs.front().report);  // all have the same start
  const std::string json = comparison_json(scene, runs).dump(2) + "\n";
  if (!out.empty()) {
    write_output(out / "comparison.json", json);
    write_output(out / "comparison.csv", comparison_csv(runs, shown));
  }
  if (arguments.json) {
    fmt::print("{}", json);
  } else {
    fmt::print("{}: {} s with {} {}\n\n{}", scene.name, options.duration, chosen.size(),
               chosen.size() == 1 ? "method" : "methods", comparison_table(runs, shown));
    if (runs.size() < plans.size())
      fmt::print("\ninterrupted: {} of {} runs were not started\n", plans.size() - runs.size(),
                 plans.size());
    if (!out.empty()) fmt::print("\nfull results: {}\n", out.string());
  }
  return interrupted() ? exit_interrupted : exit_ok;
}

}  // namespace

void add_compare(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "compare", "Run a scene with several methods and step sizes, side by side");
  auto arguments = std::make_shared<CompareArguments>();
  add_scene_arguments(*command, arguments->scene);
  command
      ->add_option("--sensor", arguments->sensors,
                   "Show the largest and the last value of a sensor in columns of their own: NAME, "
                   "of the scene, or NAME=FORMULA; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME[=FORMULA]");
  command
      ->add_option("--methods", arguments->methods,
                   "Names separated by commas, or all (see taut list methods)")
      ->type_name("METHOD,…")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command
      ->add_option("--steps", arguments->steps,
                   "Time steps in s, or auto, separated by commas; by default the scene's step")
      ->type_name("SECONDS,…")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option(
          "--tolerance", arguments->tolerance,
          "Largest error of an automatic step; 1e-6 by default. Without --steps it implies "
          "--steps auto")
      ->type_name("NUMBER");
  add_start_argument(*command, arguments->start);
  command
      ->add_option("--duration", arguments->duration,
                   "Time to simulate in s instead of the scene's. The last step is shortened if "
                   "necessary")
      ->type_name("SECONDS");
  command
      ->add_option("--out", arguments->out,
                   "Directory for comparison.json, comparison.csv and one trajectory per run")
      ->type_name("DIR")
      ->check(not_empty());
  command->add_flag("--json", arguments->json,
                    "Print one JSON object with the reports of all runs instead of the table");
  command->footer(
      "A run that diverges is a valid result: the exit code stays 0.\n\n"
      "Examples:\n"
      "  taut compare two_link --methods implicit1,implicit2,rattle --steps 0.01,0.005\n"
      "  taut compare my_scene.json --duration 2 --out results/comparison");
  command->callback([arguments, &chosen] { chosen = [arguments] { return compare(*arguments); }; });
}

}  // namespace taut::cli
