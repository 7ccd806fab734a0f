// Cloth of springs no triangle of which is stretched by more than a limit along warp or weft.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "taut/base/error.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut {
namespace {

/// The largest strain along one of two directions of any triangle: where a line of it has gone.
double largest_strain(const Mesh& mesh, const VecX& q) {
  double largest = 0;
  for (const Face& face : mesh.faces) {
    const auto rest = [&](int k) {
      return mesh.vertices[static_cast<std::size_t>(face.vertex[k])];
    };
    const auto now = [&](int k) { return Vec3(q.segment<3>(3 * face.vertex[k])); };
    Eigen::Matrix2d D;
    D << (rest(1) - rest(0)).head<2>(), (rest(2) - rest(0)).head<2>();
    Eigen::Matrix<double, 3, 2> d;
    d << now(1) - now(0), now(2) - now(0);
    const Eigen::Matrix<double, 3, 2> F = d * D.inverse();
    largest = std::max({largest, F.col(0).norm() - 1, F.col(1).norm() - 1});
  }
  return largest;
}

double swing(ClothElements elements, double limit) {
  Mesh mesh =
      grid_mesh({7, 7, 1, 1, Vec3::Zero(), Vec3::UnitX(), -Vec3::UnitY(), GridPattern::crossed});
  // Not a grid any more: yarns do not run along x or y.
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    if (const Vec3 x = mesh.vertices[v]; x.x() > 0.1 && x.x() < 0.9 && x.y() < -0.1 && x.y() > -0.9)
      mesh.vertices[v] += 0.03 * Vec3(std::sin(7.0 * v), std::cos(5.0 * v), 0);
  ClothMaterial material;
  material.elements = elements;
  material.stretch = StretchModel::springs;
  material.stretch_stiffness = 20;
  material.stretch_damping = 0.1;
  material.stretch_limit = limit;
  System system;
  apply(system, Gravity{});
  const std::vector<ClothPin> pins{{{0}, Vec3(0, 0, 0), {}}, {{6}, Vec3(0, 0, 0), {}}};
  add_cloth(system, mesh, material, "c", 7, pins);
  const auto method = make_method("icd");
  RunOptions options;
  options.step = 1.0 / 120;
  options.duration = options.step;
  State state = system.initial_state();
  double largest = 0;
  for (int i = 0; i < 60; ++i) {
    const RunReport report = simulate(system, state, *method, options);
    EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
    state = report.final_state;
    largest = std::max(largest, largest_strain(mesh, state.q));
  }
  return largest;
}

TEST(StrainLimited, TrianglesAreStretchedUpToTheLimit) {
  EXPECT_GT(swing(ClothElements::yarns, 0.1), 0.3) << "springs alone";
  for (const double limit : {0.1, 0.01}) {
    const double strain = swing(ClothElements::strain_limited, limit);
    RecordProperty("strain" + std::to_string(limit), std::to_string(strain));
    EXPECT_LT(strain, limit + 1e-4);
    EXPECT_GT(strain, limit - 1e-3) << "some are taut";
  }
}

TEST(StrainLimited, WarpMustLieInTheFaces) {
  ClothMaterial material;
  material.elements = ClothElements::strain_limited;
  material.warp = Vec3(0, 0, 2);
  System system;
  EXPECT_THROW(add_cloth(system, grid_mesh({}), material, "c"), Error);
}

}  // namespace
}  // namespace taut
