// Cloth that bends under its own weight, at rest.
#include <gtest/gtest.h>

#include "cloth/rest.hpp"
#include "support/builders.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"

namespace taut {
namespace {

constexpr double density = 0.2, gravity = 9.81, length = 0.25, stiffness = 2e-3;

void hold(System& system, const Surface& cloth, const Mesh& mesh, const std::vector<int>& held) {
  for (std::size_t v = 0; v < held.size(); ++v)
    if (held[v] > 0) constrain(system, Pin{cloth.vertices[v], mesh.vertices[v]});
}

// The heavy elastica: with θ the slope downwards, B θ' is the moment of the weight beyond, so that
// B θ'' = −w (L − s) cos θ, with θ(0) = 0 and θ'(L) = 0. By shooting from the clamp, RK4.
Vec3 elastica_tip(double L) {
  constexpr int steps = 2000;
  const double h = L / steps;
  using State4 = Eigen::Vector4d;  // θ, θ', x, y
  const auto rate = [&](double s, const State4& u) {
    return State4(u[1], -density * gravity / stiffness * (L - s) * std::cos(u[0]), std::cos(u[0]),
                  -std::sin(u[0]));
  };
  const auto shoot = [&](double curvature) {
    State4 u(0, curvature, 0, 0);
    for (int i = 0; i < steps; ++i) {
      const double s = i * h;
      const State4 a = rate(s, u), b = rate(s + h / 2, u + h / 2 * a),
                   c = rate(s + h / 2, u + h / 2 * b), d = rate(s + h, u + h * c);
      u += h / 6 * (a + 2 * b + 2 * c + d);
    }
    return u;
  };
  double low = 0,
         high = density * gravity * L * L / stiffness;  // of a beam that stays straight, ·2
  for (int i = 0; i < 60; ++i) {
    const double curvature = 0.5 * (low + high);
    (shoot(curvature)[1] < 0 ? low : high) = curvature;
  }
  const State4 u = shoot(low);
  return {u[2], u[3], 0};
}

/// Where the end of the strip is relative to its clamp. Two columns of vertices are held; the slope
/// is zero half way between them, and from there the length is measured.
Vec3 strip_tip(int segments, GridPattern pattern) {
  const double l = length / (segments + 0.5);
  Grid grid{segments + 2,  3,      (segments + 1) * l, 2 * l, Vec3(-l / 2, 0, 0), Vec3::UnitX(),
            Vec3::UnitZ(), pattern};
  const Mesh mesh = grid_mesh(grid);
  std::vector<int> held(mesh.vertices.size(), 0);
  for (int row = 0; row < 3; ++row)
    for (const int column : {0, 1}) held[static_cast<std::size_t>(row * grid.columns + column)] = 1;
  ClothMaterial material;
  material.density = density;
  material.bending_stiffness = stiffness;
  System system;
  apply(system, Gravity{{0, -gravity, 0}});
  const Surface strip = add_cloth(system, mesh, material, "strip", grid.columns, held);
  hold(system, strip, mesh, held);
  const RunReport report = testing::come_to_rest(system, 1.0);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  return report.final_state.q.segment<3>(3 * (2 * grid.columns - 1));
}

class Cantilever : public ::testing::TestWithParam<GridPattern> {};
INSTANTIATE_TEST_SUITE_P(All, Cantilever,
                         ::testing::Values(GridPattern::quads, GridPattern::triangles,
                                           GridPattern::crossed),
                         [](const auto& made) { return std::string(choice_name(made.param)); });

TEST_P(Cantilever, BendsAsTheHeavyElastica) {
  const Vec3 wanted = elastica_tip(length);
  std::vector<double> error;
  for (const int segments : {10, 20, 40}) {
    const Vec3 tip = strip_tip(segments, GetParam());
    error.push_back((tip - wanted).norm() / length);
    std::printf("%d: %g %g %g wanted %g %g error %g\n", segments, tip.x(), tip.y(), tip.z(),
                wanted.x(), wanted.y(), error.back());
  }
  EXPECT_LT(error[2], 0.01);
  EXPECT_LT(error[1], 0.5 * error[0]);
  EXPECT_LT(error[2], 0.5 * error[1]);
}

/// Area seen from above, outside the held patch, relative to the flat one.
double drape_coefficient(double bending) {
  constexpr int n = 21;
  constexpr double size = 0.4, patch = 0.09;
  Grid grid{n,
            n,
            size,
            size,
            Vec3(-size / 2, 0, -size / 2),
            Vec3::UnitX(),
            Vec3::UnitZ(),
            GridPattern::quads};
  const Mesh mesh = grid_mesh(grid);
  std::vector<int> held(mesh.vertices.size(), 0);
  for (std::size_t v = 0; v < held.size(); ++v) held[v] = mesh.vertices[v].norm() <= patch;
  ClothMaterial material;
  material.density = density;
  material.bending_stiffness = bending;
  System system;
  apply(system, Gravity{{0, -gravity, 0}});
  const Surface cloth = add_cloth(system, mesh, material, "cloth", n, held);
  hold(system, cloth, mesh, held);
  const RunReport report = testing::come_to_rest(system, 0.2, 1e-5, {{"tolerance", "1e-6"}});
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  double seen = 0, flat = 0;
  for (const Face& face : mesh.faces) {
    bool is_held = true;
    for (const int v : face.vertex) is_held = is_held && held[static_cast<std::size_t>(v)] > 0;
    if (is_held) continue;
    const auto area = [&](auto&& at) {
      return 0.5 * std::abs((at(2) - at(0)).cross(at(3) - at(1)).y());
    };
    const auto rest = [&](int i) {
      return mesh.vertices[static_cast<std::size_t>(face.vertex[i])];
    };
    const auto now = [&](int i) {
      return Vec3(report.final_state.q.segment<3>(3 * face.vertex[i]));
    };
    seen += area(now);
    flat += area(rest);
  }
  return seen / flat;
}

TEST(Drape, IsWiderTheStifferTheCloth) {
  double last = 0;
  for (const double bending : {1e-6, 1e-5, 1e-4, 1e-3, 1e-2}) {
    const double coefficient = drape_coefficient(bending);
    std::printf("%g: %g\n", bending, coefficient);
    EXPECT_GT(coefficient, last) << bending;
    last = coefficient;
  }
  EXPECT_LT(last, 1);
}

}  // namespace
}  // namespace taut
