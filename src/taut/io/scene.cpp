#include "taut/io/scene.hpp"

#include <algorithm>
#include <filesystem>
#include <new>

#include "taut/io/builtin_scenes.hpp"
#include "taut/io/json_text_internal.hpp"
#include "taut/io/scene_reader_internal.hpp"

namespace taut::io {

Scene parse_scene(std::string_view text, const std::string& origin,
                  std::span<const Setting> settings) {
  try {
    const detail::Node tree = detail::parse_json(text, origin);
    Scene scene = detail::SceneReader(settings).read(detail::At(tree, origin));
    if (scene.name.empty()) scene.name = std::filesystem::path(origin).stem().string();
    return scene;
  } catch (const std::bad_alloc&) {
    throw Error(detail::shown_file(origin) + ": found a scene that does not fit into memory");
  }
}

Scene load_scene(const std::string& name_or_path, std::span<const Setting> settings) {
  std::vector<std::string_view> names;
  for (const EmbeddedText& scene : builtin_scenes()) {
    if (scene.name == name_or_path) return parse_scene(scene.text, name_or_path, settings);
    names.push_back(scene.name);
  }
  std::error_code no_throw;
  if (!std::filesystem::exists(name_or_path, no_throw)) {
    // "scenes/two_lnk.json" is as near to "two_link" as "two_lnk" is.
    const std::string stem = std::filesystem::path(name_or_path).stem().string();
    throw Error(detail::shown_file(name_or_path) +
                ": found no such file, expected a scene file or the name of a built-in scene" +
                suggestion(stem, names));
  }
  return parse_scene(detail::read_text(name_or_path), name_or_path, settings);
}

std::vector<SceneSummary> list_scenes() {
  std::vector<SceneSummary> summaries;
  for (const EmbeddedText& builtin : builtin_scenes()) {
    const std::string name(builtin.name);
    const detail::Node tree = detail::parse_json(builtin.text, name);
    Scene scene = detail::SceneReader({}).read_summary(detail::At(tree, name));
    summaries.push_back({name, std::move(scene.title), std::move(scene.parameters)});
  }
  return summaries;
}

}  // namespace taut::io
