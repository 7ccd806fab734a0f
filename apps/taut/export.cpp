#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "commands.hpp"
#include "output_arguments.hpp"
#include "taut/base/join.hpp"
#include "taut/record/export.hpp"
#include "taut/record/recording.hpp"


namespace taut::cli {
namespace {

struct ExportArguments {
  std::string recording, format, out;
  std::optional<double> from, until;
  long every = 1;
  bool quiet = false;
};

std::vector<std::size_t> chosen_frames(const ExportArguments& arguments,
                                       const io::RecordingReader& recording) {
  const double from = arguments.from.value_or(-std::numeric_limits<double>::infinity());
  const double until = arguments.until.value_or(std::numeric_limits<double>::infinity());
  if (std::isnan(from) || std::isnan(until) || from > until)
    throw Error(
        fmt::format("--from, --until: found {} and {}, expected two times in order", from, until));
  // 0.1 on the command line means the frame at 0.1 s, although neither is exact in binary.
  constexpr double roundoff = 1e-9;
  std::vector<std::size_t> frames;
  long number = 0;
  for (std::size_t i = 0; i < recording.frame_count(); ++i) {
    if (recording.time(i) < from - roundoff || recording.time(i) > until + roundoff) continue;
    if (number++ % arguments.every == 0) frames.push_back(i);
  }
  if (frames.empty()) {
    const std::size_t count = recording.frame_count();
    throw Error(fmt::format(
        "{}: found no frame between --from and --until, expected times within {}",
        arguments.recording,
        count == 0
            ? "a recording that has frames"
            : fmt::format("{:.6g} s … {:.6g} s", recording.time(0), recording.time(count - 1))));
  }
  return frames;
}

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const io::ExportFormat& format : io::export_formats()) names.push_back(format.name);
  return names;
}

/// Half the diagonal of the box around all bodies.
double size_of(const io::RecordedFrame& frame) {
  if (frame.positions.empty()) return 1;
  Eigen::Vector3f low = frame.positions.front(), high = low;
  for (const Eigen::Vector3f& place : frame.positions) {
    low = low.cwiseMin(place);
    high = high.cwiseMax(place);
  }
  const double size = 0.5 * static_cast<double>((high - low).norm());
  return size > 0 ? size : 1;
}

ExitCode run_export(const ExportArguments& arguments) {
  const io::ExportFormat& format = io::find_export_format(arguments.format, arguments.out);
  if (arguments.every < 1)
    throw Error(fmt::format("--every: found {}, expected a whole number ≥ 1", arguments.every));
  io::RecordingReader recording(arguments.recording);
  const io::RecordingInfo& info = recording.info();
  const std::vector<std::size_t> chosen = chosen_frames(arguments, recording);

  io::RecordedFrame recorded;
  recording.read(0, recorded);
  io::Export output(format,
                    {.info = info,
                     .path = arguments.out,
                     .size = size_of(recorded),
                     .interval = info.frame_interval * static_cast<double>(arguments.every),
                     .is_single = true});
  io::ExportFrame frame;
  for (const std::size_t i : chosen) {
    recording.read(i, recorded);
    io::to_export(recorded, frame);
    output.record(frame);
  }
  output.finish();
  if (!arguments.quiet) {
    fmt::print("{}: {} of {} frames, {:.6g} s to {:.6g} s, {}: {}\n", info.scene, output.count(),
               recording.frame_count(), recording.time(chosen.front()),
               recording.time(chosen.back()), output.details(), arguments.out);
    if (!recording.is_complete())
      fmt::print("The recording is unfinished: its run was stopped before the end.\n");
  }
  return exit_ok;
}

}  // namespace

void add_export(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("export", "Convert a recording for other programs: glTF, USD, VTK, CSV, NumPy, meshes");
  auto arguments = std::make_shared<ExportArguments>();
  command
      ->add_option("RECORDING", arguments->recording,
                   "A file written by taut run --recording, or the .partial file of a run that was "
                   "stopped")
      ->type_name("FILE")
      ->required();
  command->add_option("--to", arguments->format,
                   "Format; by default that of the extension of --out (taut list exports)")
      ->type_name(join(format_names(), "|"));
  command->add_option("--out", arguments->out, "The file; of formats of meshes, a directory for frame_00000.obj and so on")
      ->type_name("FILE")
      ->check(not_empty())
      ->required();
  command->add_option("--from", arguments->from, "First time in s; by default the beginning")
      ->type_name("SECONDS");
  command->add_option("--until", arguments->until, "Last time in s; by default the end")
      ->type_name("SECONDS");
  command->add_option("--every", arguments->every, "Write only every K-th frame")->type_name("K");
  command->add_flag("--quiet", arguments->quiet, "Print nothing");
  command->footer(
      "Examples:\n"
      "  taut export flag.taut --out flag.glb\n"
      "  taut export flag.taut --out flag.usda --every 2\n"
      "  taut export flag.taut --to ply --out frames\n"
      "  taut export flag.taut --to obj --out frames --from 1 --until 2.5 --every 2\n"
      "  taut export flag.taut.partial --to ply --out frames");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_export(*arguments); }; });
}

}  // namespace taut::cli
