// A URDF file alone as a scene.
#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "taut/forces/list.hpp"
#include "taut/robot/builtin_robots.hpp"
#include "taut/robot/robot_builder.hpp"
#include "taut/scene/robot_file_internal.hpp"
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
    scene_.step = 0.002;
    scene_.record_every = 5;
  }

  Scene make() {
    read_parameters();
    scene_.method_settings = settings_.method_options(scope_);
    AddedRobot added;
    try {
      added = add_robot(scene_.system, robot_, options_);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", shown_file(origin_), error.what()));
    }
    if (scene_.system.body_count() == 0)
      throw Error(
          shown_file(origin_) +
          ": found nothing that can move, expected a joint that is not fixed (or a root that "
          "floats: floating=1)");
    apply(scene_.system, Gravity{Vec3(0, 0, -gravity_)});
    scene_.visuals = std::move(added.visuals);
    scene_.ignored = robot_.ignored;
    if (const std::size_t count = robot_.collisions.size(); count > 0)
      scene_.ignored.insert(
          scene_.ignored.begin(),
          fmt::format("{} <collision> elements: nothing else has a shape", count));
    return std::move(scene_);
  }
  /// Name, title and parameters only.
  Scene make_summary() {
    read_parameters();
    return std::move(scene_);
  }

 private:
  void read_parameters() {
    gravity_ = parameter("g", "m/s²", "gravity, downwards (−z)", 9.81, -RobotJoint::infinity,
                         RobotJoint::infinity);
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
    options_.positions = default_positions(robot_);
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const RobotJoint& joint = robot_.joints[i];
      if (joint.has_position() && joint.mimic < 0) read_position(joint, options_.positions[i]);
    }
    follow(robot_, options_.positions);
    refuse_followers();
    settings_.refuse_unknown(scene_.parameters);
  }

  void read_position(const RobotJoint& joint, double& position) {
    const std::string unit = joint.type == JointType::prismatic ? "m" : "rad";
    std::string description = fmt::format("{} joint, its position at the start",
                                          joint.type == JointType::prismatic  ? "prismatic"
                                          : joint.type == JointType::revolute ? "revolute"
                                                                              : "continuous");
    if (joint.type != JointType::continuous)
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
    SceneParameter& added = scene_.parameters.emplace_back(
        SceneParameter{name, unit, description, value});
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
