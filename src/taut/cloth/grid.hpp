// A rectangular sheet as a mesh.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "taut/base/type_info.hpp"
#include "taut/model/mesh.hpp"

namespace taut {

enum class GridPattern { quads, triangles, crossed };
template <>
struct Choices<GridPattern> {
  static constexpr std::array<std::string_view, 3> names{"quads", "triangles", "crossed"};
};

/// Vertices in rows. Vertex (row, column) is number row·columns + column, at
///   origin + across·width·column/(columns − 1) + along·height·row/(rows − 1).
struct Grid {
  int columns = 2, rows = 2;
  double width = 1, height = 1;
  Vec3 origin = Vec3::Zero();
  Vec3 across = Vec3::UnitX();
  Vec3 along = -Vec3::UnitY();
  GridPattern pattern = GridPattern::quads;

  static const TypeInfo& info();
};

/// Throws Error when there are less than two rows or columns, more than 10 million vertices, or
/// when the directions are parallel.
Mesh grid_mesh(const Grid& grid);

enum class GridPart {
  top,
  bottom,
  left,
  right,
  corners,
  top_left,
  top_right,
  bottom_left,
  bottom_right
};
template <>
struct Choices<GridPart> {
  static constexpr std::array<std::string_view, 9> names{
      "top",      "bottom",    "left",        "right",       "corners",
      "top_left", "top_right", "bottom_left", "bottom_right"};
};

/// The vertices of a part, in the order of rows and columns. Row 0 is the top, column 0 the left.
std::vector<int> vertices_of(const Grid& grid, GridPart part);

}  // namespace taut
