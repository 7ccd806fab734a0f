// A rectangle of unstretchable yarns that hangs by its upper side and is pulled down and sideways
// at the lower one: its columns turn by one angle.
#include <gtest/gtest.h>

#include "cloth/rest.hpp"
#include "support/builders.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/forces/point_force.hpp"

namespace taut {
namespace {

constexpr double G = 7, width = 0.6, height = 0.3;
constexpr int columns = 7, rows = 5;

/// Turned by γ, the cells a × b have diagonals √(a² + b² ± 2 a b sin γ), as springs of G d²/(2 a
/// b), and the lower side is at height·(sin γ, −cos γ). γ makes the potential smallest.
double angle_of_springs(double sideways, double down) {
  const double a = width / (columns - 1), b = height / (rows - 1);
  const double d = std::hypot(a, b), k = G * d * d / (2 * a * b);
  const auto slope = [&](double angle) {
    double energy = 0;
    for (const double side : {1, -1}) {
      const double now = std::sqrt(d * d + side * 2 * a * b * std::sin(angle));
      energy += k * (now - d) * side * a * b * std::cos(angle) / now;
    }
    return (columns - 1) * (rows - 1) * energy -
           height * (sideways * std::cos(angle) - down * std::sin(angle));
  };
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) (slope(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
  return low;
}

class Shear : public ::testing::TestWithParam<GridPattern> {
 protected:
  /// The angle at rest; expects that all of the cloth has it.
  static double angle_at_rest(double sideways, double down) {
    const Grid grid{
        .columns = columns, .rows = rows, .width = width, .height = height, .pattern = GetParam()};
    const Mesh mesh = grid_mesh(grid);
    std::vector<int> held(mesh.vertices.size(), 0);
    for (const int v : vertices_of(grid, GridPart::top)) held[static_cast<std::size_t>(v)] = 1;
    ClothMaterial material;
    material.shear_stiffness = G;
    System system;
    const Surface cloth = add_cloth(system, mesh, material, "cloth", columns, held);
    for (std::size_t v = 0; v < held.size(); ++v)
      if (held[v] > 0) constrain(system, Pin{cloth.vertices[v], mesh.vertices[v]});
    for (int column = 0; column < columns; ++column) {
      const double share = (column == 0 || column == columns - 1 ? 0.5 : 1.0) / (columns - 1);
      apply(system, PointForce{cloth.vertices[vertices_of(grid, GridPart::bottom)[column]],
                               Vec3(share * sideways, -share * down, 0)});
    }
    const RunReport report = testing::come_to_rest(system, 1.0, 1e-9);
    EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
    const VecX& q = report.final_state.q;
    const double angle = std::asin((q[q.size() - 3] - width) / height);
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
      const Vec3 rest = mesh.vertices[v];
      const Vec3 turned =
          Vec3(rest.x(), 0, 0) - rest.y() * Vec3(std::sin(angle), -std::cos(angle), 0);
      EXPECT_LT((q.segment<3>(3 * static_cast<int>(v)) - turned).norm(), 1e-7);
    }
    return angle;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Shear,
                         ::testing::Values(GridPattern::quads, GridPattern::triangles,
                                           GridPattern::crossed),
                         [](const auto& made) { return std::string(choice_name(made.param)); });

// The force is G γ per width, and the tension resists as in a pendulum.
TEST_P(Shear, AngleIsForceOverStiffness) {
  const double sideways = 0.02, down = 0.5, wanted = sideways / (G * width + down);
  EXPECT_NEAR(angle_at_rest(sideways, down), wanted, 1e-4 * wanted);
}

TEST_P(Shear, LargeAngleIsThatOfItsSprings) {
  const double sideways = 8, down = 20, wanted = angle_of_springs(sideways, down);
  EXPECT_GT(wanted, 0.3);
  EXPECT_NEAR(angle_at_rest(sideways, down), wanted, 1e-7);
}

}  // namespace
}  // namespace taut
