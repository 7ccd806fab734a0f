#include "checkpoint_arguments.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "run_arguments.hpp"
#include "taut/base/error.hpp"
#include "taut/record/checkpoint_file.hpp"

namespace taut::cli {

void add_checkpoint_arguments(CLI::App& command, CheckpointArguments& arguments) {
  command
      .add_option("--checkpoint", arguments.every,
                  "Keep what the run needs to go on after it was stopped, each so many simulated "
                  "seconds (10 or 10s) or steps (1000steps): see taut resume")
      ->type_name("EVERY");
  command
      .add_option("--checkpoint-file", arguments.file,
                  "Where; SCENE.checkpoint in the folder of --out by default")
      ->type_name("FILE");
}

void apply_interval(const CheckpointArguments& arguments, RunOptions& options) {
  const std::string& text = arguments.every;
  if (text.empty()) return;
  std::string_view number = text;
  const bool is_steps = number.ends_with("steps");
  if (is_steps)
    number.remove_suffix(5);
  else if (number.ends_with("s"))
    number.remove_suffix(1);
  while (number.ends_with(' ')) number.remove_suffix(1);
  double every = NAN;
  const auto [end, trouble] = std::from_chars(number.data(), number.data() + number.size(), every);
  if (trouble != std::errc{} || end != number.data() + number.size() || !(every > 0) ||
      !std::isfinite(every) || (is_steps && (every != std::floor(every) || every > 1e15)))
    throw Error(fmt::format(
        "--checkpoint: found \"{}\", expected simulated seconds, as in 10 or 10s, or 1000steps",
        text));
  if (is_steps)
    options.checkpoint_steps = static_cast<long>(every);
  else
    options.checkpoint_interval = every;
}

std::unique_ptr<io::CheckpointFile> checkpoints_of(const RunArguments& arguments,
                                                   const io::Scene& scene,
                                                   const io::FilesRead& files) {
  if (arguments.checkpoints.every.empty()) {
    if (!arguments.checkpoints.file.empty())
      throw Error("--checkpoint-file: found no --checkpoint, expected how often");
    return nullptr;
  }
  if (arguments.scene.scene == "-")
    throw Error(
        "--checkpoint: a scene from standard input cannot be read again; found -, expected "
        "a file");
  std::filesystem::path path = arguments.checkpoints.file;
  if (path.empty())
    path = std::filesystem::path(arguments.outputs.results) / (scene.name + ".checkpoint");
  make_directory(path.parent_path());
  std::error_code no_throw;
  return std::make_unique<io::CheckpointFile>(
      path, io::CheckpointJob{given_words(), std::filesystem::current_path(no_throw).string(),
                              files.files()});
}

void end_checkpoints(io::CheckpointFile& checkpoints, bool is_over) {
  if (is_over)
    checkpoints.remove();
  else if (std::filesystem::exists(checkpoints.path()))
    fmt::print(stderr, "taut: taut resume {} goes on from the last checkpoint\n",
               checkpoints.path().string());
}

}  // namespace taut::cli
