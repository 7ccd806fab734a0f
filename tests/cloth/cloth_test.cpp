// What a mesh becomes.
#include "taut/cloth/cloth.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/objects.hpp"
#include "taut/base/error.hpp"
#include "taut/cloth/grid.hpp"

namespace taut {
namespace {

Grid grid(int columns, int rows, GridPattern pattern = GridPattern::quads) {
  return {columns, rows, 2, 1, Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), pattern};
}

template <class Force>
std::size_t count(const System& system) {
  return static_cast<std::size_t>(testing::count_forces<Force>(system));
}

testing::ConstraintsOf<Distance> edges(const System& system) {
  return testing::constraints_of<Distance>(system);
}

class Patterns : public ::testing::TestWithParam<GridPattern> {};
INSTANTIATE_TEST_SUITE_P(All, Patterns,
                         ::testing::Values(GridPattern::quads, GridPattern::triangles,
                                           GridPattern::crossed),
                         [](const auto& made) { return std::string(choice_name(made.param)); });

TEST_P(Patterns, HaveTheMassOfTheirArea) {
  System system;
  ClothMaterial material;
  material.density = 0.3;
  const Surface cloth = add_cloth(system, grid_mesh(grid(5, 4, GetParam())), material, "c", 5);
  double mass = 0;
  for (const BodyId vertex : cloth.vertices) mass += system.mass(vertex);
  EXPECT_NEAR(mass, 0.3 * 2 * 1, 1e-14);
  EXPECT_EQ(cloth.vertices.size(), 20u);
  EXPECT_EQ(cloth.faces.size(), GetParam() == GridPattern::quads ? 12u : 24u);
}

// Cut squares are taken for squares: the same edges keep their length, the same diagonals shear.
TEST_P(Patterns, HaveTheSameYarnsAndDiagonals) {
  System system;
  add_cloth(system, grid_mesh(grid(5, 4, GetParam())), {}, "c");
  EXPECT_EQ(system.constraint_count(), 4 * 4 + 5 * 3);
  EXPECT_EQ(count<Spring>(system), 2u * 12);
  const bool quads = GetParam() == GridPattern::quads;
  // Along yarns at every vertex but the last, and the twist of what is cut.
  EXPECT_EQ(count<Bending>(system), 3u * 4 + 2 * 5 + (quads ? 0 : 12));
  EXPECT_EQ(count<Wind>(system), 0u);
}

TEST_P(Patterns, FollowTheirYarns) {
  System system;
  add_cloth(system, grid_mesh(grid(5, 4, GetParam())), {}, "c", 5);
  const auto all = edges(system);
  int number = 0;
  for (int row = 0; row < 4; ++row)
    for (int i = 0; i < 4; ++i, ++number) {
      EXPECT_EQ(all[number].a.body.index, 5 * row + i);
      EXPECT_EQ(all[number].b.body.index, 5 * row + i + 1);
    }
  for (int column = 0; column < 5; ++column)
    for (int i = 0; i < 3; ++i, ++number) {
      EXPECT_EQ(all[number].a.body.index, 5 * i + column);
      EXPECT_EQ(all[number].b.body.index, 5 * (i + 1) + column);
    }
  EXPECT_EQ(all.name(3), "c/edge3");
  EXPECT_EQ(all[0].length.value(0), 0.5);
  EXPECT_EQ(all[0].form, DistanceForm::squared);
  EXPECT_EQ(system.body_name({7}), "c_1_2");
}

TEST(Cloth, MayConstrainDiagonals) {
  System system;
  ClothMaterial material;
  material.constrain_diagonals = true;
  add_cloth(system, grid_mesh(grid(5, 4, GridPattern::triangles)), material, "c");
  EXPECT_EQ(system.constraint_count(), 4 * 4 + 5 * 3 + 12);
  EXPECT_EQ(count<Spring>(system), 0u);
}

TEST(Cloth, OfSpringsHasNoConstraints) {
  System system;
  ClothMaterial material;
  material.stretch = StretchModel::springs;
  material.bending = BendingModel::springs;
  material.wind = Vec3(1, 0, 0);
  add_cloth(system, grid_mesh(grid(5, 4)), material, "c");
  EXPECT_EQ(system.constraint_count(), 0);
  EXPECT_EQ(count<Spring>(system), 31u + 24 + 22);
  EXPECT_EQ(count<Bending>(system), 0u);
  EXPECT_EQ(count<Wind>(system), 1u);
}

// Stretched by ε across: ½ Y ε² per area. Sheared by γ: ½ G γ² per area.
TEST_P(Patterns, AreAsStiffAsTheirMaterial) {
  System system;
  ClothMaterial material;
  material.stretch = StretchModel::springs;
  material.stretch_stiffness = 700;
  material.shear_stiffness = 0;
  material.bending_stiffness = 0;
  add_cloth(system, grid_mesh(grid(5, 4, GetParam())), material, "c");
  VecX q = system.initial_state().q;
  for (int i = 0; i < system.body_count(); ++i) q[3 * i] *= 1.001;
  EXPECT_NEAR(system.potential_energy(Pose(system, q)), 0.5 * 700 * 1e-6 * 2, 1e-12);

  System sheared;
  material.stretch = StretchModel::constraints;
  material.shear_stiffness = 7;
  add_cloth(sheared, grid_mesh(grid(5, 4, GetParam())), material, "c");
  q = sheared.initial_state().q;
  for (int i = 0; i < sheared.body_count(); ++i) q[3 * i] += 1e-5 * q[3 * i + 1];
  EXPECT_NEAR(sheared.potential_energy(Pose(sheared, q)), 0.5 * 7 * 1e-10 * 2, 1e-14);
}

TEST(Cloth, LeavesOutEdgesThatAreHeld) {
  System system;
  std::vector<int> held(20, 0);
  for (int i = 0; i < 5; ++i) held[static_cast<std::size_t>(i)] = 1;
  held[5] = 2;
  add_cloth(system, grid_mesh(grid(5, 4)), {}, "c", 5, held);
  EXPECT_EQ(system.constraint_count(), 31 - 4);
}

// A mesh of squares around a cylinder: yarns that close.
TEST(Cloth, YarnsMayBeClosed) {
  Mesh tube;
  const int around = 6, rows = 3;
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < around; ++i) {
      const double angle = 2 * M_PI * i / around;
      tube.vertices.emplace_back(std::cos(angle), std::sin(angle), row);
    }
  for (int row = 0; row + 1 < rows; ++row)
    for (int i = 0; i < around; ++i) {
      const int j = (i + 1) % around, a = row * around;
      tube.faces.push_back({{a + i, a + j, a + around + j, a + around + i}});
    }
  System system;
  add_cloth(system, tube, {}, "c");
  EXPECT_EQ(system.constraint_count(), 3 * 6 + 2 * 6);
  EXPECT_EQ(count<Bending>(system), 3u * 6 + 6);
}

Mesh equilateral_triangles(int columns, int rows) {
  Mesh mesh;
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < columns; ++i)
      mesh.vertices.emplace_back(i + 0.5 * row, std::sqrt(0.75) * row, 0);
  for (int row = 0; row + 1 < rows; ++row)
    for (int i = 0; i + 1 < columns; ++i) {
      const int a = row * columns + i, b = a + columns;
      mesh.faces.push_back({{a, a + 1, b, -1}});
      mesh.faces.push_back({{a + 1, b + 1, b, -1}});
    }
  return mesh;
}

// No edge is the longest, so any pairs would do; but they go together. Which way is for rounding to
// decide: along a border one triangle of each cell may be left.
TEST(Cloth, ReadsEquilateralTrianglesAsQuadrilaterals) {
  System system;
  const Mesh mesh = equilateral_triangles(9, 8);
  const Surface cloth = add_cloth(system, mesh, {}, "c");
  const int all = 8 * 8 + 9 * 7 + 8 * 7, pairs = 8 * 7;
  EXPECT_LE(system.constraint_count(), all - pairs + 8);
  EXPECT_GE(system.constraint_count(), all - pairs);
  std::vector<int> edges_at(cloth.vertices.size(), 0);
  const auto all_edges = edges(system);
  for (int e = 0; e < system.constraint_count(); ++e)
    for (const Point& end : {all_edges[e].a, all_edges[e].b})
      ++edges_at[static_cast<std::size_t>(end.body.index)];
  int inside = 0;
  for (int row = 1; row < 7; ++row)
    for (int i = 1; i < 8; ++i) inside += edges_at[static_cast<std::size_t>(9 * row + i)] == 4;
  EXPECT_EQ(inside, 6 * 7);
  // About all edges, as in any mesh of triangles: these cells are no rectangles.
  EXPECT_EQ(count<Bending>(system), static_cast<std::size_t>(all - 2 * (8 + 7)));
}

// Nor does it matter how they are numbered.
TEST(Cloth, LeavesFewTrianglesAlone) {
  Mesh mesh = equilateral_triangles(12, 12);
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)  // no two edges alike
    mesh.vertices[v] += 0.1 * Vec3(std::sin(7.0 * static_cast<double>(v)),
                                   std::cos(5.0 * static_cast<double>(v)), 0);
  System system;
  add_cloth(system, mesh, {}, "c");
  const int all = 11 * 12 + 12 * 11 + 11 * 11, pairs = 11 * 11;
  EXPECT_LE(system.constraint_count(), all - pairs * 9 / 10);
}

// Springs along all edges of triangles are a sheet that is as stiff in all directions.
TEST(Cloth, OfSpringsLeavesEquilateralTrianglesAlone) {
  System system;
  ClothMaterial material;
  material.stretch = StretchModel::springs;
  add_cloth(system, equilateral_triangles(2, 2), material, "c");
  EXPECT_EQ(count<Spring>(system), 5u);
  EXPECT_EQ(count<Bending>(system), 1u);
}

TEST(Cloth, FacesMayBeMixed) {
  Mesh mesh{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0.5, 0}},
            {{{0, 1, 2, 3}}, {{1, 4, 2, -1}}}};
  System system;
  ClothMaterial material;
  material.wind = Vec3(0, 0, 1);
  add_cloth(system, mesh, material, "c");
  EXPECT_EQ(system.constraint_count(), 6);
  EXPECT_EQ(count<Spring>(system), 2u);
  EXPECT_EQ(count<Bending>(system), 1u);
  EXPECT_NEAR(system.mass({4}), 0.15 * 0.5 / 3, 1e-15);
}

std::string complaint(const Mesh& mesh) {
  try {
    System system;
    add_cloth(system, mesh, {}, "c");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Cloth, NeedsASurface) {
  const std::vector<Vec3> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_EQ(complaint({square, {}}), "cloth \"c\": the mesh has no faces");
  EXPECT_EQ(complaint({square, {{{0, 1, 2, 3}}}}),
            "cloth \"c\": vertex 4 belongs to no face, so it has no mass");
  EXPECT_EQ(complaint({square, {{{0, 1, 1, -1}}}}), "cloth \"c\": face 0 has the vertex 1 twice");
  EXPECT_EQ(complaint({square, {{{0, 1, 7, -1}}}}),
            "cloth \"c\": face 0 has the vertex 7, expected 0 to 4");
  EXPECT_EQ(complaint({{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{{0, 1, 2, -1}}}}),
            "cloth \"c\": face 0 (vertices 0, 1, 2, …) has no area");
  EXPECT_EQ(complaint({square, {{{0, 1, 2, -1}}, {{0, 1, 3, -1}}, {{0, 1, 4, -1}}}}),
            "cloth \"c\": the edge from vertex 0 to 1 belongs to more than two faces");
  EXPECT_EQ(complaint({{{0, 0, 0}, {1, 0, 0}, {NAN, 0, 0}}, {{{0, 1, 2, -1}}}}),
            "cloth \"c\": vertex 2 is not at a finite place");
}

TEST(Grid, RefusesWhatIsNoSheet) {
  EXPECT_THROW(grid_mesh(grid(1, 4)), Error);
  EXPECT_THROW(grid_mesh(grid(1'000'000, 1'000)), Error);
  Grid flat = grid(3, 3);
  flat.along = 2 * flat.across;
  EXPECT_THROW(grid_mesh(flat), Error);
}

TEST(Grid, HasParts) {
  const Grid sheet = grid(4, 3);
  EXPECT_EQ(vertices_of(sheet, GridPart::top), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(vertices_of(sheet, GridPart::bottom), (std::vector<int>{8, 9, 10, 11}));
  EXPECT_EQ(vertices_of(sheet, GridPart::left), (std::vector<int>{0, 4, 8}));
  EXPECT_EQ(vertices_of(sheet, GridPart::right), (std::vector<int>{3, 7, 11}));
  EXPECT_EQ(vertices_of(sheet, GridPart::corners), (std::vector<int>{0, 3, 8, 11}));
  EXPECT_EQ(vertices_of(sheet, GridPart::bottom_left), (std::vector<int>{8}));
}

TEST(Cloth, FindsVerticesByName) {
  EXPECT_EQ(find_vertex("c", "c_1_2", 20, 5), 7);
  EXPECT_EQ(find_vertex("c", "c_7", 20, 0), 7);
  for (const char* name : {"", "c", "c_", "c_1", "c_1_5", "c_4_0", "d_1_2", "c_01_2", "c_1_2_",
                           "c_99999999999999_0", "c_-1_2", "cc_1_2"})
    EXPECT_EQ(find_vertex("c", name, 20, 5), -1) << name;
}

}  // namespace
}  // namespace taut
