// The command line of taut.
#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "commands.hpp"
#include "taut/base/error.hpp"
#include "taut/base/version.hpp"

namespace taut::cli {
namespace {

int complain(ExitCode code, std::string_view message) {
  fmt::print(stderr, "taut: {}\n", message);
  return code;
}

std::string unknown_name(std::string_view what, const std::string& found,
                         const std::vector<std::string>& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  return fmt::format("unknown {} \"{}\"{}", what, found, suggestion(found, names));
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

void add_exit_codes(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    command->footer(fmt::format("{}\n\n{}", command->get_footer(), exit_codes));
    add_exit_codes(*command);
  }
}

/// CLI11's message, or a better one where we know more.
std::string parse_message(const CLI::App& app, const CLI::ParseError& error,
                          const std::string& before = "") {
  for (const CLI::App* command : app.get_subcommands()) {
    const std::string path = before + command->get_name();
    if (!command->get_subcommands().empty()) return parse_message(*command, error, path + " ");
    for (const std::string& word : command->remaining()) {
      if (!word.starts_with("--")) continue;
      std::vector<std::string> known;
      for (const CLI::Option* option : command->get_options())
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      return unknown_name("option", word.substr(0, word.find('=')), known);
    }
    if (const auto words = command->remaining(); !words.empty())
      if (const auto commands = subcommand_names(*command); !commands.empty())
        return unknown_name(path + " command", words.front(), commands);
    return fmt::format("{}: {} (see taut {} --help)", path, error.what(), path);
  }
  return fmt::format("{} (see taut --help)", error.what());
}

void add_commands(CLI::App& app, Action& chosen) {
  app.set_version_flag("--version", fmt::format("taut {}", version));
  app.require_subcommand(1);
  app.footer(
      fmt::format("Examples:\n"
                  "  taut list scenes\n"
                  "  taut run two_link --method implicit1 --step 0.01\n"
                  "  taut compare two_link\n\n"
                  "Every command has its own --help.\n\n{}",
                  exit_codes));
  add_run(app, chosen);
  add_resume(app, chosen);
  add_compare(app, chosen);
  add_sweep(app, chosen);
  add_check(app, chosen);
  add_fit(app, chosen);
  add_reproduce(app, chosen);
  add_stability(app, chosen);
  add_advise(app, chosen);
  add_view(app, chosen);
  add_render(app, chosen);
  add_plot(app, chosen);
  add_export(app, chosen);
  add_decompose(app, chosen);
  add_grasp(app, chosen);
  add_serve(app, chosen);
  add_bench(app, chosen);
  add_hand(app, chosen);
  add_list(app, chosen);
  add_schema(app, chosen);
  add_man(app, chosen);
  add_completion(app, chosen);
  add_exit_codes(app);
}

/// Parsing leaves what is to be done in the `chosen` of add_commands(). Returns how the program
/// ends where there is nothing to be done.
std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return exit_bad_input;
  }
  if (const std::string command = argv[1]; !command.starts_with('-')) {
    const std::vector<std::string> known = subcommand_names(app);
    if (std::find(known.begin(), known.end(), command) == known.end())
      return complain(exit_bad_input, unknown_name("command", command, known));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
      return app.exit(error);  // --help and --version
    return complain(exit_bad_input, parse_message(app, error));
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string>& given_words() {
  static std::vector<std::string> words;
  return words;
}

}  // namespace taut::cli

int main(int argc, char** argv) {
  using namespace taut::cli;
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  try {
    CLI::App app(
        "Simulates systems whose parts must satisfy exact geometric constraints: links, joints, "
        "chains, inextensible cloth.",
        "taut");
    Action chosen;
    given_words().assign(argv + std::min(argc, 1), argv + argc);
    add_commands(app, chosen);
    if (const std::optional<int> ended = parse(app, argc, argv)) return *ended;
    const ExitCode code = chosen();
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      throw OutputError("cannot write to standard output");
    return code;
  } catch (const OutputError& error) {
    return complain(exit_not_written, error.what());
  } catch (const taut::Error& error) {
    return complain(exit_bad_input, error.what());
  } catch (const std::bad_alloc&) {
    return complain(exit_bad_input, "not enough memory for this scene");
  } catch (const std::system_error& error) {  // from fmt, when standard output is closed or full
    return complain(exit_not_written,
                    fmt::format("cannot write to standard output: {}", error.code().message()));
  }
}
