// The outputs of a run as the command line has them: --out, and an option for each of the writers
// that make a file or a folder of their own (--recording, --frames).
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taut/record/run_output.hpp"

namespace taut::cli {

struct OutputArguments {
  std::string results;                              ///< folder for the tables; empty: none
  std::map<std::string_view, std::string> places;   ///< by the name of the writer
  std::map<std::string_view, std::string> options;  ///< of all writers
  std::optional<double> frame_rate;
};
void add_output_arguments(CLI::App& command, OutputArguments& arguments);

/// Throws Error for what makes no sense for this scene.
std::vector<io::WantedOutput> wanted_outputs(const OutputArguments& arguments,
                                             const io::Scene& scene, double duration);
/// Frames per simulated second.
double frame_rate(const OutputArguments& arguments);

/// Lines of the summary about what was written; none when nothing was.
void print_outputs(const std::vector<io::WrittenOutput>& written);

/// Refuses an empty name of a file or folder.
CLI::Validator not_empty();

}  // namespace taut::cli
