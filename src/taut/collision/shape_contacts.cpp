#include "taut/collision/shape_contacts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/collision/manifold_internal.hpp"
#include "taut/collision/sweeps_internal.hpp"

namespace taut::collision {

Pose3 detail::body_pose(const Pose& pose, BodyId body) {
  if (body.is_world()) return {};
  const BodySlot& slot = pose.slots[body.index];
  if (slot.rigid < 0) return Pose3(pose.position(slot.q));
  return {pose.position(slot.q), pose.rotations[static_cast<std::size_t>(slot.rigid)]};
}

namespace {

using detail::body_pose;

Point point_of(BodyId body, const Pose3& at, const Vec3& place) {
  return body.is_world() ? world_point(place) : Point{body, at.to_local(place)};
}

}  // namespace

void ShapeContacts::add(BodyShape shape) {
  const bool is_solid = shape.shape.is_convex() || shape.shape.type == ShapeType::compound;
  if (!shape.body.is_world() && !is_solid)
    throw Error(fmt::format("a {} cannot be on a body: it is a surface of the world",
                            collision::name(shape.shape.type)));
  in_body_.push_back(shape.body.is_world() ? shape.shape
                                           : detail::in_frame(shape.shape, shape.pose));
  width_.push_back(detail::least_width(shape.shape));
  least_width_ = std::min(least_width_, width_.back());
  reach_.push_back(is_solid ? shape.pose.position.norm() + collision::reach(shape.shape) : 0);
  has_compliance_ = has_compliance_ || shape.surface.compliance.stiffness > 0;
  shapes_.push_back(std::move(shape));
  handles_.clear();
}

void ShapeContacts::set_pairs(SurfacePairs pairs) {
  surface_pairs_ = std::move(pairs);
  has_compliance_ = has_compliance_ || surface_pairs_.have_compliance();
}

void ShapeContacts::ignore(BodyId a, BodyId b) {
  const std::pair<int, int> pair = std::minmax(a.index, b.index);
  const auto place = std::lower_bound(ignored_.begin(), ignored_.end(), pair);
  if (place == ignored_.end() || *place != pair) ignored_.insert(place, pair);
}

namespace {

constexpr double overlaps = 1e-6;  // of a shape's size

/// The first that is not the world.
BodyId moving_body(const std::vector<Anchor>& anchors) {
  for (const Anchor& anchor : anchors)
    if (!anchor.body.is_world()) return anchor.body;
  return world_body;
}

/// Whether a constraint only bounds, as a string or a stop does.
bool only_bounds(const ConstraintBatch& batch, int constraint) {
  for (int row = 0; row < batch.rows_per_constraint(); ++row)
    if (batch.law(constraint, row).kind != RowLaw::Kind::limit) return false;
  return true;
}

}  // namespace

void ShapeContacts::ignore_joined(const System& system) {
  std::vector<Anchor> anchors;
  std::vector<char> is_held(static_cast<std::size_t>(system.body_count()), 0);  // by the world
  for (const auto& batch : system.constraints()) {
    anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
    for (int c = 0; c < batch->size(); ++c) {
      if (only_bounds(*batch, c)) continue;
      batch->anchors(c, anchors);
      // What couples joints, a gear say, may have its other one in the world.
      const bool is_joint = std::all_of(anchors.begin(), anchors.end(), [&](const Anchor& anchor) {
        return anchor.body.is_world() || anchor.body == moving_body(anchors);
      });
      for (const Anchor& a : anchors)
        for (const Anchor& b : anchors) {
          if (b.body.is_world()) continue;
          if (a.body.is_world() && is_joint)
            is_held[static_cast<std::size_t>(b.body.index)] = 1;
          else if (!a.body.is_world() && a.body.index < b.body.index)
            ignore(a.body, b.body);
        }
    }
  }
  // What turns in a bearing of the world overlaps it, on purpose.
  touching_.clear();
  find(Pose(system, system.initial_state().q), VecX::Zero(system.velocity_size()), 0, 0, touching_);
  for (const Contact& contact : touching_) {
    const BodyId moves = contact.a.body.is_world() ? contact.b.body : contact.a.body;
    const bool of_world = contact.a.body.is_world() || contact.b.body.is_world();
    if (!of_world || !is_held[static_cast<std::size_t>(moves.index)]) continue;
    const auto first = static_cast<std::size_t>(std::min(contact.shape_a, contact.shape_b));
    const auto second = static_cast<std::size_t>(std::max(contact.shape_a, contact.shape_b));
    if (contact.gap < -overlaps * std::max(reach_[first], reach_[second]))
      ignored_shapes_.push_back({first, second});
  }
  std::sort(ignored_shapes_.begin(), ignored_shapes_.end());
}

bool ShapeContacts::may_touch(std::size_t first, std::size_t second) const {
  const BodyShape &a = shapes_[first], &b = shapes_[second];
  if (a.body == b.body || (a.group > 0 && a.group == b.group)) return false;
  if (!((a.kinds & b.meets) | (b.kinds & a.meets))) return false;
  const std::pair<int, int> bodies = std::minmax(a.body.index, b.body.index);
  const std::pair<std::size_t, std::size_t> shapes = std::minmax(first, second);
  return !std::binary_search(ignored_.begin(), ignored_.end(), bodies) &&
         !std::binary_search(ignored_shapes_.begin(), ignored_shapes_.end(), shapes);
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
      seen.way = way(i, pose, v, time).longest();
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

ShapeContacts::Way ShapeContacts::way(std::size_t shape, const Pose& pose, const VecX& v,
                                      double time) const {
  const BodyId body = shapes_[shape].body;
  if (body.is_world()) return {};
  const BodySlot& slot = pose.slots[body.index];
  Way way{time * v.segment<3>(slot.v), 0};
  if (slot.rigid >= 0) way.turn = time * reach_[shape] * v.segment<3>(slot.v + 3).norm();
  return way;
}

void ShapeContacts::forget() const {
  handles_.clear();
  swept_handles_.clear();
  seen_.clear();
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
  // So that a loop in real time need not make room later: a hand's limbs overlap many others.
  constexpr std::size_t neighbours = 32;
  pairs_.reserve(shapes_.size() * std::min(shapes_.size(), neighbours));
}

void ShapeContacts::meet(int first, int second, const Pose& pose, double margin,
                         std::vector<Contact>& out) const {
  const BodyShape& a = shapes_[static_cast<std::size_t>(first)];
  const BodyShape& b = shapes_[static_cast<std::size_t>(second)];
  const Seen& at_a = seen_[static_cast<std::size_t>(first)];
  const Seen& at_b = seen_[static_cast<std::size_t>(second)];
  if ((at_a.is_still && at_b.is_still) ||
      !may_touch(static_cast<std::size_t>(first), static_cast<std::size_t>(second)))
    return;
  points_.clear();
  // What moves along with another may be stopped by a third.
  const double way = at_a.way + at_b.way;
  contacts(a.shape, at_a.pose, b.shape, at_b.pose, margin + way, points_);
  if (points_.empty()) return;
  const std::uint64_t pair =
      static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(second);
  const SurfaceLaw law = surface_pairs_.between(a.surface, b.surface);
  Vec3 grain = Vec3::Zero();
  if (law.grain == SurfaceLaw::Grain::of_a) grain = at_a.pose.rotation * a.surface.grain;
  if (law.grain == SurfaceLaw::Grain::of_b) grain = at_b.pose.rotation * b.surface.grain;
  for (const ContactPoint& point : points_)
    out.push_back({.feature = detail::mixed(point.feature, pair),
                   .a = point_of(b.body, body_pose(pose, b.body), point.on_b),
                   .b = point_of(a.body, body_pose(pose, a.body), point.on_a),
                   .normal = point.normal,
                   .gap = point.gap,
                   .friction = law.friction,
                   .restitution = law.restitution,
                   .friction_across = law.friction_across,
                   .grain = grain,
                   .rolling_friction = law.rolling_friction,
                   .spinning_friction = law.spinning_friction,
                   .compliance = law.compliance,
                   .shape_a = second,
                   .shape_b = first});
}

double ShapeContacts::reach() const {
  double farthest = 0;
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    if (!shapes_[i].body.is_world()) farthest = std::max(farthest, reach_[i]);
  return farthest;
}

double ShapeContacts::elastic_energy(const Pose& pose) const {
  if (!has_compliance_) return 0;
  touching_.clear();
  int velocities = 0;
  for (const BodyShape& shape : shapes_)
    if (!shape.body.is_world())
      velocities = std::max(velocities, pose.slots[shape.body.index].v + 6);
  at_rest_.setZero(velocities);
  find(pose, at_rest_, 0, 0, touching_);
  double energy = 0;
  for (const Contact& contact : touching_)
    energy += 0.5 * contact.compliance.stiffness * std::pow(std::min(contact.gap, 0.0), 2);
  return energy;
}

bool ShapeContacts::is_conservative() const {
  if (has_compliance_) return false;
  return std::all_of(shapes_.begin(), shapes_.end(), [](const BodyShape& shape) {
    const Surface& surface = shape.surface;
    const bool has_pairs = surface.friction_of >= 0 || surface.restitution_of >= 0;
    if (surface.rolling_friction > 0 || surface.spinning_friction > 0) return false;
    return surface.friction == 0 && surface.restitution == 1 && !has_pairs;
  });
}

}  // namespace taut::collision
