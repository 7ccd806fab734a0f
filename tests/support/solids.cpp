#include "support/solids.hpp"

#include <cmath>
#include <numbers>

namespace taut::testing {

namespace {

/// Between z = 0 and 1. The polygon is counter-clockwise; `caps` are its triangles.
Solid extruded(const std::vector<std::array<double, 2>>& polygon,
               const std::vector<std::array<int, 3>>& caps) {
  Solid solid;
  const int n = static_cast<int>(polygon.size());
  for (const double z : {0.0, 1.0})
    for (const auto& [x, y] : polygon) solid.vertices.emplace_back(x, y, z);
  for (const auto& [a, b, c] : caps) {
    solid.triangles.push_back({c, b, a});
    solid.triangles.push_back({a + n, b + n, c + n});
  }
  for (int i = 0; i < n; ++i) {
    const int next = (i + 1) % n;
    solid.triangles.push_back({i, next, next + n});
    solid.triangles.push_back({i, next + n, i + n});
  }
  return solid;
}

}  // namespace

void Solid::add(const Solid& other, const Vec3& at) {
  const int first = static_cast<int>(vertices.size());
  for (const Vec3& v : other.vertices) vertices.push_back(v + at);
  for (const auto& [a, b, c] : other.triangles)
    triangles.push_back({a + first, b + first, c + first});
}

Solid l_shape() {
  return extruded({{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}},
                  {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}});
}

Solid u_shape() {
  return extruded({{0, 0}, {3, 0}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}},
                  {{0, 1, 4}, {1, 2, 3}, {1, 3, 4}, {0, 4, 5}, {0, 5, 6}, {0, 6, 7}});
}

Solid torus(double R, double r, int around, int across) {
  Solid solid;
  // Of a ball, half a circle goes round: from pole to pole.
  const double turn = R > 0 ? 2 * std::numbers::pi : std::numbers::pi;
  const double begin = R > 0 ? 0 : -0.5 * std::numbers::pi;
  const int rings = R > 0 ? across : across + 1;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < rings; ++j) {
      const double u = 2 * std::numbers::pi * i / around, v = begin + turn * j / across;
      const double rho = R > 0 || (j > 0 && j < across) ? R + r * std::cos(v) : 0;
      solid.vertices.emplace_back(rho * std::cos(u), rho * std::sin(u), r * std::sin(v));
    }
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const int next = (i + 1) % around * rings, here = i * rings, up = (j + 1) % rings;
      if (R > 0 || j > 0) solid.triangles.push_back({here + j, next + j, next + up});
      if (R > 0 || j + 1 < across) solid.triangles.push_back({here + j, next + up, here + up});
    }
  return solid;
}

}  // namespace taut::testing
