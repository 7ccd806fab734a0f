#include "taut/derivatives/scene_family.hpp"

#include <fmt/core.h>

#include <algorithm>
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
  std::string name;
  bool is_input = false;
};

FamilyParameter described(const Scene& scene, const std::string& name, bool& is_input) {
  std::vector<std::string_view> known;
  for (const SceneParameter& parameter : scene.parameters) {
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
    if (std::any_of(varied.begin(), varied.end(),
                    [&](const Varied& other) { return other.name == name; }))
      throw Error(fmt::format("\"{}\" is given twice", name));
    bool is_input = false;
    family.parameters.push_back(described(scene, name, is_input));
    varied.push_back({name, is_input});
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
    for (std::size_t i = 0; i < varied.size(); ++i)
      if (varied[i].is_input) made.system.inputs()[varied[i].name] = values[static_cast<int>(i)];
    State start = made.system.initial_state();
    return Model{std::move(made.system), std::move(start), std::move(made.sensors)};
  };
  return family;
}

}  // namespace taut::io
