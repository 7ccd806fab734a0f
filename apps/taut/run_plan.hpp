// What several commands share: the scene, the step and the method from the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taut/record/output.hpp"
#include "taut/record/run_writer.hpp"
#include "taut/scene/method_plan.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::cli {

struct SceneArguments {
  std::string scene;
  std::vector<std::string> settings = {}, more_settings = {};
  std::vector<std::string> sensors = {}, inputs = {};
};
void add_scene_arguments(CLI::App& command, SceneArguments& arguments);
/// --sensor NAME=FORMULA and --input NAME=VALUE.
void add_sensor_arguments(CLI::App& command, SceneArguments& arguments);
io::Scene load_scene(const SceneArguments& arguments);
/// Those of --set and those that follow the scene.
std::vector<io::Setting> read_settings(const SceneArguments& arguments);
/// Prints which parts of a robot's file have no effect; nothing if there are none.
void print_ignored(const io::Scene& scene);
/// The report's warnings, to standard error.
void print_warnings(const RunReport& report);
/// Says so where a method would not survive the couplings of a scene's hands.
void warn_of_couplings(const System& system, std::string_view method, double step);

/// Throws Error unless the value is finite and > 0.
void require_positive(double value, const char* option);
/// Throws Error for a number of steps nobody can wait for.
void require_countable(double duration, double step);
/// Throws Error, with the nearest name, when it is neither "auto" nor a solver.
void require_solver(const std::string& name);

/// How steps are chosen, as the command line has it.
struct StepArguments {
  std::string step;                 ///< a number, "auto", or empty: the scene's
  std::optional<double> tolerance;  ///< implies auto
  std::string start;                ///< settle, as_is, or empty: the scene's
};
void add_start_argument(CLI::App& command, std::string& start);
/// Throws Error for what makes no sense. Fills in step or tolerance, record_interval and start.
void apply(const StepArguments& arguments, const io::Scene& scene, RunOptions& options);
/// As `apply` does, of several steps: 0 stands for auto.
double read_step(const std::string& text, const char* option);
inline constexpr double default_tolerance = 1e-6;

using io::method_options;

struct ChosenMethod {
  const MethodInfo* info;
  std::function<std::unique_ptr<Method>()> make;
  std::string reason;  ///< where `auto` chose it
};
/// `name`, or the scene's where that is empty; "auto" chooses. Throws Error for options that do not
/// fit.
ChosenMethod chosen_method(const io::Scene& scene, const std::string& name, double step,
                           double duration);

using io::make_directory;
inline void write_output(const std::filesystem::path& path, const std::string& text) {
  io::write_file(path, text);
}

}  // namespace taut::cli
