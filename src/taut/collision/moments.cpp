// Integrals over rounded polyhedra, exactly: the polyhedron itself, a prism on every face, a sector
// of a cylinder along every edge, and a sector of a ball at every vertex.
#include <numbers>

#include "taut/collision/hull_internal.hpp"
#include "taut/collision/moments_internal.hpp"

namespace taut::collision::detail {

namespace {

/// A part of the unit sphere between great circles: ∫ dΩ, ∫ u dΩ and ∫ u uᵀ dΩ.
struct SphereSector {
  double solid = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
};

/// The triangle a, b, c on the sphere, counter-clockwise. The theorem of divergence on the sphere,
/// ∫ ∇f dΩ = ∮ f ν dl + 2 ∫ f u dΩ (ν: outward along the sphere), gives with f = 1 and f = u_j
///   ∫ u dΩ = −½ ∮ ν dl,   3 ∫ u uᵀ dΩ = Ω − ∮ ν uᵀ dl,
/// where ν is constant on an arc and ∫ u dl = (a + b) tan(θ/2) on one of the angle θ.
SphereSector sphere_triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
  SphereSector s;
  s.solid = 2 * std::atan2(a.dot(b.cross(c)), 1 + a.dot(b) + b.dot(c) + c.dot(a));
  s.second = s.solid * Mat3::Identity();
  const Vec3 corner[3] = {a, b, c};
  for (int k = 0; k < 3; ++k) {
    const Vec3 &p = corner[k], &q = corner[(k + 1) % 3];
    const Vec3 cross = p.cross(q);
    const double sine = cross.norm(), cosine = p.dot(q);
    if (!(sine > 0)) continue;
    const Vec3 outward = -cross / sine;
    s.first -= 0.5 * std::atan2(sine, cosine) * outward;
    s.second -= outward * ((p + q) * (sine / (1 + cosine))).transpose();
  }
  s.second /= 3;
  return s;
}

void add_prism(const Hull& hull, std::size_t f, double r, Moments& m) {
  const Vec3 lift = r * hull.normals[f];
  const auto vertex = [&](int i) {
    return hull.vertices[static_cast<std::size_t>(hull.face_vertex[static_cast<std::size_t>(i)])];
  };
  const int first = hull.face_start[f], end = hull.face_start[f + 1];
  for (int i = first + 1; i + 1 < end; ++i) {
    // A prism on a triangle: ∫ over its height of the triangle's own integrals.
    const Vec3 a = vertex(first), b = vertex(i), c = vertex(i + 1);
    const double area = 0.5 * (b - a).cross(c - a).dot(hull.normals[f]);
    const Vec3 middle = (a + b + c) / 3;
    const Vec3 sum = a + b + c;
    const Mat3 of_triangle =
        (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose()) / 12;
    m.volume += area * r;
    m.first += area * r * (middle + 0.5 * lift);
    m.second += area * r *
                (of_triangle + 0.5 * (middle * lift.transpose() + lift * middle.transpose()) +
                 lift * lift.transpose() / 3);
  }
}

void add_edge(const Hull& hull, const Hull::Edge& edge, double r, Moments& m) {
  const Vec3& p = hull.vertices[static_cast<std::size_t>(edge.vertex[0])];
  const Vec3& q = hull.vertices[static_cast<std::size_t>(edge.vertex[1])];
  const Vec3& n0 = hull.normals[static_cast<std::size_t>(edge.face[0])];
  const Vec3& n1 = hull.normals[static_cast<std::size_t>(edge.face[1])];
  const double length = (q - p).norm();
  const double angle = std::atan2(n0.cross(n1).norm(), n0.dot(n1));
  // The sector is seen from its bisector.
  const Vec3 x = (n0 + n1).normalized(), along = (q - p) / length, y = along.cross(x);
  const double area = angle * r * r / 2;
  const Vec3 first = 2.0 / 3 * r * r * r * std::sin(angle / 2) * x;
  const double fourth = r * r * r * r / 8;
  const Mat3 second = fourth * ((angle + std::sin(angle)) * x * x.transpose() +
                                (angle - std::sin(angle)) * y * y.transpose());
  const Vec3 middle = 0.5 * (p + q);
  m.volume += area * length;
  m.first += length * (area * middle + first);
  m.second +=
      length *
      (area * (middle * middle.transpose() + length * length / 12 * along * along.transpose()) +
       middle * first.transpose() + first * middle.transpose() + second);
}

void add_ball(const Vec3& vertex, const SphereSector& s, double r, Moments& m) {
  const double volume = s.solid * r * r * r / 3;
  const Vec3 first = std::pow(r, 4) / 4 * s.first;
  m.volume += volume;
  m.first += volume * vertex + first;
  m.second += volume * vertex * vertex.transpose() + vertex * first.transpose() +
              first * vertex.transpose() + std::pow(r, 5) / 5 * s.second;
}

/// The normals of the faces around a vertex, counter-clockwise seen from outside.
std::vector<Vec3> normals_around(const Hull& hull, int vertex) {
  // From a face over the edge that ends at the vertex to the next one.
  std::vector<Vec3> normals;
  int face = -1;
  for (const Hull::Edge& edge : hull.edges)
    if (edge.vertex[0] == vertex)
      face = edge.face[0];
    else if (edge.vertex[1] == vertex)
      face = edge.face[1];
  const int start = face;
  do {
    const auto f = static_cast<std::size_t>(face);
    normals.push_back(hull.normals[f]);
    const int first = hull.face_start[f], count = hull.face_start[f + 1] - first;
    int k = 0;
    while (hull.face_vertex[static_cast<std::size_t>(first + k)] != vertex) ++k;
    const int into = hull.face_edge[static_cast<std::size_t>(first + (k + count - 1) % count)];
    const Hull::Edge& edge = hull.edges[static_cast<std::size_t>(into)];
    face = edge.face[0] == face ? edge.face[1] : edge.face[0];
  } while (face != start);
  return normals;
}

}  // namespace

Hull box_hull(const Vec3& s) {
  std::vector<Vec3> vertices;
  for (int i = 0; i < 8; ++i)
    vertices.push_back({i & 1 ? s.x() : -s.x(), i & 2 ? s.y() : -s.y(), i & 4 ? s.z() : -s.z()});
  return assemble_hull(
      std::move(vertices),
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}});
}

Moments polyhedron_moments(const Hull& hull, double radius) {
  // About a vertex of the body: far from the origin digits would be lost.
  const Vec3 origin = hull.vertices[0];
  Hull moved = hull;
  for (Vec3& v : moved.vertices) v -= origin;
  Moments m;
  for (std::size_t f = 0; f < moved.normals.size(); ++f) {
    const auto vertex = [&](int i) {
      return moved
          .vertices[static_cast<std::size_t>(moved.face_vertex[static_cast<std::size_t>(i)])];
    };
    const int first = moved.face_start[f];
    for (int i = first + 1; i + 1 < moved.face_start[f + 1]; ++i)
      m.add_tetrahedron(vertex(first), vertex(i), vertex(i + 1));
    if (radius > 0) add_prism(moved, f, radius, m);
  }
  if (radius > 0) {
    for (const Hull::Edge& edge : moved.edges) add_edge(moved, edge, radius, m);
    for (std::size_t v = 0; v < moved.vertices.size(); ++v) {
      const std::vector<Vec3> normals = normals_around(moved, static_cast<int>(v));
      for (std::size_t k = 1; k + 1 < normals.size(); ++k)
        add_ball(moved.vertices[v], sphere_triangle(normals[0], normals[k], normals[k + 1]), radius,
                 m);
    }
  }
  return m.moved(Mat3::Identity(), origin);
}

}  // namespace taut::collision::detail
