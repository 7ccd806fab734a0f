// taut man: the manual page of all commands, in roff.
#include <fmt/core.h>

#include <string>
#include <string_view>

#include "command_tree.hpp"
#include "commands.hpp"
#include "taut/base/version.hpp"

namespace taut::cli {
namespace {

/// A line of text that roff shows as it is.
std::string roff_text(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (c == '\\')
      shown += "\\e";
    else if (c == '-')
      shown += "\\-";
    else
      shown += c;
  }
  if (shown.starts_with('.') || shown.starts_with('\'')) shown.insert(0, "\\&");
  return shown;
}

std::string roff_bold(std::string_view text) { return "\\fB" + roff_text(text) + "\\fR"; }
std::string roff_italic(std::string_view text) { return "\\fI" + roff_text(text) + "\\fR"; }

/// Text as it is in --help: paragraphs, and below a line such as "Examples:" lines to keep.
std::string roff_paragraphs(std::string_view text) {
  std::string page;
  bool is_kept = false, is_open = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_indented = line.starts_with("  ");
    if (is_kept && !is_indented) page += ".fi\n.RE\n";
    if (!is_kept && is_indented) page += ".RS 4\n.nf\n";
    is_kept = is_indented;
    if (line.empty()) {
      is_open = false;
      continue;
    }
    if (!is_indented && !is_open) page += ".PP\n";
    is_open = true;
    page += roff_text(is_indented ? line.substr(2) : line) + "\n";
  }
  if (is_kept) page += ".fi\n.RE\n";
  return page;
}

std::string roff_synopsis(const CommandNode& command) {
  std::string text = roff_bold(command.path);
  if (!command.commands.empty()) text += " " + roff_italic("COMMAND");
  for (const OptionNode& argument : command.arguments) {
    const std::string name = roff_italic(argument.names.front());
    text += argument.is_required ? " " + name : " [" + name + " ...]";
  }
  if (!command.options.empty()) text += " [" + roff_italic("OPTIONS") + "]";
  return text;
}

std::string roff_option(const OptionNode& option, bool is_argument) {
  std::string names;
  for (const std::string& name : option.names)
    names += (names.empty() ? "" : ", ") + (is_argument ? roff_italic(name) : roff_bold(name));
  if (!is_argument && !option.value.empty()) names += " " + roff_italic(option.value);
  std::string summary = roff_text(option.summary) + ".";
  if (!option.default_value.empty())
    summary += fmt::format(" Default: {}.", roff_text(option.default_value));
  if (option.is_required && !is_argument) summary += " Required.";
  return fmt::format(".TP\n{}\n{}\n", names, summary);
}

std::string roff_command(const CommandNode& command) {
  std::string page = fmt::format(".SS {}\n{}\n.PP\n{}.\n", roff_text(command.path),
                                 roff_synopsis(command), roff_text(command.summary));
  for (const OptionNode& argument : command.arguments) page += roff_option(argument, true);
  for (const OptionNode& option : command.options)
    if (option.names.back() != "--help") page += roff_option(option, false);
  return page + roff_paragraphs(command.notes);
}

std::string man_page(const CommandNode& taut) {
  std::string page = fmt::format(".TH TAUT 1 \"\" \"taut {}\" \"User Commands\"\n", version);
  page += ".SH NAME\ntaut \\- simulate systems with exact geometric constraints\n";
  page += fmt::format(".SH SYNOPSIS\n{}\n", roff_synopsis(taut));
  page += fmt::format(".SH DESCRIPTION\n{}\n", roff_text(taut.summary));
  page += roff_paragraphs(taut.notes);
  page += ".SH OPTIONS\n";
  for (const OptionNode& option : taut.options) page += roff_option(option, false);
  page += ".SH COMMANDS\n";
  for (const CommandNode& command : taut.commands)
    visit_commands(command, [&](const CommandNode& each) { page += roff_command(each); });
  const std::string_view codes = exit_codes;
  page += ".SH EXIT STATUS\n" + roff_paragraphs(codes.substr(codes.find('\n') + 1));
  return page;
}

}  // namespace

void add_man(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("man", "Print the manual page, for man");
  command->footer("Example:\n  taut man > taut.1 && man -l taut.1");
  command->callback([&app, &chosen] {
    chosen = [&app] {
      fmt::print("{}", man_page(command_tree(app)));
      return exit_ok;
    };
  });
}

}  // namespace taut::cli
