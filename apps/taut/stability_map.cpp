// taut stability map: a method on a scene, for many steps and values of a parameter.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interrupt.hpp"
#include "output_arguments.hpp"
#include "progress_bar.hpp"
#include "run_plan.hpp"
#include "stability.hpp"
#include "stability_map_result.hpp"
#include "taut/base/archive.hpp"
#include "taut/base/error.hpp"
#include "taut/farm/fleet.hpp"

namespace taut::cli {
namespace {

struct StabilityMapArguments {
  SceneArguments scene{"bead"};
  std::string method, steps, parameter;
  std::string out = "results/stability";
  std::optional<double> duration;
  int threads = 0;
  bool json = false;
};

constexpr int cells_along = 48;  // unless the range says how many
constexpr int most_cells = 2000;

/// "from:to", "from:to:n" or one number.
std::vector<double> parse_range(const std::string& text, const std::string& option) {
  std::vector<double> parts;
  const char *at = text.data(), *end = text.data() + text.size();
  for (bool more = true; more;) {
    const auto [next, error] = std::from_chars(at, end, parts.emplace_back());
    more = error == std::errc{} && next != end && *next == ':';
    if (error != std::errc{} || (next != end && !more)) parts.clear();
    if (parts.empty()) break;
    at = next + 1;
  }
  const double count = parts.size() == 3 ? parts[2] : parts.size() == 1 ? 1 : cells_along;
  if (parts.empty() || parts.size() > 3 || count != std::floor(count))
    throw Error(fmt::format("{}: found \"{}\", expected from:to or from:to:n", option, text));
  if (parts.size() > 1 && !(std::isfinite(parts[1]) && parts[0] < parts[1]))
    throw Error(fmt::format("{}: found \"{}\", expected from < to", option, text));
  const int least = parts.size() == 1 ? 1 : 2;
  if (count < least || count > most_cells)
    throw Error(
        fmt::format("{}: found n = {}, expected {} to {}", option, count, least, most_cells));
  return spaced(parts[0], parts.size() > 1 ? parts[1] : parts[0], static_cast<int>(count));
}

bool is_set(const io::Scene& scene, std::string_view option) {
  return std::any_of(scene.method_settings.begin(), scene.method_settings.end(),
                     [&](const OptionValue& one) { return one.name == option; });
}

const FieldInfo& find_parameter(const MethodInfo& info, const std::string& name) {
  std::vector<std::string_view> known;
  for (const FieldInfo& option : info.options) {
    if (option.type->kind == ValueKind::choice) continue;
    if (option.name == name) return option;
    known.push_back(option.name);
  }
  throw Error(known.empty() ? fmt::format("--parameter: method {} has no numeric option", info.name)
                            : fmt::format("--parameter: method {} has no numeric option \"{}\"{}",
                                          info.name, name, suggestion(name, known)));
}

/// Fills in the parameter and its values.
MapParameter choose_parameter(const StabilityMapArguments& arguments, const io::Scene& scene,
                              const MethodInfo& info, StabilityRequest& request) {
  std::string name = arguments.parameter.substr(0, arguments.parameter.find('='));
  if (name.empty() && info.name == "baumgarte") name = "alpha";
  if (name.empty() && info.name == "penalty") name = "stiffness";
  if (name.empty()) return {};
  const FieldInfo& option = find_parameter(info, name);
  if (is_set(scene, name))
    throw Error(fmt::format(
        "method.{}: found a fixed value, but the map varies this option; choose another "
        "--parameter",
        name));
  const std::size_t equals = arguments.parameter.find('=');
  if (equals != std::string::npos) {
    request.values = parse_range(arguments.parameter.substr(equals + 1), "--parameter " + name);
  } else {
    const double usual = std::stod(value_text(option, info.defaults));
    if (!(usual > 0))
      throw Error(fmt::format("--parameter: {} needs a range, {}=from:to", name, name));
    request.values = spaced(usual / 10, usual * 100, cells_along);
  }
  MapParameter parameter{{name}, name, std::string(option.unit)};
  if (info.name == "baumgarte" && name == "alpha" && !is_set(scene, "beta")) {
    parameter.names.push_back("beta");
    parameter.label = "alpha = beta";
  }
  request.parameters = parameter.names;
  std::erase_if(request.options, [&](const OptionValue& fixed) {  // of the scene's own method
    return std::find(parameter.names.begin(), parameter.names.end(), fixed.name) !=
           parameter.names.end();
  });
  return parameter;
}

/// The limits predicted for each of `values`, or for the method as it is; empty: no prediction.
std::vector<StepLimits> predict(const System& system, const StabilityRequest& request,
                                const std::vector<double>& values) {
  std::vector<StepLimits> limits;
  for (const double value : request.parameters.empty() ? std::vector<double>{0} : values) {
    std::vector<OptionValue> options = request.options;
    for (const std::string& name : request.parameters)
      options.push_back({name, fmt::format("{}", value)});  // the last one counts
    const auto limit = predicted_limits(system, request.method, options);
    if (!limit) return {};
    limits.push_back(*limit);
  }
  return limits;
}

/// One cell, as text for the process that has the map.
std::string cell_text(const System& system, StabilityRequest request, long number) {
  const auto steps = static_cast<long>(request.steps.size());
  request.steps = {request.steps[static_cast<std::size_t>(number % steps)]};
  if (!request.values.empty())
    request.values = {request.values[static_cast<std::size_t>(number / steps)]};
  request.threads = 1;
  request.keep_going = {};
  StabilityCell cell = map_stability(system, request).cells.front();
  auto& [step, value, behaviour, done, largest_error, final_error, sign_changes] = cell;
  Archive a;
  a(step, value, behaviour, done, largest_error, final_error, sign_changes);
  return a.take();
}

/// By all processes that mpirun has started, a run at a time each.
StabilityMap share_out(farm::Fleet& fleet, const farm::Work& work,
                       const StabilityRequest& request) {
  StabilityMap map{request.steps, request.values, {}};
  map.cells.resize(request.steps.size() * std::max<std::size_t>(1, request.values.size()));
  std::vector<long> numbers;
  for (std::size_t i = 0; i < map.cells.size(); ++i) numbers.push_back(static_cast<long>(i));
  long done_cells = 0;
  farm::Options options;
  options.fleet = &fleet;
  options.keep_going = [&] {
    return request.keep_going(static_cast<double>(done_cells) /
                              static_cast<double>(map.cells.size()));
  };
  farm::work_through(
      numbers, work,
      [&](const farm::Result& result) {
        if (!result.is_done) throw Error(result.text);
        StabilityCell& cell = map.cells[static_cast<std::size_t>(result.number)];
        auto& [step, value, behaviour, done, largest_error, final_error, sign_changes] = cell;
        Archive a(result.text);
        a(step, value, behaviour, done, largest_error, final_error, sign_changes);
        ++done_cells;
      },
      options);
  return map;
}

ExitCode run(const StabilityMapArguments& arguments) {
  // All that can be wrong with the input is found before anything is written.
  const io::Scene scene = load_scene(arguments.scene);
  const MethodInfo& info = find_method(arguments.method);
  StabilityRequest request;
  request.method = info.name;
  request.options = method_options(scene, info);
  const MapParameter parameter = choose_parameter(arguments, scene, info, request);
  request.steps = arguments.steps.empty() ? spaced(scene.step / 10, scene.step * 100, cells_along)
                                          : parse_range(arguments.steps, "--steps");
  require_positive(request.steps.front(), "--steps");
  request.duration = arguments.duration.value_or(scene.duration);
  require_positive(request.duration, "--duration");
  require_countable(request.duration, request.steps.front());
  if (arguments.threads < 0) throw Error("--threads: expected a whole number ≥ 0");
  request.threads = arguments.threads;
  const std::vector<StepLimits> limits = predict(scene.system, request, request.values);
  PredictedCurve curve;
  if (!limits.empty() && !request.values.empty()) {
    const double low = request.values.front(), high = request.values.back();
    const double beyond = spans_a_decade(low, high) ? 1.2 : 1;  // to the edge of the last cells
    curve.values = spaced(low / beyond, high * beyond, 600);
  }
  if (!limits.empty()) curve.limits = predict(scene.system, request, curve.values);

  const farm::Work work = [&](long number) { return cell_text(scene.system, request, number); };
  const std::unique_ptr<farm::Fleet> fleet = farm::Fleet::of_mpi();
  if (fleet && !fleet->is_leader()) {
    fleet->serve(work, 1);
    return exit_ok;
  }
  make_directory(arguments.out);
  catch_interrupts();
  const auto begin = std::chrono::steady_clock::now();
  StabilityMap map;
  {
    ProgressBar bar(true);
    const std::string label = fmt::format("{} with {}", scene.name, info.name);
    request.keep_going = [&](double fraction) {
      bar.update(fraction, label);
      return !interrupted();
    };
    map = fleet ? share_out(*fleet, work, request) : map_stability(scene.system, request);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const MapResult result{scene, request, parameter, map, limits, seconds};

  const std::filesystem::path out = arguments.out;
  MapLabels labels;
  labels.title = fmt::format("{} with {}", scene.name, info.name);
  labels.subtitle = fmt::format("runs of {:g} s or {} steps, whichever is longer", request.duration,
                                request.least_steps);
  for (const OptionValue& option : request.options)
    labels.subtitle += fmt::format(", {} = {}", option.name, option.value);
  labels.parameter = parameter.unit.empty()
                         ? parameter.label
                         : fmt::format("{} ({})", parameter.label, parameter.unit);
  write_output(out / "map.svg", stability_map_svg(map, labels, curve));
  write_output(
      out / "map.csv",
      stability_map_csv(map, parameter.names.empty() ? "" : parameter.names.front(), limits));
  if (arguments.json) {
    fmt::print("{}\n", map_json(result));
  } else {
    print_map_summary(result);
    fmt::print("\nresults: {}, {}\n", (out / "map.svg").string(), (out / "map.csv").string());
  }
  return interrupted() ? exit_interrupted : exit_ok;
}

}  // namespace

void add_stability_map(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "map", "Run a scene for many step sizes and parameter values, and see which runs are stable");
  auto arguments = std::make_shared<StabilityMapArguments>();
  command->add_option("--method", arguments->method, "Method to map (see taut list methods)")
      ->type_name("METHOD")
      ->required();
  command
      ->add_option("--scene", arguments->scene.scene,
                   "A built-in scene, a JSON, URDF, MJCF or SDF file, or - for standard input")
      ->type_name("SCENE")
      ->capture_default_str();
  command
      ->add_option("--steps", arguments->steps,
                   "Step sizes in s, as from:to or from:to:n; by default from a tenth to 100 times "
                   "the scene's step")
      ->type_name("RANGE");
  command
      ->add_option("--parameter", arguments->parameter,
                   "Numeric option of the method to vary, as NAME=from:to or NAME=from:to:n. By "
                   "default alpha for baumgarte (with beta = alpha unless --set method.beta fixes "
                   "it), stiffness for penalty, and none for other methods")
      ->type_name("NAME=RANGE");
  command
      ->add_option("--duration", arguments->duration,
                   "Time to simulate in each run, in s, instead of the scene's")
      ->type_name("SECONDS");
  command
      ->add_option("--set", arguments->scene.settings,
                   "Set a parameter of the scene, or with method.OPTION=VALUE an option of the "
                   "method; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command->add_option("--out", arguments->out, "Directory for map.svg and map.csv")
      ->type_name("DIR")
      ->check(not_empty())
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "Number of threads; 0: one per core")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print one JSON object with all cells instead");
  command->footer(
      "A run that diverges is a valid result: the exit code stays 0.\n\n"
      "Examples:\n"
      "  taut stability map --method baumgarte --scene bead\n"
      "  taut stability map --method baumgarte --steps 0.01:1 --parameter beta=1:100:30 "
      "--set method.alpha=10\n"
      "  taut stability map --method implicit1 --scene bead --steps 0.01:2 --out "
      "results/implicit1");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace taut::cli
