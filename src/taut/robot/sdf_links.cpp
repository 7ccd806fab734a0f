// SDF's links: inertia, what touches, what is drawn.
#include <algorithm>
#include <cmath>

#include "taut/model/inertia.hpp"
#include "taut/robot/robot_files.hpp"
#include "taut/robot/sdf.hpp"
#include "taut/robot/sdf_internal.hpp"

namespace taut::io::detail {
namespace {

constexpr std::size_t most_sdf_links = 100'000;

const AttributeRule link_rule{
    "link",
    {"pose", "inertial", "collision", "visual", "gravity", "kinematic"},
    {"sensor", "light", "projector", "audio_source", "audio_sink", "battery", "self_collide",
     "must_be_base_link", "enable_wind", "particle_emitter"},
    {"velocity_decay"}};
const AttributeRule sdf_inertial_rule{
    "inertial", {"mass", "pose", "inertia", "density"}, {}, {"fluid_added_mass"}};
const AttributeRule inertia_rule{"inertia", {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {}, {}};
const AttributeRule surface_rule{
    "surface", {"friction", "bounce", "contact"}, {"soft_contact"}, {}};

Vec3 vec(const std::vector<double>& numbers) { return Vec3(numbers.data()); }

}  // namespace

void SdfReader::read_links(SdfScope& scope) {
  for (const std::string& name : scope.order) {
    SdfEntity& entity = scope.entities.at(name);
    if (entity.model)
      read_links(*entity.model);
    else if (entity.element->name == "link")
      read_link(scope, entity);
  }
}

void SdfReader::read_link(SdfScope& scope, SdfEntity& entity) {
  const XmlElement& element = *entity.element;
  if (robot_.links.size() == most_sdf_links)
    file_.fail(element,
               fmt::format("found more than {} links, expected at most that", most_sdf_links));
  if (!scope.parent) file_.fail(element, "found a link in the world, expected it in a <model>");
  file_.check_children(element, link_rule);
  entity.link = static_cast<int>(robot_.links.size());
  RobotLink& link = robot_.links.emplace_back();
  link.name = scope.prefix + *element.attribute("name");
  link_frames_.push_back(scope.world * entity.frame);
  is_still_.push_back(scope.is_static);
  if (!file_.child_flag(element, "gravity", true))
    file_.warned.count("<gravity> element", " that is false", "it acts on all links");
  if (file_.child_flag(element, "kinematic", false))
    file_.warned.count("<kinematic> element", "", "the link moves as forces say");
  read_inertial(element, link);
  for (const XmlElement& each : element.children) {
    const bool touches = each.name == "collision";
    if (!touches && each.name != "visual") continue;
    const XmlElement* geometry = each.child("geometry");
    if (!geometry) file_.fail(each, "found no <geometry>, expected one");
    LinkShape shape;
    shape.link = entity.link;
    const XmlElement* pose_element = each.child("pose");
    const Frame frame = this->pose(pose_element);
    if (pose_element && !file_.text(*pose_element, "relative_to").empty())
      file_.refuse(*pose_element, "relative_to", "none: the pose is in the link's frame here");
    shape.visual.position = frame.translation();
    shape.visual.orientation = Quat(frame.linear());
    shape.visual.folder = file_.folder_of(element);
    if (!read_geometry(*geometry, shape)) continue;
    if (touches) {
      if (shape.is_plane && !scope.is_static) {
        file_.warned.count("<plane> element", " of a link that moves", "touches nothing");
        continue;
      }
      shape.name = link.name + "::" + file_.text(each, "name");
      shape.group = scope.touches_itself ? 0 : scope.group;
      read_surface(each, shape);
      robot_.collisions.push_back(std::move(shape));
    } else if (!shape.is_plane) {
      if (const XmlElement* material = each.child("material"))
        if (const auto color = file_.child_numbers(*material, "diffuse", 3, 4))
          for (std::size_t i = 0; i < color->size(); ++i)
            shape.visual.color[i] = std::clamp((*color)[i], 0.0, 1.0);
      robot_.visuals.push_back({shape.link, std::move(shape.visual)});
    }
  }
}

void SdfReader::read_inertial(const XmlElement& element, RobotLink& link) {
  link.mass = 1;
  link.inertia = Mat3::Identity();
  const XmlElement* inertial = element.child("inertial");
  if (!inertial) return;
  file_.check_children(*inertial, sdf_inertial_rule);
  if (file_.flag(*inertial, "auto", false))
    file_.refuse(*inertial, "auto", "\"false\": masses are not computed from shapes");
  link.mass = file_.child_number(*inertial, "mass", 1, Range::non_negative);
  const Frame frame = pose(inertial->child("pose"));
  link.center = frame.translation();
  Mat3 inertia = Mat3::Identity();
  if (const XmlElement* given = inertial->child("inertia")) {
    file_.check_children(*given, inertia_rule);
    const auto part = [&](const char* name, double otherwise) {
      return file_.child_number(*given, name, otherwise);
    };
    const double xy = part("ixy", 0), xz = part("ixz", 0), yz = part("iyz", 0);
    // First, because what throws within << stops a build with Eigen's assertions.
    const double xx = part("ixx", 1), yy = part("iyy", 1), zz = part("izz", 1);
    inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    if (const std::string fault = moments_fault(inertia); !fault.empty()) file_.fail(*given, fault);
  }
  link.inertia = frame.linear() * inertia * frame.linear().transpose();
}

bool SdfReader::read_geometry(const XmlElement& geometry, LinkShape& shape) {
  constexpr std::string_view known[] = {"box",       "sphere", "cylinder", "capsule",
                                        "ellipsoid", "mesh",   "plane",    "empty"};
  if (geometry.children.empty()) return false;
  if (geometry.children.size() > 1)
    file_.fail(geometry, fmt::format("found {} shapes, expected one", geometry.children.size()));
  const XmlElement& of = geometry.children[0];
  const std::string& type = of.name;
  Visual& visual = shape.visual;
  const auto size = [&](const char* name, std::size_t count) {
    const auto all = file_.child_numbers(of, name, count, count);
    if (!all) file_.fail(of, fmt::format("found no <{}>, expected one", name));
    for (const double each : *all)
      if (!(each > 0)) file_.refuse_text(*of.child(name), count_text(count, count) + " > 0");
    return *all;
  };
  if (type == "box") {
    visual.shape = Visual::Shape::box;
    visual.size = vec(size("size", 3));
  } else if (type == "sphere") {
    visual.shape = Visual::Shape::sphere;
    visual.size = Vec3::Constant(size("radius", 1)[0]);
  } else if (type == "cylinder" || type == "capsule") {
    visual.shape = type == "capsule" ? Visual::Shape::capsule : Visual::Shape::cylinder;
    const double radius = size("radius", 1)[0];
    visual.size = {radius, radius, size("length", 1)[0]};
  } else if (type == "ellipsoid") {
    visual.shape = Visual::Shape::ellipsoid;
    visual.size = vec(size("radii", 3));
  } else if (type == "plane") {
    shape.is_plane = true;
    const auto normal = file_.child_numbers(of, "normal", 3, 3);
    const Vec3 z = normal ? vec(*normal) : Vec3(Vec3::UnitZ());
    if (!(z.norm() > 1e-100))
      file_.refuse_text(*of.child("normal"), "a direction that is not zero");
    visual.orientation = visual.orientation * Quat::FromTwoVectors(Vec3::UnitZ(), z.normalized());
  } else if (type == "mesh") {
    visual.shape = Visual::Shape::mesh;
    const XmlElement* uri = of.child("uri");
    if (!uri || uri->text.empty()) file_.fail(of, "found no <uri>, expected the name of a file");
    visual.mesh = uri->text;
    const auto scale = file_.child_numbers(of, "scale", 3, 3);
    visual.size = scale ? vec(*scale) : Vec3(Vec3::Ones());
  } else if (type == "empty") {
    return false;
  } else if (type == "heightmap" || type == "image" || type == "polyline" || type == "cone") {
    file_.warned.count(fmt::format("<{}> element", type), " of <geometry>", "touches nothing");
    return false;
  } else {
    file_.unknown(of, geometry, known);
    return false;
  }
  return true;
}

void SdfReader::read_surface(const XmlElement& collision, LinkShape& shape) {
  shape.friction = 1;  // SDF's own
  const XmlElement* surface = collision.child("surface");
  if (!surface) return;
  file_.check_children(*surface, surface_rule);
  if (const XmlElement* friction = surface->child("friction")) {
    const XmlElement* ode = friction->child("ode");
    const XmlElement* bullet = friction->child("bullet");
    if (ode) {
      shape.friction = file_.child_number(*ode, "mu", 1, Range::non_negative);
      if (file_.child_number(*ode, "mu2", *shape.friction, Range::non_negative) != *shape.friction)
        file_.warned.count("<mu2> element", " that is not mu", "mu is taken in all directions");
    } else if (bullet) {
      shape.friction = file_.child_number(*bullet, "friction", 1, Range::non_negative);
    }
    if (friction->child("torsional"))
      file_.warned.count("<torsional> element", "", "not simulated");
  }
  if (const XmlElement* bounce = surface->child("bounce")) {
    shape.restitution =
        file_.child_number(*bounce, "restitution_coefficient", 0, Range::non_negative);
    if (*shape.restitution > 1)
      file_.refuse_text(*bounce->child("restitution_coefficient"), "a number from 0 to 1");
  }
  if (const XmlElement* contact = surface->child("contact")) {
    const double mask = file_.child_number(*contact, "collide_bitmask", 65535, Range::non_negative);
    if (mask != std::floor(mask) || mask > 4294967295.0)
      file_.refuse_text(*contact->child("collide_bitmask"), "a whole number of 32 bits");
    shape.kinds = shape.meets = static_cast<unsigned>(mask);
  }
}

}  // namespace taut::io::detail

namespace taut::io {

Robot parse_sdf(std::string_view text, const std::string& origin, const std::string& folder) {
  try {
    return detail::SdfReader(origin, folder).read(text);
  } catch (const std::bad_alloc&) {
    throw Error(shown_file(origin) + ": found a world that does not fit into memory");
  }
}

}  // namespace taut::io
