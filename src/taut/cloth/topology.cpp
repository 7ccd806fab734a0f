#include <algorithm>
#include <cmath>
#include <string>

#include "taut/base/error.hpp"
#include "taut/cloth/topology_internal.hpp"

namespace taut::cloth {
namespace {

std::string text(int number) { return std::to_string(number); }

}  // namespace

Topology::Topology(const Mesh& mesh, TrianglePairs pairs) {
  check_and_measure(mesh);
  find_edges(mesh);
  if (pairs == TrianglePairs::plain) find_diagonals(mesh);
  if (pairs == TrianglePairs::all) pair_triangles(mesh);
  make_cells(mesh);
  join_edges();
  find_woven_vertices();
  follow_yarns();
}

void Topology::check_and_measure(const Mesh& mesh) {
  const int count = static_cast<int>(mesh.vertices.size());
  for (int v = 0; v < count; ++v)
    if (!mesh.vertices[v].allFinite())
      throw Error("vertex " + text(v) + " is not at a finite place");
  vertex_area.assign(mesh.vertices.size(), 0);
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const Face& face = mesh.faces[f];
    const std::string name = "face " + std::to_string(f);
    const int corners = face.size();
    for (int i = 0; i < corners; ++i) {
      const int v = face.vertex[i];
      if (v < 0 || v >= count)
        throw Error(name + " has the vertex " + text(v) + ", expected 0 to " + text(count - 1));
      for (int j = 0; j < i; ++j)
        if (face.vertex[j] == v) throw Error(name + " has the vertex " + text(v) + " twice");
    }
    const auto place = [&](int i) -> const Vec3& { return mesh.vertices[face.vertex[i]]; };
    const Vec3 across = place(2) - place(0), other = place(corners == 4 ? 3 : 2) - place(1);
    const double area = 0.5 * across.cross(other).norm();
    if (!(area > 1e-12 * std::max(across.squaredNorm(), other.squaredNorm())))
      throw Error(name + " (vertices " + text(face.vertex[0]) + ", " + text(face.vertex[1]) + ", " +
                  text(face.vertex[2]) + ", …) has no area");
    face_area.push_back(area);
    for (int i = 0; i < corners; ++i) vertex_area[face.vertex[i]] += area / corners;
  }
  for (int v = 0; v < count; ++v)
    if (!(vertex_area[v] > 0))
      throw Error("vertex " + text(v) + " belongs to no face, so it has no mass");
}

// Sorted into buckets by their lower vertex, which takes linear time.
void Topology::find_edges(const Mesh& mesh) {
  struct Side {
    int b, face;
  };
  std::vector<int> first(mesh.vertices.size() + 1, 0);
  const auto each_side = [&](auto&& visit) {
    for (std::size_t f = 0; f < mesh.faces.size(); ++f)
      for (int i = 0, n = mesh.faces[f].size(); i < n; ++i) {
        const int u = mesh.faces[f].vertex[i], v = mesh.faces[f].vertex[(i + 1) % n];
        visit(std::min(u, v), std::max(u, v), static_cast<int>(f));
      }
  };
  each_side([&](int a, int, int) { ++first[a]; });
  start_buckets(first);
  std::vector<Side> sides(static_cast<std::size_t>(first.back()));
  std::vector<int> next = first;
  each_side([&](int a, int b, int face) { sides[next[a]++] = {b, face}; });

  edges.reserve(sides.size() / 2 + sides.size() / 8);
  first_edge_.reserve(first.size());
  for (std::size_t a = 0; a + 1 < first.size(); ++a) {
    first_edge_.push_back(static_cast<int>(edges.size()));
    std::sort(sides.begin() + first[a], sides.begin() + first[a + 1],
              [](const Side& s, const Side& t) { return s.b < t.b; });
    for (int i = first[a]; i < first[a + 1]; ++i) {
      const int lower = static_cast<int>(a);
      if (i > first[a] && sides[i].b == sides[i - 1].b) {
        if (edges.back().face[1] >= 0)
          throw Error("the edge from vertex " + text(lower) + " to " + text(sides[i].b) +
                      " belongs to more than two faces");
        edges.back().face[1] = sides[i].face;
      } else {
        edges.push_back({lower, sides[i].b, {sides[i].face, -1}});
      }
    }
  }
  first_edge_.push_back(static_cast<int>(edges.size()));
}

int Topology::edge_between(int a, int b) const {
  if (a > b) std::swap(a, b);
  int e = first_edge_[a];
  while (edges[e].b != b) ++e;
  return e;
}

// Two triangles that look like a quadrilateral cut in two. Both angles at either end of an edge
// that is the longest of both triangles are acute, so the quadrilateral is convex. Longest by a
// margin: in a mesh of equilateral triangles rounding must not decide.
void Topology::find_diagonals(const Mesh& mesh) {
  constexpr double margin = 1.0001;
  const auto length = [&](int u, int v) { return (mesh.vertices[u] - mesh.vertices[v]).norm(); };
  const auto is_longest = [&](const Edge& edge, int f) {
    const Face& face = mesh.faces[f];
    if (face.size() != 3) return false;
    const double own = length(edge.a, edge.b);
    for (const int v : {face.vertex[0], face.vertex[1], face.vertex[2]})
      if (v != edge.a && v != edge.b)
        return own > margin * std::max(length(edge.a, v), length(edge.b, v));
    return false;
  };
  for (Edge& edge : edges)
    edge.is_diagonal =
        edge.face[1] >= 0 && is_longest(edge, edge.face[0]) && is_longest(edge, edge.face[1]);
}

void Topology::make_cells(const Mesh& mesh) {
  std::vector<int> partner(mesh.faces.size(), -1);
  for (const Edge& edge : edges)
    if (edge.is_diagonal) {
      partner[edge.face[0]] = edge.face[1];
      partner[edge.face[1]] = edge.face[0];
    }
  cell_of_face_.assign(mesh.faces.size(), -1);
  cells.reserve(mesh.faces.size());
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    if (cell_of_face_[f] >= 0) continue;
    cell_of_face_[f] = static_cast<int>(cells.size());
    Cell cell{mesh.faces[f].vertex, {-1, -1, -1, -1}, face_area[f]};
    if (const int other = partner[f]; other >= 0) {
      cell_of_face_[other] = cell_of_face_[f];
      cell.area += face_area[other];
      // The other triangle's third vertex goes between the ends of the diagonal.
      const auto& mine = mesh.faces[f].vertex;
      const auto& others = mesh.faces[other].vertex;
      const int wing = *std::find_if(others.begin(), others.begin() + 3, [&](int v) {
        return std::find(mine.begin(), mine.begin() + 3, v) == mine.begin() + 3;
      });
      int i = 0;
      while (!edges[edge_between(mine[i], mine[(i + 1) % 3])].is_diagonal) ++i;
      cell.vertex = {mine[i], wing, mine[(i + 1) % 3], mine[(i + 2) % 3]};
      // Beginning with the lowest vertex, as cut and uncut squares of a grid do.
      std::rotate(cell.vertex.begin(), std::min_element(cell.vertex.begin(), cell.vertex.end()),
                  cell.vertex.end());
    }
    const int corners = cell.is_quad() ? 4 : 3;
    for (int i = 0; i < corners; ++i)
      cell.edge[i] = edge_between(cell.vertex[i], cell.vertex[(i + 1) % corners]);
    cells.push_back(cell);
  }
}

}  // namespace taut::cloth
