// MJCF's outer parts: other files, settings of the compiler, options, classes of defaults.
#include <algorithm>
#include <filesystem>

#include "taut/robot/mjcf.hpp"
#include "taut/robot/mjcf_internal.hpp"

namespace taut::io::detail {
namespace {

constexpr std::string_view mjcf_expected = "a model, <mujoco>";
constexpr int deepest_bodies = 200;

constexpr std::string_view sections[] = {
    "compiler", "option",    "size",    "visual",     "statistic", "default",
    "asset",    "worldbody", "contact", "equality",   "tendon",    "actuator",
    "sensor",   "keyframe",  "custom",  "deformable", "extension"};

const AttributeRule compiler_rule{
    "compiler",
    {"angle", "coordinate", "eulerseq", "autolimits", "inertiafromgeom", "boundmass",
     "boundinertia", "settotalmass", "balanceinertia", "meshdir", "assetdir", "strippath",
     "inertiagrouprange"},
    {"texturedir", "discardvisual", "convexhull", "usethread", "fusestatic", "saveinertial"},
    {"fitaabb", "exactmeshinertia", "alignfree"}};
const AttributeRule option_rule{
    "option",
    {"gravity", "timestep"},
    {"apirate",          "impratio",       "tolerance",
     "noslip_tolerance", "mpr_tolerance",  "integrator",
     "collision",        "cone",           "jacobian",
     "solver",           "iterations",     "noslip_iterations",
     "mpr_iterations",   "sdf_iterations", "sdf_initpoints",
     "ls_iterations",    "ls_tolerance",   "ccd_tolerance",
     "ccd_iterations",   "magnetic",       "actuatorgroupdisable"},
    {"wind", "density", "viscosity", "o_margin", "o_solref", "o_solimp", "o_friction"}};

std::string kind_of(std::string_view element) {
  constexpr std::string_view actuators[] = {"general",  "motor",       "position",
                                            "velocity", "intvelocity", "damper",
                                            "cylinder", "muscle",      "adhesion"};
  const bool drives =
      std::find(std::begin(actuators), std::end(actuators), element) != std::end(actuators);
  return drives ? "general" : std::string(element);
}

}  // namespace

Robot MjcfReader::read(std::string_view text) {
  root_ = file_.parse(text, mjcf_expected);
  if (root_.name != "mujoco" && root_.name != "mujocoinclude")
    file_.fail(root_, "found this element, expected <mujoco>");
  robot_.name = file_.text(root_, "model", "MuJoCo model");
  splice_includes(root_, 0);
  read_options();
  expand_composites();
  read_assets();
  read_world();
  read_contacts();
  read_equalities();
  read_tendons();
  check_held_tendons();
  read_actuators();
  read_start();
  for (const XmlElement& element : root_.children) {
    if (std::find(std::begin(sections), std::end(sections), element.name) == std::end(sections)) {
      file_.unknown(element, root_, sections);
    } else if (element.name == "deformable" || element.name == "extension") {
      file_.warn(element, "not simulated");
    } else if (element.name == "sensor") {
      for (const XmlElement& each : element.children)
        file_.ignore(each, "sensors are written in scenes");
    } else if (element.name == "custom" || element.name == "size" || element.name == "visual" ||
               element.name == "statistic") {
      file_.ignore(element, "has no effect on the motion here");
    }
  }
  robot_.ignored = file_.ignored.lines();
  robot_.warnings = file_.warned.lines();
  return std::move(robot_);
}

// The elements of an included file stand in place of <include>.
void MjcfReader::splice_includes(XmlElement& element, int depth) {
  if (depth > deepest_bodies)
    file_.fail(element,
               fmt::format("found nesting deeper than {} levels, expected less", deepest_bodies));
  std::vector<XmlElement> children;
  for (XmlElement& child : element.children) {
    if (child.name != "include") {
      splice_includes(child, depth + 1);
      children.push_back(std::move(child));
      continue;
    }
    const std::string& name = file_.required(child, "file");
    if (name.empty() || std::filesystem::path(name).is_absolute())
      file_.refuse(child, "file", "the name of a file relative to the model's folder");
    const auto path = std::filesystem::path(file_.folder()) / name;
    if (file_.knows(path.string()))
      file_.refuse(child, "file", "a file that is not included elsewhere, directly or by itself");
    XmlElement root = file_.include(child, path.string(), mjcf_expected);
    if (root.name != "mujoco" && root.name != "mujocoinclude")
      file_.fail(root, "found this element, expected <mujoco> or <mujocoinclude>");
    splice_includes(root, depth + 1);
    for (XmlElement& each : root.children) children.push_back(std::move(each));
  }
  element.children = std::move(children);
}

void MjcfReader::read_options() {
  each("compiler", [&](const XmlElement& element) { read_compiler(element); });
  each("option", [&](const XmlElement& element) { read_option(element); });
  classes_["main"];
  each("default", [&](const XmlElement& element) {
    const std::string name = file_.text(element, "class", "main");
    read_class(element, name, classes_["main"], true);
  });
  if (!robot_.gravity) robot_.gravity = Vec3(0, 0, -9.81);
  if (!options_.gravity) robot_.gravity = Vec3::Zero();
}

void MjcfReader::read_compiler(const XmlElement& element) {
  file_.check(element, compiler_rule);
  constexpr std::string_view angles[] = {"degree", "radian"};
  options_.degrees = file_.word(element, "angle", angles, options_.degrees ? 0 : 1) == 0;
  if (file_.text(element, "coordinate", "local") != "local")
    file_.refuse(element, "coordinate", "\"local\": MuJoCo has no other any more");
  options_.euler = file_.text(element, "eulerseq", options_.euler);
  if (options_.euler.size() != 3 || options_.euler.find_first_not_of("xyzXYZ") != std::string::npos)
    file_.refuse(element, "eulerseq", "three of the letters x, y, z, X, Y, Z");
  options_.autolimits = file_.flag(element, "autolimits", options_.autolimits);
  constexpr std::string_view from[] = {"false", "true", "auto"};
  options_.from_geoms = static_cast<MjcfOptions::FromGeoms>(
      file_.word(element, "inertiafromgeom", from, static_cast<std::size_t>(options_.from_geoms)));
  options_.bound_mass =
      file_.number(element, "boundmass", options_.bound_mass, Range::non_negative);
  options_.bound_inertia =
      file_.number(element, "boundinertia", options_.bound_inertia, Range::non_negative);
  options_.total_mass = file_.number(element, "settotalmass", options_.total_mass);
  options_.balance_inertia = file_.flag(element, "balanceinertia", options_.balance_inertia);
  options_.strip_path = file_.flag(element, "strippath", options_.strip_path);
  options_.mesh_folder = file_.text(element, "assetdir", options_.mesh_folder);
  options_.mesh_folder = file_.text(element, "meshdir", options_.mesh_folder);
  if (const auto groups = file_.numbers(element, "inertiagrouprange", 2, 2)) {
    options_.first_group = static_cast<int>(std::clamp((*groups)[0], 0.0, 5.0));
    options_.last_group = static_cast<int>(std::clamp((*groups)[1], 0.0, 5.0));
  }
  for (const XmlElement& child : element.children) {
    if (child.name == "lengthrange")
      file_.ignore(child, "has no effect on the motion here");
    else
      file_.unknown(child, element, {});
  }
}

void MjcfReader::read_option(const XmlElement& element) {
  file_.check(element, option_rule);
  if (const auto gravity = file_.vector(element, "gravity")) robot_.gravity = gravity;
  if (const auto step = file_.number(element, "timestep", Range::positive)) robot_.step = step;
  for (const XmlElement& child : element.children) {
    if (child.name != "flag") {
      file_.unknown(child, element, {});
      continue;
    }
    const auto read = [&](std::string_view name, bool& flag) {
      flag = file_.flag(child, name, flag);
    };
    MjcfOptions& o = options_;
    read("gravity", o.gravity);
    read("contact", o.contact);
    read("limit", o.limits);
    read("frictionloss", o.friction);
    read("passive", o.passive);
    read("equality", o.equality);
    read("actuation", o.actuation);
    if (!file_.flag(child, "constraint", true))
      o.contact = o.limits = o.friction = o.equality = false;
  }
}

void MjcfReader::read_class(const XmlElement& element, const std::string& name,
                            const MjcfClass& parent, bool is_outermost) {
  if (name.empty() || (!is_outermost && classes_.contains(name)))
    file_.refuse(element, "class", "a name that no other class of defaults has");
  MjcfClass all = parent;
  for (const XmlElement& child : element.children) {
    if (child.name == "default") continue;
    std::vector<XmlAttribute>& known = all[kind_of(child.name)];
    for (const XmlAttribute& attribute : child.attributes) {
      const auto same = std::find_if(known.begin(), known.end(), [&](const XmlAttribute& each) {
        return each.name == attribute.name;
      });
      if (same != known.end())
        same->value = attribute.value;
      else
        known.push_back(attribute);
    }
  }
  classes_[name] = all;
  for (const XmlElement& child : element.children)
    if (child.name == "default") read_class(child, file_.required(child, "class"), all, false);
}

XmlElement MjcfReader::whole(const XmlElement& element, std::string_view kind,
                             const std::string& child_class) const {
  XmlElement all;
  all.name = element.name;
  all.line = element.line;
  all.file = element.file;
  all.attributes = element.attributes;
  const std::string* own = element.attribute("class");
  const std::string& name = own ? *own : child_class.empty() ? "main" : child_class;
  const auto found = classes_.find(name);
  if (found == classes_.end()) {
    std::vector<std::string_view> known;
    for (const auto& [each, attributes] : classes_) known.push_back(each);
    file_.fail(element, fmt::format("found the class {}, expected one of the defaults{}",
                                    in_quotes(name), suggestion(name, known)));
  }
  const auto attributes = found->second.find(kind);
  if (attributes == found->second.end()) return all;
  for (const XmlAttribute& each : attributes->second)
    if (!all.attribute(each.name) && each.name != "class") all.attributes.push_back(each);
  return all;
}

bool MjcfReader::is_limited(const XmlElement& at) const {
  constexpr std::string_view words[] = {"false", "true", "auto"};
  const std::size_t word = file_.word(at, "limited", words, 2);
  if (word == 1 && !at.attribute("range")) file_.fail(at, "found no range, expected one: limited");
  return word == 1 || (word == 2 && options_.autolimits && at.attribute("range"));
}

void MjcfReader::name(const XmlElement& at, const std::string& name, int number,
                      std::unordered_map<std::string, int>& names, std::string_view what) {
  if (std::any_of(name.begin(), name.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    file_.fail(at, fmt::format("found the name {}, expected one without control characters",
                               in_quotes(name)));
  if (!names.emplace(name, number).second)
    file_.fail(at, fmt::format("found the name {} again, expected one that no other {} has",
                               in_quotes(name), what));
}

}  // namespace taut::io::detail

namespace taut::io {

Robot parse_mjcf(std::string_view text, const std::string& origin, const std::string& folder) {
  try {
    return detail::MjcfReader(origin, folder).read(text);
  } catch (const std::bad_alloc&) {
    throw Error(shown_file(origin) + ": found a model that does not fit into memory");
  }
}

}  // namespace taut::io
