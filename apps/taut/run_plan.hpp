// What run, compare and check share: the scene from the command line, one run of it, its results on
// disk.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "taut/io/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::cli {

struct SceneArguments {
  std::string scene;
  std::vector<std::string> settings, more_settings;
};
void add_scene_arguments(CLI::App& command, SceneArguments& arguments);
io::Scene load_scene(const SceneArguments& arguments);

/// Throws Error unless the value is finite and > 0.
void require_positive(double value, const char* option);
/// Throws Error for a number of steps nobody can wait for.
void require_countable(double duration, double step);
/// Throws Error, with the nearest name, when it is neither "auto" nor a solver.
void require_solver(const std::string& name);

/// The scene's own options when it is the scene's method, then those of --set method.….
std::vector<OptionValue> method_options(const io::Scene& scene, const MethodInfo& method);

/// Makes the directory, with its parents. Throws OutputError when that fails.
void make_directory(const std::filesystem::path& directory);
void write_output(const std::filesystem::path& path, const std::string& text);

/// Runs the scene, recording into the file `trajectory` unless that is empty.
RunReport run_scene(const io::Scene& scene, Method& method, RunOptions options,
                    const std::filesystem::path& trajectory);

}  // namespace taut::cli
