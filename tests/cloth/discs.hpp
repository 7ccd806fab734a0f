// Round cloths, flat in the plane y = 0.
#pragma once

#include <cmath>

#include "taut/cloth/grid.hpp"

namespace taut::testing {

/// Rings of triangles, 6k of them about the k-th.
inline Mesh disc_of_triangles(double radius, int rings) {
  Mesh mesh{{Vec3::Zero()}, {}};
  const auto vertex = [](int ring, int i) {
    return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + i % (6 * ring);
  };
  for (int ring = 1; ring <= rings; ++ring)
    for (int i = 0; i < 6 * ring; ++i) {
      const double angle = 2 * M_PI * i / (6 * ring), r = radius * ring / rings;
      mesh.vertices.emplace_back(r * std::cos(angle), 0, -r * std::sin(angle));
    }
  for (int ring = 1; ring <= rings; ++ring)
    for (int sector = 0; sector < 6; ++sector)
      for (int i = 0; i < ring; ++i) {
        const int out = sector * ring + i, in = sector * (ring - 1) + i;
        mesh.faces.push_back(
            {{vertex(ring, out), vertex(ring, out + 1), vertex(ring - 1, in), -1}});
        if (i + 1 < ring)
          mesh.faces.push_back(
              {{vertex(ring - 1, in), vertex(ring, out + 1), vertex(ring - 1, in + 1), -1}});
      }
  return mesh;
}

/// Squares of a grid, those whose middle is in the disc.
inline Mesh disc_of_squares(double radius, int across) {
  const Mesh grid =
      grid_mesh({across + 1, across + 1, 2 * radius, 2 * radius, Vec3(-radius, 0, -radius),
                 Vec3::UnitX(), Vec3::UnitZ(), GridPattern::quads});
  Mesh mesh;
  std::vector<int> number(grid.vertices.size(), -1);
  for (Face face : grid.faces) {
    Vec3 middle = Vec3::Zero();
    for (const int v : face.vertex) middle += 0.25 * grid.vertices[static_cast<std::size_t>(v)];
    if (middle.norm() > radius) continue;
    for (int& v : face.vertex) {
      int& own = number[static_cast<std::size_t>(v)];
      if (own < 0) {
        own = static_cast<int>(mesh.vertices.size());
        mesh.vertices.push_back(grid.vertices[static_cast<std::size_t>(v)]);
      }
      v = own;
    }
    mesh.faces.push_back(face);
  }
  return mesh;
}

}  // namespace taut::testing
