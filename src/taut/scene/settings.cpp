#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "taut/scene/settings_internal.hpp"

namespace taut::io::detail {
namespace {

constexpr std::string_view method_prefix = "method.";

/// The names of all options of all methods, and whether any of them is a choice of words.
std::map<std::string_view, bool> all_options() {
  std::map<std::string_view, bool> names;
  for (const MethodInfo& method : methods())
    for (const FieldInfo& option : method.options)
      names[option.name] = names[option.name] || option.type->kind == ValueKind::choice;
  return names;
}

}  // namespace

const Setting* Settings::find(std::string_view key) const {
  const Setting* found = nullptr;
  for (const Setting& setting : all_)
    if (setting.key == key) found = &setting;
  return found;
}

void Settings::fail(const Setting& setting, std::string_view message) const {
  throw Error(fmt::format("{}: setting {}: {}", shown_file(origin_),
                          in_quotes(setting.key + "=" + setting.value), message));
}

double Settings::value(const Setting& setting, const Scope& scope) const {
  std::string_view text = setting.value;
  if (text.starts_with('=')) text.remove_prefix(1);
  double value = 0;
  try {
    value = scope.evaluate(text);
  } catch (const Error& error) {
    fail(setting, error.what());
  }
  if (!std::isfinite(value))
    fail(setting, fmt::format("found {}, expected a finite number", value));
  return value;
}

void Settings::refuse_unknown(std::span<const SceneParameter> parameters) const {
  std::vector<std::string> known;
  for (const SceneParameter& parameter : parameters) known.push_back(parameter.name);
  for (const auto& [option, is_choice] : all_options())
    known.push_back(fmt::format("{}{}", method_prefix, option));
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const Setting& setting : all_)
    if (std::find(names.begin(), names.end(), setting.key) == names.end())
      fail(setting, fmt::format("found an unknown key, expected a parameter of the scene or "
                                "method.<option>{}",
                                suggestion(setting.key, names)));
}

std::vector<OptionValue> Settings::method_options(const Scope& scope) const {
  std::vector<OptionValue> chosen;
  const auto options = all_options();
  for (const Setting& setting : all_) {
    if (!setting.key.starts_with(method_prefix)) continue;
    const std::string name = setting.key.substr(method_prefix.size());
    // Words stay words: which of them fit depends on the method that will run.
    chosen.push_back(
        {name, options.at(name) ? setting.value : fmt::format("{}", value(setting, scope))});
  }
  return chosen;
}

}  // namespace taut::io::detail
