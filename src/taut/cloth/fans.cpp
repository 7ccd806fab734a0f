#include <algorithm>

#include "taut/base/error.hpp"
#include "taut/cloth/fans_internal.hpp"

namespace taut::cloth {

Fans::Fans(const Mesh& mesh, const Topology& topology)
    : edges_of_face(mesh.faces.size()),
      mesh_(mesh),
      spokes_(mesh.vertices.size()),
      faces_(mesh.vertices.size()) {
  std::vector<int> face_count(mesh.vertices.size(), 0), any_face(mesh.vertices.size(), -1);
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const Face& face = mesh.faces[f];
    if (face.size() != 3)
      throw Error("face " + std::to_string(f) +
                  " has four corners, expected triangles: nonconforming elements are triangles");
    for (std::size_t k = 0; k < 3; ++k) {
      edges_of_face[f][k] =
          topology.edge_between(face.vertex[(k + 1) % 3], face.vertex[(k + 2) % 3]);
      ++face_count[face.vertex[k]];
      any_face[face.vertex[k]] = static_cast<int>(f);
    }
  }
  const auto across = [&](int edge, int face) {
    const auto& faces = topology.edges[edge].face;
    return faces[0] == face ? faces[1] : faces[0];
  };
  for (int v = 0; v < static_cast<int>(mesh.vertices.size()); ++v) {
    // Backwards to the border, or once around; then forwards. The edge after corner k is edge
    // k + 2, the one before it k + 1. Neighbours need not agree in their sense.
    const auto next = [&](int face, int from) {
      const auto& edge = edges_of_face[face];
      const int k = corner(face, v), first = edge[(k + 2) % 3], second = edge[(k + 1) % 3];
      return from == first ? second : first;
    };
    int face = any_face[v];
    int edge = edges_of_face[face][(corner(face, v) + 2) % 3];
    for (int beyond = across(edge, face); beyond >= 0 && beyond != any_face[v];
         beyond = across(edge, face)) {
      face = beyond;
      edge = next(face, edge);
    }
    const int first = face;
    do {
      spokes_[v].push_back(edge);
      faces_[v].push_back(face);
      edge = next(face, edge);
      face = across(edge, face);
    } while (face >= 0 && face != first);
    if (face < 0) spokes_[v].push_back(edge);
    if (static_cast<int>(faces_[v].size()) != face_count[v])
      throw Error("at vertex " + std::to_string(v) +
                  " faces touch that have no edge in common, expected one fan of faces");
  }
}

int Fans::corner(int face, int vertex) const {
  const auto& corners = mesh_.faces[face].vertex;
  return static_cast<int>(std::find(corners.begin(), corners.begin() + 3, vertex) -
                          corners.begin());
}

std::vector<int> Fans::opposite_faces(int vertex) const {
  const std::vector<int>& all = faces_[vertex];
  if (all.size() == 1) return all;
  const bool is_border = spokes_[vertex].size() > all.size();
  return {all.front(), is_border ? all.back() : all[all.size() / 2]};
}

std::vector<VertexTerm> Fans::vertex_by(int vertex, const std::vector<int>& faces) const {
  std::vector<VertexTerm> sum;
  const auto add = [&](int edge, double weight) {
    for (VertexTerm& term : sum)
      if (term.edge == edge) {
        term.weight += weight;
        return;
      }
    sum.push_back({edge, weight});
  };
  const double share = 1.0 / static_cast<double>(faces.size());
  for (const int face : faces) {
    const int k = corner(face, vertex);
    const auto& edge = edges_of_face[face];
    add(edge[(k + 1) % 3], share);
    add(edge[(k + 2) % 3], share);
    add(edge[k], -share);
  }
  return sum;
}

}  // namespace taut::cloth
