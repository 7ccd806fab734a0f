#include "shown_world.hpp"

#include <fmt/core.h>

#include <cstdlib>

#include "run_plan.hpp"
#include "taut/base/error.hpp"

namespace taut::cli {

void add_shown_world(CLI::App& command, ShownWorld& arguments, bool is_required) {
  CLI::Option* scene =
      command
          .add_option("SCENE", arguments.scene,
                      is_required ? "A built-in scene or robot, a JSON, URDF, MJCF or SDF file, or "
                                    "a recording that "
                                    "ends in .taut"
                                  : "A built-in scene or robot, a JSON, URDF, MJCF or SDF file, or "
                                    "a recording that "
                                    "ends in .taut; without it, a gallery of the built-in scenes")
          ->type_name("");
  if (is_required) scene->required();
  command.add_option("--set", arguments.settings, "Set a parameter of the scene; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command
      .add_option("--methods", arguments.methods,
                  "Methods to run side by side instead of the scene's")
      ->delimiter(',')
      ->type_name("METHOD,…");
  command
      .add_option("--steps", arguments.steps,
                  "Time steps in s instead of the scene's: one for all methods, or one for each")
      ->delimiter(',')
      ->type_name("SECONDS,…");
}

namespace {

std::map<std::string, double> read_parameters(const std::vector<std::string>& settings) {
  std::map<std::string, double> parameters;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    char* end = nullptr;
    const double value =
        equals == std::string::npos ? 0 : std::strtod(setting.c_str() + equals + 1, &end);
    if (!end || end == setting.c_str() + equals + 1 || *end != '\0')
      throw Error(fmt::format("--set: found \"{}\", expected NAME=NUMBER", setting));
    parameters[setting.substr(0, equals)] = value;
  }
  return parameters;
}

std::vector<server::RunRequest> read_runs(const ShownWorld& arguments) {
  std::vector<server::RunRequest> runs;
  for (const std::string& method : arguments.methods) runs.emplace_back().method = method;
  const std::size_t steps = arguments.steps.size();
  if (steps == 0) return runs;
  if (runs.empty()) runs.resize(steps);
  if (runs.size() != steps && steps != 1)
    throw Error(fmt::format("--steps: found {} steps for {} methods", steps, runs.size()));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].step = read_step(arguments.steps[steps == 1 ? 0 : i], "--steps");
    if (runs[i].step == 0) throw Error("--steps: found auto, expected a number > 0");
  }
  if (runs.size() > server::most_runs)
    throw Error(fmt::format("found {} runs, expected at most {}", runs.size(), server::most_runs));
  return runs;
}

}  // namespace

std::shared_ptr<server::World> open_first(server::Hub& hub, const ShownWorld& arguments) {
  if (arguments.scene.ends_with(".taut") || arguments.scene.ends_with(".taut.partial"))
    return hub.open_first(arguments.scene);
  return hub.open_first(
      server::Document::load(arguments.scene).with_parameters(read_parameters(arguments.settings)),
      read_runs(arguments));
}

}  // namespace taut::cli
