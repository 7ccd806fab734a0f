// Hands and styluses in a scene: the lists "hands" and "styluses".
#include <filesystem>

#include "taut/hand/builtin_motions.hpp"
#include "taut/scene/hand_fields_internal.hpp"
#include "taut/scene/scene_reader_internal.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io::detail {
namespace {

constexpr int first_group = 1'000'000'000;  // beyond what shapes of a scene have

/// A file as seen from `folder`, else what is built in.
std::string motion_text(const std::string& name, const std::optional<std::string>& folder) {
  std::error_code no_throw;
  if (folder) {
    const std::filesystem::path path = std::filesystem::path(*folder) / name;
    if (std::filesystem::exists(path, no_throw)) return read_text(path.string(), "a hand's motion");
  }
  std::vector<std::string_view> names;
  for (const EmbeddedText& motion : hand::builtin_motions()) {
    if (motion.name == name) return std::string(motion.text);
    names.push_back(motion.name);
  }
  throw Error(
      fmt::format("found no such file, expected a hand's motion{}", suggestion(name, names)));
}

}  // namespace

hand::HandSizes SceneReader::read_hand_sizes(const At& at, const HandFields& fields) {
  if (fields.length && fields.sizes)
    fail(at, "found \"length\" and \"sizes\", expected one of the two");
  if (!fields.sizes) return hand::HandSizes::of_length(fields.length.value_or(hand::usual_length));
  const At member = at.member("sizes");
  if (!folder_) fail(member, "found a file, expected none where there is no folder to look in");
  const std::string path = (std::filesystem::path(*folder_) / *fields.sizes).string();
  const Node node =
      with_place(member, [&] { return parse_json(read_text(path, "the sizes of a hand"), path); });
  const At root(node, path);
  reader_.require_object(root);
  const auto measured = reader_.read_object<HandSizesFields>(root);
  hand::HandSizes sizes = hand::HandSizes::of_length(measured.length);
  const std::array<const std::optional<FingerSizesFields>*, hand::finger_count> fingers{
      &measured.thumb, &measured.index, &measured.middle, &measured.ring, &measured.pinkie};
  const auto copy = [](const std::optional<Vec3>& from, std::array<double, 3>& to) {
    if (from) to = {from->x(), from->y(), from->z()};
  };
  for (std::size_t i = 0; i < fingers.size(); ++i) {
    if (!*fingers[i]) continue;
    const FingerSizesFields& finger = **fingers[i];
    if (finger.base) sizes.bases[i] = *finger.base;
    copy(finger.lengths, sizes.lengths[i]);
    copy(finger.radii, sizes.radii[i]);
  }
  if (measured.palm) {
    sizes.palm_centre = measured.palm->centre.value_or(sizes.palm_centre);
    sizes.palm_size = measured.palm->size.value_or(sizes.palm_size);
    sizes.palm_rounding = measured.palm->rounding.value_or(sizes.palm_rounding);
  }
  return sizes;
}

/// Each keyframe has what changes; `base` is where the motion's frame is.
hand::HandMotion SceneReader::read_keyframes(const At& list, const hand::HandPose& base,
                                             const Vec3& point) {
  std::vector<hand::HandKeyframe> keyframes;
  hand::HandPose pose;
  each_item(list, [&](const At& at) {
    const auto fields = reader_.read_object<HandKeyframeFields>(at, {"angles"});
    pose.position = fields.position.value_or(pose.position);
    if (fields.orientation) pose.orientation = fields.orientation->rotation;
    if (at.has("angles")) read_angles(at.member("angles"), pose);
    hand::HandPose placed = pose;
    placed.position = base.position + base.orientation * pose.position;
    placed.orientation = base.orientation * pose.orientation;
    keyframes.push_back({fields.time, placed});
  });
  return with_place(list, [&] { return hand::HandMotion(std::move(keyframes), point); });
}

void SceneReader::read_angles(const At& at, hand::HandPose& pose) {
  reader_.require_object(at);
  std::vector<std::string_view> names;
  for (int i = 0; i < hand::angle_count; ++i) names.push_back(hand::angle_name(i));
  reader_.refuse_unknown_keys(at, names);
  for (int i = 0; i < hand::angle_count; ++i) {
    const std::string_view name = hand::angle_name(i);
    if (!at.has(name)) continue;
    double& angle = pose.angles[static_cast<std::size_t>(i)];
    reader_.read(at.member(name), Range::any, angle);
    const hand::AngleLimits limits = hand::angle_limits(i);
    if (angle < limits.lower || angle > limits.upper)
      fail(at.member(name),
           fmt::format("found {}, expected a number from {:.4g} to {:.4g}, which a "
                       "hand can do",
                       angle, limits.lower, limits.upper));
  }
}

hand::HandMotion SceneReader::read_hand_motion(const At& at, const HandFields& fields) {
  const hand::HandPose base{fields.position, fields.orientation.rotation, {}};
  if (at.has("keyframes") && fields.motion)
    fail(at, "found \"keyframes\" and \"motion\", expected one of the two");
  if (at.has("keyframes")) return read_keyframes(at.member("keyframes"), base, fields.point);
  if (!fields.motion) return hand::HandMotion({{0, base}}, fields.point);
  const Node node = with_place(at.member("motion"), [&] {
    return parse_json(motion_text(*fields.motion, folder_), *fields.motion);
  });
  const At root(node, *fields.motion);
  reader_.require_object(root);
  const std::array<std::string_view, 3> known{"description", "point", "keyframes"};
  reader_.refuse_unknown_keys(root, known);
  if (!root.has("keyframes")) fail(root, "found no \"keyframes\", expected an array of them");
  Vec3 point = fields.point;
  if (root.has("point")) reader_.read(root.member("point"), Range::any, point);
  return read_keyframes(root.member("keyframes"), base, point);
}

void SceneReader::read_hand(const At& at) {
  const auto fields = reader_.read_object<HandFields>(at, {"name", "keyframes"});
  hand::HandOptions options;
  if (at.has("name")) options.name = scope_.name_text(at.member("name"));
  options.sizes = with_place(at, [&] { return read_hand_sizes(at, fields); });
  options.side = fields.side;
  options.limbs = fields.limbs;
  options.preset = fields.coupling;
  options.settling = fields.settling;
  options.most_force = fields.force;
  options.surface = surface(at, fields.friction, std::nullopt, {});
  options.group = first_group + hands_++;
  options.self_contact = fields.self_contact;
  const hand::HandMotion motion = read_hand_motion(at, fields);
  if (!contacts_) contacts_ = std::make_unique<collision::ShapeContacts>();
  with_place(at, [&] {
    auto ghost =
        std::make_shared<hand::MovedGhost>(hand::HandModel(options.sizes, options.side), motion);
    hand::add_hand(scene_.system, *contacts_, options, std::move(ghost));
  });
}

void SceneReader::read_stylus(const At& at) {
  const auto fields = reader_.read_object<StylusFields>(at, {"name", "keyframes"});
  hand::StylusOptions options;
  if (at.has("name")) options.name = scope_.name_text(at.member("name"));
  options.tip = fields.tip;
  options.length = fields.length;
  options.radius = fields.radius;
  options.settling = fields.settling;
  options.most_force = fields.force;
  options.surface = surface(at, fields.friction, std::nullopt, {});
  const hand::HandPose base{fields.position, fields.orientation.rotation, {}};
  const hand::HandMotion motion = at.has("keyframes")
                                      ? read_keyframes(at.member("keyframes"), base, Vec3::Zero())
                                      : hand::HandMotion({{0, base}});
  if (!contacts_) contacts_ = std::make_unique<collision::ShapeContacts>();
  with_place(at, [&] {
    hand::add_stylus(scene_.system, *contacts_, options,
                     std::make_shared<hand::MovedStylus>(motion));
  });
}

}  // namespace taut::io::detail
