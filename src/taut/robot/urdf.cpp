#include "taut/robot/urdf.hpp"

#include <urdf_parser/urdf_parser.h>

#include <cmath>
#include <new>

#include "taut/model/inertia.hpp"
#include "taut/robot/urdf_internal.hpp"
#include "taut/robot/urdf_log_internal.hpp"

namespace taut::io {
namespace detail {
namespace {

Vec3 vector(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Frame frame(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  Frame frame = Frame::Identity();
  frame.linear() = Quat(r.w, r.x, r.y, r.z).normalized().toRotationMatrix();
  frame.translation() = vector(pose.position);
  return frame;
}

JointType type_of(const urdf::Joint& joint) {
  switch (joint.type) {
    case urdf::Joint::REVOLUTE:
      return JointType::revolute;
    case urdf::Joint::CONTINUOUS:
      return JointType::continuous;
    case urdf::Joint::PRISMATIC:
      return JointType::prismatic;
    case urdf::Joint::FLOATING:
      return JointType::floating;
    case urdf::Joint::PLANAR:
      return JointType::planar;
    default:
      return JointType::fixed;
  }
}

/// From urdfdom's model, whose links and joints are called by their numbers, to a Robot.
class RobotReader {
 public:
  RobotReader(UrdfFile& file, const urdf::ModelInterface& model) : file_(file), model_(model) {}

  Robot read(const UrdfTree& tree) {
    robot_.name = *file_.robot.attribute("name");
    robot_.root = tree.root;
    for (std::size_t i = 0; i < file_.links.elements.size(); ++i) read_link(static_cast<int>(i));
    std::vector<int> place(tree.joints.size());  // of the file's joints in robot_.joints
    for (const UrdfTree::Joint& joint : tree.joints) {
      place[static_cast<std::size_t>(joint.number)] = static_cast<int>(robot_.joints.size());
      read_joint(joint);
    }
    for (RobotJoint& joint : robot_.joints)
      if (joint.mimic >= 0) joint.mimic = place[static_cast<std::size_t>(joint.mimic)];
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) resolve_mimic(i);
    robot_.ignored = file_.ignored.lines();
    return std::move(robot_);
  }

 private:
  void read_link(int number) {
    const auto source = model_.getLink(fmt::format("link{}", number));
    TAUT_CHECK(source != nullptr);
    RobotLink link;
    link.name = file_.links.name(number);
    if (source->inertial) read_inertial(number, *source->inertial, link);
    robot_.links.push_back(std::move(link));
    for (const auto& visual : source->visual_array) {
      Visual drawn = read_shape(visual->origin, *visual->geometry);
      if (visual->material) {
        const urdf::Color& color = visual->material->color;
        drawn.color = {color.r, color.g, color.b, color.a};
      }
      robot_.visuals.push_back({number, std::move(drawn)});
    }
    for (const auto& collision : source->collision_array) {
      robot_.collisions.emplace_back().link = number;
      robot_.collisions.back().visual = read_shape(collision->origin, *collision->geometry);
    }
  }

  void read_inertial(int number, const urdf::Inertial& source, RobotLink& link) {
    const Frame origin = frame(source.origin);
    link.mass = source.mass;
    link.center = origin.translation();
    Mat3 inertia;
    inertia << source.ixx, source.ixy, source.ixz,  //
        source.ixy, source.iyy, source.iyz,         //
        source.ixz, source.iyz, source.izz;
    link.inertia = origin.linear() * inertia * origin.linear().transpose();

    const XmlElement& element = *file_.links.elements[static_cast<std::size_t>(number)];
    if (const std::string fault = moments_fault(inertia); !fault.empty())
      file_.fail(*element.child("inertial")->child("inertia"), owner_text(element), fault);
  }

  static Visual read_shape(const urdf::Pose& place, const urdf::Geometry& geometry) {
    Visual visual;
    const Frame origin = frame(place);
    visual.position = origin.translation();
    visual.orientation = Quat(origin.linear());
    if (const auto* box = dynamic_cast<const urdf::Box*>(&geometry)) {
      visual.shape = Visual::Shape::box;
      visual.size = vector(box->dim);
    } else if (const auto* tube = dynamic_cast<const urdf::Cylinder*>(&geometry)) {
      visual.shape = Visual::Shape::cylinder;
      visual.size = {tube->radius, tube->radius, tube->length};
    } else if (const auto* ball = dynamic_cast<const urdf::Sphere*>(&geometry)) {
      visual.shape = Visual::Shape::sphere;
      visual.size = Vec3::Constant(ball->radius);
    } else if (const auto* mesh = dynamic_cast<const urdf::Mesh*>(&geometry)) {
      visual.shape = Visual::Shape::mesh;
      visual.size = vector(mesh->scale);
      visual.mesh = mesh->filename;
    }
    return visual;
  }

  void read_joint(const UrdfTree::Joint& place) {
    const auto source = model_.getJoint(fmt::format("joint{}", place.number));
    TAUT_CHECK(source != nullptr);
    const XmlElement& element = *file_.joints.elements[static_cast<std::size_t>(place.number)];
    RobotJoint joint;
    joint.name = file_.joints.name(place.number);
    joint.type = type_of(*source);
    joint.parent = place.parent;
    joint.child = place.child;
    joint.origin = frame(source->parent_to_joint_origin_transform);
    if (joint.has_position() || joint.type == JointType::planar) {
      const Vec3 axis = vector(source->axis);
      if (axis.isZero(0))
        file_.fail(*element.child("axis"), owner_text(element),
                   "found the axis zero, expected a direction");
      joint.axis = axis.stableNormalized();
    }
    if (source->dynamics && joint.has_position()) {
      joint.damping = source->dynamics->damping;
      joint.friction = source->dynamics->friction;
    }
    read_limits(element, *source, joint);
    if (place.mimic >= 0) {
      joint.mimic = place.mimic;
      joint.multiplier = source->mimic->multiplier;
      joint.offset = source->mimic->offset;
      if (joint.multiplier == 0)
        file_.fail(*element.child("mimic"), owner_text(element),
                   "found the multiplier 0, expected another number (a joint that does not move is "
                   "\"fixed\")");
    }
    if (!joint.has_position() && joint.type != JointType::fixed)
      for (const char* key : {"limit", "dynamics"})
        if (element.child(key))
          file_.ignored.count(fmt::format("<{}> element", key),
                              fmt::format(" of a {} joint", *element.attribute("type")),
                              "only joints with one coordinate have that");
    robot_.joints.push_back(std::move(joint));
  }

  /// A joint may follow one that follows another: afterwards it follows the last of them directly,
  /// or is fixed where that cannot move.
  void resolve_mimic(std::size_t start) {
    std::vector<std::size_t> way{start};
    while (joint(way.back()).mimic >= 0)
      way.push_back(static_cast<std::size_t>(joint(way.back()).mimic));
    for (std::size_t k = way.size(); k-- > 0;) {
      RobotJoint& follower = robot_.joints[way[k]];
      if (follower.mimic < 0) continue;
      const RobotJoint& leader = joint(static_cast<std::size_t>(follower.mimic));
      if (leader.type == JointType::fixed) {  // at `lower`: see read_limits
        lock(follower, follower.multiplier * leader.lower + follower.offset);
      } else if (leader.mimic >= 0) {
        follower.offset += follower.multiplier * leader.offset;
        follower.multiplier *= leader.multiplier;
        follower.mimic = leader.mimic;
      }
      if (!std::isfinite(follower.multiplier) || !std::isfinite(follower.offset) ||
          follower.multiplier == 0)
        throw Error(
            fmt::format("{}: joint {}: found a multiplier of {} by way of other mimic joints, "
                        "expected a finite one",
                        shown_file(file_.origin), in_quotes(follower.name), follower.multiplier));
    }
  }
  const RobotJoint& joint(std::size_t i) const { return robot_.joints[i]; }

  /// No freedom left: a fixed joint, where it says.
  void lock(RobotJoint& joint, double position) {
    file_.ignored.note(fmt::format("joint {}: cannot move from {}, taken as fixed",
                                   in_quotes(joint.name), position));
    joint.origin = joint.at(position);
    joint.type = JointType::fixed;
    joint.lower = joint.upper = position;
    joint.mimic = -1;
  }

  void read_limits(const XmlElement& element, const urdf::Joint& source, RobotJoint& joint) {
    if (source.limits && source.limits->effort > 0) joint.effort = source.limits->effort;
    if (source.limits && source.limits->velocity > 0) joint.velocity = source.limits->velocity;
    if (joint.type != JointType::revolute && joint.type != JointType::prismatic) return;
    const double lower = source.limits->lower, upper = source.limits->upper;
    if (lower > upper)
      file_.fail(
          *element.child("limit"), owner_text(element),
          fmt::format("found lower={} and upper={}, expected the lower one first (where there "
                      "is none, 0 is meant)",
                      lower, upper));
    if (source.mimic) {
      // Files in the wild copy the limits of the joint that is followed, whatever the multiplier.
      file_.ignored.count("<limit> element", " of a mimic joint", "the joint it follows has one");
      return;
    }
    joint.lower = lower;
    joint.upper = upper;
    if (lower == upper) lock(joint, lower);
  }

  UrdfFile& file_;
  const urdf::ModelInterface& model_;
  Robot robot_;
};

}  // namespace
}  // namespace detail

Robot parse_urdf(std::string_view text, const std::string& origin) {
  try {
    detail::UrdfFile file = detail::open_urdf(text, origin);
    const std::string clean = detail::clean_urdf(file);
    const detail::UrdfTree tree = detail::check_tree(file);

    detail::UrdfLog log;
    urdf::ModelInterfaceSharedPtr model;
    try {
      model = urdf::parseURDF(clean);
    } catch (const std::exception& error) {
      log.add(error.what());
    }
    if (!model)
      throw Error(fmt::format("{}: found what urdfdom cannot read, expected a URDF file ({})",
                              io::shown_file(origin), io::printable(log.text(), 300)));
    Robot robot = detail::RobotReader(file, *model).read(tree);
    // Links own their children: a long chain would be destroyed recursively.
    for (auto& [name, link] : model->links_) {
      link->child_links.clear();
      link->child_joints.clear();
    }
    return robot;
  } catch (const std::bad_alloc&) {
    throw Error(io::shown_file(origin) + ": found a robot that does not fit into memory");
  }
}

}  // namespace taut::io
