#include <fmt/core.h>

#include <filesystem>

#include "taut/robot/builtin_robots.hpp"
#include "taut/robot/urdf.hpp"
#include "taut/scene/robot_file_internal.hpp"
#include "taut/text/at.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io::detail {

bool is_robot_name(const std::string& name) {
  return std::filesystem::path(name).extension() == ".urdf";
}

Robot load_robot(const std::string& name, const std::optional<std::string>& folder) {
  std::error_code no_throw;
  if (folder) {
    const std::filesystem::path path = std::filesystem::path(*folder) / name;
    if (std::filesystem::exists(path, no_throw)) {
      Robot robot = parse_urdf(read_text(path.string(), "a URDF file"), path.string());
      for (std::vector<LinkVisual>* all : {&robot.visuals, &robot.collisions})
        for (LinkVisual& each : *all) each.visual.folder = path.parent_path().string();
      return robot;
    }
  }
  std::vector<std::string_view> names;
  for (const EmbeddedText& robot : builtin_robots()) {
    if (robot.name == name) return parse_urdf(robot.text, name);
    names.push_back(robot.name);
  }
  throw Error(fmt::format(
      "{}: found no such file, expected a URDF file or the name of a built-in robot, see `taut "
      "list "
      "robots`{}",
      shown_file(name), suggestion(std::filesystem::path(name).filename().string(), names)));
}

}  // namespace taut::io::detail
