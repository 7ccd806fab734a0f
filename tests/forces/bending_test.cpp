// Bending of single lines and hinges.
#include "taut/model/system.hpp"
#include "taut/forces/bending.hpp"

#include <gtest/gtest.h>

#include "taut/base/error.hpp"

namespace taut {
namespace {

System points(const std::vector<Vec3>& places) {
  System system;
  for (const Vec3& place : places) system.add(Particle{1, place});
  return system;
}
double energy(const System& system, const VecX& q) {
  return system.potential_energy(Pose(system, q));
}

// The circle through three points at the distance l has, to second order, the curvature κ.
TEST(Bending, OfALineIsThatOfACircle) {
  const double EI = 2, radius = 5, l1 = 0.02, l2 = 0.03;
  const auto on_circle = [&](double s) {
    return Vec3(radius * std::sin(s / radius), radius * (1 - std::cos(s / radius)), 0);
  };
  System system = points({on_circle(-l1), on_circle(0), on_circle(l2)});
  apply(system, Bending{{BodyId{0}, BodyId{1}, BodyId{2}}, EI});
  const double expected = 0.5 * EI / (radius * radius) * 0.5 * (l1 + l2);
  EXPECT_NEAR(energy(system, system.initial_state().q), expected, 1e-4 * expected);
}

TEST(Bending, OfAHingeGrowsWithTheBend) {
  // Two triangles of unequal size on an edge of length 2, the second turned up by a small angle.
  const double k = 3, angle = 1e-3;
  System system = points({{0.5, 1, 0}, {0, 0, 0}, {2, 0, 0}, {1.2, -1.5, 0}});
  apply(system, Bending{{BodyId{0}, BodyId{1}, BodyId{2}, BodyId{3}}, k});
  VecX q = system.initial_state().q;
  EXPECT_NEAR(energy(system, q), 0, 1e-28);
  q.tail<3>() = Vec3(1.2, -1.5 * std::cos(angle), 1.5 * std::sin(angle));
  const double expected = 0.5 * k * std::pow(2 * angle, 2) / (1 + 1.5);  // ½ k (e θ)²/(A₁ + A₂)
  EXPECT_NEAR(energy(system, q), expected, 1e-5 * expected);
}

TEST(Bending, DoesNotFeelHowItIsTurnedAndMoved) {
  System system = points({{0.5, 1, 0.3}, {0, 0, 0}, {2, 0, 0}, {1.2, -1.5, 0.4}});
  apply(system, Bending{{BodyId{0}, BodyId{1}, BodyId{2}, BodyId{3}}, 3});
  const VecX q = system.initial_state().q;
  VecX moved = q;
  const Quat turn(Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()));
  for (int i = 0; i < 4; ++i) moved.segment<3>(3 * i) = turn * q.segment<3>(3 * i) + Vec3(3, 2, 1);
  EXPECT_GT(energy(system, q), 0.1);
  EXPECT_NEAR(energy(system, moved), energy(system, q), 1e-12);
}

TEST(Bending, NeedsPointsThatDiffer) {
  System system = points({{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {2, 0, 0}});
  EXPECT_THROW(apply(system, Bending{{BodyId{0}, BodyId{1}, BodyId{2}}, 1}), Error);
  EXPECT_THROW(apply(system, Bending{{BodyId{0}, BodyId{1}, BodyId{3}, BodyId{2}}, 1}), Error);
}

TEST(Bending, IsSmall) { EXPECT_LE(sizeof(Bending), 64u); }

}  // namespace
}  // namespace taut
