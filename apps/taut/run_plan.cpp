#include "run_plan.hpp"

#include <fmt/format.h>

#include <cmath>
#include <system_error>

#include "commands.hpp"
#include "taut/base/error.hpp"
#include "taut/io/output.hpp"
#include "taut/solve/linear_solver.hpp"

namespace taut::cli {
namespace {

/// Does `write` and turns its complaints into those about output.
template <class Write>
auto writing(Write&& write) {
  try {
    return write();
  } catch (const Error& error) {
    throw OutputError(error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    throw OutputError(error.what());
  }
}

}  // namespace

void add_scene_arguments(CLI::App& command, SceneArguments& arguments) {
  command.add_option("SCENE", arguments.scene, "A built-in scene (see taut list scenes) or a file")
      ->required();
  command
      .add_option("--set", arguments.settings,
                  "key=value: a parameter of the scene, or method.OPTION; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  // So that --set a=1 b=2 works too, wherever the scene stands.
  command.add_option("SETTINGS", arguments.more_settings, "More key=value, as with --set")
      ->type_name("KEY=VALUE");
}

io::Scene load_scene(const SceneArguments& arguments) {
  std::vector<io::Setting> settings;
  for (const auto* list : {&arguments.settings, &arguments.more_settings}) {
    for (const std::string& text : *list) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0)
        throw Error(fmt::format("found \"{}\" where a setting key=value was expected", text));
      settings.push_back({text.substr(0, equals), text.substr(equals + 1)});
    }
  }
  return io::load_scene(arguments.scene, settings);
}

void require_positive(double value, const char* option) {
  if (!std::isfinite(value) || value <= 0)
    throw Error(fmt::format("{}: found {}, expected a number > 0", option, value));
}

void require_countable(double duration, double step) {
  constexpr double most = 1e12;
  if (duration / step > most)
    throw Error(
        fmt::format("{} s in steps of {} s are more than {:g} steps", duration, step, most));
}

void require_solver(const std::string& name) {
  std::vector<std::string_view> known{"auto"};
  for (const SolverInfo& solver : linear_solvers()) known.push_back(solver.name);
  for (const std::string_view solver : known)
    if (solver == name) return;
  throw Error(fmt::format("unknown solver \"{}\"{}", name, suggestion(name, known)));
}

std::vector<OptionValue> method_options(const io::Scene& scene, const MethodInfo& method) {
  std::vector<OptionValue> options;
  if (method.name == scene.method) options = scene.method_options;
  for (const OptionValue& setting : scene.method_settings) {
    std::erase_if(options, [&](const OptionValue& o) { return o.name == setting.name; });
    options.push_back(setting);
  }
  return options;
}

void make_directory(const std::filesystem::path& directory) {
  writing([&] { std::filesystem::create_directories(directory); });
}

void write_output(const std::filesystem::path& path, const std::string& text) {
  writing([&] { io::write_file(path, text); });
}

RunReport run_scene(const io::Scene& scene, Method& method, RunOptions options,
                    const std::filesystem::path& trajectory) {
  std::optional<io::TrajectoryWriter> writer;
  if (!trajectory.empty()) {
    writing([&] { writer.emplace(trajectory, scene.system); });
    options.record = [&](const State& state, const VecX&) {
      writing([&] { writer->record(state); });
    };
  }
  RunReport report = simulate(scene.system, scene.system.initial_state(), method, options);
  if (writer) writing([&] { writer->finish(); });
  return report;
}

}  // namespace taut::cli
