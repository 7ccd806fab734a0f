// --frames, --recording and what belongs to them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "recorders.hpp"

namespace taut::cli {

struct MotionArguments {
  std::string frames, frame_format, recording, positions;
  std::optional<double> frame_rate;
};
void add_motion_arguments(CLI::App& command, MotionArguments& arguments);

/// Throws Error for what makes no sense.
void apply(const MotionArguments& arguments, const io::Scene& scene, double duration,
           RecordedFiles& files);

/// Lines of the summary about what was recorded; none when nothing was.
void print_motion(const io::Scene& scene, const RecordedFiles& files, const RecordedMotion& motion);

/// obj or ply. Throws Error, which names the option, for another.
io::MeshFormat frame_format(const std::string& name, const char* option);

}  // namespace taut::cli
