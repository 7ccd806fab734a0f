// The edges of triangles, and what lies around a vertex, in order.
#pragma once

#include <array>
#include <vector>

#include "taut/cloth/topology_internal.hpp"

namespace taut::cloth {

/// A vertex as a sum of middles of edges: one of them and what it is multiplied with.
struct VertexTerm {
  int edge;
  double weight;
};

struct Fans {
  /// Throws Error where a face is no triangle, or where faces touch in a single vertex only.
  Fans(const Mesh& mesh, const Topology& topology);

  /// Per triangle, edge k is the one opposite its corner k.
  std::vector<std::array<int, 3>> edges_of_face;

  /// The edges that end in a vertex, in the sense of the faces; of a border vertex from border to
  /// border.
  const std::vector<int>& spokes(int vertex) const { return spokes_[vertex]; }
  /// The faces between them: one less at the border.
  const std::vector<int>& faces(int vertex) const { return faces_[vertex]; }
  /// One or two of them, that are on opposite sides.
  std::vector<int> opposite_faces(int vertex) const;
  /// Where these faces say that the vertex is, on average: m_ab + m_ca − m_bc each.
  std::vector<VertexTerm> vertex_by(int vertex, const std::vector<int>& faces) const;

 private:
  int corner(int face, int vertex) const;

  const Mesh& mesh_;
  std::vector<std::vector<int>> spokes_, faces_;  // per vertex
};

}  // namespace taut::cloth
