#include "taut/server/document.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "taut/base/error.hpp"
#include "taut/robot/builtin_robots.hpp"
#include "taut/scene/builtin_scenes.hpp"
#include "taut/server/json_edit.hpp"
#include "taut/text/json.hpp"
#include "taut/text/json_text.hpp"

namespace taut::server {
namespace {

std::string vector_text(const Vec3& v) {
  return fmt::format("[{}, {}, {}]", number_text(v.x()), number_text(v.y()), number_text(v.z()));
}

/// The text of a string value without its quotes, if it needs no escapes.
std::string_view plain_string(const std::string& text, const std::string& pointer) {
  const auto found = find_value(text, pointer);
  if (!found || text[found->begin] != '"') return {};
  return std::string_view(text).substr(found->begin + 1, found->end - found->begin - 2);
}

bool is_identifier(const std::string& name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// What a robot alone is as a scene: with a text that can be changed and saved.
std::string robot_text(const std::string& file, const io::Scene& scene) {
  const std::string name = std::filesystem::path(file).stem().string();
  std::string parameters, joints;
  double floating = 0;
  for (const io::SceneParameter& parameter : scene.parameters) {
    if (parameter.name == "floating") {
      floating = parameter.value;
      continue;
    }
    const bool is_named = is_identifier(parameter.name) && parameter.name != "pi";
    if (is_named)
      parameters +=
          fmt::format("{}\n    {}: {{ \"value\": {}, \"unit\": {}, \"description\": {}{}{} }}",
                      parameters.empty() ? "" : ",", io::json_quoted(parameter.name),
                      number_text(parameter.value), io::json_quoted(parameter.unit),
                      io::json_quoted(parameter.description),
                      parameter.min ? ", \"min\": " + number_text(*parameter.min) : "",
                      parameter.max ? ", \"max\": " + number_text(*parameter.max) : "");
    if (parameter.name == "g") continue;
    std::string joint = parameter.name;
    if (joint.starts_with("joint.")) joint.erase(0, 6);
    joints += fmt::format(
        "{}\n        {}: {}", joints.empty() ? "" : ",", io::json_quoted(joint),
        is_named ? io::json_quoted("=" + parameter.name) : number_text(parameter.value));
  }
  const auto along = [&](int axis) -> std::string {
    const double part = scene.down[axis];
    if (part == 0) return "0";
    if (std::abs(part) == 1) return part > 0 ? "\"=g\"" : "\"=-g\"";
    return fmt::format("\"=g*({})\"", number_text(part));
  };
  return fmt::format(
      "{{\n  \"taut\": 1,\n  \"name\": {},\n  \"title\": {},\n  \"parameters\": {{{}\n  }},\n"
      "  \"robots\": [\n    {{ \"file\": {}{}, \"joints\": {{{}\n      }} }}\n  ],\n"
      "  \"forces\": [\n    {{ \"type\": \"gravity\", \"acceleration\": [{}, {}, {}] }}\n  ],\n"
      "  \"simulation\": {{ \"step\": {}, \"duration\": {}, \"record_every\": {} }}\n}}\n",
      io::json_quoted(name), io::json_quoted(scene.title), parameters,
      io::json_quoted(std::filesystem::path(file).filename().string()),
      floating != 0 ? ", \"base\": \"floating\"" : "", joints, along(0), along(1), along(2),
      number_text(scene.step), number_text(scene.duration), scene.record_every);
}

}  // namespace

Document Document::from_text(std::string text, std::string origin) {
  return {std::move(text), std::move(origin)};
}

Document Document::load(const std::string& name) {
  for (const EmbeddedText& scene : io::builtin_scenes())
    if (scene.name == name) return {std::string(scene.text), name};
  if (io::is_robot_file(name)) {
    const io::Scene scene = io::load_scene(name);
    return {robot_text(name, scene), name};
  }
  std::error_code no_throw;
  if (!std::filesystem::exists(name, no_throw)) io::load_scene(name);  // throws, with near names
  return {io::read_text(name), name};
}

io::Scene Document::read() const { return io::parse_scene(text_, origin_); }

Document Document::with_parameters(const std::map<std::string, double>& values) const {
  std::string text = text_;
  for (const auto& [name, value] : values) {
    const auto found = find_value(text, "/parameters/" + name);
    if (!found) throw Error(fmt::format("the scene has no parameter \"{}\"", name));
    if (!std::isfinite(value))
      throw Error(fmt::format("parameter {}: expected a finite number", name));
    text = text[found->begin] == '{'
               ? set_member(text, "/parameters/" + name, "value", number_text(value))
               : set_member(text, "/parameters", name, number_text(value));
  }
  return {std::move(text), origin_};
}

Document Document::with_gravity(const Vec3& gravity) const {
  if (!gravity.allFinite()) throw Error("gravity: expected finite numbers");
  if (const auto forces = find_value(text_, "/forces")) {
    const std::size_t count = array_items(text_, *forces).size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string pointer = fmt::format("/forces/{}", i);
      if (plain_string(text_, pointer + "/type") == "gravity")
        return {set_member(text_, pointer, "acceleration", vector_text(gravity)), origin_};
    }
  }
  return {append_item(text_, "forces",
                      fmt::format("{{ \"type\": \"gravity\", \"acceleration\": {} }}",
                                  vector_text(gravity))),
          origin_};
}

Document Document::with_run(const RunChoice& run) const {
  std::string text = set_member(text_, "/simulation", "step", number_text(run.step));
  std::string options;
  for (const OptionValue& option : run.options) {
    const bool is_bare = option.value == "true" || option.value == "false" ||
                         option.value.find_first_not_of("0123456789.eE+-") == std::string::npos;
    options += fmt::format("{}{}: {}", options.empty() ? "" : ", ", io::json_quoted(option.name),
                           is_bare ? option.value : io::json_quoted(option.value));
  }
  text = set_member(text, "/simulation", "method", io::json_quoted(run.method));
  if (!options.empty() || find_value(text, "/simulation/options"))
    text = set_member(text, "/simulation", "options", "{ " + options + " }");
  return {std::move(text), origin_};
}

Document Document::with_starts(const io::Scene& scene, const VecX& q) const {
  const auto cloths = find_value(text_, "/cloths");
  const std::size_t count = cloths ? array_items(text_, *cloths).size() : 0;
  if (count != scene.surfaces.size())
    throw Error(
        fmt::format("found {} cloths made from {} entries of the file, expected one of "
                    "each: write them out without repeats",
                    scene.surfaces.size(), count));
  const Pose pose(scene.system, q);
  std::string text = text_;
  for (std::size_t i = 0; i < count; ++i) {
    std::string places;
    for (const BodyId vertex : scene.surfaces[i].vertices)
      places += (places.empty() ? "" : ", ") + vector_text(pose.at(Point(vertex)));
    text = set_member(text, fmt::format("/cloths/{}", i), "start", "[" + places + "]");
  }
  return {std::move(text), origin_};
}

Document Document::with_pin(const NewPin& pin) const {
  const std::string body = io::json_quoted(pin.body);
  const std::string point =
      pin.is_rigid ? fmt::format("{{ \"body\": {}, \"at\": {} }}", body, vector_text(pin.local))
                   : body;
  return {
      append_item(text_, "constraints",
                  fmt::format("{{ \"type\": \"pin\", \"name\": {}, \"point\": {}, \"at\": {} }}",
                              io::json_quoted(pin.name), point, vector_text(pin.place))),
      origin_};
}

namespace {

/// The pins of a cloth as names of vertices, without one of them; nothing where the name is not
/// that of such a pin.
struct ClothPins {
  std::string cloth;
  std::string list;
};
std::optional<ClothPins> other_cloth_pins(const io::Scene& scene, const std::string& name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return std::nullopt;
  ClothPins found{name.substr(0, slash), ""};
  for (const auto& batch : scene.system.constraints()) {
    if (batch->type() != "pin") continue;
    for (int i = 0; i < batch->size(); ++i) {
      if (!batch->name(i).starts_with(found.cloth + "/") || batch->name(i) == name) continue;
      std::array<Anchor, 1> anchor;
      batch->anchors(i, anchor);
      found.list += fmt::format("{}{}", found.list.empty() ? "" : ", ",
                                io::json_quoted(scene.system.body_name(anchor[0].body)));
    }
  }
  return found;
}

}  // namespace

Document Document::without_pin(const io::Scene& scene, const std::string& name) const {
  if (const auto constraints = find_value(text_, "/constraints")) {
    const std::vector<Span> items = array_items(text_, *constraints);
    std::map<std::string, int> counts;
    bool is_countable = true;  // whether names that are not given can be told
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string pointer = fmt::format("/constraints/{}", i);
      const std::string type(plain_string(text_, pointer + "/type"));
      if (find_value(text_, pointer + "/repeat")) is_countable = false;
      const auto given = find_value(text_, pointer + "/name");
      const std::string own = given          ? std::string(plain_string(text_, pointer + "/name"))
                              : is_countable ? fmt::format("{}{}", type, counts[type])
                                             : "";
      ++counts[type];
      if (own == name && type == "pin") return {remove_item(text_, items, i), origin_};
    }
  }
  if (const auto pins = other_cloth_pins(scene, name)) {
    const auto cloths = find_value(text_, "/cloths");
    const std::size_t count = cloths ? array_items(text_, *cloths).size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string pointer = fmt::format("/cloths/{}", i);
      const auto own = find_value(text_, pointer + "/name");
      if (own && plain_string(text_, pointer + "/name") != pins->cloth) continue;
      const auto list = find_value(text_, pointer + "/pins");
      if (!list || text_.substr(list->begin, list->end - list->begin).find("\"displacement\"") !=
                       std::string::npos)
        continue;
      return {
          set_member(
              text_, pointer, "pins",
              pins->list.empty() ? "[]" : fmt::format("[{{ \"vertices\": [{}] }}]", pins->list)),
          origin_};
    }
  }
  throw Error(fmt::format(
      "\"{}\" cannot be removed by itself: it comes from a repeat, a motion or a robot. Change the "
      "scene's text",
      name));
}

}  // namespace taut::server
