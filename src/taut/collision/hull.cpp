// Convex hulls, by Qhull. Compiled by itself: Qhull's headers define many macros.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "taut/base/error.hpp"
#include "taut/collision/hull_internal.hpp"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace taut::collision {

namespace {

constexpr double least_thickness = 1e-6;  ///< of a hull, relative to its size

/// Qhull's state, freed at the end. Messages go to a file that is thrown away.
class QhullRun {
 public:
  QhullRun() : messages_(std::tmpfile()) { qh_zero(&state_, messages_); }
  ~QhullRun() {
    qh_freeqhull(&state_, !qh_ALL);
    int long_count = 0, long_size = 0;
    qh_memfreeshort(&state_, &long_count, &long_size);
    if (messages_) std::fclose(messages_);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;

  bool run(std::vector<double>& coordinates) {
    char command[] = "qhull Pp";
    return qh_new_qhull(&state_, 3, static_cast<int>(coordinates.size() / 3), coordinates.data(),
                        false, command, messages_, messages_) == 0;
  }
  double volume() {
    qh_getarea(&state_, state_.facet_list);
    return state_.totvol;
  }
  /// Numbers of the points around each face, in one of the two directions.
  std::vector<std::vector<int>> faces() {
    qhT* qh = &state_;
    std::vector<std::vector<int>> all;
    facetT* facet = nullptr;
    FORALLfacet_(qh->facet_list) {
      std::vector<int> face;
      setT* vertices = qh_facet3vertex(qh, facet);
      vertexT *vertex = nullptr, **vertexp = nullptr;
      FOREACHvertex_(vertices) face.push_back(qh_pointid(qh, vertex->point));
      qh_settempfree(qh, &vertices);
      all.push_back(std::move(face));
    }
    return all;
  }

 private:
  std::FILE* messages_;
  qhT state_;
};

/// Newell's formula: twice the area, along the normal, of a polygon that is nearly flat.
Vec3 polygon_area(const std::vector<Vec3>& vertices, const std::vector<int>& face) {
  const auto vertex = [&](std::size_t i) -> const Vec3& {
    return vertices[static_cast<std::size_t>(face[i])];
  };
  Vec3 area = Vec3::Zero();
  for (std::size_t i = 1; i + 1 < face.size(); ++i)
    area += (vertex(i) - vertex(0)).cross(vertex(i + 1) - vertex(0));
  return area;
}

void require_thickness(const Hull& hull, double size) {
  double least = size;
  for (int f = 0; f < hull.face_count(); ++f) {
    const auto i = static_cast<std::size_t>(f);
    double lowest = hull.offsets[i];
    for (const Vec3& v : hull.vertices) lowest = std::min(lowest, hull.normals[i].dot(v));
    least = std::min(least, hull.offsets[i] - lowest);
  }
  if (!(least > least_thickness * size))
    throw Error(
        fmt::format("convex hull: the points are within {:g} of one plane, expected at least {:g} "
                    "of their extent, "
                    "{:g}",
                    least, least_thickness, size));
}

Bounds bounds_of(std::span<const Vec3> points) {
  Bounds box{points[0], points[0]};
  for (const Vec3& point : points) box = box.united({point, point});
  return box;
}

/// Qhull's tolerances belong to numbers of about 1.
std::vector<double> unit_coordinates(std::span<const Vec3> points, const Bounds& box, double size) {
  const Vec3 middle = 0.5 * (box.low + box.high);
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3& point : points)
    for (int k = 0; k < 3; ++k) coordinates.push_back((point[k] - middle[k]) / size);
  return coordinates;
}

}  // namespace

Hull detail::assemble_hull(std::vector<Vec3> vertices, const std::vector<std::vector<int>>& faces) {
  Hull hull;
  hull.vertices = std::move(vertices);
  for (const Vec3& v : hull.vertices) {
    hull.x.push_back(v.x());
    hull.y.push_back(v.y());
    hull.z.push_back(v.z());
  }
  std::map<std::pair<int, int>, int> edge_of;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const std::vector<int>& face = faces[f];
    hull.face_start.push_back(static_cast<int>(hull.face_vertex.size()));
    const Vec3 normal = polygon_area(hull.vertices, face).stableNormalized();
    double offset = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < face.size(); ++i) {
      const int from = face[i], to = face[(i + 1) % face.size()];
      offset = std::max(offset, normal.dot(hull.vertices[static_cast<std::size_t>(from)]));
      const auto found = edge_of.find({to, from});
      int edge = 0;
      if (found == edge_of.end()) {
        edge = static_cast<int>(hull.edges.size());
        hull.edges.push_back({{from, to}, {static_cast<int>(f), -1}});
        if (!edge_of.insert({{from, to}, edge}).second)
          throw Error("convex hull: two faces have an edge in the same direction");
      } else {
        edge = found->second;
        hull.edges[static_cast<std::size_t>(edge)].face[1] = static_cast<int>(f);
      }
      hull.face_vertex.push_back(from);
      hull.face_edge.push_back(edge);
    }
    hull.normals.push_back(normal);
    hull.offsets.push_back(offset);
  }
  hull.face_start.push_back(static_cast<int>(hull.face_vertex.size()));

  std::vector<std::vector<int>> beside(hull.vertices.size()), faces_beside(hull.vertices.size());
  for (int f = 0; f < hull.face_count(); ++f)
    for (int i = hull.face_start[static_cast<std::size_t>(f)];
         i < hull.face_start[static_cast<std::size_t>(f) + 1]; ++i)
      faces_beside[static_cast<std::size_t>(hull.face_vertex[static_cast<std::size_t>(i)])]
          .push_back(f);
  for (const Hull::Edge& edge : hull.edges) {
    if (edge.face[1] < 0) throw Error("convex hull: an edge has a face on one side only");
    beside[static_cast<std::size_t>(edge.vertex[0])].push_back(edge.vertex[1]);
    beside[static_cast<std::size_t>(edge.vertex[1])].push_back(edge.vertex[0]);
  }
  // Every edge has two faces, and a face two edges at each of its vertices: as many of both.
  for (std::size_t v = 0; v < beside.size(); ++v) {
    hull.neighbour_start.push_back(static_cast<int>(hull.neighbours.size()));
    hull.neighbours.insert(hull.neighbours.end(), beside[v].begin(), beside[v].end());
    hull.faces_beside.insert(hull.faces_beside.end(), faces_beside[v].begin(),
                             faces_beside[v].end());
  }
  hull.neighbour_start.push_back(static_cast<int>(hull.neighbours.size()));
  return hull;
}

std::optional<double> detail::hull_volume(std::span<const Vec3> points) {
  if (points.size() < 4) return std::nullopt;
  const Bounds box = bounds_of(points);
  const double size = (box.high - box.low).maxCoeff();
  if (!(size > 0)) return std::nullopt;
  std::vector<double> coordinates = unit_coordinates(points, box, size);
  QhullRun qhull;
  if (!qhull.run(coordinates)) return std::nullopt;
  return qhull.volume() * size * size * size;
}

Shape convex_hull(std::span<const Vec3> points) {
  if (points.size() < 4)
    throw Error(fmt::format("convex hull: found {} points, expected at least 4", points.size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite()) throw Error(fmt::format("convex hull: point {} is not finite", i));
  const Bounds box = bounds_of(points);
  const double size = (box.high - box.low).maxCoeff();
  if (!(size > 0)) throw Error("convex hull: all points are the same, expected a body");
  std::vector<double> coordinates = unit_coordinates(points, box, size);
  QhullRun qhull;
  if (!qhull.run(coordinates))
    throw Error("convex hull: the points are all in one plane or nearly so, expected a body");

  std::vector<std::vector<int>> faces = qhull.faces();
  std::vector<int> number(points.size(), -1);
  std::vector<Vec3> vertices;
  for (std::vector<int>& face : faces)
    for (int& v : face) {
      int& renamed = number[static_cast<std::size_t>(v)];
      if (renamed < 0) {
        renamed = static_cast<int>(vertices.size());
        vertices.push_back(points[static_cast<std::size_t>(v)]);
      }
      v = renamed;
    }
  Vec3 inside = Vec3::Zero();
  for (const Vec3& v : vertices) inside += v / static_cast<double>(vertices.size());
  for (std::vector<int>& face : faces)
    if (polygon_area(vertices, face).dot(vertices[static_cast<std::size_t>(face[0])] - inside) < 0)
      std::reverse(face.begin(), face.end());
  Shape shape;
  shape.type = ShapeType::hull;
  auto hull = std::make_shared<Hull>(detail::assemble_hull(std::move(vertices), faces));
  require_thickness(*hull, size);
  shape.hull = std::move(hull);
  return shape;
}

}  // namespace taut::collision
