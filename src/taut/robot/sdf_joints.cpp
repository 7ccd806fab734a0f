// SDF's joints: axes, and the graph of links and joints as a tree from the world, with what is left
// over as loops. A joint may have to be walked from its child to its parent.
#include <algorithm>
#include <cmath>
#include <deque>

#include "taut/robot/sdf_internal.hpp"

namespace taut::io::detail {
namespace {

constexpr std::string_view sdf_joint_types[] = {"fixed",     "revolute",  "continuous",
                                                "prismatic", "ball",      "screw",
                                                "universal", "revolute2", "gearbox"};
const AttributeRule sdf_joint_rule{"joint",
                                   {"parent", "child", "pose", "axis", "axis2", "gearbox_ratio",
                                    "gearbox_reference_body", "thread_pitch", "screw_thread_pitch"},
                                   {"physics", "sensor"},
                                   {}};
const AttributeRule axis_rule{"axis",
                              {"xyz", "limit", "dynamics", "use_parent_model_frame"},
                              {},
                              {"mimic", "initial_position"}};
const AttributeRule limit_rule{
    "limit", {"lower", "upper", "effort", "velocity"}, {"stiffness", "dissipation"}, {}};
const AttributeRule dynamics_rule{
    "dynamics", {"damping", "friction", "spring_reference", "spring_stiffness"}, {}, {}};

/// The same joint seen from the other link: it turns backwards about the axis backwards.
RobotJoint turned_round(RobotJoint joint) {
  joint.axis = -joint.axis;
  return joint;
}

}  // namespace

void SdfReader::collect_joints(SdfScope& scope) {
  for (const std::string& name : scope.order) {
    SdfEntity& entity = scope.entities.at(name);
    if (entity.model)
      collect_joints(*entity.model);
    else if (entity.element->name == "joint")
      read_joint(scope, *entity.element, name);
  }
}

void SdfReader::read_joint(SdfScope& scope, const XmlElement& element, const std::string& name) {
  file_.check_children(element, sdf_joint_rule);
  file_.required(element, "type");
  const std::string_view type = sdf_joint_types[file_.word(element, "type", sdf_joint_types, 0)];
  const auto end = [&](const char* key) {
    const XmlElement* child = element.child(key);
    if (!child || child->text.empty())
      file_.fail(element, fmt::format("found no <{}>, expected the name of a link", key));
    // "world" in a model is the world, unless something in it has that name.
    const int link = link_of(scope, child->text, *child);
    return is_still_[static_cast<std::size_t>(link)] ? 0 : link;
  };
  Edge edge{&element, &scope, scope.prefix + name, end("parent"), end("child"), {}, {}};
  if (edge.parent == edge.child && edge.parent != 0)
    file_.fail(element, "found one link as parent and as child, expected two");
  edge.frame = scope.world * frame(scope, name, element);
  if (edge.parent == edge.child) return file_.ignore(element, "between links that do not move");
  const auto axis = [&](const char* key, JointType kind) {
    return read_axis(scope, element, element.child(key), kind, edge.frame);
  };
  if (type == "universal" || type == "revolute2") {
    edge.joints = {axis("axis", JointType::revolute), axis("axis2", JointType::revolute)};
  } else if (type == "ball" || type == "fixed") {
    RobotJoint& joint = edge.joints.emplace_back();
    joint.type = type == "ball" ? JointType::ball : JointType::fixed;
  } else if (type == "screw") {
    edge.joints = {axis("axis", JointType::screw)};
    RobotJoint& joint = edge.joints[0];
    joint.pitch = file_.child_number(element, "screw_thread_pitch", 1);
    // The older one: radians per metre, of a thread that goes the other way.
    if (const double per_metre = file_.child_number(element, "thread_pitch", 0);
        per_metre != 0 && !element.child("screw_thread_pitch"))
      joint.pitch = -2 * M_PI / per_metre;
    if (joint.pitch == 0)
      file_.refuse_text(*element.child("screw_thread_pitch"), "a number that is not zero");
  } else if (type != "gearbox") {
    edge.joints = {axis("axis", type == "prismatic"    ? JointType::prismatic
                                : type == "continuous" ? JointType::continuous
                                                       : JointType::revolute)};
  }
  edges_.push_back(std::move(edge));
}

RobotJoint SdfReader::read_axis(SdfScope& scope, const XmlElement& joint, const XmlElement* axis,
                                JointType type, const Frame& frame) {
  RobotJoint out;
  out.type = type;
  out.axis = Vec3::UnitZ();
  if (!axis) {
    if (type != JointType::screw)
      file_.fail(joint, "found no <axis> (or <axis2>), expected one for each turn or slide");
    return out;
  }
  file_.check_children(*axis, axis_rule);
  if (const XmlElement* xyz = axis->child("xyz")) {
    const Vec3 given((*file_.child_numbers(*axis, "xyz", 3, 3)).data());
    if (!(given.stableNorm() > 1e-100)) file_.refuse_text(*xyz, "a direction that is not zero");
    out.axis = given.stableNormalized();
    const std::string in = file_.text(*xyz, "expressed_in");
    const bool in_model = file_.child_flag(*axis, "use_parent_model_frame", version_ < 1.45);
    if (!in.empty())
      out.axis = frame.linear().transpose() * scope.world.linear() *
                 this->frame(scope, in, *xyz).linear() * out.axis;
    else if (in_model && version_ < 1.65)
      out.axis = frame.linear().transpose() * scope.world.linear() * out.axis;
  }
  if (const XmlElement* limit = axis->child("limit")) {
    file_.check_children(*limit, limit_rule);
    constexpr double unlimited = 1e16;
    const double lower = file_.child_number(*limit, "lower", -unlimited);
    const double upper = file_.child_number(*limit, "upper", unlimited);
    if (type != JointType::continuous && !(lower > upper)) {
      if (lower > -unlimited) out.lower = lower;
      if (upper < unlimited) out.upper = upper;
    } else if (lower > upper) {
      file_.fail(*limit, fmt::format("found lower {} and upper {}, expected the lower one first",
                                     lower, upper));
    }
    if (out.lower == out.upper) {  // a way to say that it does not move
      if (out.lower != 0)
        file_.fail(*limit, "found equal limits that are not 0, expected room or a fixed joint");
      out = RobotJoint();
      out.type = JointType::fixed;
      return out;
    }
    // Below 0: unlimited.
    const double effort = file_.child_number(*limit, "effort", -1);
    const double velocity = file_.child_number(*limit, "velocity", -1);
    if (effort >= 0 && effort < unlimited) out.effort = effort;
    if (velocity > 0 && velocity < unlimited) out.velocity = velocity;
  }
  if (out.type == JointType::revolute && !out.is_limited()) out.type = JointType::continuous;
  if (const XmlElement* dynamics = axis->child("dynamics")) {
    file_.check_children(*dynamics, dynamics_rule);
    out.damping = file_.child_number(*dynamics, "damping", 0, Range::non_negative);
    out.friction = file_.child_number(*dynamics, "friction", 0, Range::non_negative);
    out.stiffness = file_.child_number(*dynamics, "spring_stiffness", 0, Range::non_negative);
    out.rest = file_.child_number(*dynamics, "spring_reference", 0);
  }
  return out;
}

// Breadth first from the world: what is joined to it, then what stands on its own, in the file's
// order.
void SdfReader::grow_tree() {
  const std::size_t links = robot_.links.size();
  std::vector<std::vector<std::size_t>> at(links);
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    if (edges_[i].joints.empty()) continue;  // a gearbox joins nothing
    at[static_cast<std::size_t>(edges_[i].parent)].push_back(i);
    at[static_cast<std::size_t>(edges_[i].child)].push_back(i);
  }
  std::vector<bool> is_placed(links, false);
  std::deque<int> open{0};
  is_placed[0] = true;
  const auto attach = [&](int link, JointType type, const char* end) {
    RobotJoint joint;
    joint.name = robot_.links[static_cast<std::size_t>(link)].name + end;
    joint.type = type;
    joint.parent = 0;
    joint.child = link;
    joint.origin = link_frames_[static_cast<std::size_t>(link)];
    robot_.joints.push_back(std::move(joint));
    is_placed[static_cast<std::size_t>(link)] = true;
    open.push_back(link);
  };
  for (std::size_t i = 1; i < links; ++i)
    if (is_still_[i]) attach(static_cast<int>(i), JointType::fixed, ".static");
  const auto follow = [&] {
    while (!open.empty()) {
      const int link = open.front();
      open.pop_front();
      for (const std::size_t number : at[static_cast<std::size_t>(link)]) {
        Edge& edge = edges_[number];
        if (edge.is_used) continue;
        const int other = edge.parent == link ? edge.child : edge.parent;
        if (is_placed[static_cast<std::size_t>(other)]) continue;
        edge.is_used = true;
        add_edge(edge, edge.parent == link);
        is_placed[static_cast<std::size_t>(other)] = true;
        open.push_back(other);
      }
    }
  };
  follow();
  for (std::size_t i = 1; i < links; ++i) {
    if (is_placed[i]) continue;
    attach(static_cast<int>(i), JointType::floating, ".free");
    follow();
  }
  for (Edge& edge : edges_)
    if (!edge.is_used && !edge.joints.empty()) close_loop(edge);
  for (const Edge& edge : edges_)
    if (edge.joints.empty()) read_gearbox(edge);
}

void SdfReader::add_edge(Edge& edge, bool forwards) {
  std::vector<RobotJoint> joints = edge.joints;
  for (std::size_t i = 0; i < joints.size(); ++i)
    joints[i].name = joints.size() == 1 ? edge.name : edge.name + (i == 0 ? ".axis" : ".axis2");
  if (!forwards) {
    std::reverse(joints.begin(), joints.end());
    std::transform(joints.begin(), joints.end(), joints.begin(), turned_round);
  }
  const int from = forwards ? edge.parent : edge.child, to = forwards ? edge.child : edge.parent;
  Frame before = link_frames_[static_cast<std::size_t>(from)];
  int parent = from;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    RobotJoint& joint = joints[i];
    joint.parent = parent;
    joint.origin = before.inverse() * edge.frame;
    joint.child = to;
    if (i + 1 < joints.size()) {  // a link between, without mass
      joint.child = parent = static_cast<int>(robot_.links.size());
      robot_.links.emplace_back().name = edge.name + ".between";
      link_frames_.push_back(edge.frame);
      is_still_.push_back(false);
      before = edge.frame;
    } else {
      joint.child_origin = edge.frame.inverse() * link_frames_[static_cast<std::size_t>(to)];
    }
    robot_.joints.push_back(joint);
  }
}

void SdfReader::close_loop(Edge& edge) {
  if (edge.joints.size() > 1)
    file_.fail(*edge.element,
               "found a joint with two axes that closes a loop, expected another joint of the loop "
               "behind it in the file");
  RobotJoint joint = edge.joints[0];
  joint.name = edge.name;
  joint.parent = edge.parent;
  joint.child = edge.child;
  joint.origin = link_frames_[static_cast<std::size_t>(edge.parent)].inverse() * edge.frame;
  joint.child_origin = edge.frame.inverse() * link_frames_[static_cast<std::size_t>(edge.child)];
  robot_.loops.push_back(std::move(joint));
}

// θ₂ = −ratio·θ₁, of the parent and the child against the reference body.
void SdfReader::read_gearbox(const Edge& edge) {
  const XmlElement& element = *edge.element;
  const double ratio = file_.child_number(element, "gearbox_ratio", 1);
  if (ratio == 0) file_.refuse_text(*element.child("gearbox_ratio"), "a number that is not zero");
  const XmlElement* reference = element.child("gearbox_reference_body");
  if (!reference) file_.fail(element, "found no <gearbox_reference_body>, expected one");
  const int body = link_of(*edge.scope, reference->text, *reference);
  const int base = is_still_[static_cast<std::size_t>(body)] ? 0 : body;
  const auto joint_of = [&](int link) -> int {
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const RobotJoint& joint = robot_.joints[i];
      const bool between = (joint.parent == base && joint.child == link) ||
                           (joint.parent == link && joint.child == base);
      if (between && joint.turns()) return static_cast<int>(i);
    }
    file_.fail(element,
               "found no hinge between the reference body and one of the two links, "
               "expected one each");
  };
  const int first = joint_of(edge.parent), second = joint_of(edge.child);
  RobotJoint& follower = robot_.joints[static_cast<std::size_t>(second)];
  const RobotJoint& leader = robot_.joints[static_cast<std::size_t>(first)];
  if (first == second || follower.mimic >= 0 || leader.mimic >= 0)
    file_.fail(element, "found joints that are geared already, expected each in one gearbox");
  // Whether a joint turns as the gearbox's axis says.
  const auto sense = [&](const RobotJoint& joint, const char* key) {
    const RobotJoint axis =
        read_axis(*edge.scope, element, element.child(key), JointType::revolute, edge.frame);
    const Vec3 wanted = edge.frame.linear() * axis.axis;
    const Vec3 found = link_frames_[static_cast<std::size_t>(joint.parent)].linear() *
                       joint.origin.linear() * joint.axis;
    return (wanted.dot(found) < 0) != (joint.child == base) ? -1.0 : 1.0;
  };
  follower.mimic = first;
  follower.multiplier = -ratio * sense(leader, "axis") * sense(follower, "axis2");
}

}  // namespace taut::io::detail
