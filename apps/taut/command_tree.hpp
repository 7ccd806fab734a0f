// The commands and options of taut as data, read from the parser: for the man page and for shell
// completion.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace taut::cli {

struct OptionNode {
  std::vector<std::string> names;  ///< "--set", or "SCENE" for a positional argument
  std::string value;               ///< what follows it: "METHOD", "a|b|c", …; empty for a flag
  std::string summary, default_value;
  bool is_required = false;
};

struct CommandNode {
  std::string path;  ///< "taut stability map"
  std::string name, summary;
  std::string notes;  ///< examples and more, without the exit codes
  std::vector<OptionNode> arguments, options;
  std::vector<CommandNode> commands;
};

CommandNode command_tree(const CLI::App& app);

/// Calls `visit` for the command and all below it.
template <class Visit>
void visit_commands(const CommandNode& command, const Visit& visit) {
  visit(command);
  for (const CommandNode& each : command.commands) visit_commands(each, visit);
}

/// What can be given as the value of an option, going by the name that the help has for it.
struct ValueWords {
  std::vector<std::string> words;
  bool is_file = false, is_folder = false;
  bool is_list = false;  ///< several, separated by commas
};
ValueWords value_words(const std::string& value);

}  // namespace taut::cli
