// The bending energy of sheets that are rolled up to a part of a cylinder: ½ B κ² per area.
#include <gtest/gtest.h>

#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"

namespace taut {
namespace {

constexpr double B = 2e-3, radius = 0.7;

/// Equilateral triangles with n of them along a side of about 1 m.
Mesh equilateral(int n) {
  Mesh mesh;
  const double l = 1.0 / n, h = l * std::sqrt(0.75);
  const int rows = static_cast<int>(std::lround(1 / h)), columns = n + 1;
  for (int row = 0; row <= rows; ++row)
    for (int i = 0; i < columns; ++i)
      mesh.vertices.emplace_back(l * (i + 0.5 * (row % 2)), h * row, 0);
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i + 1 < columns; ++i) {
      const int a = row * columns + i, b = a + 1, c = a + columns, d = c + 1;
      if (row % 2 == 0)
        mesh.faces.insert(mesh.faces.end(), {{{a, b, c, -1}}, {{b, d, c, -1}}});
      else
        mesh.faces.insert(mesh.faces.end(), {{{a, b, d, -1}}, {{a, d, c, -1}}});
    }
  return mesh;
}

Mesh square(int n, GridPattern pattern) {
  return grid_mesh({n + 1, n + 1, 1, 1, Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), pattern});
}

double area(const Mesh& mesh) {
  double sum = 0;
  for (const Face& face : mesh.faces) {
    const auto at = [&](int i) { return mesh.vertices[static_cast<std::size_t>(face.vertex[i])]; };
    sum += 0.5 * (at(2) - at(0)).cross(at(face.size() == 4 ? 3 : 2) - at(1)).norm();
  }
  return sum;
}

/// The energy, relative to ½ B κ² A, of a sheet of the x-y plane that is bent across `direction`.
double relative_energy(const Mesh& mesh, const Vec3& direction) {
  ClothMaterial material;
  material.bending_stiffness = B;
  material.shear_stiffness = 0;
  System system;
  add_cloth(system, mesh, material, "c");
  VecX q = system.initial_state().q;
  EXPECT_NEAR(system.potential_energy(Pose(system, q)), 0, 1e-20) << "flat";
  for (int i = 0; i < system.body_count(); ++i) {
    const Vec3 x = q.segment<3>(3 * i);
    const double s = x.dot(direction) / radius;
    q.segment<3>(3 * i) = x - x.dot(direction) * direction +
                          radius * (std::sin(s) * direction + (1 - std::cos(s)) * Vec3::UnitZ());
  }
  const double energy = system.potential_energy(Pose(system, q));

  // Turned and moved as a whole it has the same.
  const Quat turn(Eigen::AngleAxisd(0.8, Vec3(1, 2, 3).normalized()));
  for (int i = 0; i < system.body_count(); ++i)
    q.segment<3>(3 * i) = turn * q.segment<3>(3 * i) + Vec3(1, 2, 3);
  EXPECT_NEAR(system.potential_energy(Pose(system, q)), energy, 1e-10 * energy);
  return energy / (0.5 * B / (radius * radius) * area(mesh));
}

/// Borders, where there is less to bend, count less and less.
void expect_convergence(const std::function<Mesh(int)>& mesh, const Vec3& direction) {
  const double coarse = std::abs(relative_energy(mesh(10), direction) - 1);
  const double fine = std::abs(relative_energy(mesh(40), direction) - 1);
  EXPECT_LT(coarse, 0.2);
  EXPECT_LT(fine, 0.05);
  EXPECT_LT(fine, 0.35 * coarse);
}

TEST(BendingEnergy, OfSquares) {
  const auto mesh = [](int n) { return square(n, GridPattern::quads); };
  expect_convergence(mesh, Vec3::UnitX());
  expect_convergence(mesh, Vec3::UnitY());
}

TEST(BendingEnergy, OfSquaresIsHalfAcrossTheirDiagonals) {
  const auto mesh = [](int n) { return square(n, GridPattern::quads); };
  const double fine = relative_energy(mesh(40), Vec3(1, 1, 0).normalized());
  EXPECT_NEAR(fine, 0.5, 0.02);  // torsion is free
}

TEST(BendingEnergy, OfCutSquaresInAnyDirection) {
  for (const GridPattern pattern : {GridPattern::triangles, GridPattern::crossed})
    for (const double angle : {0.0, 0.3, 0.25 * M_PI, 0.9, 0.5 * M_PI, 0.75 * M_PI, 2.5})
      expect_convergence([&](int n) { return square(n, pattern); },
                         Vec3(std::cos(angle), std::sin(angle), 0));
}

TEST(BendingEnergy, OfCutRectanglesInAnyDirection) {
  const auto mesh = [](int n) {
    return grid_mesh(
        {n + 1, 2 * n + 1, 1, 1, Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), GridPattern::crossed});
  };
  for (const double angle : {0.0, 0.3, 0.25 * M_PI, 0.9, 0.5 * M_PI, 0.75 * M_PI, 2.5})
    expect_convergence(mesh, Vec3(std::cos(angle), std::sin(angle), 0));
}

/// Squares of which every other row is cut: yarns bend where they cross, whatever is around.
TEST(BendingEnergy, OfSquaresSomeOfWhichAreCut) {
  const auto mesh = [](int n) {
    Mesh whole = square(n, GridPattern::quads);
    std::vector<Face> faces;
    for (std::size_t f = 0; f < whole.faces.size(); ++f) {
      const auto v = whole.faces[f].vertex;
      if ((f / static_cast<std::size_t>(n)) % 2 == 0)
        faces.push_back(whole.faces[f]);
      else
        faces.insert(faces.end(), {{{v[0], v[1], v[2], -1}}, {{v[0], v[2], v[3], -1}}});
    }
    whole.faces = faces;
    return whole;
  };
  expect_convergence(mesh, Vec3::UnitX());
  expect_convergence(mesh, Vec3::UnitY());
}

/// Squares with both cuts: the yarns are at 45°, and the cells at the border are single triangles,
/// so that yarns go over into hinges there.
TEST(BendingEnergy, OfSquaresCutTwice) {
  const auto mesh = [](int n) {
    Mesh whole = square(n, GridPattern::quads);
    std::vector<Face> faces;
    for (const Face& face : whole.faces) {
      const auto& v = face.vertex;
      const int middle = static_cast<int>(whole.vertices.size());
      whole.vertices.push_back(0.5 * (whole.vertices[static_cast<std::size_t>(v[0])] +
                                      whole.vertices[static_cast<std::size_t>(v[2])]));
      for (std::size_t i = 0; i < 4; ++i) faces.push_back({{v[i], v[(i + 1) % 4], middle, -1}});
    }
    whole.faces = faces;
    return whole;
  };
  for (const double angle : {0.0, 0.3, 0.25 * M_PI})
    expect_convergence(mesh, Vec3(std::cos(angle), std::sin(angle), 0));
}

TEST(BendingEnergy, OfEquilateralTrianglesInAnyDirection) {
  for (const double angle : {0.0, 0.3, 0.9, 1.5})
    expect_convergence(equilateral, Vec3(std::cos(angle), std::sin(angle), 0));
}

}  // namespace
}  // namespace taut
