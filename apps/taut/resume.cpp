// taut resume: the command line of a run that was stopped, once more.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "run_arguments.hpp"
#include "taut/base/error.hpp"
#include "taut/record/checkpoint_file.hpp"

namespace taut::cli {
namespace {

ExitCode resume(const std::string& file, bool quiet, bool json) {
  auto saved = std::make_unique<io::CheckpointFile>(file);
  const io::CheckpointJob job = saved->job();
  std::error_code trouble;
  std::filesystem::current_path(job.folder, trouble);
  if (trouble)
    throw Error(fmt::format("{}: the run was begun in the folder {}, which cannot be entered: {}",
                            file, job.folder, trouble.message()));
  CLI::App app;
  auto arguments = std::make_shared<RunArguments>();
  add_run_options(app.add_subcommand("run"), arguments);
  std::vector<std::string> words(job.words.rbegin(), job.words.rend());  // as CLI11 takes them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw Error(fmt::format("{}: its command line is not understood: {}", file, error.what()));
  }
  arguments->quiet = arguments->quiet || quiet;
  arguments->json = arguments->json || json;
  return run_scene(*arguments, std::move(saved));
}

}  // namespace

void add_resume(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("resume", "Go on with a run that was stopped, from its last checkpoint");
  struct Arguments {
    std::string file;
    bool quiet = false, json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  command->add_option("FILE", arguments->file, "The checkpoint: taut run --checkpoint writes it")
      ->type_name("")
      ->required();
  command->add_flag("--json", arguments->json, "Print the report as JSON, and nothing else");
  command->add_flag("--quiet", arguments->quiet, "Print no summary and no progress bar");
  command->footer(
      "The run ends as if it had not been stopped, bit for bit, with all its files. It must be "
      "the\n"
      "same scene, the same build of taut and the same kind of processor.\n\n"
      "Examples:\n"
      "  taut run chain --duration 3600 --checkpoint 60 --out results/long\n"
      "  taut resume results/long/chain.checkpoint");
  command->callback([arguments, &chosen] {
    chosen = [arguments] { return resume(arguments->file, arguments->quiet, arguments->json); };
  });
}

}  // namespace taut::cli
