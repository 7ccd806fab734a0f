#include <algorithm>
#include <limits>
#include <numbers>

#include "taut/collision/pairs_internal.hpp"
#include "taut/collision/shape_contacts.hpp"
#include "taut/collision/sweeps_internal.hpp"

namespace taut::collision {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// What moves by less than this part of its width ends in what it hits, and is found there.
constexpr double slow = 0.25;

/// From one pose to the other, with as many turns as at this angular velocity.
Motion3 motion_between(const Pose3& from, const Pose3& to, const Vec3& turned) {
  Motion3 motion(from, to);
  const double angle = motion.turn.norm();
  constexpr double circle = 2 * std::numbers::pi;
  const Vec3 axis = angle > 1e-6 ? Vec3(motion.turn / angle) : Vec3(turned.stableNormalized());
  motion.turn = (angle + circle * std::round((turned.dot(axis) - angle) / circle)) * axis;
  return motion;
}

}  // namespace

Shape detail::in_frame(const Shape& shape, const Pose3& pose) {
  if (pose.position.isZero(0) && pose.rotation.isIdentity(0)) return shape;
  std::vector<Piece> pieces = shape.pieces ? *shape.pieces : std::vector<Piece>{{shape, Pose3()}};
  for (Piece& piece : pieces) piece.pose = pose * piece.pose;
  return compound(std::move(pieces));
}

double detail::least_width(const Shape& shape) {
  const Vec3& s = shape.size;
  double core = 0;
  switch (shape.type) {
    case ShapeType::plane:
    case ShapeType::mesh:
    case ShapeType::height_field:
      return infinite;
    case ShapeType::compound:
      core = infinite;
      for (const Piece& piece : *shape.pieces) core = std::min(core, least_width(piece.shape));
      return core;
    case ShapeType::hull:
      core = infinite;
      for (int f = 0; f < shape.hull->face_count(); ++f) {
        const auto i = static_cast<std::size_t>(f);
        double lowest = infinite;
        for (const Vec3& v : shape.hull->vertices)
          lowest = std::min(lowest, shape.hull->normals[i].dot(v));
        core = std::min(core, shape.hull->offsets[i] - lowest);
      }
      break;
    case ShapeType::cone:
      core = std::min(s.x(), s.z());
      break;
    case ShapeType::sphere:
    case ShapeType::capsule:
      break;
    default:
      core = 2 * s.minCoeff();
  }
  return core + 2 * shape.radius;
}

bool detail::passes(const Shape& a, const Motion3& motion_a, double width_a, const Shape& b,
                    const Motion3& motion_b, double width_b) {
  const Pose3 from_a = motion_a.start, from_b = motion_b.start;
  const Pose3 to_a = motion_a.at(1), to_b = motion_b.at(1);
  const Distance before = distance(a, from_a, b, from_b), after = distance(a, to_a, b, to_b);
  const auto turned_round = [&](const Pose3& from, const Pose3& to) {
    return (from.rotation.transpose() * before.normal).dot(to.rotation.transpose() * after.normal) <
           0;
  };
  const double tolerance = 1e-3 * std::min(width_a, width_b);
  if (before.gap <= tolerance) {
    // What touches at the start may slide and roll: only the thinner one tells sides apart.
    const bool a_is_thinner =
        is_surface(a) || (!is_surface(b) && width_a * reach(b) < width_b * reach(a));
    return a_is_thinner ? turned_round(from_a, to_a) : turned_round(from_b, to_b);
  }
  if (before.normal.dot(after.normal) >= 0 && !turned_round(from_a, to_a) &&
      !turned_round(from_b, to_b))
    return false;
  if (after.gap <= tolerance) return true;  // they met, and would be parted on the wrong side
  const Impact impact = time_of_impact(a, motion_a, b, motion_b, tolerance);
  return impact.hit || !impact.settled;
}

bool ShapeContacts::is_fast(const Pose& pose, const VecX& v, double time) const {
  double most = 0;
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    most = std::max(most, way(i, pose, v, time).longest());
  return 2 * most > slow * least_width_;
}

bool ShapeContacts::passes(const Pose& from, const Pose& to, const VecX& v, double time) const {
  if (swept_handles_.size() != shapes_.size()) {
    swept_ = BoxTree();
    swept_handles_.clear();
    for (std::size_t i = 0; i < shapes_.size(); ++i)
      swept_handles_.push_back(
          shapes_[i].shape.type == ShapeType::plane
              ? -1
              : swept_.insert(static_cast<int>(i), bounds(shapes_[i].shape, shapes_[i].pose)));
    motions_.resize(shapes_.size());
  }
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const BodyShape& shape = shapes_[i];
    if (swept_handles_[i] < 0) continue;
    const bool is_still = shape.body.is_world();
    const Pose3 start = is_still ? shape.pose : detail::body_pose(from, shape.body);
    motions_[i] = Motion3(start);
    Bounds box = bounds(in_body_[i], start);
    if (!is_still) {
      const Pose3 end = detail::body_pose(to, shape.body);
      const BodySlot& slot = from.slots[shape.body.index];
      Vec3 turned = Vec3::Zero();
      if (slot.rigid >= 0) turned = time * (end.rotation * v.segment<3>(slot.v + 3));
      motions_[i] = motion_between(start, end, turned);
      // Between them it can be where neither end is.
      const double angle = motions_[i].turn.norm();
      box = box.united(bounds(in_body_[i], end)).grown(std::min(angle, 2.0) * reach_[i]);
    }
    swept_.move(swept_handles_[i], box);
  }
  swept_.pairs(pairs_);
  for (const auto& [first, second] : pairs_) {
    const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
    const double fast = way(a, from, v, time).against(way(b, from, v, time));
    if (!(fast > slow * std::min(width_[a], width_[b])) || !may_touch(a, b)) continue;
    if (detail::passes(in_body_[a], motions_[a], width_[a], in_body_[b], motions_[b], width_[b]))
      return true;
  }
  return false;
}

double detail::free_part(const Shape& moves, const Pose3& from, const Vec3& way, const Shape& stays,
                         const Pose3& at, double room) {
  // Piece by piece: a convex one that touches may leave along all that does not go into the plane
  // between them, while a hollow one may be hit by another of its pieces.
  for (const Shape* whole : {&moves, &stays}) {
    if (!whole->pieces) continue;
    double part = 1;
    for (const Piece& piece : *whole->pieces)
      part = std::min(part, whole == &moves
                                ? free_part(piece.shape, from * piece.pose, way, stays, at, room)
                                : free_part(moves, from, way, piece.shape, at * piece.pose, room));
    return part;
  }
  const double length = way.norm();
  const Distance before = distance(moves, from, stays, at);
  double done = 0;
  if (before.gap <= room) {
    if (before.normal.dot(way) > 1e-9 * length) return 0;
    if (!is_surface(stays)) return 1;
    done = std::min(1.0, 4 * room / length);  // where it has left the triangles that it touches
    const Pose3 off(from.position + done * way, from.rotation);
    if (distance(moves, off, stays, at).gap <= room) return 0;
  }
  const Pose3 start(from.position + done * way, from.rotation);
  const Impact impact = time_of_impact(moves, Motion3(start, (1 - done) * way, Vec3::Zero(), 1),
                                       stays, Motion3(at), room);
  return impact.hit || !impact.settled ? done + (1 - done) * impact.t : 1;
}

double ShapeContacts::free_part(const Pose& pose, std::span<const char> moves, const Vec3& way,
                                double room) const {
  const auto moving = [&](std::size_t i) {
    const BodyId body = shapes_[i].body;
    return !body.is_world() && moves[static_cast<std::size_t>(body.index)] != 0;
  };
  const auto place = [&](std::size_t i) {
    return shapes_[i].body.is_world() ? shapes_[i].pose : detail::body_pose(pose, shapes_[i].body);
  };
  double part = 1;
  for (std::size_t i = 0; i < shapes_.size() && part > 0; ++i) {
    if (!moving(i)) continue;
    const Pose3 from = place(i);
    const Bounds here = bounds(in_body_[i], from);
    const Bounds there = bounds(in_body_[i], Pose3(from.position + way, from.rotation));
    const Bounds swept = here.united(there).grown(room);
    for (std::size_t k = 0; k < shapes_.size() && part > 0; ++k) {
      if (moving(k) || !may_touch(i, k)) continue;
      const Pose3 at = place(k);
      if (shapes_[k].shape.type != ShapeType::plane && !swept.overlaps(bounds(in_body_[k], at)))
        continue;
      part = std::min(part, detail::free_part(in_body_[i], from, way, in_body_[k], at, room));
    }
  }
  return part;
}

}  // namespace taut::collision
