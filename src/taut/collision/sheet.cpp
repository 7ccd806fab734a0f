#include "taut/collision/sheet.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "taut/base/error.hpp"

namespace taut::collision {

std::vector<std::array<int, 3>> triangles_of(std::span<const Face> faces) {
  std::vector<std::array<int, 3>> triangles;
  for (const Face& face : faces) {
    const std::array<int, 4>& v = face.vertex;
    triangles.push_back({v[0], v[1], v[2]});
    if (face.size() == 4) triangles.push_back({v[0], v[2], v[3]});
  }
  return triangles;
}

Sheet::Part& Sheet::begin_part(std::string name, int vertices, bool is_fixed) {
  parts_.push_back(
      {std::move(name), vertex_count_, vertices, static_cast<int>(elements_.size()), 0, is_fixed});
  vertex_count_ += vertices;
  return parts_.back();
}

int Sheet::add_triangles(std::span<const std::array<int, 3>> triangles, int vertices,
                         std::string name, bool is_fixed) {
  Part& part = begin_part(std::move(name), vertices, is_fixed);
  for (const std::array<int, 3>& corner : triangles) {
    Element element;
    for (std::size_t k = 0; k < 3; ++k) {
      if (corner[k] < 0 || corner[k] >= vertices || corner[k] == corner[(k + 1) % 3])
        throw Error(
            fmt::format("{}: a triangle has the vertices {}, {}, {}, expected three of 0 to {}",
                        part.name, corner[0], corner[1], corner[2], vertices - 1));
      element.vertex[k] = part.first_vertex + corner[k];
    }
    elements_.push_back(element);
  }
  own(part);
  return static_cast<int>(parts_.size()) - 1;
}

int Sheet::add_edges(std::span<const std::array<int, 2>> edges, int vertices, std::string name) {
  Part& part = begin_part(std::move(name), vertices, false);
  for (const std::array<int, 2>& end : edges) {
    if (std::min(end[0], end[1]) < 0 || std::max(end[0], end[1]) >= vertices || end[0] == end[1])
      throw Error(fmt::format("{}: an edge has the vertices {}, {}, expected two of 0 to {}",
                              part.name, end[0], end[1], vertices - 1));
    Element element;
    for (std::size_t k = 0; k < 2; ++k) element.vertex[k] = part.first_vertex + end[k];
    elements_.push_back(element);
  }
  own(part);
  return static_cast<int>(parts_.size()) - 1;
}

/// The first element that has a vertex or an edge owns it.
void Sheet::own(Part& part) {
  part.elements = static_cast<int>(elements_.size()) - part.first_element;
  std::vector<char> has_owner(static_cast<std::size_t>(part.vertices), 0);
  struct Side {
    std::array<int, 2> edge;
    int element;
    std::size_t side;
  };
  std::vector<Side> sides;
  const int number = static_cast<int>(parts_.size()) - 1;
  for (int i = part.first_element; i < part.first_element + part.elements; ++i) {
    Element& element = elements_[static_cast<std::size_t>(i)];
    element.part = number;
    const std::size_t corners = element.is_triangle() ? 3 : 2;
    for (std::size_t k = 0; k < corners; ++k) {
      char& owned = has_owner[static_cast<std::size_t>(element.vertex[k] - part.first_vertex)];
      if (!owned) element.owned_vertices |= static_cast<std::uint8_t>(1u << k);
      owned = 1;
      if (corners == 2 && k == 1) continue;
      const auto [low, high] = std::minmax(element.vertex[k], element.vertex[(k + 1) % corners]);
      sides.push_back({{low, high}, i, k});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::tie(a.edge, a.element, a.side) < std::tie(b.edge, b.element, b.side);
  });
  for (std::size_t i = 0; i < sides.size(); ++i) {
    Element& element = elements_[static_cast<std::size_t>(sides[i].element)];
    if (i == 0 || sides[i].edge != sides[i - 1].edge) {
      edges_.push_back(sides[i].edge);
      element.owned_edges |= static_cast<std::uint8_t>(1u << sides[i].side);
    }
    element.edge[sides[i].side] = static_cast<int>(edges_.size()) - 1;
  }
}

const Sheet::Part& Sheet::part_of_vertex(int vertex) const {
  const auto after =
      std::upper_bound(parts_.begin(), parts_.end(), vertex,
                       [](int v, const Part& part) { return v < part.first_vertex; });
  return *std::prev(after);
}

}  // namespace taut::collision
