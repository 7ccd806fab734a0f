#include <fmt/format.h>

#include <cmath>

#include "scene.hpp"

namespace peers {

Scene cloth(int n, bool by_side) {
  constexpr double density = 0.15, shear = 5;  // kg/m², N/m
  Scene scene;
  scene.name =
      fmt::format("cloth of {} x {}, {}", n, n, by_side ? "held along a side" : "held at corners");
  scene.about =
      "A square metre of cloth swings down. The error is how far its edges are stretched, and "
      "energy from nowhere, times the length of an edge.";
  scene.kind = Kind::cloth;
  scene.gravity = {0, -9.81, 0};
  const double edge = 1.0 / (n - 1);
  scene.size = edge;
  scene.cloth_side = n;
  const auto place = [&](int row, int column) { return Vec3(edge * column, 0, edge * row); };
  std::vector<int> body_of;  // −1: held
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      const bool is_corner = column == 0 || column + 1 == n;
      if (row == 0 && (by_side || is_corner)) {
        scene.held.push_back(column);
        body_of.push_back(-1);
        continue;
      }
      Body vertex;
      const bool is_edge = row + 1 == n || row == 0;
      vertex.mass = density * edge * edge * (is_edge ? 0.5 : 1) * (is_corner ? 0.5 : 1);
      vertex.inertia.setZero();
      vertex.position = place(row, column);
      vertex.is_point = true;
      body_of.push_back(static_cast<int>(scene.bodies.size()));
      scene.bodies.push_back(vertex);
    }
  // The end in the world, if there is one, comes first.
  const auto rod = [&](int row, int column, int other_row, int other_column) {
    const auto body = [&](int r, int c) { return body_of[static_cast<std::size_t>(r * n + c)]; };
    const int a = body(row, column), b = body(other_row, other_column);
    if (b < 0) return Joint{JointType::rod, b, a, place(other_row, other_column)};
    return Joint{JointType::rod, a, b, place(row, column)};
  };
  const auto is_free = [](const Joint& joint) { return joint.a >= 0 || joint.b >= 0; };
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      if (column + 1 < n)
        if (const Joint along = rod(row, column, row, column + 1); is_free(along))
          scene.joints.push_back(along);
      if (row + 1 == n) continue;
      scene.joints.push_back(rod(row, column, row + 1, column));
      if (column + 1 == n) continue;
      // Together they have the energy of shear, ½ G γ² per area.
      scene.springs.push_back({rod(row, column, row + 1, column + 1), shear});
      scene.springs.push_back({rod(row, column + 1, row + 1, column), shear});
    }
  scene.windows = {{"swings", 0, 1, false}};
  scene.equal_steps = {1.0 / 60, 1.0 / 240};
  scene.effort = n > 50 ? 8 : 4;
  return scene;
}

std::vector<Scene> cloths() {
  return {cloth(41, false), cloth(41, true), cloth(71, false), cloth(71, true)};
}

}  // namespace peers
