#include "command_tree.hpp"

#include <algorithm>
#include <cctype>

#include "commands.hpp"
#include "taut/methods/method.hpp"
#include "taut/scene/scene.hpp"
#include "taut/solve/contact_solvers.hpp"
#include "taut/solve/linear_solver.hpp"

namespace taut::cli {
namespace {

OptionNode option_node(const CLI::Option& option) {
  OptionNode node;
  if (option.nonpositional()) {
    for (const std::string& name : option.get_snames()) node.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) node.names.push_back("--" + name);
  } else {
    node.names.push_back(option.get_name(true));
  }
  if (option.get_items_expected_max() > 0) node.value = option.get_type_name();
  if (node.value.empty() && !option.nonpositional()) node.value = node.names.front();
  node.summary = option.get_description();
  node.default_value = option.get_default_str();
  node.is_required = option.get_required();
  return node;
}

CommandNode command_node(const CLI::App& app, const std::string& before) {
  CommandNode node;
  node.name = app.get_name();
  node.path = before + node.name;
  node.summary = app.get_description();
  node.notes = app.get_footer();
  if (const std::size_t at = node.notes.find(exit_codes); at != std::string::npos)
    node.notes.erase(at);
  while (node.notes.ends_with('\n')) node.notes.pop_back();
  for (const CLI::Option* option : app.get_options())
    (option->nonpositional() ? node.options : node.arguments).push_back(option_node(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    node.commands.push_back(command_node(*command, node.path + " "));
  return node;
}

/// The words between the bars; those in capitals stand for something else.
std::vector<std::string> alternatives(const std::string& value) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find('|', at), value.size());
    const std::string word = value.substr(at, end - at);
    if (!word.empty() && std::islower(static_cast<unsigned char>(word.front())))
      words.push_back(word);
    at = end + 1;
  }
  return words;
}

}  // namespace

CommandNode command_tree(const CLI::App& app) { return command_node(app, ""); }

ValueWords value_words(const std::string& value) {
  constexpr std::string_view and_more = ",…";
  ValueWords values;
  values.is_list = value.ends_with(and_more);
  const std::string kind = values.is_list ? value.substr(0, value.size() - and_more.size()) : value;
  const auto add = [&](std::string_view word) { values.words.emplace_back(word); };
  if (kind == "SCENE") {
    for (const io::SceneSummary& scene : io::list_scenes()) add(scene.name);
    for (const io::SceneSummary& robot : io::list_robots()) add(robot.name);
    values.is_file = true;
  } else if (kind == "METHOD") {
    add(values.is_list ? "all" : "auto");
    for (const MethodInfo& method : methods()) add(method.name);
  } else if (kind == "SOLVER") {
    add("auto");
    for (const SolverInfo& solver : linear_solvers()) add(solver.name);
  } else if (kind == "CONTACT_SOLVER") {
    for (const ContactSolverInfo& solver : contact_solvers()) add(solver.name);
  } else {
    values.is_file = kind == "FILE";
    values.is_folder = kind == "DIR";
    values.words = alternatives(kind);
  }
  return values;
}

}  // namespace taut::cli
