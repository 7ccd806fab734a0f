#include "taut/collision/crossings.hpp"

#include <algorithm>
#include <tuple>

#include "taut/collision/exact_sign.hpp"
#include "taut/collision/triangles_internal.hpp"

namespace taut::collision {
namespace {

using Corners = std::array<Vec3, 3>;

bool is_between_lines(int a, int b, int c) {
  return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

/// All in one plane, seen along an axis along which the triangle has an area.
bool crosses_in_plane(const Vec3& p, const Vec3& q, const Corners& t, int axis) {
  const auto side = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    return side_of_line(a, b, c, axis);
  };
  for (const Vec3& end : {p, q})
    if (is_between_lines(side(t[0], t[1], end), side(t[1], t[2], end), side(t[2], t[0], end)))
      return true;
  // Neither end is inside: they cross if the edge crosses a side of the triangle.
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 &a = t[k], &b = t[(k + 1) % 3];
    if (side(p, q, a) * side(p, q, b) <= 0 && side(a, b, p) * side(a, b, q) <= 0 &&
        (side(p, q, a) != 0 || side(p, q, b) != 0))
      return true;
  }
  return false;
}

bool crosses(const Vec3& p, const Vec3& q, const Corners& t) {
  const int from = side_of_plane(t[0], t[1], t[2], p), to = side_of_plane(t[0], t[1], t[2], q);
  if (from * to > 0) return false;
  if (from == 0 && to == 0) {
    for (int axis = 0; axis < 3; ++axis)
      if (side_of_line(t[0], t[1], t[2], axis) != 0) return crosses_in_plane(p, q, t, axis);
    return false;  // no area
  }
  return is_between_lines(side_of_plane(p, q, t[0], t[1]), side_of_plane(p, q, t[1], t[2]),
                          side_of_plane(p, q, t[2], t[0]));
}

struct EdgeOf {
  int surface;
  std::array<int, 2> edge;
  Bounds box;
};
struct TriangleOf {
  int surface, triangle;
  Bounds box;
};

std::vector<std::array<int, 2>> all_edges(const CheckedSurface& surface) {
  std::vector<std::array<int, 2>> edges = surface.edges;
  for (const auto& t : surface.triangles)
    for (std::size_t k = 0; k < 3; ++k) edges.push_back({t[k], t[(k + 1) % 3]});
  for (auto& edge : edges)
    if (edge[0] > edge[1]) std::swap(edge[0], edge[1]);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

Corners corners_of(const CheckedSurface& surface, int triangle) {
  const auto& v = surface.triangles[static_cast<std::size_t>(triangle)];
  const auto at = [&](int i) { return surface.vertices[static_cast<std::size_t>(i)]; };
  return {at(v[0]), at(v[1]), at(v[2])};
}

Bounds box_of(const Corners& c) {
  return {c[0].cwiseMin(c[1]).cwiseMin(c[2]), c[0].cwiseMax(c[1]).cwiseMax(c[2])};
}

}  // namespace

std::vector<Crossing> find_crossings(std::span<const CheckedSurface> surfaces, std::size_t most) {
  std::vector<EdgeOf> edges;
  std::vector<TriangleOf> triangles;
  for (std::size_t s = 0; s < surfaces.size(); ++s) {
    const CheckedSurface& surface = surfaces[s];
    const int number = static_cast<int>(s);
    const auto at = [&](int i) { return surface.vertices[static_cast<std::size_t>(i)]; };
    for (const auto& edge : all_edges(surface))
      edges.push_back(
          {number, edge, {at(edge[0]).cwiseMin(at(edge[1])), at(edge[0]).cwiseMax(at(edge[1]))}});
    for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t)
      triangles.push_back({number, t, box_of(corners_of(surface, t))});
  }
  // Sweep along x: triangles begin where they are lowest, and none is longer than the longest.
  std::sort(triangles.begin(), triangles.end(), [](const TriangleOf& a, const TriangleOf& b) {
    return std::tuple(a.box.low.x(), a.surface, a.triangle) <
           std::tuple(b.box.low.x(), b.surface, b.triangle);
  });
  double longest = 0;
  for (const TriangleOf& t : triangles) longest = std::max(longest, t.box.high.x() - t.box.low.x());
  std::vector<Crossing> found;
  for (const EdgeOf& e : edges) {
    const CheckedSurface& surface = surfaces[static_cast<std::size_t>(e.surface)];
    const double begin = e.box.low.x() - 1.000001 * longest;  // rounding errors, too
    auto t = std::lower_bound(triangles.begin(), triangles.end(), begin,
                              [](const TriangleOf& a, double x) { return a.box.low.x() < x; });
    for (; t != triangles.end() && t->box.low.x() <= e.box.high.x(); ++t) {
      const CheckedSurface& other = surfaces[static_cast<std::size_t>(t->surface)];
      if (!t->box.overlaps(e.box) || (surface.is_fixed && other.is_fixed)) continue;
      const auto& v = other.triangles[static_cast<std::size_t>(t->triangle)];
      const auto has = [&](int i) { return v[0] == i || v[1] == i || v[2] == i; };
      if (t->surface == e.surface && (has(e.edge[0]) || has(e.edge[1]))) continue;
      if (crosses(surface.vertices[static_cast<std::size_t>(e.edge[0])],
                  surface.vertices[static_cast<std::size_t>(e.edge[1])],
                  corners_of(other, t->triangle)))
        found.push_back({e.surface, e.edge, t->surface, t->triangle});
    }
  }
  std::sort(found.begin(), found.end(), [](const Crossing& a, const Crossing& b) {
    return std::tie(a.edge_surface, a.edge, a.triangle_surface, a.triangle) <
           std::tie(b.edge_surface, b.edge, b.triangle_surface, b.triangle);
  });
  if (found.size() > most) found.resize(most);
  return found;
}

CheckedSurface checked_surface(const Shape& shape, const Pose3& at) {
  CheckedSurface surface;
  surface.is_fixed = true;
  const auto add = [&](const Corners& corner) {
    const int first = static_cast<int>(surface.vertices.size());
    for (const Vec3& x : corner) surface.vertices.push_back(at * x);
    surface.triangles.push_back({first, first + 1, first + 2});
  };
  for (int t = 0; t < detail::triangle_count(shape); ++t) add(detail::corners(shape, t));
  return surface;
}

}  // namespace taut::collision
