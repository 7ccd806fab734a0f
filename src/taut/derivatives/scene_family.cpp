#include "taut/derivatives/scene_family.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "taut/base/error.hpp"

namespace taut::io {
namespace {

/// What must not depend on the parameters.
struct Shape {
  std::vector<std::string> bodies;
  int positions = 0, rows = 0, constraints = 0;
  double step = 0, duration = 0;
  long record_every = 0;
  std::vector<std::string> sensors, options;

  explicit Shape(const Scene& scene)
      : bodies(scene.system.body_names()),
        positions(scene.system.position_size()),
        rows(scene.system.row_count()),
        constraints(scene.system.constraint_count()),
        step(scene.step),
        duration(scene.duration),
        record_every(scene.record_every) {
    for (const Sensor& sensor : scene.sensors.sensors()) sensors.push_back(sensor.name);
    for (const OptionValue& option : scene.method_options)
      options.push_back(option.name + "=" + option.value);
  }

  /// What is another, in words; empty: nothing.
  std::string_view difference(const Shape& other) const {
    if (bodies != other.bodies || positions != other.positions) return "which bodies there are";
    if (rows != other.rows || constraints != other.constraints)
      return "which constraints there are";
    if (step != other.step) return "the step";
    if (duration != other.duration) return "the duration";
    if (record_every != other.record_every) return "what is recorded";
    if (sensors != other.sensors) return "which sensors there are";
    if (options != other.options) return "the options of the method";
    return {};
  }
};

struct Varied {
  std::string name;  // of a control: of its input
  bool is_input = false;
  double from = -1;  // s: of a control
};

/// "throttle@0.5" → 0.5, and the name is that of the input.
double control_time(std::string& name) {
  const std::size_t at = name.find('@');
  if (at == std::string::npos) return -1;
  const std::string text = name.substr(at + 1);
  char* end = nullptr;
  const double time = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !(time >= 0) || !std::isfinite(time))
    throw Error(
        fmt::format("\"{}\": found \"{}\" behind the @, expected a time ≥ 0 in s, as in \"{}@0.5\"",
                    name, text, name.substr(0, at)));
  name.resize(at);
  return time;
}

FamilyParameter described(const Scene& scene, const std::string& name, bool is_control,
                          bool& is_input) {
  std::vector<std::string_view> known;
  for (const SceneParameter& parameter : scene.parameters) {
    if (is_control) break;
    if (!parameter.integer) known.push_back(parameter.name);
    if (parameter.name != name) continue;
    if (parameter.integer)
      throw Error(
          fmt::format("\"{}\" is a whole number: there is no derivative with respect to it", name));
    FamilyParameter out{name, parameter.value};
    if (parameter.min) out.min = *parameter.min;
    if (parameter.max) out.max = *parameter.max;
    return out;
  }
  const Inputs inputs = scene.system.inputs();
  for (int i = 0; i < inputs.size(); ++i) {
    const Input& input = inputs.info(i);
    known.push_back(input.name);
    if (input.name != name) continue;
    is_input = true;
    return {name, inputs.value(i), input.min, input.max};
  }
  if (is_control)
    throw Error(fmt::format("the scene \"{}\" has no input \"{}\" that could be a control{}",
                            scene.name, name, suggestion(name, known)));
  throw Error(fmt::format("the scene \"{}\" has no parameter or input \"{}\"{}", scene.name, name,
                          suggestion(name, known)));
}

}  // namespace

ModelFamily scene_family(SceneLoader load, std::span<const std::string> names) {
  const Scene scene = load({});
  const Shape shape(scene);
  ModelFamily family;
  std::vector<Varied> varied;
  for (const std::string& name : names) {
    if (std::any_of(family.parameters.begin(), family.parameters.end(),
                    [&](const FamilyParameter& other) { return other.name == name; }))
      throw Error(fmt::format("\"{}\" is given twice", name));
    Varied one{name};
    one.from = control_time(one.name);
    family.parameters.push_back(described(scene, one.name, one.from >= 0, one.is_input));
    family.parameters.back().name = name;
    varied.push_back(std::move(one));
  }
  family.make = [load = std::move(load), varied, shape](const VecX& values) {
    std::vector<Setting> settings;
    for (std::size_t i = 0; i < varied.size(); ++i)
      if (!varied[i].is_input)
        settings.push_back({varied[i].name, fmt::format("{}", values[static_cast<int>(i)])});
    Scene made = load(settings);
    if (const std::string_view what = shape.difference(Shape(made)); !what.empty()) {
      std::string list;
      for (const Varied& one : varied) list += (list.empty() ? "\"" : ", \"") + one.name + "\"";
      throw Error(
          fmt::format("{} depends on {}: there is no derivative with respect to that", what, list));
    }
    Inputs inputs = made.system.inputs();
    std::vector<Control> controls;
    for (std::size_t i = 0; i < varied.size(); ++i) {
      if (!varied[i].is_input) continue;
      const double value = values[static_cast<int>(i)];
      if (varied[i].from < 0)
        inputs[varied[i].name] = value;
      else
        controls.push_back({varied[i].from, inputs.find(varied[i].name), value});
    }
    std::stable_sort(controls.begin(), controls.end(),
                     [](const Control& a, const Control& b) { return a.time < b.time; });
    State start = made.system.initial_state();
    return Model{std::move(made.system), std::move(start), std::move(made.sensors),
                 std::move(controls), inputs.values()};
  };
  return family;
}

}  // namespace taut::io
