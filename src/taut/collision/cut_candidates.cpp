// Which planes to try. Bodies with flat faces fall into convex pieces when they are cut along the
// faces at their hollow edges; round ones when they are cut across their hollows.
#include <algorithm>

#include "taut/collision/parts_internal.hpp"

namespace taut::collision::detail {

namespace {

constexpr int slices = 7;              ///< planes along each axis
constexpr std::size_t most_edges = 8;  ///< hollow edges whose planes are tried

struct RatedEdge {
  const Solid::ReflexEdge* edge;
  Vec3 middle;  ///< of what of it is in the part
  double rating;
};

/// The hollow edges of a part, the most important first: long, sharp, and deep in the hull.
std::vector<RatedEdge> rated_edges(const Solid& solid, const BodyPart& part, const Hull& hull) {
  std::vector<RatedEdge> rated;
  for (const Solid::ReflexEdge& edge : solid.reflex_edges()) {
    double from = 0, to = 1;
    for (const CutPlane& plane : part.planes) {
      const double a = plane.height(edge.end[0]), b = plane.height(edge.end[1]);
      if (a > 0 && b > 0)
        from = 1, to = 0;
      else if (a > 0)
        from = std::max(from, a / (a - b));
      else if (b > 0)
        to = std::min(to, a / (a - b));
    }
    if (!(from < to)) continue;
    const Vec3 along = edge.end[1] - edge.end[0];
    const Vec3 middle = edge.end[0] + 0.5 * (from + to) * along;
    double depth = INFINITY;
    for (int f = 0; f < hull.face_count(); ++f) {
      const auto i = static_cast<std::size_t>(f);
      depth = std::min(depth, hull.offsets[i] - hull.normals[i].dot(middle));
    }
    const double rating = depth * std::min(edge.angle, 1.0) * (to - from) * along.norm();
    if (rating > 0) rated.push_back({&edge, middle, rating});
  }
  std::stable_sort(rated.begin(), rated.end(),
                   [](const RatedEdge& a, const RatedEdge& b) { return a.rating > b.rating; });
  return rated;
}

}  // namespace

std::vector<CutPlane> cut_candidates(const Solid& solid, const BodyPart& part, const Hull& hull,
                                     const Vec3& place) {
  std::vector<CutPlane> planes;
  const double same = 1e-6 * solid.size();
  const auto add = [&](const Vec3& normal, const Vec3& through) {
    const CutPlane plane{normal, normal.dot(through)};
    const auto is_same = [&](const CutPlane& other) {
      const double turn = plane.normal.dot(other.normal);
      return std::abs(turn) > 1 - 1e-9 &&
             std::abs(plane.offset - std::copysign(other.offset, turn * other.offset)) < same;
    };
    if (std::none_of(planes.begin(), planes.end(), is_same)) planes.push_back(plane);
  };
  // Those along faces come first: of cuts that are equally good, the first is taken.
  std::size_t used = 0;
  for (const RatedEdge& rated : rated_edges(solid, part, hull)) {
    const std::size_t before = planes.size();
    for (const Vec3& normal : rated.edge->normal) add(normal, rated.middle);
    const Vec3 across = rated.edge->normal[0] - rated.edge->normal[1];
    add(across.normalized(), rated.middle);
    used += planes.size() > before;
    if (used == most_edges) break;
  }
  Vec3 low = hull.vertices[0], high = low;
  for (const Vec3& v : hull.vertices) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  for (int axis = 0; axis < 3; ++axis) {
    add(Vec3::Unit(axis), place);
    for (int i = 1; i <= slices; ++i)
      add(Vec3::Unit(axis), low + (high - low) * i / (slices + 1.0));
  }
  return planes;
}

}  // namespace taut::collision::detail
