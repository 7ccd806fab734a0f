#include "taut/collision/decomposition.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/collision/hull_internal.hpp"
#include "taut/collision/parts_internal.hpp"
#include "taut/collision/triangles_internal.hpp"

namespace taut::collision {

namespace {

using detail::BodyPart;
using detail::CutPlane;
using detail::Hollow;
using detail::Solid;

/// A part with its hull, or, after joining, several parts with one.
struct ConvexPart {
  BodyPart part;
  std::vector<Vec3> points;
  Shape hull;
  double volume = 0;
  Hollow hollow;
  bool is_final = false;  ///< not to be cut: joined, or no plane makes it better
};

class Decomposer {
 public:
  Decomposer(Solid solid, const DecompositionOptions& options)
      : solid_(std::move(solid)),
        options_(options),
        concavity_(options.concavity * solid_.size()),
        thin_(1e-9 * solid_.size()) {}

  Decomposition run() {
    add(whole(solid_));
    if (parts_.empty()) throw Error("mesh: it has no extent in two directions, expected a body");
    cut_all();
    join_all();
    return result();
  }

 private:
  /// Cuts may leave more pieces than are allowed: joining finds better ones than cutting does.
  std::size_t most_parts() const { return 4 * static_cast<std::size_t>(options_.pieces) + 8; }

  Hollow hollow_of(const Shape& hull) const {
    return detail::deepest_hollow(solid_, *hull.hull, 0.9 * concavity_, 0.1 * concavity_);
  }

  void add(BodyPart part) {
    ConvexPart convex;
    convex.points = hull_points(part);
    if (!make_hull(convex.points, convex.hull)) return;
    convex.volume = detail::hull_volume(convex.hull.hull->vertices).value_or(0);
    convex.hollow = hollow_of(convex.hull);
    convex.part = std::move(part);
    parts_.push_back(std::move(convex));
  }

  /// Of a closed body, a part that is flat is nothing; of a sheet, it becomes a plate.
  bool make_hull(std::vector<Vec3>& points, Shape& hull) const {
    const std::optional<double> volume = detail::hull_volume(points);
    const double size = solid_.size();
    if (volume && *volume > 1e-12 * size * size * size) {
      try {
        hull = convex_hull(points);
        return true;
      } catch (const Error&) {  // flatter than a hull may be
      }
    }
    if (solid_.mesh().is_closed) return false;
    Vec3 normal = Vec3::Zero();
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
      const Vec3 cross = (points[i] - points[0]).cross(points[i + 1] - points[0]);
      if (cross.squaredNorm() > normal.squaredNorm()) normal = cross;
    }
    if (!(normal.norm() > 1e-12 * size * size)) return false;
    const Vec3 shift = 0.5 * concavity_ * normal.normalized();
    std::vector<Vec3> plate;
    for (const Vec3& point : points) {
      plate.push_back(point - shift);
      plate.push_back(point + shift);
    }
    points = std::move(plate);
    hull = convex_hull(points);
    return true;
  }

  void cut_all() {
    while (parts_.size() < most_parts()) {
      const auto worst = std::max_element(
          parts_.begin(), parts_.end(), [](const ConvexPart& a, const ConvexPart& b) {
            return (a.is_final ? 0 : a.hollow.depth) < (b.is_final ? 0 : b.hollow.depth);
          });
      if (worst->is_final || worst->hollow.depth <= concavity_) break;
      const std::optional<CutPlane> plane = best_cut(*worst);
      if (!plane) {
        worst->is_final = true;
        continue;
      }
      detail::Halves halves = cut(solid_, worst->part, *plane, thin_);
      parts_.erase(worst);
      add(std::move(halves.below));
      add(std::move(halves.above));
    }
  }

  /// That which leaves hulls of the least volume. A ring or a bowl gets smaller hulls only by the
  /// second cut: where one cut gains little, each half is cut once more to compare.
  std::optional<CutPlane> best_cut(const ConvexPart& part) const {
    const BodyPart few = sketch(part.part);
    const double volume = detail::hull_volume(hull_points(few)).value_or(0);
    const std::vector<CutPlane> planes =
        cut_candidates(solid_, part.part, *part.hull.hull, part.hollow.place);
    std::vector<double> after;
    for (const CutPlane& plane : planes) {
      const auto [below, above] = volumes_after(solid_, few, plane, thin_);
      after.push_back(below + above);
    }
    const auto least = [&]() -> std::optional<CutPlane> {
      std::size_t best = 0;
      for (std::size_t i = 1; i < planes.size(); ++i)
        if (after[i] < (1 - 1e-6) * after[best]) best = i;
      if (planes.empty() || !std::isfinite(after[best])) return std::nullopt;
      return planes[best];
    };
    if (*std::min_element(after.begin(), after.end()) < 0.97 * volume) return least();
    for (std::size_t i = 0; i < planes.size(); ++i)
      if (std::isfinite(after[i])) after[i] = after_second_cut(few, planes[i]);
    return least();
  }

  double after_second_cut(const BodyPart& part, const CutPlane& plane) const {
    double sum = 0;
    const detail::Halves halves = cut(solid_, part, plane, thin_);
    for (const BodyPart* half : {&halves.below, &halves.above}) {
      const std::vector<Vec3> points = hull_points(*half);
      double least = detail::hull_volume(points).value_or(INFINITY);
      Vec3 low = points.front(), high = low;
      for (const Vec3& x : points) {
        low = low.cwiseMin(x);
        high = high.cwiseMax(x);
      }
      for (int axis = 0; axis < 3; ++axis) {
        const CutPlane middle{Vec3::Unit(axis), 0.5 * (low[axis] + high[axis])};
        const auto [below, above] = volumes_after(solid_, *half, middle, thin_);
        least = std::min(least, below + above);
      }
      sum += least;
    }
    return sum;
  }

  /// Two pieces that may become one.
  struct Joint {
    std::size_t first = 0, second = 0;
    double added = 0;   ///< volume
    double depth = -1;  ///< of its hollow, above concavity_; −1: not known yet
  };

  void join_all() {
    std::vector<Joint> joints;
    std::vector<char> is_gone(parts_.size(), 0);
    for (std::size_t j = 1; j < parts_.size(); ++j) add_joints(j, joints, is_gone);
    std::size_t count = parts_.size();
    const auto most = static_cast<std::size_t>(options_.pieces);
    const auto better = [](const Joint& a, const Joint& b) {
      return a.depth != b.depth ? a.depth < b.depth : a.added < b.added;
    };
    for (;;) {
      if (joints.empty() && count > most && !joins_far_) {
        joins_far_ = true;
        for (std::size_t j = 1; j < parts_.size(); ++j) add_joints(j, joints, is_gone);
      }
      if (joints.empty()) break;
      // Those that fill little come first; then, if there are too many pieces, the least bad ones.
      const auto next = std::min_element(joints.begin(), joints.end(), better);
      if (next->depth > 0 && count <= most) break;
      const Joint joint = *next;
      ConvexPart together = joined(joint);
      if (joint.depth < 0 && together.hollow.depth > concavity_) {
        next->depth = together.hollow.depth;
        continue;
      }
      for (const std::size_t part : {joint.first, joint.second}) {
        is_gone[part] = 1;
        std::erase_if(joints, [&](const Joint& j) { return j.first == part || j.second == part; });
      }
      parts_.push_back(std::move(together));
      is_gone.push_back(0);
      --count;
      add_joints(parts_.size() - 1, joints, is_gone);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (!is_gone[i]) {
        if (kept != i) parts_[kept] = std::move(parts_[i]);
        ++kept;
      }
    parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(kept), parts_.end());
  }

  void add_joints(std::size_t j, std::vector<Joint>& joints, const std::vector<char>& is_gone) {
    for (std::size_t i = 0; i < j; ++i) {
      if (is_gone[i] || is_gone[j] || (!joins_far_ && !are_near(i, j))) continue;
      const std::optional<double> volume = detail::hull_volume(hull_vertices(i, j));
      if (volume) joints.push_back({i, j, *volume - parts_[i].volume - parts_[j].volume});
    }
  }

  /// Pieces far apart would only be joined by filling what is between them.
  bool are_near(std::size_t i, std::size_t j) const {
    return bounds(parts_[i].hull, Pose3())
        .grown(2 * concavity_)
        .overlaps(bounds(parts_[j].hull, Pose3()));
  }

  std::vector<Vec3> hull_vertices(std::size_t i, std::size_t j) const {
    std::vector<Vec3> vertices = parts_[i].hull.hull->vertices;
    const std::vector<Vec3>& others = parts_[j].hull.hull->vertices;
    vertices.insert(vertices.end(), others.begin(), others.end());
    return vertices;
  }

  ConvexPart joined(const Joint& joint) const {
    ConvexPart together;
    together.points = hull_vertices(joint.first, joint.second);
    together.hull = convex_hull(together.points);
    together.volume = detail::hull_volume(together.points).value_or(0);
    together.hollow = hollow_of(together.hull);
    together.is_final = true;
    return together;
  }

  Decomposition result() {
    Decomposition all;
    for (const ConvexPart& part : parts_) {
      double left_out = 0;
      all.pieces.push_back(detail::simplified_hull(part.points, 0.1 * concavity_, left_out));
      all.sticks_out = std::max(all.sticks_out, left_out);
      all.reaches_out = std::max(all.reaches_out, part.hollow.depth);
      all.volume += detail::hull_volume(all.pieces.back().hull->vertices).value_or(0);
    }
    all.body_volume = solid_.mesh().volume;
    all.repairs = solid_.mesh().repairs;
    all.vertices = solid_.mesh().vertices;
    all.triangles = solid_.mesh().triangles;
    return all;
  }

  Solid solid_;
  DecompositionOptions options_;
  double concavity_, thin_;
  std::vector<ConvexPart> parts_;
  bool joins_far_ = false;  ///< where pieces are too many, also those that are apart
};

}  // namespace

Decomposition decompose(std::span<const Vec3> vertices,
                        std::span<const std::array<int, 3>> triangles,
                        const DecompositionOptions& options) {
  if (options.pieces < 1)
    throw Error(fmt::format("pieces: found {}, expected at least 1", options.pieces));
  if (!(options.concavity >= 0.001 && options.concavity <= 1))
    throw Error(
        fmt::format("concavity: found {}, expected 0.001 to 1 of the size", options.concavity));
  return Decomposer(Solid(detail::clean_mesh(vertices, triangles)), options).run();
}

double Decomposition::size() const {
  Bounds box{vertices[0], vertices[0]};
  for (const Vec3& v : vertices) box = box.united({v, v});
  return (box.high - box.low).maxCoeff();
}

Shape moving_mesh(const Decomposition& decomposition) {
  std::vector<Piece> pieces;
  for (const Shape& piece : decomposition.pieces) pieces.push_back({piece, Pose3()});
  Shape shape = compound(std::move(pieces));
  auto surface = std::make_shared<TriangleMesh>();
  surface->vertices = decomposition.vertices;
  surface->triangles = decomposition.triangles;
  surface->box = {surface->vertices[0], surface->vertices[0]};
  for (const Vec3& v : surface->vertices) surface->box = surface->box.united({v, v});
  surface->is_closed = decomposition.body_volume > 0;
  shape.mesh = std::move(surface);
  return shape;
}

}  // namespace taut::collision
