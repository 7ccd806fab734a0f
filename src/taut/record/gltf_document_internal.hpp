// A glTF 2.0 document that is put together: nodes, meshes, materials and one animation.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/model/mesh.hpp"
#include "taut/record/drawing.hpp"
#include "taut/record/gltf_buffer_internal.hpp"

namespace taut::io::detail {

/// The least and the largest of triples.
class Bounds {
 public:
  void add(std::span<const float> triples);
  Json json() const;

 private:
  static constexpr float largest = std::numeric_limits<float>::max();
  std::array<float, 3> low_{largest, largest, largest}, high_{-largest, -largest, -largest};
};

std::string bytes_of(std::span<const float> values);

class GltfDocument {
 public:
  GltfBuffer buffer;

  /// A node with these properties below another one; −1: it is the root.
  int add_node(Json node, int parent);
  int add_mesh(const std::string& name, const Mesh& mesh, const Colour& colour);
  /// One whose vertices are there: accessors of their places, of triangles, and of targets.
  int add_mesh(const std::string& name, int places, int triangles, const std::vector<int>& targets,
               const Colour& colour, bool is_double_sided);
  int add_triangles(const std::vector<Face>& faces);
  /// `times` and `values` are accessors; a step keeps each value until the next time.
  void animate(int node, std::string_view path, int times, int values, bool is_step = false);

  std::size_t node_count() const { return nodes_.size(); }
  /// `file`: that has the buffer; empty where it follows.
  Json json(const std::string& name, const std::string& file) const;

 private:
  int material(const Colour& colour, bool is_double_sided);

  std::vector<Json> nodes_;
  std::vector<std::vector<int>> children_;
  std::vector<Json> meshes_, materials_, samplers_, channels_;
  std::map<std::pair<Colour, bool>, int> material_numbers_;
};

}  // namespace taut::io::detail
