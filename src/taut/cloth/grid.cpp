#include "taut/cloth/grid.hpp"

#include <cmath>
#include <string>

#include "taut/base/error.hpp"

namespace taut {
namespace {

constexpr double most_vertices = 1e7;

void check(const Grid& grid) {
  if (grid.columns < 2 || grid.rows < 2)
    throw Error("a grid needs at least 2 rows and 2 columns, found " + std::to_string(grid.rows) +
                " and " + std::to_string(grid.columns));
  if (static_cast<double>(grid.columns) * grid.rows > most_vertices)
    throw Error("a grid may have 10 million vertices, found " + std::to_string(grid.rows) + " × " +
                std::to_string(grid.columns));
  const double size = grid.across.norm() * grid.along.norm();
  if (!(grid.across.cross(grid.along).norm() > 1e-6 * size))
    throw Error("the directions across and along must not be zero or parallel");
}

}  // namespace

Mesh grid_mesh(const Grid& grid) {
  check(grid);
  Mesh mesh;
  mesh.vertices.reserve(static_cast<std::size_t>(grid.columns) * grid.rows);
  const Vec3 across = grid.width * grid.across.normalized();
  const Vec3 along = grid.height * grid.along.normalized();
  for (int row = 0; row < grid.rows; ++row)
    for (int column = 0; column < grid.columns; ++column)
      mesh.vertices.push_back(grid.origin + (double(column) / (grid.columns - 1)) * across +
                              (double(row) / (grid.rows - 1)) * along);

  const bool is_cut = grid.pattern != GridPattern::quads;
  mesh.faces.reserve((is_cut ? 2u : 1u) * static_cast<std::size_t>(grid.columns - 1) *
                     (grid.rows - 1));
  for (int row = 0; row + 1 < grid.rows; ++row)
    for (int column = 0; column + 1 < grid.columns; ++column) {
      const int a = row * grid.columns + column, b = a + 1;
      const int d = a + grid.columns, c = d + 1;
      const bool other = grid.pattern == GridPattern::crossed && (row + column) % 2 == 1;
      if (!is_cut)
        mesh.faces.push_back({{a, b, c, d}});
      else if (other)
        mesh.faces.insert(mesh.faces.end(), {{{a, b, d, -1}}, {{b, c, d, -1}}});
      else
        mesh.faces.insert(mesh.faces.end(), {{{a, b, c, -1}}, {{a, c, d, -1}}});
    }
  return mesh;
}

std::vector<int> vertices_of(const Grid& grid, GridPart part) {
  const int right = grid.columns - 1, bottom = (grid.rows - 1) * grid.columns;
  const auto line = [](int first, int step, int count) {
    std::vector<int> vertices;
    for (int i = 0; i < count; ++i) vertices.push_back(first + i * step);
    return vertices;
  };
  switch (part) {
    case GridPart::top:
      return line(0, 1, grid.columns);
    case GridPart::bottom:
      return line(bottom, 1, grid.columns);
    case GridPart::left:
      return line(0, grid.columns, grid.rows);
    case GridPart::right:
      return line(right, grid.columns, grid.rows);
    case GridPart::corners:
      return {0, right, bottom, bottom + right};
    case GridPart::top_left:
      return {0};
    case GridPart::top_right:
      return {right};
    case GridPart::bottom_left:
      return {bottom};
    case GridPart::bottom_right:
      return {bottom + right};
  }
  return {};
}

const TypeInfo& Grid::info() {
  static const TypeInfo info = describe(
      FieldList<Grid>()
          .required("columns", &Grid::columns, "", "vertices in a row, at least 2", Range::positive)
          .required("rows", &Grid::rows, "", "rows of vertices, at least 2", Range::positive)
          .optional("width", &Grid::width, "m", "length of a row", Range::positive)
          .optional("height", &Grid::height, "m", "length of a column", Range::positive)
          .optional("origin", &Grid::origin, "m", "where row 0 and column 0 meet: its top left")
          .optional("across", &Grid::across, "", "direction of the rows, from left to right")
          .optional("along", &Grid::along, "", "direction of the columns, from top to bottom")
          .optional("pattern", &Grid::pattern, "",
                    "faces: squares, squares cut in two the same way or in alternating ways"));
  return info;
}

}  // namespace taut
