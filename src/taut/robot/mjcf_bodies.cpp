// MJCF's bodies, joints and inertias.
#include <algorithm>
#include <cmath>

#include "taut/base/symmetric_eigenvalues.hpp"
#include "taut/model/inertia.hpp"
#include "taut/robot/mjcf_internal.hpp"

namespace taut::io::detail {
namespace {

constexpr std::size_t most_mjcf_links = 100'000;

const AttributeRule body_rule{
    "body",
    {"name", "childclass", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "mocap"},
    {"user"},
    {"gravcomp"}};
const AttributeRule mjcf_inertial_rule{
    "inertial",
    {"pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "mass", "diaginertia", "fullinertia"},
    {},
    {}};
const AttributeRule mjcf_joint_rule{
    "joint",
    {"name", "class", "type", "pos", "axis", "range", "limited", "stiffness", "springref",
     "damping", "frictionloss", "ref", "armature"},
    {"group", "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin", "user"},
    {"springdamper", "actuatorgravcomp", "actuatorfrcrange", "actuatorfrclimited"}};
const AttributeRule site_rule{"site",
                              {"name", "class", "pos", "quat", "axisangle", "xyaxes", "zaxis",
                               "euler", "fromto", "type", "size"},
                              {"group", "material", "rgba", "user"},
                              {}};

constexpr std::string_view in_body[] = {"inertial", "joint", "freejoint", "geom",  "site",
                                        "camera",   "light", "body",      "frame", "composite"};
constexpr std::string_view mjcf_joint_types[] = {"free", "ball", "slide", "hinge"};

}  // namespace

void MjcfReader::read_world() {
  robot_.is_world = true;
  robot_.touches_itself = true;
  robot_.links.push_back({"world"});
  bodies_["world"] = 0;
  each("worldbody", [&](const XmlElement& world) {
    read_children(world, {0, Frame::Identity(), file_.text(world, "childclass"), true}, false);
  });
  bound_masses();
  bool has_planes_only = true;
  for (const LinkShape& shape : robot_.collisions) has_planes_only &= shape.is_plane;
  if (has_planes_only) robot_.collisions.clear();
}

/// What stands in a body, in the world, or in a frame of one of them.
void MjcfReader::read_children(const XmlElement& element, const BodyPlace& place, bool is_body) {
  for (const XmlElement& child : element.children) {
    if (child.name == "body") {
      read_body(child, place);
    } else if (child.name == "geom") {
      const XmlElement at = whole(child, "geom", place.child_class);
      MjcfGeom geom = read_geom(at, place.link, place.frame);
      if (!geom.name.empty())
        name(at, geom.name, static_cast<int>(all_geoms_.size()), geoms_, "geom");
      all_geoms_.push_back(std::move(geom));
    } else if (child.name == "site") {
      const XmlElement at = whole(child, "site", place.child_class);
      file_.check(at, site_rule);
      Frame frame = pose(at);
      if (const auto ends = file_.numbers(at, "fromto", 6, 6))
        frame.translation() = 0.5 * (Vec3(ends->data()) + Vec3(ends->data() + 3));
      if (at.attribute("name"))
        name(at, *at.attribute("name"), static_cast<int>(site_places_.size()), sites_, "site");
      site_places_.push_back({place.link, place.frame * frame});
    } else if (child.name == "frame") {
      BodyPlace inner = place;
      inner.frame = place.frame * pose(child);
      inner.child_class = file_.text(child, "childclass", place.child_class);
      read_children(child, inner, is_body);
    } else if (child.name == "camera" || child.name == "light") {
      file_.ignore(child, "for drawing");
    } else if (child.name == "joint" || child.name == "freejoint" || child.name == "inertial") {
      if (!is_body)
        file_.fail(child, fmt::format("found it in <{}>, expected it in a <body>",
                                      printable(element.name)));
    } else if (child.name == "flexcomp" || child.name == "replicate" ||
               child.name == "attach" || child.name == "plugin") {
      file_.warn(child, "not simulated");
    } else {
      file_.unknown(child, element, in_body);
    }
  }
}

void MjcfReader::read_body(const XmlElement& element, const BodyPlace& outer) {
  if (robot_.links.size() == most_mjcf_links)
    file_.fail(element,
               fmt::format("found more than {} bodies, expected at most that", most_mjcf_links));
  file_.check(element, body_rule);
  BodyPlace body{static_cast<int>(robot_.links.size()), Frame::Identity(),
                 file_.text(element, "childclass", outer.child_class), outer.link == 0};
  std::string own = file_.text(element, "name");
  if (own.empty()) {
    own = fmt::format("body{}", bodies_.size());  // MuJoCo's number
    while (bodies_.contains(own)) own += "_";
  }
  // Its joints may put links in front of it, so it gets its place in the list at the end.
  const auto before = robot_.joints.size();
  Frame in_outer = outer.frame * pose(element);
  std::vector<const XmlElement*> joints;
  for (const XmlElement& child : element.children)
    if (child.name == "joint" || child.name == "freejoint") joints.push_back(&child);
  if (file_.flag(element, "mocap", false)) {
    file_.warned.count("\"mocap\" attribute", " of <body>", "such bodies stay where they are");
    if (!joints.empty()) file_.fail(*joints[0], "found a joint of a mocap body, expected none");
  }

  name(element, own, body.link, bodies_, "body");
  robot_.links.emplace_back().name = own;
  // Links in the order bodies, then those between joints: numbers of bodies are as in the file.
  int from = outer.link;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const bool is_last = i + 1 == joints.size();
    RobotJoint& joint = robot_.joints.emplace_back();
    joint.parent = from;
    joint.origin = from == outer.link ? in_outer : Frame::Identity();
    joint.child = body.link;
    if (!is_last) {
      joint.child = static_cast<int>(robot_.links.size());
      robot_.links.emplace_back().name = fmt::format("{}/{}", own, i + 1);
      from = joint.child;
    }
    read_joint(*joints[i], body, Frame::Identity());
  }
  if (joints.empty()) {
    RobotJoint& joint = robot_.joints.emplace_back();
    joint.name = own + ".fixed";
    joint.type = JointType::fixed;
    joint.parent = outer.link;
    joint.child = body.link;
    joint.origin = in_outer;
  }
  for (std::size_t i = before; i < robot_.joints.size(); ++i)
    if (robot_.joints[i].type == JointType::floating && (joints.size() > 1 || outer.link != 0))
      file_.fail(*joints[i - before],
                 "found a free joint, expected it alone and in a body of the world");

  const std::size_t first_geom = all_geoms_.size();
  for (const XmlElement& child : element.children)
    if (child.name == "inertial") read_inertial(child, link(body.link));
  // Geoms of this body only: those of bodies in it come behind, with other links.
  read_children(element, body, true);
  std::vector<MjcfGeom> geoms;
  for (std::size_t i = first_geom; i < all_geoms_.size(); ++i)
    if (all_geoms_[i].link == body.link) geoms.push_back(all_geoms_[i]);
  finish_inertia(element, body.link, geoms);
}

void MjcfReader::read_joint(const XmlElement& element, const BodyPlace& body, const Frame&) {
  RobotJoint& joint = robot_.joints.back();
  const int number = static_cast<int>(robot_.joints.size()) - 1;
  const bool is_free = element.name == "freejoint";
  const XmlElement at = is_free ? element : whole(element, "joint", body.child_class);
  if (!is_free) file_.check(at, mjcf_joint_rule);
  const std::size_t type = is_free ? 0 : file_.word(at, "type", mjcf_joint_types, 3);
  joint.name = file_.text(at, "name");
  if (joint.name.empty()) joint.name = unique_joint_name(link(body.link).name);
  name(at, joint.name, number, joints_, "joint");
  dof_joints_.push_back(number);

  const bool turns = type == 1 || type == 3;
  const auto in_units = [&](double value) { return turns ? angle(value) : value; };
  joint.damping = options_.passive ? file_.number(at, "damping", 0, Range::non_negative) : 0;
  joint.stiffness = options_.passive ? file_.number(at, "stiffness", 0, Range::non_negative) : 0;
  joint.friction = options_.friction ? file_.number(at, "frictionloss", 0, Range::non_negative) : 0;
  joint.armature = file_.number(at, "armature", 0, Range::non_negative);
  if (type == 0) {
    joint.type = JointType::floating;
    return;
  }
  const Vec3 place = file_.vector(at, "pos", Vec3::Zero());
  joint.origin = joint.origin * Eigen::Translation3d(place);
  joint.child_origin = Frame(Eigen::Translation3d(-place));
  if (type == 1) {
    joint.type = JointType::ball;
    if (options_.limits && is_limited(at)) {
      joint.lower = 0;
      joint.upper = in_units((*file_.numbers(at, "range", 2, 2))[1]);
    }
    return;
  }
  joint.type = type == 2 ? JointType::prismatic : JointType::continuous;
  const Vec3 axis = file_.vector(at, "axis", Vec3::UnitZ());
  if (!(axis.stableNorm() > 1e-100)) file_.refuse(at, "axis", "a direction that is not zero");
  joint.axis = axis.stableNormalized();
  joint.reference = joint.start = in_units(file_.number(at, "ref", 0));
  joint.rest = in_units(file_.number(at, "springref", 0));
  if (is_limited(at) && options_.limits) {
    const auto range = *file_.numbers(at, "range", 2, 2);
    joint.lower = in_units(range[0]);
    joint.upper = in_units(range[1]);
    if (!(joint.lower < joint.upper)) file_.refuse(at, "range", "the lower limit first");
    if (type == 3) joint.type = JointType::revolute;
  }
}

std::string MjcfReader::unique_joint_name(const std::string& body) {
  for (int i = 1;; ++i) {
    std::string name = i == 1 ? body + "_joint" : fmt::format("{}_joint{}", body, i);
    if (!joints_.contains(name)) return name;
  }
}

void MjcfReader::read_inertial(const XmlElement& element, RobotLink& link) {
  file_.check(element, mjcf_inertial_rule);
  file_.required(element, "mass");
  link.mass = file_.number(element, "mass", 0, Range::non_negative);
  if (!element.attribute("pos")) file_.fail(element, "found no \"pos\", expected three numbers");
  const Frame frame = pose(element);
  link.center = frame.translation();
  Mat3 inertia = Mat3::Zero();
  if (const auto full = file_.numbers(element, "fullinertia", 6, 6)) {
    const std::vector<double>& m = *full;
    inertia << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
  } else if (const auto diagonal = file_.vector(element, "diaginertia")) {
    inertia = diagonal->asDiagonal();
  }
  link.inertia = frame.linear() * inertia * frame.linear().transpose();
}

void MjcfReader::finish_inertia(const XmlElement& element, int number,
                                const std::vector<MjcfGeom>& geoms) {
  using FromGeoms = MjcfOptions::FromGeoms;
  RobotLink& link = this->link(number);
  const bool has_own = element.child("inertial") != nullptr;
  if (options_.from_geoms == FromGeoms::yes ||
      (options_.from_geoms == FromGeoms::where_missing && !has_own)) {
    double mass = 0;
    Vec3 moment = Vec3::Zero();
    for (const MjcfGeom& geom : geoms) {
      mass += geom.mass;
      moment += geom.mass * geom.center;
    }
    if (mass > 0 || !has_own) {
      link.mass = mass;
      link.center = mass > 0 ? Vec3(moment / mass) : Vec3(Vec3::Zero());
      link.inertia = Mat3::Zero();
      for (const MjcfGeom& geom : geoms)
        link.inertia += geom.inertia + steiner(geom.mass, geom.center - link.center);
    }
  }
  if (options_.balance_inertia && !moments_fault(link.inertia).empty())
    link.inertia = link.inertia.trace() / 3 * Mat3::Identity();
  if (const std::string fault = moments_fault(link.inertia); !fault.empty())
    file_.fail(element, fault + " (or <compiler balanceinertia=\"true\"/>)");
}

void MjcfReader::bound_masses() {
  double total = 0;
  for (std::size_t i = 1; i < robot_.links.size(); ++i) {
    RobotLink& link = robot_.links[i];
    // Links between joints are no bodies.
    if (!bodies_.contains(link.name)) continue;
    link.mass = std::max(link.mass, options_.bound_mass);
    if (options_.bound_inertia > 0) {
      Mat3 moments = link.inertia, axes = Mat3::Identity();
      diagonalize(moments.data(), axes.data(), 3);
      const Vec3 bounded = moments.diagonal().cwiseMax(options_.bound_inertia);
      link.inertia = axes * bounded.asDiagonal() * axes.transpose();
    }
    total += link.mass;
  }
  if (!(options_.total_mass > 0) || !(total > 0)) return;
  for (RobotLink& link : robot_.links) {
    link.mass *= options_.total_mass / total;
    link.inertia *= options_.total_mass / total;
  }
}

}  // namespace taut::io::detail
