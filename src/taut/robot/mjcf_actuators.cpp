// MJCF's actuators as inputs that drive joints, and the first keyframe as the start.
#include <algorithm>
#include <cmath>

#include "taut/robot/mjcf_internal.hpp"

namespace taut::io::detail {
namespace {

constexpr std::string_view kinds[] = {"motor",       "position", "velocity", "general",  "damper",
                                      "intvelocity", "cylinder", "muscle",   "adhesion", "plugin"};
const AttributeRule actuator_rule{
    "actuator",
    {"name", "class", "joint", "jointinparent", "tendon", "gear", "ctrlrange", "ctrllimited",
     "forcerange", "forcelimited", "kp", "kv", "dampratio", "gaintype", "biastype", "dyntype",
     "gainprm", "biasprm", "inheritrange"},
    {"group", "user", "lengthrange", "cranklength"},
    {"actrange", "actlimited", "dynprm", "actdim", "actearly", "timeconst"}};

}  // namespace

void MjcfReader::read_actuators() {
  each("actuator", [&](const XmlElement& section) {
    for (const XmlElement& element : section.children) {
      if (std::find(std::begin(kinds), std::end(kinds), element.name) == std::end(kinds)) {
        file_.unknown(element, section, kinds);
      } else if (!options_.actuation) {
        file_.ignore(element, "actuation is disabled");
      } else {
        read_actuator(element);
      }
    }
  });
}

/// What it drives; false, with a warning, for what taut has not.
bool MjcfReader::find_parts(const XmlElement& at, RobotActuator& drive) {
  const auto gear = file_.numbers(at, "gear", 1, 6).value_or(std::vector<double>{1});
  const char* key = at.attribute("joint") ? "joint" : "jointinparent";
  if (at.attribute(key)) {
    const int joint = file_.find(at, key, *at.attribute(key), joints_, "joint");
    if (robot_.joints[static_cast<std::size_t>(joint)].has_position()) {
      drive.parts.push_back({joint, gear[0]});
      return true;
    }
    if (robot_.joints[static_cast<std::size_t>(joint)].type == JointType::fixed) return false;
    file_.warned.count(fmt::format("<{}> element", at.name), " of a ball or free joint",
                       "not simulated");
    return false;
  }
  if (at.attribute("tendon")) {
    const int tendon = file_.find(at, "tendon", *at.attribute("tendon"), tendons_, "tendon");
    const auto& parts = fixed_tendons_[static_cast<std::size_t>(tendon)].parts;
    for (const RobotActuator::Part& part : parts)
      drive.parts.push_back({part.joint, gear[0] * part.gear});
    if (!parts.empty()) return true;
    file_.warned.count(fmt::format("<{}> element", at.name), " on a spatial tendon",
                       "not simulated");
    return false;
  }
  file_.warned.count(fmt::format("<{}> element", at.name), " on a site, a body or a crank",
                     "not simulated");
  return false;
}

void MjcfReader::read_actuator(const XmlElement& element) {
  const XmlElement at = whole(element, "general", "");
  const std::string& kind = element.name;
  if (kind == "muscle" || kind == "adhesion" || kind == "cylinder" || kind == "intvelocity" ||
      kind == "plugin")
    return file_.warn(element, "not simulated");
  RobotActuator drive;
  drive.name = file_.text(at, "name", fmt::format("{}{}", kind, actuators_.size() + 1));
  name(at, drive.name, static_cast<int>(robot_.actuators.size()), actuators_, "actuator");
  if (!find_parts(at, drive)) return;
  file_.check(at, actuator_rule);

  const auto prm = [&](const char* key, std::vector<double> otherwise) {
    std::vector<double> all = file_.numbers(at, key, 0, 10).value_or(std::move(otherwise));
    all.resize(std::max<std::size_t>(all.size(), 3), 0);
    return all;
  };
  if (kind == "position") {
    const double kp = file_.number(at, "kp", prm("gainprm", {1})[0], Range::non_negative);
    drive.gain = drive.stiffness = kp;
    drive.damping = file_.number(at, "kv", 0, Range::non_negative);
    if (at.attribute("dampratio"))
      file_.warned.count("\"dampratio\" attribute", " of <position>", "not simulated");
    drive.unit = "rad or m";
  } else if (kind == "velocity") {
    drive.gain = drive.damping =
        file_.number(at, "kv", prm("gainprm", {1})[0], Range::non_negative);
    drive.unit = "rad/s or m/s";
  } else if (kind == "damper") {
    return file_.warn(element, "not simulated");
  } else if (kind == "general") {
    constexpr std::string_view gains[] = {"fixed", "affine", "muscle", "user"};
    constexpr std::string_view biases[] = {"none", "affine", "muscle", "user"};
    constexpr std::string_view dynamics[] = {"none",        "integrator", "filter",
                                             "filterexact", "muscle",     "user"};
    const auto bias = file_.word(at, "biastype", biases, 0);
    const std::vector<double> gain = prm("gainprm", {1}), b = prm("biasprm", {0});
    const bool is_linear = file_.word(at, "gaintype", gains, 0) == 0 && bias < 2 &&
                           file_.word(at, "dyntype", dynamics, 0) == 0;
    if (!is_linear || (bias == 1 && (b[1] > 0 || b[2] > 0)))
      return file_.warned.count("<general> element", " with dynamics, or gains that are not linear",
                                "not simulated");
    drive.gain = gain[0];
    if (bias == 1) {
      drive.bias = b[0];
      drive.stiffness = -b[1];
      drive.damping = -b[2];
    }
  }
  constexpr std::string_view words[] = {"false", "true", "auto"};
  const auto range = [&](const char* key, const char* limited, double& low, double& high) {
    const auto given = file_.numbers(at, key, 2, 2);
    const std::size_t word = file_.word(at, limited, words, 2);
    if (word == 0 || (word == 2 && !options_.autolimits) || !given) return false;
    low = (*given)[0];
    high = (*given)[1];
    if (!(low < high)) file_.refuse(at, key, "the smaller number first");
    return true;
  };
  range("ctrlrange", "ctrllimited", drive.input_min, drive.input_max);
  range("forcerange", "forcelimited", drive.least, drive.largest);
  drive.input_start = std::clamp(0.0, drive.input_min, drive.input_max);
  if (drive.parts.size() > 1 && (drive.stiffness > 0 || drive.damping > 0))
    return file_.warned.count(fmt::format("<{}> element", kind), " on a tendon of several joints",
                              "not simulated");
  robot_.actuators.push_back(std::move(drive));
}

void MjcfReader::read_start() {
  std::size_t positions = 0, velocities = 0;
  const auto width = [&](int number, bool of_velocity) -> std::size_t {
    const JointType type = robot_.joints[static_cast<std::size_t>(number)].type;
    return type == JointType::floating ? (of_velocity ? 6 : 7)
           : type == JointType::ball   ? (of_velocity ? 3 : 4)
                                       : 1;
  };
  for (const int joint : dof_joints_) {
    positions += width(joint, false);
    velocities += width(joint, true);
  }
  bool is_first = true;
  each("keyframe", [&](const XmlElement& section) {
    for (const XmlElement& key : section.children) {
      if (key.name != "key") {
        constexpr std::string_view known[] = {"key"};
        file_.unknown(key, section, known);
        continue;
      }
      if (!std::exchange(is_first, false) || file_.text(key, "name").empty()) {
        file_.ignore(key, "the first one is the start, if it has a name");
        continue;
      }
      const auto values = [&](const char* name, std::size_t count) {
        return file_.numbers(key, name, count, count);
      };
      const auto q = values("qpos", positions), v = values("qvel", velocities);
      std::size_t at_q = 0, at_v = 0;
      for (const int number : dof_joints_) {
        RobotJoint& joint = robot_.joints[static_cast<std::size_t>(number)];
        const auto quaternion = [&](std::size_t from) -> Mat3 {
          const Quat turn((*q)[from], (*q)[from + 1], (*q)[from + 2], (*q)[from + 3]);
          if (!(turn.norm() > 1e-100)) file_.refuse(key, "qpos", "quaternions that are not zero");
          return turn.normalized().toRotationMatrix();
        };
        if (joint.type == JointType::floating) {
          if (q) {
            Frame world = Frame::Identity();
            world.translation() = Vec3(q->data() + at_q);
            world.linear() = quaternion(at_q + 3);
            joint.start_pose = joint.origin.inverse() * world;
          }
          if (v) {
            joint.start_velocity = joint.origin.linear().transpose() * Vec3(v->data() + at_v);
            joint.start_spin = Vec3(v->data() + at_v + 3);
          }
        } else if (joint.type == JointType::ball) {
          if (q) joint.start_pose.linear() = quaternion(at_q);
          if (v) joint.start_spin = Vec3(v->data() + at_v);
        } else if (joint.has_position()) {
          if (q) joint.start = (*q)[at_q];
          if (v) joint.start_rate = (*v)[at_v];
        }
        at_q += width(number, false);
        at_v += width(number, true);
      }
      if (const auto controls = values("ctrl", actuators_.size()))
        for (RobotActuator& drive : robot_.actuators) {
          // In the file's order, also of those that are not simulated.
          const auto place = static_cast<std::size_t>(actuators_.at(drive.name));
          if (place < controls->size())
            drive.input_start = std::clamp((*controls)[place], drive.input_min, drive.input_max);
        }
    }
  });
}

}  // namespace taut::io::detail
