#include "taut/scene/scene.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <new>

#include "taut/robot/builtin_robots.hpp"
#include "taut/scene/builtin_scenes.hpp"
#include "taut/scene/robot_file_internal.hpp"
#include "taut/scene/scene_reader_internal.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io {

namespace {

/// `folder`: where robots are looked for; none for built-in scenes, which use built-in robots.
Scene parse(std::string_view text, const std::string& origin, std::span<const Setting> settings,
            std::optional<std::string> folder) {
  try {
    const io::Node tree = io::parse_json(text, origin);
    Scene scene =
        detail::SceneReader(settings, origin, std::move(folder)).read(io::At(tree, origin));
    if (scene.name.empty()) scene.name = std::filesystem::path(origin).stem().string();
    return scene;
  } catch (const std::bad_alloc&) {
    throw Error(io::shown_file(origin) + ": found a scene that does not fit into memory");
  }
}

}  // namespace

Scene parse_scene(std::string_view text, const std::string& origin,
                  std::span<const Setting> settings) {
  return parse(text, origin, settings, std::filesystem::path(origin).parent_path().string());
}

Constants constants_of(const Scene& scene) {
  Constants constants;
  for (const SceneParameter& parameter : scene.parameters) {
    constants.names.push_back(parameter.name);
    constants.values.push_back(parameter.value);
  }
  return constants;
}

Scene load_scene(const std::string& name_or_path, std::span<const Setting> settings) {
  std::vector<std::string_view> names;
  for (const EmbeddedText& scene : builtin_scenes()) {
    if (scene.name == name_or_path) return parse(scene.text, name_or_path, settings, std::nullopt);
    names.push_back(scene.name);
  }
  if (is_robot_file(name_or_path)) return detail::robot_scene(name_or_path, settings);
  std::error_code no_throw;
  if (!std::filesystem::exists(name_or_path, no_throw)) {
    for (const EmbeddedText& robot : builtin_robots()) names.push_back(robot.name);
    // "scenes/two_lnk.json" is as near to "two_link" as "two_lnk" is; "arm6" is "arm6.urdf".
    const std::string stem = std::filesystem::path(name_or_path).stem().string();
    std::string wanted = stem;
    for (const EmbeddedText& robot : builtin_robots())
      if (std::filesystem::path(robot.name).stem() == stem) wanted = robot.name;
    const std::string_view near = nearest_name(wanted, names);
    throw Error(fmt::format(
        "{}: found no such file, expected a scene file or the name of a built-in scene, see `taut "
        "list scenes`{}",
        io::shown_file(name_or_path),
        near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near)));
  }
  return parse_scene(io::read_text(name_or_path), name_or_path, settings);
}

std::vector<SceneSummary> list_scenes() {
  std::vector<SceneSummary> summaries;
  for (const EmbeddedText& builtin : builtin_scenes()) {
    const std::string name(builtin.name);
    const io::Node tree = io::parse_json(builtin.text, name);
    Scene scene = detail::SceneReader({}, name).read_summary(io::At(tree, name));
    summaries.push_back({name, std::move(scene.title), std::move(scene.parameters)});
  }
  return summaries;
}

}  // namespace taut::io
