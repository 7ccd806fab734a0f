// The feature of one body (incident) is clipped by the sides of that of the other (reference), all
// along the normal: what is left of it lies above the reference.
#include <algorithm>
#include <limits>

#include "taut/collision/manifold_internal.hpp"

namespace taut::collision::detail {

namespace {

constexpr double flat_enough = 0.1;  ///< cosine between the normal and a face that is a reference
constexpr double parallel = 1e-3;    ///< sine of the angle between edges that touch in a line
constexpr std::uint32_t of_reference = 0x80000000u;

enum class IdKind : std::uint64_t { vertex_of_a, vertex_of_b, two_edges, deepest };

std::uint64_t feature_id(IdKind kind, std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint64_t>(kind) << 62 | static_cast<std::uint64_t>(a) << 31 | b;
}

struct ClipPoint {
  Vec3 p;
  std::uint64_t id;
  std::uint32_t edge;  ///< that leads to the next point: of the incident feature or the reference
};

struct ClipPolygon {
  ClipPoint point[2 * Feature::most + 2];
  int count = 0;

  void add(const ClipPoint& p) {
    if (count < 2 * Feature::most + 2) point[count++] = p;
  }
};

struct Clipping {
  const Feature& reference;
  const Feature& incident;
  bool reference_is_a;
  double size;  // of the larger

  std::uint64_t vertex_id(bool is_of_reference, std::uint32_t v) const {
    return is_of_reference == reference_is_a ? feature_id(IdKind::vertex_of_a, v, 0)
                                             : feature_id(IdKind::vertex_of_b, 0, v);
  }
  /// Where an edge of the polygon is cut by side i of the reference.
  std::uint64_t cut_id(std::uint32_t edge, int i) const {
    const auto side = reference.edge[i];
    if (edge & of_reference) {  // two sides of the reference: the corner between them
      const int other = static_cast<int>(edge & ~of_reference);
      if ((other + 1) % reference.count == i) return vertex_id(true, reference.vertex[i]);
      if ((i + 1) % reference.count == other) return vertex_id(true, reference.vertex[other]);
      return feature_id(IdKind::deepest, reference.edge[other] + 1, side + 1);
    }
    return reference_is_a ? feature_id(IdKind::two_edges, side, edge)
                          : feature_id(IdKind::two_edges, edge, side);
  }
};

/// Leaves of a polygon what is not beyond a plane; false where nothing is, and `left` is not set.
/// One of two points is a segment, and not closed. A point that is beyond it by round-off only is
/// left, so that edges which coincide do not cross.
bool cut(const Clipping& clipping, int side, const Vec3& outward, const Vec3& on_plane,
         const ClipPolygon& polygon, ClipPolygon& left) {
  const int count = polygon.count;
  const bool is_segment = count == 2;
  const double slack = 1e-9 * clipping.size * outward.norm();
  double height[2 * Feature::most + 2];
  bool is_cut = false;
  for (int i = 0; i < count; ++i) {
    height[i] = outward.dot(polygon.point[i].p - on_plane);
    is_cut = is_cut || !(height[i] <= slack);
  }
  if (!is_cut) return false;
  left.count = 0;
  for (int i = 0; i < count; ++i) {
    const ClipPoint& here = polygon.point[i];
    const int j = i + 1 < count ? i + 1 : 0;
    const double beyond = height[i], next = height[j];
    if (beyond <= slack) left.add(here);
    if (is_segment && i == 1) break;
    if ((beyond <= slack) != (next <= slack)) {
      const double t = std::clamp(beyond / (beyond - next), 0.0, 1.0);
      const bool leaves = beyond <= slack;
      left.add(
          {here.p + t * (polygon.point[j].p - here.p), clipping.cut_id(here.edge, side),
           leaves && !is_segment ? of_reference | static_cast<std::uint32_t>(side) : here.edge});
    }
  }
  return true;
}

Vec3 face_normal(const Feature& f) {
  Vec3 area = Vec3::Zero();
  for (int i = 1; i + 1 < f.count; ++i)
    area += (f.point[i] - f.point[0]).cross(f.point[i + 1] - f.point[0]);
  return area.normalized();
}

double extent(const Feature& f) {
  double most = 0;
  for (int i = 1; i < f.count; ++i) most = std::max(most, (f.point[i] - f.point[0]).norm());
  return most;
}

void begin(const Clipping& clipping, ClipPolygon& polygon) {
  for (int i = 0; i < clipping.incident.count; ++i)
    polygon.add({clipping.incident.point[i], clipping.vertex_id(false, clipping.incident.vertex[i]),
                 clipping.incident.edge[i]});
}

/// Adds what is nearer than `reach`, without points that coincide.
void keep(const ClipPolygon& polygon, const Clipping& clipping, const Vec3& normal,
          const Vec3& plane_normal, double reach, CoreManifold& manifold) {
  const double same = 1e-7 * clipping.size;
  const double slope = plane_normal.dot(normal);
  int kept[2 * Feature::most + 2];
  int kept_count = 0;
  for (int i = 0; i < polygon.count; ++i) {
    const Vec3& p = polygon.point[i].p;
    const double height = plane_normal.dot(p - clipping.reference.point[0]) / slope;
    const double gap = clipping.reference_is_a ? height : -height;
    if (gap > reach) continue;
    const bool is_double = std::any_of(kept, kept + kept_count, [&](int k) {
      return (polygon.point[k].p - p).squaredNorm() <= same * same;
    });
    if (is_double) continue;
    kept[kept_count++] = i;
    manifold.add(clipping.reference_is_a ? Vec3(p - gap * normal) : p, gap, polygon.point[i].id);
  }
}

void clip_by_face(const Feature& a, const Feature& b, bool reference_is_a, const Vec3& normal,
                  const Vec3& plane_normal, double reach, CoreManifold& manifold) {
  const Clipping clipping{reference_is_a ? a : b, reference_is_a ? b : a, reference_is_a,
                          std::max(extent(a), extent(b))};
  const Feature& reference = clipping.reference;
  const Vec3 up = reference_is_a ? normal : Vec3(-normal);
  ClipPolygon polygon[2];
  int current = 0;
  begin(clipping, polygon[0]);
  for (int i = 0; i < reference.count && polygon[current].count > 0; ++i) {
    const Vec3& from = reference.point[i];
    const Vec3 edge = reference.point[(i + 1) % reference.count] - from;
    if (cut(clipping, i, edge.cross(up), from, polygon[current], polygon[1 - current]))
      current = 1 - current;
  }
  keep(polygon[current], clipping, normal, plane_normal, reach, manifold);
}

/// Two edges, when they are about parallel: the common part.
void clip_by_edge(const Feature& a, const Feature& b, const Vec3& normal, double reach,
                  CoreManifold& manifold) {
  const Vec3 edge = a.point[1] - a.point[0], other = b.point[1] - b.point[0];
  if (edge.cross(other).norm() > parallel * edge.norm() * other.norm()) return;
  const Clipping clipping{a, b, true, std::max(extent(a), extent(b))};
  ClipPolygon polygons[2];
  begin(clipping, polygons[0]);
  int current = cut(clipping, 0, -edge, a.point[0], polygons[0], polygons[1]) ? 1 : 0;
  if (cut(clipping, 1, edge, a.point[1], polygons[current], polygons[1 - current]))
    current = 1 - current;
  const ClipPolygon& polygon = polygons[current];
  if (polygon.count < 2) return;
  // On the edge of a. Where the two cross at a small angle, the point of b is a little beside it.
  for (int i = 0; i < polygon.count; ++i) {
    const Vec3& p = polygon.point[i].p;
    const double along = edge.dot(p - a.point[0]) / edge.squaredNorm();
    const Vec3 on_a = a.point[0] + std::clamp(along, 0.0, 1.0) * edge;
    const double gap = normal.dot(p - on_a);
    const bool is_double = i > 0 && (p - polygon.point[0].p).norm() <= 1e-7 * clipping.size;
    if (gap <= reach && !is_double) manifold.add(on_a, gap, polygon.point[i].id);
  }
}

}  // namespace

void find_manifold(const Difference& difference, const Vec3& normal, double reach,
                   const CoreGap* deepest, CoreManifold& manifold) {
  Feature a, b;
  find_feature(difference.a, normal, a, difference.vertex_a);
  find_feature(difference.b, Vec3(-(difference.rotation.transpose() * normal)), b,
               difference.vertex_b);
  for (int i = 0; i < b.count; ++i)
    b.point[i] = difference.rotation * b.point[i] + difference.shift;
  const Vec3 normal_a = a.count > 2 ? face_normal(a) : Vec3(Vec3::Zero());
  const Vec3 normal_b = b.count > 2 ? face_normal(b) : Vec3(Vec3::Zero());
  const double along_a = normal_a.dot(normal), along_b = -normal_b.dot(normal);
  constexpr double prefer_a = 1e-3;  // so that the reference does not change to and fro
  const bool is_point = a.count == 1 || b.count == 1;
  if (is_point && deepest) {
    // Only the deepest point.
  } else if (std::max(along_a, along_b) > flat_enough) {
    if (along_a + prefer_a >= along_b)
      clip_by_face(a, b, true, normal, normal_a, reach, manifold);
    else
      clip_by_face(a, b, false, normal, normal_b, reach, manifold);
  } else if (a.count == 2 && b.count == 2) {
    clip_by_edge(a, b, normal, reach, manifold);
  }
  if (!deepest) return;
  // Along the normal nothing is deeper; lines that cross at a small angle are only nearly lines.
  for (int i = 0; i < manifold.count; ++i)
    manifold.point[i].gap = std::max(manifold.point[i].gap, deepest->gap);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < manifold.count; ++i) least = std::min(least, manifold.point[i].gap);
  const double same = 1e-9 * std::max({extent(a), extent(b), std::abs(deepest->gap)});
  if (!(least <= deepest->gap + same))
    manifold.add(deepest->on_a, deepest->gap, feature_id(IdKind::deepest, 0, 0));
}

std::size_t thin_out(std::vector<ContactPoint>& contacts, std::size_t first, std::size_t last) {
  if (last - first <= most_contacts) return last;
  const auto begin = contacts.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = contacts.begin() + static_cast<std::ptrdiff_t>(last);
  Vec3 middle = Vec3::Zero();
  for (auto it = begin; it != end; ++it) middle += it->on_a / static_cast<double>(last - first);
  for (int kept = 0; kept < most_contacts; ++kept) {
    const auto distance_to_kept = [&](const ContactPoint& c) {
      double least =
          kept > 0 ? std::numeric_limits<double>::infinity() : (c.on_a - middle).squaredNorm();
      for (int k = 0; k < kept; ++k)
        least = std::min(least, (begin[k].on_a - c.on_a).squaredNorm());
      return least;
    };
    auto farthest = begin + kept;
    double most = distance_to_kept(*farthest);
    for (auto it = farthest + 1; it != end; ++it)
      if (const double distance = distance_to_kept(*it); distance > most) {
        most = distance;
        farthest = it;
      }
    std::iter_swap(begin + kept, farthest);
  }
  const auto is_deeper = [](const ContactPoint& x, const ContactPoint& y) { return x.gap < y.gap; };
  const auto deepest = std::min_element(begin, end, is_deeper);
  if (deepest - begin >= most_contacts) std::iter_swap(begin + most_contacts - 1, deepest);
  contacts.erase(begin + most_contacts, end);
  return first + most_contacts;
}

}  // namespace taut::collision::detail
