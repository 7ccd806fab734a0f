#include "taut/collision/shape_contacts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/collision/manifold_internal.hpp"

namespace taut::collision {
namespace {

Pose3 body_pose(const Pose& pose, BodyId body) {
  if (body.is_world()) return {};
  const BodySlot& slot = pose.slots[body.index];
  if (slot.rigid < 0) return Pose3(pose.position(slot.q));
  return {pose.position(slot.q), pose.rotations[static_cast<std::size_t>(slot.rigid)]};
}

Point point_of(BodyId body, const Pose3& at, const Vec3& place) {
  return body.is_world() ? world_point(place) : Point{body, at.to_local(place)};
}

}  // namespace

void ShapeContacts::add(BodyShape shape) {
  const bool is_solid = shape.shape.is_convex() || shape.shape.type == ShapeType::compound;
  if (!shape.body.is_world() && !is_solid)
    throw Error(fmt::format("a {} cannot be on a body: it is a surface of the world",
                            collision::name(shape.shape.type)));
  reach_.push_back(is_solid ? shape.pose.position.norm() + collision::reach(shape.shape) : 0);
  shapes_.push_back(std::move(shape));
  handles_.clear();
}

void ShapeContacts::ignore(BodyId a, BodyId b) {
  const std::pair<int, int> pair = std::minmax(a.index, b.index);
  const auto place = std::lower_bound(ignored_.begin(), ignored_.end(), pair);
  if (place == ignored_.end() || *place != pair) ignored_.insert(place, pair);
}

void ShapeContacts::ignore_joined(const System& system) {
  std::vector<Anchor> anchors;
  for (const auto& batch : system.constraints()) {
    anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
    for (int c = 0; c < batch->size(); ++c) {
      batch->anchors(c, anchors);
      for (const Anchor& a : anchors)
        for (const Anchor& b : anchors)
          if (a.body.index < b.body.index) ignore(a.body, b.body);
    }
  }
}

bool ShapeContacts::may_touch(const BodyShape& a, const BodyShape& b) const {
  if (a.body == b.body || (a.group > 0 && a.group == b.group)) return false;
  const std::pair<int, int> pair = std::minmax(a.body.index, b.body.index);
  return !std::binary_search(ignored_.begin(), ignored_.end(), pair);
}

void ShapeContacts::find_awake(const Pose& pose, const VecX& v, double time, double margin,
                               std::span<const char> asleep, std::vector<Contact>& out) const {
  if (handles_.size() != shapes_.size()) {
    plant();
    seen_.clear();
  }
  seen_.resize(shapes_.size());
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const BodyShape& shape = shapes_[i];
    Seen& seen = seen_[i];
    const Pose3 at = body_pose(pose, shape.body) * shape.pose;
    const bool is_still = shape.body.is_world() ||
                          (!asleep.empty() && asleep[static_cast<std::size_t>(shape.body.index)]);
    const bool stays = is_still && seen.is_still && at.position == seen.pose.position &&
                       at.rotation == seen.pose.rotation;
    seen.pose = at;
    seen.is_still = is_still;
    seen.way = 0;
    if (stays) continue;
    double grown = 0;  // what moves has the margin
    if (!is_still) {
      const BodySlot& slot = pose.slots[shape.body.index];
      seen.way = v.segment<3>(slot.v).norm();
      if (slot.rigid >= 0) seen.way += reach_[i] * v.segment<3>(slot.v + 3).norm();
      seen.way *= time;
      grown = margin + seen.way;
    }
    if (handles_[i] >= 0) tree_.move(handles_[i], bounds(shape.shape, seen.pose).grown(grown));
  }
  tree_.pairs(pairs_);
  for (const auto& [first, second] : pairs_) meet(first, second, pose, margin, out);
  for (const int plane : planes_)
    for (int i = 0; i < static_cast<int>(shapes_.size()); ++i)
      if (handles_[static_cast<std::size_t>(i)] >= 0) meet(plane, i, pose, margin, out);
}

/// All but planes, which have no end, in the tree.
void ShapeContacts::plant() const {
  double smallest = INFINITY;
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    if (reach_[i] > 0) smallest = std::min(smallest, reach_[i]);
  tree_ = BoxTree(std::isfinite(smallest) ? 0.1 * smallest : 0);
  handles_.clear();
  planes_.clear();
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const BodyShape& shape = shapes_[i];
    const int number = static_cast<int>(i);
    if (shape.shape.type == ShapeType::plane) planes_.push_back(number);
    handles_.push_back(shape.shape.type == ShapeType::plane
                           ? -1
                           : tree_.insert(number, bounds(shape.shape, shape.pose)));
  }
}

void ShapeContacts::meet(int first, int second, const Pose& pose, double margin,
                         std::vector<Contact>& out) const {
  const BodyShape& a = shapes_[static_cast<std::size_t>(first)];
  const BodyShape& b = shapes_[static_cast<std::size_t>(second)];
  const Seen& at_a = seen_[static_cast<std::size_t>(first)];
  const Seen& at_b = seen_[static_cast<std::size_t>(second)];
  if ((at_a.is_still && at_b.is_still) || !may_touch(a, b)) return;
  points_.clear();
  contacts(a.shape, at_a.pose, b.shape, at_b.pose, margin + at_a.way + at_b.way, points_);
  const std::uint64_t pair =
      static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(second);
  const SurfaceLaw law = surface_pairs_.between(a.surface, b.surface);
  for (const ContactPoint& point : points_)
    out.push_back({.feature = detail::mixed(point.feature, pair),
                   .a = point_of(b.body, body_pose(pose, b.body), point.on_b),
                   .b = point_of(a.body, body_pose(pose, a.body), point.on_a),
                   .normal = point.normal,
                   .gap = point.gap,
                   .friction = law.friction,
                   .restitution = law.restitution,
                   .shape_a = second,
                   .shape_b = first});
}

double ShapeContacts::reach() const {
  double farthest = 0;
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    if (!shapes_[i].body.is_world()) farthest = std::max(farthest, reach_[i]);
  return farthest;
}

bool ShapeContacts::is_conservative() const {
  return std::all_of(shapes_.begin(), shapes_.end(), [](const BodyShape& shape) {
    const Surface& surface = shape.surface;
    const bool has_pairs = surface.friction_of >= 0 || surface.restitution_of >= 0;
    return surface.friction == 0 && surface.restitution == 1 && !has_pairs;
  });
}

}  // namespace taut::collision
