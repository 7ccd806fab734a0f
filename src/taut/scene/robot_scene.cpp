// A robot's file alone as a scene.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "taut/collision/shape_contacts.hpp"
#include "taut/forces/list.hpp"
#include "taut/robot/builtin_robots.hpp"
#include "taut/robot/robot_builder.hpp"
#include "taut/scene/robot_file_internal.hpp"
#include "taut/scene/robot_shapes_internal.hpp"
#include "taut/scene/settings_internal.hpp"

namespace taut::io {
namespace detail {
namespace {

class RobotSceneMaker {
 public:
  RobotSceneMaker(const Robot& robot, std::span<const Setting> settings, const std::string& origin)
      : robot_(robot), settings_(settings, origin), origin_(origin) {
    scene_.name = std::filesystem::path(origin).stem().string();
    scene_.title = fmt::format("The robot {}, {} links", printable(robot.name), robot.links.size());
    scene_.step = robot.step.value_or(0.002);
    scene_.record_every = std::max(1L, std::lround(0.01 / scene_.step));
    if (robot.gravity && robot.gravity->norm() > 0) scene_.down = robot.gravity->normalized();
  }

  Scene make() {
    read_parameters();
    scene_.method_settings = settings_.method_options(scope_);
    AddedRobot added;
    try {
      added = add_robot(scene_.system, robot_, options_);
    } catch (const Error& error) {
      fail(error.what());
    }
    if (scene_.system.body_count() == 0)
      fail("found nothing that can move, expected a joint that is not fixed (or a root that "
           "floats: floating=1)");
    apply(scene_.system, Gravity{gravity_ * scene_.down});
    scene_.visuals = std::move(added.visuals);
    scene_.ignored = robot_.ignored;
    scene_.ignored.insert(scene_.ignored.end(), added.ignored.begin(), added.ignored.end());
    scene_.warnings = robot_.warnings;
    scene_.warnings.insert(scene_.warnings.end(), added.warnings.begin(), added.warnings.end());
    add_contacts(added);
    return std::move(scene_);
  }
  /// Name, title and parameters only.
  Scene make_summary() {
    read_parameters();
    return std::move(scene_);
  }

 private:
  /// What is not simulated may be the reason.
  [[noreturn]] void fail(std::string_view fault) const {
    std::string text = fmt::format("{}: {}", shown_file(origin_), fault);
    for (std::size_t i = 0; i < robot_.warnings.size(); ++i)
      text += fmt::format("{}{}", i == 0 ? "; in the file, but not simulated: " : ", ",
                          robot_.warnings[i].substr(0, robot_.warnings[i].rfind(": ")));
    throw Error(text);
  }
  void read_parameters() {
    const Vec3& d = scene_.down;
    const std::string way =
        d == -Vec3::UnitZ() ? "downwards (−z)"
                            : fmt::format("along [{:.6g}, {:.6g}, {:.6g}]", d.x(), d.y(), d.z());
    gravity_ =
        parameter("g", "m/s²", "gravity, " + way, robot_.gravity ? robot_.gravity->norm() : 9.81,
                  -RobotJoint::infinity, RobotJoint::infinity);
    if (!robot_.is_world) read_floating();
    options_.positions = default_positions(robot_);
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const RobotJoint& joint = robot_.joints[i];
      if (joint.has_position() && joint.mimic < 0) read_position(joint, options_.positions[i]);
    }
    follow(robot_, options_.positions);
    refuse_followers();
    settings_.refuse_unknown(scene_.parameters);
  }

  void read_floating() {
    const bool can = can_float(robot_);
    const double floating =
        parameter("floating", "",
                  can ? "1: the root link moves freely, 0: it is fixed in the world"
                      : "0: the root link is fixed in the world",
                  0, 0, 1);
    if (floating != 0 && floating != 1)
      settings_.fail(*settings_.find("floating"),
                     fmt::format("found {}, expected 0 or 1", floating));
    if (floating != 0 && !can)
      settings_.fail(
          *settings_.find("floating"),
          fmt::format("found the root link {}, which is the world or has no inertia, "
                      "expected 0",
                      in_quotes(robot_.links[static_cast<std::size_t>(robot_.root)].name)));
    if (floating != 0) options_.base = RobotBase::floating;
  }

  /// A robot alone touches nothing, unless its file has the world it stands in.
  void add_contacts(AddedRobot& added) {
    if (added.collisions.empty()) return;
    if (!robot_.touches_itself) {
      scene_.ignored.insert(scene_.ignored.begin(),
                            fmt::format("{} <collision> elements: nothing else has a shape",
                                        robot_.collisions.size()));
      return;
    }
    auto contacts = std::make_unique<collision::ShapeContacts>();
    for (collision::BodyShape& shape :
         robot_shapes(scene_.system, added.collisions, {}, "world", scene_.ignored))
      contacts->add(std::move(shape));
    for (const auto& [a, b] : added.untouched) contacts->ignore(a, b);
    contacts->ignore_joined(scene_.system);
    scene_.system.add_contacts(std::move(contacts));
  }

  void read_position(const RobotJoint& joint, double& position) {
    const std::string unit = joint.type == JointType::prismatic ? "m" : "rad";
    std::string description = fmt::format("{} joint, its position at the start",
                                          joint.type == JointType::prismatic  ? "prismatic"
                                          : joint.type == JointType::revolute ? "revolute"
                                          : joint.type == JointType::screw    ? "screw"
                                                                              : "continuous");
    if (joint.is_limited())
      description += fmt::format(", from {:.6g} to {:.6g}", joint.lower, joint.upper);
    position =
        parameter(parameter_name(joint), unit, description, position, joint.lower, joint.upper);
  }

  /// The joint's, unless that means something else.
  std::string parameter_name(const RobotJoint& joint) const {
    const bool taken = joint.name == "g" || joint.name == "floating" ||
                       joint.name.starts_with("method.") || joint.name.starts_with("joint.");
    return taken ? "joint." + joint.name : joint.name;
  }

  double parameter(const std::string& name, const std::string& unit, const std::string& description,
                   double value, double least, double most) {
    if (const Setting* set = settings_.find(name)) {
      value = settings_.value(*set, scope_);
      if (value < least || value > most)
        settings_.fail(
            *set, fmt::format("found {}, expected a number from {} to {}", value, least, most));
    }
    SceneParameter& added =
        scene_.parameters.emplace_back(SceneParameter{name, unit, description, value});
    if (std::isfinite(least)) added.min = least;
    if (std::isfinite(most)) added.max = most;
    return value;
  }

  void refuse_followers() const {
    for (const RobotJoint& joint : robot_.joints)
      if (const Setting* set = settings_.find(joint.name); set && joint.mimic >= 0)
        settings_.fail(
            *set,
            fmt::format("found a joint that follows {}, expected that one",
                        in_quotes(robot_.joints[static_cast<std::size_t>(joint.mimic)].name)));
  }

  const Robot& robot_;
  Settings settings_;
  const std::string& origin_;
  Scope scope_;  // empty: values may use pi and functions
  Scene scene_;
  RobotOptions options_;
  double gravity_ = 0;
};

}  // namespace

Scene robot_scene(const std::string& name, std::span<const Setting> settings) {
  const Robot robot = load_robot(name, "");
  return RobotSceneMaker(robot, settings, name).make();
}

}  // namespace detail

std::vector<SceneSummary> list_robots() {
  std::vector<SceneSummary> summaries;
  for (const EmbeddedText& builtin : builtin_robots()) {
    const std::string name(builtin.name);
    const Robot robot = detail::load_robot(name, std::nullopt);
    Scene scene = detail::RobotSceneMaker(robot, {}, name).make_summary();
    summaries.push_back({name, std::move(scene.title), std::move(scene.parameters)});
  }
  return summaries;
}

}  // namespace taut::io
