#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "taut/robot/builtin_robots.hpp"
#include "taut/robot/mjcf.hpp"
#include "taut/robot/sdf.hpp"
#include "taut/robot/urdf.hpp"
#include "taut/scene/robot_file_internal.hpp"
#include "taut/text/at.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io {
namespace {

constexpr std::string_view ends[] = {".urdf", ".xml", ".mjcf", ".sdf", ".world"};

/// The name of the outermost element, as far as that can be seen without reading the file.
std::string_view outermost(std::string_view text) {
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    const bool is_comment = text.substr(at).starts_with("<!--");
    if (!is_comment && text[at + 1 < text.size() ? at + 1 : at] != '?') {
      const std::string_view name = text.substr(at + 1);
      return name.substr(0, name.find_first_of(" \t\r\n/>"));
    }
    at = is_comment ? text.find("-->", at) : at + 1;
  }
  return "";
}

Robot parse_robot(std::string_view text, const std::string& origin, const std::string& folder) {
  const std::string_view root = outermost(text);
  const std::string end = std::filesystem::path(origin).extension().string();
  if (root == "mujoco" || root == "mujocoinclude") return parse_mjcf(text, origin, folder);
  if (root == "sdf") return parse_sdf(text, origin, folder);
  if (root == "robot" || end == ".urdf") return parse_urdf(text, origin);
  return end == ".sdf" || end == ".world" ? parse_sdf(text, origin, folder)
                                          : parse_mjcf(text, origin, folder);
}

}  // namespace

bool is_robot_file(std::string_view name) {
  return std::any_of(std::begin(ends), std::end(ends), [&](std::string_view end) {
    return name.size() > end.size() && name.ends_with(end);
  });
}

namespace detail {

Robot load_robot(const std::string& name, const std::optional<std::string>& folder) {
  std::error_code no_throw;
  if (folder) {
    const std::filesystem::path path = std::filesystem::path(*folder) / name;
    if (std::filesystem::exists(path, no_throw)) {
      const std::filesystem::path parent = path.parent_path();
      const std::string its_folder = parent.empty() ? "." : parent.string();
      Robot robot = parse_robot(read_text(path.string(), "a robot's file: URDF, MJCF or SDF"),
                                path.string(), its_folder);
      const auto settle = [&](Visual& visual) {
        if (visual.folder.empty()) visual.folder = path.parent_path().string();
      };
      for (LinkVisual& each : robot.visuals) settle(each.visual);
      for (LinkShape& each : robot.collisions) settle(each.visual);
      return robot;
    }
  }
  std::vector<std::string_view> names;
  for (const EmbeddedText& robot : builtin_robots()) {
    if (robot.name == name) return parse_robot(robot.text, name, "");
    names.push_back(robot.name);
  }
  throw Error(fmt::format(
      "{}: found no such file, expected a robot's file (URDF, MJCF or SDF) or the name of a "
      "built-in "
      "robot, see `taut list robots`{}",
      shown_file(name), suggestion(std::filesystem::path(name).filename().string(), names)));
}

}  // namespace detail
}  // namespace taut::io
