// A strip that is clamped at one end and bends under its own weight, against the heavy elastica.
#include <gtest/gtest.h>

#include "cloth/elastica.hpp"
#include "cloth/rest.hpp"
#include "support/builders.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"

namespace taut {
namespace {

using testing::elastica_tip;

// Together w L³/B = 15: the end hangs lower than it is away.
constexpr double density = 0.2, gravity = 9.81, length = 0.25, stiffness = 2e-3;

TEST(Elastica, IsKnownWellEnough) {
  const double load = density * gravity * std::pow(length, 3) / stiffness;
  EXPECT_LT((elastica_tip(load, 500) - elastica_tip(load, 1000)).norm(), 1e-9);
  // A beam that hardly bends sinks by w L⁴/8B.
  EXPECT_NEAR(elastica_tip(1e-3, 500).y(), -1e-3 / 8, 1e-9);
}

/// A strip hangs at rest: its positions. What is before x = clamp is held.
VecX at_rest(const Mesh& mesh, double clamp, double h, double still) {
  std::vector<int> held(mesh.vertices.size(), 0);
  for (std::size_t v = 0; v < held.size(); ++v) held[v] = mesh.vertices[v].x() < clamp;
  ClothMaterial material;
  material.density = density;
  material.bending_stiffness = stiffness;
  System system;
  apply(system, Gravity{{0, -gravity, 0}});
  const Surface strip = add_cloth(system, mesh, material, "strip", 0, held);
  for (std::size_t v = 0; v < held.size(); ++v)
    if (held[v] > 0) constrain(system, Pin{strip.vertices[v], mesh.vertices[v]});
  const RunReport report = testing::come_to_rest(system, h, still);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  return report.final_state.q;
}

/// Where the end of the strip's middle row is. Two columns of vertices are held, so the slope is
/// zero half way between them, and from there the length is measured.
Vec3 strip_tip(int segments, GridPattern pattern) {
  constexpr double width = 0.03;
  const double l = length / (segments + 0.5);
  const Grid grid{.columns = segments + 2,
                  .rows = 3,
                  .width = (segments + 1) * l,
                  .height = width,
                  .origin = Vec3(-l / 2, 0, -width / 2),
                  .along = Vec3::UnitZ(),
                  .pattern = pattern};
  const VecX q = at_rest(grid_mesh(grid), 0.75 * l, 1.0, 1e-9);
  return q.segment<3>(3 * (2 * grid.columns - 1));
}

class Cantilever : public ::testing::TestWithParam<GridPattern> {};
INSTANTIATE_TEST_SUITE_P(All, Cantilever,
                         ::testing::Values(GridPattern::quads, GridPattern::triangles,
                                           GridPattern::crossed),
                         [](const auto& made) { return std::string(choice_name(made.param)); });

TEST_P(Cantilever, BendsAsTheHeavyElastica) {
  const double load = density * gravity * std::pow(length, 3) / stiffness;
  const Vec3 wanted = elastica_tip(load, 1000);
  std::vector<double> error;
  for (const int segments : {10, 20, 40}) {
    error.push_back((strip_tip(segments, GetParam()) / length - wanted).norm());
    RecordProperty("error" + std::to_string(segments), std::to_string(error.back()));
  }
  // Of second order: every edge carries the weight beyond its own middle, and the bend at a vertex
  // is that between the middles of its edges.
  EXPECT_LT(error[1], 0.3 * error[0]);
  EXPECT_LT(error[2], 0.3 * error[1]);
  EXPECT_LT(error[2], 3e-4);
}

/// A strip of equilateral triangles whose rows run along it: no line of edges runs across. Where
/// the middle of its end is.
Vec3 triangle_strip_tip(int segments) {
  constexpr int rows = 5;
  const double l = length / segments, height = std::sqrt(0.75) * l;
  const int columns = segments + 2;
  Mesh mesh;
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < columns; ++i)
      mesh.vertices.emplace_back((i - 0.75 + 0.5 * (row % 2)) * l, 0, (row - rows / 2) * height);
  for (int row = 0; row + 1 < rows; ++row)
    for (int i = 0; i + 1 < columns; ++i) {
      const int a = row * columns + i, b = a + columns;
      if (row % 2 == 0) {
        mesh.faces.push_back({{a, a + 1, b, -1}});
        mesh.faces.push_back({{a + 1, b + 1, b, -1}});
      } else {
        mesh.faces.push_back({{a, b + 1, b, -1}});
        mesh.faces.push_back({{a, a + 1, b + 1, -1}});
      }
    }
  const VecX q = at_rest(mesh, 0.3 * l, 0.1, 1e-6);
  Vec3 tip = Vec3::Zero();
  for (int row = 0; row < rows; ++row)
    tip += q.segment<3>(3 * (row * columns + columns - 1)) / rows;
  return tip;
}

// It comes to rest, which it does not while all edges keep their length. It is narrow and curves
// across, so it is 11 % softer than a wide one (docs/cloth.md).
TEST(TriangleStrip, BendsAsTheHeavyElastica) {
  const double load = density * gravity * std::pow(length, 3) / (stiffness / 1.11);
  EXPECT_LT((triangle_strip_tip(20) / length - elastica_tip(load, 1000)).norm(), 0.05);
}

}  // namespace
}  // namespace taut
