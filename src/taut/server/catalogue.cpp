#include "taut/server/catalogue.hpp"

#include "taut/methods/method.hpp"
#include "taut/report/method_colours.hpp"
#include "taut/robot/builtin_robots.hpp"
#include "taut/scene/builtin_scenes.hpp"
#include "taut/scene/parameters.hpp"
#include "taut/scene/scene.hpp"
#include "taut/server/stage.hpp"
#include "taut/text/json_text.hpp"

namespace taut::server {
namespace {

using io::Json;

Json parameters_json(const std::vector<io::SceneParameter>& parameters) {
  Json all = Json::array();
  for (const io::SceneParameter& parameter : parameters) {
    Json json = parameter_json(parameter);
    json["default"] = parameter.value;
    all.push_back(std::move(json));
  }
  return all;
}

/// Told from the text: to load all scenes takes seconds.
Json tags(const io::Node& scene, std::string_view text) {
  Json all = Json::array();
  const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
  if (scene.find("cloths")) all.push_back("cloth");
  if (scene.find("robots")) all.push_back("robot");
  if (has("\"shapes\"") || has("\"collision\"")) all.push_back("contacts");
  if (has("\"hinge\"") || has("\"ball\"") || has("\"slider\"") || has("\"universal\"") ||
      has("\"cylindrical\"") || has("\"gear\"") || scene.find("robots"))
    all.push_back("joints");
  if (has("\"particle\"") || scene.find("cloths")) all.push_back("particles");
  if (has("\"rigid\"") || scene.find("robots")) all.push_back("rigid");
  return all;
}

}  // namespace

std::string builtin_text(std::string_view name) {
  for (const EmbeddedText& scene : io::builtin_scenes())
    if (scene.name == name) return std::string(scene.text);
  for (const EmbeddedText& robot : io::builtin_robots())
    if (robot.name == name) return std::string(robot.text);
  return "";
}

std::string scenes_json() {
  Json all = Json::array();
  for (const io::SceneSummary& summary : io::list_scenes()) {
    const std::string text = builtin_text(summary.name);
    const io::Node tree = io::parse_json(text, summary.name);
    const io::Node* description = tree.find("description");
    all.push_back(
        {{"name", summary.name},
         {"title", summary.title},
         {"description", description && description->text() ? *description->text() : std::string()},
         {"kind", "scene"},
         {"tags", tags(tree, text)},
         {"parameters", parameters_json(summary.parameters)}});
  }
  for (const io::SceneSummary& summary : io::list_robots())
    all.push_back({{"name", summary.name},
                   {"title", summary.title},
                   {"description", ""},
                   {"kind", "robot"},
                   {"tags", Json::array({"robot", "joints", "rigid"})},
                   {"parameters", parameters_json(summary.parameters)}});
  return all.dump();
}

std::string methods_json() {
  Json all = Json::array();
  std::size_t place = 0;
  for (const MethodInfo& method : methods()) {
    Json options = Json::array();
    const auto texts = io::parameters_of(method.options, method.defaults);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      Json option{{"name", texts[i].name},
                  {"type", texts[i].type},
                  {"unit", texts[i].unit},
                  {"default", texts[i].default_value},
                  {"description", texts[i].doc}};
      const auto choices = method.options[i].value().choices;
      if (!choices.empty()) option["choices"] = Json(choices);
      options.push_back(std::move(option));
    }
    const report::MethodColour colour = report::method_colour(place++);
    all.push_back({{"name", method.name},
                   {"summary", method.summary},
                   {"colour", {{"light", colour.on_light}, {"dark", colour.on_dark}}},
                   {"options", std::move(options)}});
  }
  return all.dump();
}

}  // namespace taut::server
