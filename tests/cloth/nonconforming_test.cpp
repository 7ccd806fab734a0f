// Cloth of triangles that hang together in the middles of their edges.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "cloth/elastica.hpp"
#include "cloth/rest.hpp"
#include "support/builders.hpp"
#include "taut/base/error.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"

namespace taut::middles {
namespace {

constexpr double B = 2e-3;

Mesh square(int n, GridPattern pattern = GridPattern::triangles) {
  return grid_mesh({n + 1, n + 1, 1, 1, Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), pattern});
}

/// A rhombus of equilateral triangles, n along a side of 1 m.
Mesh rhombus(int n) {
  Mesh mesh;
  const double l = 1.0 / n;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      mesh.vertices.emplace_back(l * (i + 0.5 * j), l * std::sqrt(0.75) * j, 0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
      mesh.faces.insert(mesh.faces.end(), {{{a, b, c, -1}}, {{b, d, c, -1}}});
    }
  return mesh;
}

ClothMaterial nonconforming() {
  ClothMaterial material;
  material.elements = ClothElements::nonconforming;
  material.bending_stiffness = B;
  material.shear_stiffness = 0;
  return material;
}

double mass(const System& system) {
  double sum = 0;
  for (int i = 0; i < system.body_count(); ++i) sum += system.mass({i});
  return sum;
}

TEST(Nonconforming, HasTheMiddlesOfEdgesAndThreeRowsPerTriangle) {
  ClothMaterial material = nonconforming();
  material.density = 0.3;
  System system;
  const Surface cloth = add_cloth(system, square(4), material, "c");
  EXPECT_EQ(system.body_count(), 2 * 4 * 5 + 16);
  EXPECT_EQ(system.row_count(), 3 * 32);
  EXPECT_NEAR(mass(system), 0.3, 1e-14);
  ASSERT_TRUE(system.find_body("c_mid_0_1"));
  EXPECT_LT(
      (system.initial_place(Point(*system.find_body("c_mid_0_1"))) - Vec3(0.125, 0, 0)).norm(),
      1e-15);
  // What touches is a surface without gaps, but for half a triangle at each vertex of the border.
  double area = 0;
  for (const Face& face : cloth.faces) {
    const auto at = [&](std::size_t k) {
      return system.initial_place(Point(cloth.vertices[static_cast<std::size_t>(face.vertex[k])]));
    };
    const Vec3 twice = (at(1) - at(0)).cross(at(2) - at(0));
    EXPECT_GE(twice.z(), -1e-15) << "none is turned over";
    area += 0.5 * twice.z();
  }
  EXPECT_NEAR(area, 1 - 4 * 0.5 * 0.125 * 0.125, 0.02);
}

/// Where the circumcircle of a triangle in the x-y plane has its middle.
Vec3 circumcentre(const Mesh& mesh, const Face& face) {
  const Vec3 a = mesh.vertices[static_cast<std::size_t>(face.vertex[0])];
  const Vec3 u = mesh.vertices[static_cast<std::size_t>(face.vertex[1])] - a;
  const Vec3 v = mesh.vertices[static_cast<std::size_t>(face.vertex[2])] - a;
  const Vec3 n = u.cross(v);
  return a + (u.squaredNorm() * v.cross(n) + v.squaredNorm() * n.cross(u)) / (2 * n.squaredNorm());
}

/// The energy, relative to ½ B per area, of the surface z = ½ xᵀH x: each triangle touches it at
/// its circumcentre, which neighbours agree on.
double relative_energy(const Mesh& mesh, const Mat3& H) {
  System system;
  add_cloth(system, mesh, nonconforming(), "c");
  VecX q = system.initial_state().q;
  EXPECT_NEAR(system.potential_energy(Pose(system, q)), 0, 1e-20) << "flat";
  double area = 0;
  for (const Face& face : mesh.faces) {
    const Vec3 centre = circumcentre(mesh, face);
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = face.vertex[k], b = face.vertex[(k + 1) % 3];
      const BodyId body = *system.find_body("c_mid_" + std::to_string(std::min(a, b)) + "_" +
                                            std::to_string(std::max(a, b)));
      Eigen::Ref<Vec3> x = q.segment<3>(system.slot(body).q);
      const Vec3 flat(x.x(), x.y(), 0);
      const double z = 0.5 * centre.dot(H * centre) + (H * centre).dot(flat - centre);
      if (x.z() != 0) {
        EXPECT_NEAR(x.z(), z, 1e-12) << "neighbours agree";
      }
      x.z() = z;
    }
    const auto at = [&](std::size_t k) {
      return mesh.vertices[static_cast<std::size_t>(face.vertex[k])];
    };
    area += 0.5 * (at(1) - at(0)).cross(at(2) - at(0)).norm();
  }
  return system.potential_energy(Pose(system, q)) / (0.5 * B * area);
}

/// Less at the border, where there is less to bend.
void expect_convergence(const std::function<Mesh(int)>& mesh, const Mat3& H, double wanted) {
  const double coarse = std::abs(relative_energy(mesh(6), H) / wanted - 1);
  const double fine = std::abs(relative_energy(mesh(24), H) / wanted - 1);
  EXPECT_LT(coarse, 0.3);
  EXPECT_LT(fine, 0.07);
  EXPECT_LT(fine, 0.4 * coarse);
}

TEST(Nonconforming, BendsAsAPlateInAnyDirection) {
  for (const double angle : {0.0, 0.4, 0.8, 1.3, 2.4}) {
    const Vec3 d(std::cos(angle), std::sin(angle), 0);
    expect_convergence(rhombus, d * d.transpose(), 1);
    for (const GridPattern pattern : {GridPattern::triangles, GridPattern::crossed})
      expect_convergence([&](int n) { return square(n, pattern); }, d * d.transpose(), 1);
  }
}

// With the jump across edges alone, triangles could tilt such that a saddle costs nothing.
TEST(Nonconforming, SaddlesCostTwiceAsMuch) {
  const Mat3 saddle = Vec3(1, -1, 0).asDiagonal();
  expect_convergence(rhombus, saddle, 2);
  expect_convergence([](int n) { return square(n); }, saddle, 2);
}

// Triangles that turn against each other in the plane, by ±θ: the sheet shrinks without a fold.
TEST(Nonconforming, ShearStiffnessResistsTurningInThePlane) {
  constexpr double G = 7, theta = 1e-4;
  constexpr int n = 24;
  ClothMaterial material = nonconforming();
  material.bending_stiffness = 0;
  material.shear_stiffness = G;
  const Mesh mesh = rhombus(n);
  System system;
  add_cloth(system, mesh, material, "c");
  // To first order, middles move by the turn of either triangle about its centroid, which stays.
  VecX q = system.initial_state().q;
  std::vector<int> count(static_cast<std::size_t>(system.body_count()), 0);
  VecX moved = VecX::Zero(q.size());
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const Vec3 turn(0, 0, f % 2 == 0 ? theta : -theta);
    const Vec3 centre = circumcentre(mesh, mesh.faces[f]);
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = mesh.faces[f].vertex[k], b = mesh.faces[f].vertex[(k + 1) % 3];
      const BodyId body = *system.find_body("c_mid_" + std::to_string(std::min(a, b)) + "_" +
                                            std::to_string(std::max(a, b)));
      const int at = system.slot(body).q;
      const Vec3 way = turn.cross(Vec3(q.segment<3>(at)) - centre);
      if (count[static_cast<std::size_t>(body.index)]++ > 0) {
        EXPECT_LT((moved.segment<3>(at) - way).norm(), 1e-15) << "neighbours agree";
      }
      moved.segment<3>(at) = way;
    }
  }
  const double energy = system.potential_energy(Pose(system, q + moved));
  const double area = std::sqrt(0.75);
  EXPECT_NEAR(energy / (0.5 * G * std::pow(2 * theta, 2) * area), 1, 2.0 / n);
}

// A strip that is clamped at one end, against the elastica. The diagonals of its squares are a
// little too soft, see the bound in midpoint_weights().
TEST(Nonconforming, BendsAsTheHeavyElastica) {
  constexpr double density = 0.2, gravity = 9.81, length = 0.25;
  constexpr int segments = 8;
  const double l = length / (segments + 0.5), width = l;
  const Mesh mesh =
      grid_mesh({segments + 2, 2, (segments + 1) * l, width, Vec3(-l / 2, 0, -width / 2),
                 Vec3::UnitX(), Vec3::UnitZ(), GridPattern::crossed});
  ClothPin clamp;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    if (mesh.vertices[v].x() < 0.75 * l) clamp.vertices.push_back(static_cast<int>(v));
  ClothMaterial material = nonconforming();
  material.density = density;
  System system;
  apply(system, Gravity{{0, -gravity, 0}});
  add_cloth(system, mesh, material, "strip", 0, std::span<const ClothPin>(&clamp, 1));
  const RunReport report = testing::come_to_rest(system, 1.0, 1e-6);
  ASSERT_EQ(report.status, RunStatus::ok) << report.reason;
  const BodyId end = *system.find_body("strip_mid_" + std::to_string(segments + 1) + "_" +
                                       std::to_string(2 * segments + 3));
  const Vec3 tip = report.final_state.q.segment<3>(system.slot(end).q) / length;
  const Vec3 wanted = testing::elastica_tip(density * gravity * std::pow(length, 3) / B, 1000);
  RecordProperty("error", std::to_string((tip - wanted).norm()));
  EXPECT_LT((tip - wanted).norm(), 0.03);
}

// A vertex inside, one at a corner, and an edge, which move: they are where the pins are, nothing
// else is held, and triangles keep their shape.
TEST(Nonconforming, PinsHoldVerticesAndEdges) {
  const Mesh mesh = square(4, GridPattern::crossed);
  const Motion<Vec3> up = LineMotion<Vec3>{Vec3::Zero(), Vec3(0, 0, 0.1)};
  const std::vector<ClothPin> pins{{{12}, up, {}}, {{24}, up, {}}, {{0, 1}, up, 0.05}};
  ClothMaterial material = nonconforming();
  material.bending_stiffness = 1e-5;
  System system;
  apply(system, Gravity{{0, 0, -9.81}});
  add_cloth(system, mesh, material, "c", 0, pins);
  const auto place = [&](const State& state, int a, int b) {
    const BodyId body = *system.find_body("c_mid_" + std::to_string(a) + "_" + std::to_string(b));
    return Vec3(state.q.segment<3>(system.slot(body).q));
  };
  const auto method = make_method("icd");
  RunOptions options;
  options.step = 0.01;
  options.duration = 0.05;
  RunReport report = simulate(system, system.initial_state(), *method, options);
  ASSERT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_LT(report.constraint_error.max, 1e-6);
  // Of the triangle 23 24 18 or 19, whichever has the corner: both middles less the third.
  const bool is_cut_there = system.find_body("c_mid_19_23").has_value();
  const Vec3 corner =
      is_cut_there
          ? Vec3(place(report.final_state, 23, 24) + place(report.final_state, 19, 24) -
                 place(report.final_state, 19, 23))
          : Vec3(0.5 * (place(report.final_state, 23, 24) + 2 * place(report.final_state, 18, 24) -
                        place(report.final_state, 18, 23) + place(report.final_state, 19, 24) -
                        place(report.final_state, 18, 19)));
  EXPECT_LT((corner - Vec3(1, 1, 0.005)).norm(), 1e-6);
  EXPECT_LT((place(report.final_state, 0, 1) - Vec3(0.125, 0, 0.005)).norm(), 1e-6);
  State state = report.final_state;
  options.duration = 0.2;
  report = simulate(system, state, *method, options);
  ASSERT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_LT(place(report.final_state, 0, 1).z(), -0.005) << "released";
}

TEST(Nonconforming, RefusesWhatItIsNotFor) {
  System system;
  try {
    add_cloth(system, square(2, GridPattern::quads), nonconforming(), "c");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("face 0 has four corners"), std::string::npos);
  }
}

TEST(ClothElements, AutomaticSaysWhy) {
  const ElementChoice quads = choose_elements(square(2, GridPattern::quads), {});
  EXPECT_EQ(quads.elements, ClothElements::yarns);
  EXPECT_EQ(quads.reason, "all its faces are quadrilaterals");
  const ElementChoice triangles = choose_elements(square(3), {});
  EXPECT_EQ(triangles.elements, ClothElements::yarns);
  EXPECT_EQ(triangles.reason.find("18 of its 18 triangles are read in pairs"), 0u)
      << triangles.reason;
}

}  // namespace
}  // namespace taut::middles
