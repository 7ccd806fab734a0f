// taut completion: scripts with which a shell completes commands, options and their values.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command_tree.hpp"
#include "commands.hpp"
#include "taut/base/error.hpp"
#include "taut/base/join.hpp"

namespace taut::cli {
namespace {

/// In single quotes, as all three shells read it.
std::string shell_quoted(std::string_view text, std::string_view quote = "'\\''") {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string(quote) : std::string(1, c);
  return quoted + "'";
}

std::string shell_words(const std::vector<std::string>& words) { return join(words, " "); }

std::vector<std::string> child_names(const CommandNode& command) {
  std::vector<std::string> names;
  for (const CommandNode& child : command.commands) names.push_back(child.name);
  return names;
}

/// Everything that can stand where a positional argument is expected.
ValueWords argument_words(const CommandNode& command) {
  ValueWords all;
  all.words = child_names(command);
  for (const OptionNode& argument : command.arguments) {
    const ValueWords values = value_words(argument.value);
    all.words.insert(all.words.end(), values.words.begin(), values.words.end());
    all.is_file = all.is_file || values.is_file;
  }
  return all;
}

/// `case` patterns of all commands below taut: what a script follows to find the command.
std::string command_patterns(const CommandNode& taut) {
  std::vector<std::string> paths;
  visit_commands(taut, [&](const CommandNode& command) {
    if (&command != &taut) paths.push_back(shell_quoted(command.path));
  });
  return join(paths, " | ");
}

/// One line of a `case` per option with a value: `pattern) action ;;`.
std::string value_cases(const CommandNode& taut,
                        const std::function<std::string(const ValueWords&)>& action) {
  std::string text;
  visit_commands(taut, [&](const CommandNode& command) {
    for (const OptionNode& option : command.options)
      if (!option.value.empty())
        text += fmt::format("    {}) {}; return ;;\n",
                            shell_quoted(command.path + " " + option.names.back()),
                            action(value_words(option.value)));
  });
  return text;
}

std::string bash_value(const ValueWords& values) {
  const std::string words = shell_quoted(shell_words(values.words));
  if (values.is_list)
    return fmt::format("COMPREPLY=($(compgen -P \"$head\" -W {} -- \"${{cur##*,}}\"))", words);
  std::string text = fmt::format("COMPREPLY=($(compgen -W {} -- \"$cur\"))", words);
  if (values.is_file) text += "; _taut_add_files -f";
  if (values.is_folder) text += "; _taut_add_files -d";
  return text;
}

std::string bash_script(const CommandNode& taut) {
  std::string options, arguments;
  visit_commands(taut, [&](const CommandNode& command) {
    std::vector<std::string> names;
    for (const OptionNode& option : command.options) names.push_back(option.names.back());
    options += fmt::format("      {}) words={} ;;\n", shell_quoted(command.path),
                           shell_quoted(shell_words(names)));
    arguments += fmt::format("    {}) {} ;;\n", shell_quoted(command.path),
                             bash_value(argument_words(command)));
  });
  return fmt::format(R"(# bash completion for taut, written by "taut completion bash"
_taut_add_files() {{
  compopt -o filenames 2>/dev/null
  local IFS=$'\n'
  COMPREPLY+=($(compgen "$1" -- "$cur"))
}}

_taut() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
  local command=taut head='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${{COMP_WORDS[i]}}" in
      {}) command+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  [[ $cur == *,* ]] && head=${{cur%,*}},
  case "$command $prev" in
{}  esac
  if [[ $cur == -* ]]; then
    case $command in
{}    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  fi
  case $command in
{}  esac
}}

complete -F _taut taut
)",
                     command_patterns(taut), value_cases(taut, bash_value), options, arguments);
}

std::string zsh_value(const ValueWords& values) {
  std::string text = values.is_list ? "compset -P '*,'; " : "";
  text += values.words.empty() ? ":" : "compadd -- " + shell_words(values.words);
  if (values.is_file) text += "; _files";
  if (values.is_folder) text += "; _files -/";
  return text;
}

/// 'name:summary', for _describe.
std::string zsh_described(std::string_view name, std::string_view summary) {
  return shell_quoted(fmt::format("{}:{}", name, summary));
}

std::string zsh_script(const CommandNode& taut) {
  std::string options, arguments;
  visit_commands(taut, [&](const CommandNode& command) {
    std::vector<std::string> described, children;
    for (const OptionNode& option : command.options)
      described.push_back(zsh_described(option.names.back(), option.summary));
    options +=
        fmt::format("      {}) list=({}) ;;\n", shell_quoted(command.path), join(described, " "));
    for (const CommandNode& child : command.commands)
      children.push_back(zsh_described(child.name, child.summary));
    arguments += fmt::format(
        "    {}) {} ;;\n", shell_quoted(command.path),
        children.empty() ? zsh_value(argument_words(command))
                         : fmt::format("list=({}); _describe command list", join(children, " ")));
  });
  return fmt::format(R"(#compdef taut
# zsh completion for taut, written by "taut completion zsh"
_taut() {{
  local command=taut i
  local -a list
  for ((i = 2; i < CURRENT; i++)); do
    case "$command ${{words[i]}}" in
      {}) command+=" ${{words[i]}}" ;;
    esac
  done
  case "$command ${{words[CURRENT-1]}}" in
{}  esac
  if [[ ${{words[CURRENT]}} == -* ]]; then
    case $command in
{}    esac
    _describe -o option list
    return
  fi
  case $command in
{}  esac
}}

_taut "$@"
)",
                     command_patterns(taut), value_cases(taut, zsh_value), options, arguments);
}

/// True, in fish, while the command is being typed.
std::string fish_condition(const CommandNode& taut, const CommandNode& command) {
  std::string text;
  if (&command == &taut) {
    text = "__fish_use_subcommand";
  } else {
    const std::string below = command.path.substr(taut.path.size() + 1);
    for (std::size_t at = 0; at < below.size();) {
      const std::size_t end = std::min(below.find(' ', at), below.size());
      text += fmt::format("{}__fish_seen_subcommand_from {}", text.empty() ? "" : "; and ",
                          below.substr(at, end - at));
      at = end + 1;
    }
    if (!command.commands.empty())
      text += "; and not __fish_seen_subcommand_from " + shell_words(child_names(command));
  }
  return shell_quoted(text);
}

std::string fish_script(const CommandNode& taut) {
  std::string text =
      "# fish completion for taut, written by \"taut completion fish\"\n"
      "complete -c taut -f\n";
  visit_commands(taut, [&](const CommandNode& command) {
    const std::string begin = fmt::format("complete -c taut -n {}", fish_condition(taut, command));
    for (const CommandNode& child : command.commands)
      text +=
          fmt::format("{} -a {} -d {}\n", begin, child.name, shell_quoted(child.summary, "\\'"));
    for (const OptionNode& option : command.options) {
      text += fmt::format("{} -l {} -d {}", begin, option.names.back().substr(2),
                          shell_quoted(option.summary, "\\'"));
      const ValueWords values = value_words(option.value);
      if (values.is_file)
        text += " -r -F";
      else if (values.is_folder)
        text += " -x -a '(__fish_complete_directories)'";
      else if (!option.value.empty())
        text += " -x";
      if (!values.words.empty())
        text += fmt::format(" -a {}", shell_quoted(shell_words(values.words)));
      text += "\n";
    }
    if (command.arguments.empty()) return;
    const ValueWords values = argument_words(command);
    if (!values.words.empty())
      text += fmt::format("{} -a {}\n", begin, shell_quoted(shell_words(values.words)));
    if (values.is_file) text += begin + " -F\n";
  });
  return text;
}

struct Shell {
  std::string_view name;
  std::string (*script)(const CommandNode& taut);
};
constexpr std::array shells{Shell{"bash", bash_script}, Shell{"zsh", zsh_script},
                            Shell{"fish", fish_script}};

}  // namespace

void add_completion(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->type_name("bash|zsh|fish")->required();
  command->footer(
      "Examples:\n"
      "  source <(taut completion bash)\n"
      "  taut completion zsh > \"${fpath[1]}/_taut\"\n"
      "  taut completion fish > ~/.config/fish/completions/taut.fish");
  command->callback([&app, shell, &chosen] {
    chosen = [&app, shell] {
      std::vector<std::string_view> known;
      for (const Shell& each : shells) {
        if (each.name == *shell) {
          fmt::print("{}", each.script(command_tree(app)));
          return exit_ok;
        }
        known.push_back(each.name);
      }
      throw Error(fmt::format("SHELL: found \"{}\"{}", *shell, suggestion(*shell, known)));
    };
  });
}

}  // namespace taut::cli
