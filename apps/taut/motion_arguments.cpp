#include "motion_arguments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>

#include "run_plan.hpp"
#include "taut/base/error.hpp"

namespace taut::cli {
namespace {

/// Which of the names it is. Throws Error, with the nearest, when it is none.
template <std::size_t count>
std::size_t choice(const std::string& name, const std::array<std::string_view, count>& known,
                   const char* option) {
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end())
    throw Error(fmt::format("{}: found \"{}\"{}", option, name,
                            suggestion(name, std::span<const std::string_view>(known))));
  return static_cast<std::size_t>(found - known.begin());
}

void require(bool is_there, const char* option, const char* with) {
  if (!is_there) throw Error(fmt::format("{}: only with {}", option, with));
}

std::string size_text(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 1e6) return fmt::format("{:.3g} kB", size / 1e3);
  return size < 1e9 ? fmt::format("{:.3g} MB", size / 1e6) : fmt::format("{:.3g} GB", size / 1e9);
}

}  // namespace

void add_motion_arguments(CLI::App& command, MotionArguments& arguments) {
  command.add_option("--recording", arguments.recording,
                     "File to record the motion to, for players and taut export: NAME.taut");
  command.add_option("--recorded-positions", arguments.positions,
                     "In the recording: float32, uint16 (half as large), or auto: float32 up to "
                     "1000 particles");
  command.add_option("--frames", arguments.frames,
                     "Directory for the surfaces as meshes: frame_00000.ply, …");
  command.add_option("--frame-format", arguments.frame_format, "ply, if not given, or obj");
  command.add_option("--frames-per-second", arguments.frame_rate,
                     "Of frames and recording, per simulated second; 30 if not given. They are "
                     "whole steps apart");
}

void apply(const MotionArguments& arguments, const io::Scene& scene, double duration,
           RecordedFiles& files) {
  files.frames = arguments.frames;
  files.recording = arguments.recording;
  if (!arguments.frames.empty() && scene.surfaces.empty())
    throw Error(
        fmt::format("--frames: found no surfaces in {}, expected a scene with cloth "
                    "(--recording takes any scene)",
                    scene.name));
  if (!arguments.frame_format.empty()) {
    require(!arguments.frames.empty(), "--frame-format", "--frames");
    files.frame_format = frame_format(arguments.frame_format, "--frame-format");
  }
  if (!arguments.positions.empty()) {
    require(!arguments.recording.empty(), "--recorded-positions", "--recording");
    constexpr std::array<std::string_view, 3> known{"auto", "float32", "uint16"};
    files.positions = static_cast<io::RecordedPositions>(
        choice(arguments.positions, known, "--recorded-positions"));
  }
  if (arguments.frame_rate) {
    require(files.has_motion(), "--frames-per-second", "--frames or --recording");
    require_positive(*arguments.frame_rate, "--frames-per-second");
    files.frame_rate = *arguments.frame_rate;
  }
  if (files.has_motion()) require_countable(duration, 1 / files.frame_rate);
}

void print_motion(const io::Scene& scene, const RecordedFiles& files,
                  const RecordedMotion& motion) {
  if (!files.has_motion()) return;
  const std::string frames =
      fmt::format("{} {}, {:.4g} per s", motion.frames, motion.frames == 1 ? "frame" : "frames",
                  1 / motion.interval);
  if (!files.frames.empty())
    fmt::print("  frames            {}: {}\n", frames, files.frames.string());
  if (!files.recording.empty())
    fmt::print("  recording         {}; {}, {:.3g} bytes per {} and frame: {}\n", frames,
               size_text(motion.file_size),
               static_cast<double>(motion.frame_size) / std::max(1, scene.system.body_count()),
               scene.surfaces.empty() ? "body" : "vertex", files.recording.string());
}

io::MeshFormat frame_format(const std::string& name, const char* option) {
  constexpr std::array<std::string_view, 2> known{"obj", "ply"};
  return static_cast<io::MeshFormat>(choice(name, known, option));
}

}  // namespace taut::cli
