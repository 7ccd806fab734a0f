// The parts of a scene that settings change: parameters, method and its options.
#include <algorithm>
#include <cmath>

#include "taut/scene/scene_fields_internal.hpp"
#include "taut/scene/scene_reader_internal.hpp"

namespace taut::io::detail {
namespace {

std::string option_text(const At& at, Scope& scope) {
  if (const bool* boolean = at->boolean()) return *boolean ? "true" : "false";
  if (at->text() && !at->text()->starts_with('=')) return *at->text();
  if (!at->text() && !at->number()) fail_found(at, "a number, an expression \"=…\" or a name");
  return fmt::format("{}", scope.number(at, Range::any));
}

}  // namespace

void SceneReader::read_parameters(const At& root) {
  if (root.has("parameters")) {
    const At at = root.member("parameters");
    reader_.require_object(at);
    if (at->members()->size() > most_parameters)
      fail(at, fmt::format("found {} parameters, expected at most {}", at->members()->size(),
                           most_parameters));
    for (const Node::Member& member : *at->members())
      read_parameter(at.member(member.first), member.first);
  }
  settings_.refuse_unknown(scene_.parameters);
}

void SceneReader::read_parameter(const At& at, const std::string& name) {
  auto fields = reader_.read_object<ParameterFields>(at);
  const Setting* set = settings_.find(name);
  if (set) fields.value = settings_.value(*set, scope_);

  std::string expected;
  if (fields.integer && fields.value != std::floor(fields.value)) expected = "a whole number";
  if (fields.min && fields.value < *fields.min) expected = fmt::format("at least {}", *fields.min);
  if (fields.max && fields.value > *fields.max) expected = fmt::format("at most {}", *fields.max);
  if (!expected.empty()) {
    const std::string message = fmt::format("found {}, expected {}", fields.value, expected);
    if (set) settings_.fail(*set, message);
    fail(at.member("value"), message);
  }
  scope_.push(at, name, fields.value);
  scene_.parameters.push_back({name, fields.unit, fields.description, fields.value, fields.min,
                               fields.max, fields.integer});
}

void SceneReader::read_simulation(const At& at) {
  const auto fields = reader_.read_object<SimulationFields>(at, {"options"});
  std::vector<std::string_view> names{auto_method};
  for (const MethodInfo& method : methods()) names.push_back(method.name);
  if (std::find(names.begin(), names.end(), fields.method) == names.end())
    fail_found(at.has("method") ? at.member("method") : at, "a method, see `taut list methods`",
               suggestion(fields.method, names));
  scene_.method = fields.method;
  scene_.step = fields.step;
  scene_.duration = fields.duration;
  scene_.record_every = fields.record_every;
  scene_.start = fields.start;
  if (!(fields.duration / fields.step <= most_steps))
    fail(at, fmt::format("found {:.3g} steps (duration / step), expected at most {:.0e}",
                         fields.duration / fields.step, most_steps));
  if (at.has("options")) read_options(at.member("options"));
}

void SceneReader::read_options(const At& at) {
  reader_.require_object(at);
  if (scene_.method == auto_method) {
    if (!at->members()->empty())
      fail(at, "found options, expected none: they belong to a method, and \"method\" is auto");
    return;
  }
  const MethodInfo& method = find_method(scene_.method);
  std::vector<std::string_view> names;
  for (const FieldInfo& option : method.options) names.push_back(option.name);
  if (names.empty() && !at->members()->empty())
    fail(at, fmt::format("found options, expected none: {} has no options", scene_.method));
  reader_.refuse_unknown_keys(at, names);
  for (const Node::Member& member : *at->members()) {
    const At option = at.member(member.first);
    const OptionValue value{member.first, option_text(option, scope_)};
    with_place(option, [&] { method.make(std::span(&value, 1)); });  // alone: this one is to blame
    scene_.method_options.push_back(value);
  }
  with_place(at, [&] { method.make(scene_.method_options); });
}

}  // namespace taut::io::detail
