// SDF's worlds and models, what they include, and the graph of their frames.
#include <algorithm>
#include <filesystem>

#include "taut/robot/robot_files.hpp"
#include "taut/robot/sdf_internal.hpp"

namespace taut::io::detail {
namespace {

constexpr std::string_view sdf_expected = "a world or model, <sdf>";
constexpr int deepest_models = 50;  // models in models
constexpr int longest_way = 500;    // from frame to frame
constexpr std::size_t most_sdf_elements = 1'000'000;

const AttributeRule world_rule{
    "world",
    {"gravity", "physics", "include", "model", "joint", "frame", "static"},
    {"light", "plugin", "gui", "scene", "audio", "magnetic_field", "atmosphere", "state",
     "spherical_coordinates", "population"},
    {"wind", "actor", "road"}};
const AttributeRule model_rule{
    "model",
    {"static", "self_collide", "pose", "link", "joint", "frame", "model", "include"},
    {"plugin", "allow_auto_disable", "gripper", "enable_wind"},
    {}};

std::size_t element_count(const XmlElement& element) {
  std::size_t all = 0;
  std::vector<const XmlElement*> open{&element};
  while (!open.empty()) {
    const XmlElement* next = open.back();
    open.pop_back();
    ++all;
    for (const XmlElement& child : next->children) open.push_back(&child);
  }
  return all;
}

}  // namespace

Robot SdfReader::read(std::string_view text) {
  files_.push_back(file_.parse(text, sdf_expected));
  const XmlElement& sdf = files_.front();
  if (sdf.name != "sdf") file_.fail(sdf, "found this element, expected <sdf>");
  version_ = file_.number(sdf, "version", 1.9, Range::positive);
  robot_.is_world = robot_.touches_itself = true;
  robot_.links.push_back({"world"});
  link_frames_.push_back(Frame::Identity());
  is_still_.push_back(true);
  robot_.gravity = Vec3(0, 0, -9.8);  // SDF's own

  const XmlElement* world = sdf.child("world");
  const XmlElement* model = sdf.child("model");
  if (!world && !model) file_.fail(sdf, "found no <world> and no <model>, expected one of them");
  const XmlElement& outer = world ? *world : *model;
  robot_.name = file_.text(outer, "name", "sdf");
  for (const XmlElement& child : sdf.children)
    if (&child != &outer) {
      if (child.name == "world" || child.name == "model" || child.name == "actor")
        file_.warn(child, "only the first is simulated");
      else
        file_.ignore(child, "has no effect on the motion here");
    }
  root_.element = &outer;
  elements_ = element_count(sdf);
  if (world)
    read_world(outer);
  else
    add_model(root_, outer, nullptr, 0);
  place_models(root_);
  read_links(root_);
  collect_joints(root_);
  grow_tree();
  robot_.ignored = file_.ignored.lines();
  robot_.warnings = file_.warned.lines();
  return std::move(robot_);
}

void SdfReader::read_world(const XmlElement& world) {
  file_.check_children(world, world_rule);
  if (const auto gravity = file_.child_numbers(world, "gravity", 3, 3))
    robot_.gravity = Vec3(gravity->data());
  if (const XmlElement* physics = world.child("physics")) {
    const double step = file_.child_number(*physics, "max_step_size", 0.001, Range::positive);
    robot_.step = step;
  }
  fill(root_, 0);
}

std::string SdfReader::name_of(const XmlElement& element) const {
  const std::string& name = file_.required(element, "name");
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  });
  if (name.empty() || !is_plain || name.starts_with("__"))
    file_.refuse(element, "name", "a name that is not empty and does not begin with \"__\"");
  return name;
}

SdfEntity& SdfReader::add_entity(SdfScope& scope, const XmlElement& element,
                                 const std::string& name) {
  const auto [place, is_new] = scope.entities.try_emplace(name);
  if (!is_new)
    file_.fail(element,
               fmt::format("found the name {} again, expected one that nothing else of the "
                           "same model has",
                           in_quotes(name)));
  place->second.element = &element;
  scope.order.push_back(name);
  return place->second;
}

void SdfReader::fill(SdfScope& scope, int depth) {
  if (depth > deepest_models)
    file_.fail(
        *scope.element,
        fmt::format("found models nested deeper than {} levels, expected less", deepest_models));
  for (const XmlElement& child : scope.element->children) {
    if (child.name == "link" || child.name == "joint" || child.name == "frame") {
      add_entity(scope, child, name_of(child));
    } else if (child.name == "model") {
      add_model(scope, child, nullptr, depth + 1);
    } else if (child.name == "include") {
      const XmlElement& model = included(child, "model");
      elements_ += element_count(model);
      if (elements_ > most_sdf_elements)
        file_.fail(child, fmt::format("found more than {} elements in all, expected at most that",
                                      most_sdf_elements));
      if (file_.flag(child, "merge", false)) file_.refuse(child, "merge", "\"false\"");
      add_model(scope, model, &child, depth + 1);
      including_.pop_back();
    }
  }
}

void SdfReader::add_model(SdfScope& scope, const XmlElement& element, const XmlElement* include,
                          int depth) {
  std::string name = name_of(element);
  if (include) name = file_.child_text(*include, "name", name);
  if (include && (name.empty() || name.starts_with("__")))
    file_.fail(*include, "found a <name> that cannot be one, expected another");
  if (element.name == "model") file_.check_children(element, model_rule);
  SdfEntity& entity = add_entity(scope, element, name);
  entity.model = std::make_unique<SdfScope>();
  SdfScope& model = *entity.model;
  model.element = &element;
  model.include = include;
  model.parent = &scope;
  // The only model of a file needs no prefix.
  const bool is_alone = root_.element == &element;
  model.prefix = is_alone ? "" : scope.prefix + name + "::";
  model.is_static = scope.is_static || file_.child_flag(element, "static", false);
  if (include) model.is_static = file_.child_flag(*include, "static", model.is_static);
  model.touches_itself = file_.child_flag(element, "self_collide", scope.touches_itself);
  model.group = scope.parent ? scope.group : ++groups_;
  fill(model, depth);
}

const XmlElement& SdfReader::included(const XmlElement& include, std::string_view wanted) {
  namespace fs = std::filesystem;
  const XmlElement* uri = include.child("uri");
  if (!uri || uri->text.empty()) file_.fail(include, "found no <uri>, expected one");
  std::error_code no_throw;
  if (fs::path(uri->text).is_absolute() || uri->text.starts_with("file:///"))
    file_.refuse_text(*uri, "a model:// name, or one relative to the file's folder");
  if (uri->text.starts_with("http")) file_.refuse_text(*uri, "a file on this machine");
  fs::path path = robot_file_path(uri->text, file_.folder_of(include));
  if (fs::is_directory(path, no_throw)) path /= "model.sdf";
  const std::string whole = fs::weakly_canonical(path, no_throw).string();
  const std::string own = fs::weakly_canonical(file_.origin(), no_throw).string();
  if (whole == own || std::find(including_.begin(), including_.end(), whole) != including_.end())
    file_.refuse_text(*uri, "a file that does not include itself, directly or through others");
  files_.push_back(file_.include(include, path.string(), sdf_expected));
  including_.push_back(whole);
  const XmlElement& sdf = files_.back();
  if (sdf.name != "sdf") file_.fail(sdf, "found this element, expected <sdf>");
  const XmlElement* model = sdf.child(wanted);
  if (!model) file_.fail(sdf, fmt::format("found no <{}>, expected one", wanted));
  return *model;
}

Frame SdfReader::pose(const XmlElement* element) const {
  Frame frame = Frame::Identity();
  if (!element || element->text.empty()) return frame;
  const std::string format = file_.text(*element, "rotation_format", "euler_rpy");
  const bool is_quaternion = format == "quat_xyzw";
  if (!is_quaternion && format != "euler_rpy")
    file_.refuse(*element, "rotation_format", "\"euler_rpy\" or \"quat_xyzw\"");
  const std::size_t wanted = is_quaternion ? 7 : 6;
  const std::vector<double> n = read_numbers(element->text, wanted);
  if (n.size() != wanted) file_.refuse_text(*element, count_text(wanted, wanted));
  frame.translation() = Vec3(n.data());
  if (is_quaternion) {
    const Quat turn(n[6], n[3], n[4], n[5]);
    if (!(turn.norm() > 1e-100)) file_.refuse_text(*element, "a quaternion that is not zero");
    frame.linear() = turn.normalized().toRotationMatrix();
    return frame;
  }
  const double unit = file_.flag(*element, "degrees", false) ? M_PI / 180 : 1;
  frame.linear() = (Eigen::AngleAxisd(unit * n[5], Vec3::UnitZ()) *
                    Eigen::AngleAxisd(unit * n[4], Vec3::UnitY()) *
                    Eigen::AngleAxisd(unit * n[3], Vec3::UnitX()))
                       .toRotationMatrix();
  return frame;
}

SdfEntity& SdfReader::find(SdfScope& scope, const std::string& name, const XmlElement& at,
                           SdfScope** owner) {
  SdfScope* in = &scope;
  std::string rest = name;
  for (;;) {
    const auto found = in->entities.find(rest);
    if (found != in->entities.end()) {
      if (owner) *owner = in;
      return found->second;
    }
    const std::size_t colons = rest.find("::");
    const auto model = in->entities.find(rest.substr(0, colons));
    if (colons == std::string::npos || model == in->entities.end() || !model->second.model) break;
    in = model->second.model.get();
    rest = rest.substr(colons + 2);
  }
  std::vector<std::string_view> names;
  for (const std::string& each : in->order) names.push_back(each);
  file_.fail(at, fmt::format("found {}, expected the name of a link, joint, frame or model{}",
                             in_quotes(name), suggestion(rest, names)));
}

/// What an element's pose is relative to.
Frame SdfReader::relative_to(SdfScope& scope, const XmlElement& element,
                             const std::string& otherwise, int depth) {
  const XmlElement* pose = element.child("pose");
  std::string name = pose ? file_.text(*pose, "relative_to", otherwise) : otherwise;
  if (name.empty()) name = otherwise;
  return frame(scope, name, pose ? *pose : element, depth + 1);
}

Frame SdfReader::frame(SdfScope& scope, const std::string& name, const XmlElement& at, int depth) {
  if (name.empty() || name == "__model__" || (name == "world" && !scope.parent))
    return Frame::Identity();
  if (depth > longest_way)
    file_.fail(at, fmt::format("found a way of more than {} frames, expected less", longest_way));
  SdfScope* owner = &scope;
  SdfEntity& entity = find(scope, name, at, &owner);
  if (entity.state == SdfEntity::State::in_work)
    file_.fail(at, fmt::format("found {}, which is placed relative to itself through others, "
                               "expected frames without a circle",
                               in_quotes(name)));
  if (entity.state == SdfEntity::State::unknown) {
    entity.state = SdfEntity::State::in_work;
    const XmlElement& element = *entity.element;
    Frame base;
    if (entity.model) {
      const XmlElement* include = entity.model->include;
      const bool has_pose = include && include->child("pose");
      const XmlElement& placed = has_pose ? *include : element;
      base = relative_to(*owner, placed, "", depth) * pose(placed.child("pose"));
      std::string inner = file_.text(element, "placement_frame");
      if (include) inner = file_.child_text(*include, "placement_frame", inner);
      if (!inner.empty()) base = base * frame(*entity.model, inner, element, depth + 1).inverse();
    } else {
      const std::string otherwise = element.name == "joint"   ? file_.child_text(element, "child")
                                    : element.name == "frame" ? file_.text(element, "attached_to")
                                                              : "";
      base = relative_to(*owner, element, otherwise, depth) * pose(element.child("pose"));
    }
    if (!base.matrix().allFinite()) file_.fail(element, "found a place that is too far away");
    entity.frame = base;
    entity.state = SdfEntity::State::known;
  }
  // From the models that the name goes through.
  Frame whole = entity.frame;
  for (SdfScope* in = owner; in != &scope; in = in->parent) {
    std::string model = in->prefix;
    for (const auto& [each, inner] : in->parent->entities)
      if (inner.model.get() == in) model = each;
    whole = frame(*in->parent, model, at, depth + 1) * whole;
  }
  return whole;
}

int SdfReader::link_of(SdfScope& scope, const std::string& name, const XmlElement& at, int depth) {
  if (name == "world") return 0;
  if (depth > longest_way)
    file_.fail(at, fmt::format("found a way of more than {} frames, expected less", longest_way));
  if (name == "__model__" || name.empty()) {
    const std::string canonical = file_.text(*scope.element, "canonical_link");
    if (!canonical.empty()) return link_of(scope, canonical, at, depth + 1);
    if (!scope.parent) return 0;
    for (const std::string& each : scope.order)
      if (scope.entities.at(each).element->name == "link") return scope.entities.at(each).link;
    for (const std::string& each : scope.order)
      if (scope.entities.at(each).model) return link_of(scope, each, at, depth + 1);
    file_.fail(at, "found a model without a link, expected one with a link");
  }
  SdfScope* owner = &scope;
  SdfEntity& entity = find(scope, name, at, &owner);
  if (entity.link >= 0) return entity.link;
  if (entity.model) return link_of(*entity.model, "__model__", at, depth + 1);
  const XmlElement& element = *entity.element;
  return element.name == "joint"
             ? link_of(*owner, file_.child_text(element, "child"), element, depth + 1)
             : link_of(*owner, file_.text(element, "attached_to"), element, depth + 1);
}

void SdfReader::place_models(SdfScope& scope) {
  for (const std::string& name : scope.order) {
    SdfEntity& entity = scope.entities.at(name);
    const Frame in_scope = frame(scope, name, *entity.element);
    if (!entity.model) continue;
    entity.model->world = scope.world * in_scope;
    place_models(*entity.model);
  }
}

}  // namespace taut::io::detail
