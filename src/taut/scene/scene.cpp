#include "taut/scene/scene.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <new>

#include "taut/robot/builtin_robots.hpp"
#include "taut/scene/builtin_scenes.hpp"
#include "taut/scene/robot_file_internal.hpp"
#include "taut/scene/scene_reader_internal.hpp"
#include "taut/scene/scene_share.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io {

namespace {

/// What is left of a scene's file after parsing: make(reader, root) reads it. `folder`: where
/// robots are looked for; none for built-in scenes, which use built-in robots.
template <class Make>
auto parse(std::string_view text, const std::string& origin, std::span<const Setting> settings,
           std::optional<std::string> folder, const Make& make) {
  try {
    const io::Node tree = io::parse_json(text, origin);
    return make(detail::SceneReader(settings, origin, std::move(folder)), io::At(tree, origin));
  } catch (const std::bad_alloc&) {
    throw Error(io::shown_file(origin) + ": found a scene that does not fit into memory");
  }
}

Scene parse(std::string_view text, const std::string& origin, std::span<const Setting> settings,
            std::optional<std::string> folder) {
  Scene scene = parse(text, origin, settings, std::move(folder),
                      [](detail::SceneReader reader, const At& root) { return reader.read(root); });
  if (scene.name.empty()) scene.name = std::filesystem::path(origin).stem().string();
  return scene;
}

std::string folder_of(const std::string& file) {
  return std::filesystem::path(file).parent_path().string();
}

}  // namespace

Scene parse_scene(std::string_view text, const std::string& origin,
                  std::span<const Setting> settings) {
  return parse(text, origin, settings, folder_of(origin));
}

SceneShare parse_scene_share(std::string_view text, const std::string& origin,
                             std::span<const Setting> settings, int part, int parts) {
  const bool is_builtin =
      std::any_of(builtin_scenes().begin(), builtin_scenes().end(),
                  [&](const EmbeddedText& scene) { return scene.name == origin; });
  SceneShare share =
      parse(text, origin, settings,
            is_builtin ? std::nullopt : std::optional<std::string>(folder_of(origin)),
            [&](detail::SceneReader reader, const At& root) {
              return reader.read_share(root, part, parts);
            });
  if (share.scene.name.empty()) share.scene.name = std::filesystem::path(origin).stem().string();
  return share;
}

Constants constants_of(const Scene& scene) {
  Constants constants;
  for (const SceneParameter& parameter : scene.parameters) {
    constants.names.push_back(parameter.name);
    constants.values.push_back(parameter.value);
  }
  return constants;
}

namespace {

/// Throws Error, with the nearest name, where there is no such file.
void require_scene(const std::string& name_or_path) {
  std::vector<std::string_view> names;
  for (const EmbeddedText& scene : builtin_scenes()) names.push_back(scene.name);
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
}

std::optional<std::string_view> builtin_text(const std::string& name) {
  for (const EmbeddedText& scene : builtin_scenes())
    if (scene.name == name) return scene.text;
  return std::nullopt;
}

}  // namespace

Scene load_scene(const std::string& name_or_path, std::span<const Setting> settings) {
  if (const auto text = builtin_text(name_or_path))
    return parse(*text, name_or_path, settings, std::nullopt);
  if (is_robot_file(name_or_path)) return detail::robot_scene(name_or_path, settings);
  require_scene(name_or_path);
  return parse_scene(io::read_text(name_or_path), name_or_path, settings);
}

SceneShare load_scene_share(const std::string& name_or_path, std::span<const Setting> settings,
                            int part, int parts) {
  if (const auto text = builtin_text(name_or_path))
    return parse_scene_share(*text, name_or_path, settings, part, parts);
  if (is_robot_file(name_or_path))
    throw Error(
        fmt::format("{}: found a robot, expected a scene of cloth: nothing else can be "
                    "divided among processes",
                    io::shown_file(name_or_path)));
  require_scene(name_or_path);
  return parse_scene_share(io::read_text(name_or_path), name_or_path, settings, part, parts);
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
