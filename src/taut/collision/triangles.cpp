#include <fmt/core.h>

#include <map>

#include "taut/base/error.hpp"
#include "taut/collision/triangles_internal.hpp"

namespace taut::collision {

Vec3 detail::triangle_normal(const std::array<Vec3, 3>& c) {
  return (c[1] - c[0]).cross(c[2] - c[0]).stableNormalized();
}

Shape triangle_mesh(std::vector<Vec3> vertices, std::vector<std::array<int, 3>> triangles) {
  if (triangles.empty()) throw Error("mesh: it has no triangles, expected at least one");
  auto mesh = std::make_shared<TriangleMesh>();
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (!vertices[i].allFinite()) throw Error(fmt::format("mesh: vertex {} is not finite", i));

  std::map<std::pair<int, int>, int> owner;  // directed edge → triangle
  std::vector<Bounds> boxes;
  const int vertex_count = static_cast<int>(vertices.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const std::array<int, 3>& corner = triangles[t];
    for (const int v : corner)
      if (v < 0 || v >= vertex_count)
        throw Error(fmt::format("mesh: triangle {} has vertex {}, expected 0 to {}", t, v,
                                vertex_count - 1));
    const auto at = [&](int k) -> const Vec3& {
      return vertices[static_cast<std::size_t>(corner[static_cast<std::size_t>(k)])];
    };
    const double longest = std::max({(at(1) - at(0)).squaredNorm(), (at(2) - at(1)).squaredNorm(),
                                     (at(0) - at(2)).squaredNorm()});
    if (!((at(1) - at(0)).cross(at(2) - at(0)).norm() > 1e-10 * longest))
      throw Error(
          fmt::format("mesh: the corners of triangle {} ({}, {}, {}) are in one line, expected "
                      "an area",
                      t, corner[0], corner[1], corner[2]));
    for (std::size_t k = 0; k < 3; ++k)
      if (const auto [it, is_new] =
              owner.insert({{corner[k], corner[(k + 1) % 3]}, static_cast<int>(t)});
          !is_new)
        throw Error(fmt::format(
            "mesh: triangles {} and {} both have the edge from vertex {} to {}, expected "
            "the opposite order in one of them (counter-clockwise seen from outside)",
            it->second, t, corner[k], corner[(k + 1) % 3]));
    boxes.push_back({at(0).cwiseMin(at(1)).cwiseMin(at(2)), at(0).cwiseMax(at(1)).cwiseMax(at(2))});
  }
  mesh->is_closed = true;
  for (const std::array<int, 3>& corner : triangles) {
    std::array<int, 3> beside{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto found = owner.find({corner[(k + 1) % 3], corner[k]});
      beside[k] = found == owner.end() ? -1 : found->second;
      mesh->is_closed = mesh->is_closed && beside[k] >= 0;
    }
    mesh->neighbours.push_back(beside);
  }
  mesh->box = boxes[0];
  for (const Bounds& box : boxes) mesh->box = mesh->box.united(box);
  mesh->tree.build(boxes);
  mesh->vertices = std::move(vertices);
  mesh->triangles = std::move(triangles);
  Shape shape;
  shape.type = ShapeType::mesh;
  shape.mesh = std::move(mesh);
  return shape;
}

Shape height_field(int columns, int rows, double spacing, std::vector<double> heights) {
  if (columns < 2 || rows < 2)
    throw Error(fmt::format(
        "height field: found {} columns and {} rows, expected at least 2 of each", columns, rows));
  const std::size_t expected = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  if (heights.size() != expected)
    throw Error(fmt::format("height field: found {} heights, expected {} · {} = {}", heights.size(),
                            columns, rows, expected));
  if (!(spacing > 0 && std::isfinite(spacing)))
    throw Error(fmt::format("height field: the spacing is {}, expected a length above 0", spacing));
  for (std::size_t i = 0; i < heights.size(); ++i)
    if (!std::isfinite(heights[i]))
      throw Error(fmt::format("height field: height {} is not finite", i));
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
  Shape shape;
  shape.type = ShapeType::height_field;
  const Bounds box{{0, 0, *low}, {(columns - 1) * spacing, (rows - 1) * spacing, *high}};
  shape.height_field =
      std::make_shared<HeightField>(HeightField{columns, rows, spacing, std::move(heights), box});
  return shape;
}

namespace detail {

int triangle_count(const Shape& surface) {
  if (surface.mesh) return static_cast<int>(surface.mesh->triangles.size());
  return 2 * (surface.height_field->columns - 1) * (surface.height_field->rows - 1);
}

std::array<Vec3, 3> corners(const Shape& surface, int number) {
  if (surface.mesh) {
    const std::array<int, 3>& t = surface.mesh->triangles[static_cast<std::size_t>(number)];
    const auto vertex = [&](std::size_t k) {
      return surface.mesh->vertices[static_cast<std::size_t>(t[k])];
    };
    return {vertex(0), vertex(1), vertex(2)};
  }
  const HeightField& field = *surface.height_field;
  const int cell = number / 2, x = cell % (field.columns - 1), y = cell / (field.columns - 1);
  if (number % 2 == 0) return {field.at(x, y), field.at(x + 1, y), field.at(x + 1, y + 1)};
  return {field.at(x, y), field.at(x + 1, y + 1), field.at(x, y + 1)};
}

namespace {

/// The triangle behind edge k, or −1.
int neighbour(const Shape& surface, int number, int k) {
  if (surface.mesh)
    return surface.mesh->neighbours[static_cast<std::size_t>(number)][static_cast<std::size_t>(k)];
  const HeightField& field = *surface.height_field;
  const int across = field.columns - 1;
  const int cell = number / 2, x = cell % across, y = cell / across;
  // Lower right triangle: edges below, right, diagonal. Upper left: diagonal, above, left.
  if (number % 2 == 0) {
    if (k == 0) return y > 0 ? number - 2 * across + 1 : -1;
    if (k == 1) return x + 1 < across ? number + 3 : -1;
    return number + 1;
  }
  if (k == 0) return number - 1;
  if (k == 1) return y + 2 < field.rows ? number + 2 * across - 1 : -1;
  return x > 0 ? number - 3 : -1;
}

}  // namespace

SurfaceTriangle triangle(const Shape& surface, int number) {
  SurfaceTriangle t;
  t.number = number;
  t.corner = corners(surface, number);
  t.normal = triangle_normal(t.corner);
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const int other = neighbour(surface, number, k);
    t.is_shared[i] = other >= 0;
    t.across[i] = other >= 0 ? triangle_normal(corners(surface, other)) : t.normal;
  }
  return t;
}

}  // namespace detail
}  // namespace taut::collision
