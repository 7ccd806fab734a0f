#include "run_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <span>
#include <system_error>

#include "taut/base/error.hpp"
#include "taut/hand/stylus.hpp"
#include "taut/scene/method_plan.hpp"
#include "taut/solve/linear_solver.hpp"

namespace taut::cli {

void add_scene_arguments(CLI::App& command, SceneArguments& arguments) {
  command
      .add_option("SCENE", arguments.scene,
                  "A built-in scene or robot (see taut list scenes, taut list robots), a JSON, "
                  "URDF, MJCF or SDF file, or - for a JSON scene from standard input")
      ->type_name("")  // the name says it
      ->required();
  command
      .add_option("--set", arguments.settings,
                  "Set a parameter of the scene, or with method.OPTION=VALUE an option of the "
                  "method; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  // So that --set a=1 b=2 works as well, wherever the scene stands.
  command.add_option("SETTINGS", arguments.more_settings, "More settings, as with --set")
      ->type_name("KEY=VALUE");
}

namespace {

std::string standard_input() {
  std::string text;
  char block[1 << 16];
  for (std::size_t count = 0; (count = std::fread(block, 1, sizeof block, stdin)) > 0;)
    text.append(block, count);
  if (std::ferror(stdin)) throw Error("standard input: cannot be read");
  return text;
}

}  // namespace

void add_sensor_arguments(CLI::App& command, SceneArguments& arguments) {
  command
      .add_option(
          "--sensor", arguments.sensors,
          "Record a formula over time under a name, as the scene's sensors; may be repeated "
          "(see taut list sensors SCENE)")
      ->allow_extra_args(false)
      ->type_name("NAME=FORMULA");
  command.add_option("--input", arguments.inputs, "Set an input of the scene; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
}

namespace {

/// The two sides of "name=rest".
std::pair<std::string, std::string> divided(const std::string& text, const char* option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Error(fmt::format("{}: found \"{}\", expected name=value", option, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void add_sensors(const SceneArguments& arguments, io::Scene& scene) {
  for (const std::string& text : arguments.sensors) {
    auto [name, formula] = divided(text, "--sensor");
    try {
      scene.sensors.add(scene.system, {name, formula}, io::constants_of(scene));
    } catch (const Error& error) {
      throw Error(fmt::format("--sensor {}: {}", name, error.what()));
    }
  }
  for (const std::string& text : arguments.inputs) {
    const auto [name, value] = divided(text, "--input");
    double number = NAN;
    const auto [end, trouble] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (trouble != std::errc{} || end != value.data() + value.size())
      throw Error(fmt::format("--input {}: found \"{}\", expected a number", name, value));
    scene.system.inputs()[name] = number;
  }
}

}  // namespace

std::vector<io::Setting> read_settings(const SceneArguments& arguments) {
  std::vector<io::Setting> settings;
  for (const auto* list : {&arguments.settings, &arguments.more_settings}) {
    for (const std::string& text : *list) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0)
        throw Error(fmt::format("found \"{}\", expected a setting key=value", text));
      settings.push_back({text.substr(0, equals), text.substr(equals + 1)});
    }
  }
  return settings;
}

io::Scene load_scene(const SceneArguments& arguments) {
  const std::vector<io::Setting> settings = read_settings(arguments);
  io::Scene scene = arguments.scene == "-"
                        ? io::parse_scene(standard_input(), "standard input", settings)
                        : io::load_scene(arguments.scene, settings);
  add_sensors(arguments, scene);
  return scene;
}

void print_ignored(const io::Scene& scene) {
  const auto print = [](const char* title, const std::vector<std::string>& lines) {
    constexpr std::size_t most = 12;
    for (std::size_t i = 0; i < std::min(most, lines.size()); ++i)
      fmt::print("{}{}\n", i == 0 ? title : "                    ", lines[i]);
    if (lines.size() > most)
      fmt::print("                    and {} more (--json lists all)\n", lines.size() - most);
  };
  print("  not simulated     ", scene.warnings);
  print("  ignored           ", scene.ignored);
  for (const std::string& remark : scene.remarks) fmt::print("  shapes            {}\n", remark);
}

void print_warnings(const RunReport& report) {
  for (const std::string& warning : report.warnings)
    fmt::print(stderr, "taut: warning: {}\n", warning);
}

void require_positive(double value, const char* option) {
  if (!std::isfinite(value) || value <= 0)
    throw Error(fmt::format("{}: found {}, expected a number > 0", option, value));
}

void require_countable(double duration, double step) {
  constexpr double most = 1e12;
  if (duration / step > most)
    throw Error(
        fmt::format("{} s in steps of {} s would take more than {:g} steps", duration, step, most));
}

double read_step(const std::string& text, const char* option) {
  if (text == "auto") return 0;
  double step = NAN;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  if (error != std::errc{} || end != text.data() + text.size() || !(step > 0) ||
      !std::isfinite(step))
    throw Error(fmt::format("{}: found \"{}\", expected a number > 0 or \"auto\"", option, text));
  return step;
}

void add_start_argument(CLI::App& command, std::string& start) {
  command
      .add_option(
          "--start", start,
          "What to do with a start that violates the constraints. settle: move it onto them "
          "first; as_is: leave it to the method")
      ->type_name("settle|as_is");
}

void apply(const StepArguments& arguments, const io::Scene& scene, RunOptions& options) {
  options.step = arguments.step.empty() ? scene.step : read_step(arguments.step, "--step");
  if (arguments.tolerance) {
    require_positive(*arguments.tolerance, "--tolerance");
    if (!arguments.step.empty() && options.step > 0)
      throw Error("--tolerance: found --step with a number as well, expected only one of the two");
    options.step = 0;
  }
  options.tolerance = options.step > 0 ? 0 : arguments.tolerance.value_or(default_tolerance);
  options.record_interval = scene.step * static_cast<double>(options.record_every);
  options.start = scene.start;
  if (arguments.start.empty()) return;
  const auto& names = Choices<Start>::names;
  const auto found = std::find(names.begin(), names.end(), arguments.start);
  if (found == names.end())
    throw Error(fmt::format("--start: found \"{}\"{}", arguments.start,
                            suggestion(arguments.start, std::span<const std::string_view>(names))));
  options.start = static_cast<Start>(found - names.begin());
}

void require_solver(const std::string& name) {
  std::vector<std::string_view> known{"auto"};
  for (const SolverInfo& solver : linear_solvers()) known.push_back(solver.name);
  for (const std::string_view solver : known)
    if (solver == name) return;
  throw Error(fmt::format("unknown solver \"{}\"{}", name, suggestion(name, known)));
}

void warn_of_couplings(const System& system, std::string_view method, double step) {
  for (const std::string_view implicit : {"icd", "icd2", "energy_momentum", "implicit_springs"})
    if (method == implicit) return;
  double most = 0;  // of what a step makes of a velocity; an explicit one survives about 2
  const auto look = [&](BodyId body, const hand::LimbCoupling& law) {
    most = std::max(most, (step * law.damping + step * step * law.stiffness) / system.mass(body));
    if (system.slot(body).rigid < 0) return;
    // About the axis that it turns about most easily; limbs have their axes along them.
    const double inertia = system.inertia(body).diagonal().minCoeff();
    most = std::max(
        most, 2 * (step * law.angular_damping + step * step * law.angular_stiffness) / inertia);
  };
  for (const hand::Hand& hand : hand::hands_of(system))
    for (std::size_t i = 0; i < hand.bodies.size(); ++i) look(hand.bodies[i], hand.coupling[i]);
  for (const hand::Stylus& stylus : hand::styluses_of(system)) look(stylus.body, stylus.coupling);
  if (most > 1)
    fmt::print(
        stderr,
        "taut: warning: {} takes the couplings of hands as they are at the start of a step, "
        "where they change a velocity by {:.2g} times itself (d h/m + k h²/m); use icd, icd2 "
        "or energy_momentum, which solve for them, or a shorter step\n",
        method, most);
}

ChosenMethod chosen_method(const io::Scene& scene, const std::string& name, double step,
                           double duration) {
  io::MethodPlan plan = io::plan_method(scene, name, step, duration);
  return {plan.info, [plan] { return plan.make(); }, plan.reason};
}

}  // namespace taut::cli
