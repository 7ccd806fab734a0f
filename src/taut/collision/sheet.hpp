// Surfaces and chains that deform: vertices, edges, triangles.
//
// One Sheet holds all of a scene, cloths, ropes, and surfaces that stay where they are, so that one
// tree finds all that is near: a cloth and itself, two cloths, a rope and a cloth. Vertices are
// numbered through all parts.
//
// Each vertex and each edge is *owned* by one element, the first that has it. Pairs of features
// come from pairs of elements, and each comes once, because only owners bring their vertices and
// edges.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "taut/model/mesh.hpp"

namespace taut::collision {

class Sheet {
 public:
  /// A triangle, or an edge that belongs to none.
  struct Element {
    std::array<int, 3> vertex{-1, -1, -1};             ///< the last is −1 for an edge
    std::array<int, 3> edge{-1, -1, -1};               ///< from vertex k to k + 1
    std::uint8_t owned_vertices = 0, owned_edges = 0;  ///< a bit for each
    int part = 0;

    bool is_triangle() const { return vertex[2] >= 0; }
    bool owns_vertex(std::size_t k) const { return owned_vertices >> k & 1; }
    bool owns_edge(std::size_t k) const { return owned_edges >> k & 1; }
    bool has(int v) const { return vertex[0] == v || vertex[1] == v || vertex[2] == v; }
  };
  struct Part {
    std::string name;
    int first_vertex = 0, vertices = 0;
    int first_element = 0, elements = 0;
    bool is_fixed = false;  ///< does not move; two such parts are never a pair
  };

  /// Triangles with vertices numbered from 0; `vertices` of them. Returns the number of the part.
  int add_triangles(std::span<const std::array<int, 3>> triangles, int vertices, std::string name,
                    bool is_fixed = false);
  /// Edges without triangles.
  int add_edges(std::span<const std::array<int, 2>> edges, int vertices, std::string name);

  int vertex_count() const { return vertex_count_; }
  int edge_count() const { return static_cast<int>(edges_.size()); }
  const std::vector<Part>& parts() const { return parts_; }
  const std::vector<Element>& elements() const { return elements_; }
  const Element& element(int i) const { return elements_[static_cast<std::size_t>(i)]; }
  const std::array<int, 2>& edge(int i) const { return edges_[static_cast<std::size_t>(i)]; }
  const Part& part(int i) const { return parts_[static_cast<std::size_t>(i)]; }
  const Part& part_of_vertex(int vertex) const;

 private:
  Part& begin_part(std::string name, int vertices, bool is_fixed);
  void own(Part& part);

  std::vector<Part> parts_;
  std::vector<Element> elements_;
  std::vector<std::array<int, 2>> edges_;  // the smaller vertex first
  int vertex_count_ = 0;
};

/// Faces as triangles: quadrilaterals are cut along the diagonal from their first corner.
std::vector<std::array<int, 3>> triangles_of(std::span<const Face> faces);

}  // namespace taut::collision
