// Air on plates, against closed forms.
#include "taut/model/system.hpp"
#include "taut/forces/wind.hpp"

#include <gtest/gtest.h>

namespace taut {
namespace {

constexpr double rho = 1.2, c_n = 1.3, c_t = 0.07;

/// A rectangle 2 m × 3 m in the x-y plane, as one quadrilateral or as two triangles, that moves.
System plate(bool triangles, const Motion<Vec3>& wind, const Vec3& speed = Vec3::Zero()) {
  System system;
  for (const Vec3& at : {Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(2, 3, 0), Vec3(0, 3, 0)})
    system.add(Particle{1, at, speed});
  const BodyId a{0}, b{1}, c{2}, d{3};
  std::vector<ParticleGroup> faces{{a, b, c, d}};
  if (triangles) faces = {{a, b, c}, {a, c, d}};
  apply(system, Wind{faces, wind, rho, c_n, c_t});
  return system;
}

VecX force(const System& system, double time = 0) {
  const State state = system.initial_state();
  VecX F;
  system.forces(Pose(system, state.q), state.v, time, F);
  return F;
}

Vec3 total(const VecX& F) { return F.reshaped(3, F.size() / 3).rowwise().sum(); }

class Plate : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Both, Plate, ::testing::Bool(), [](const auto& made) {
  return made.param ? "triangles" : "quadrilateral";
});

TEST_P(Plate, AcrossTheWindHasThePressureDrag) {
  const VecX F = force(plate(GetParam(), Vec3(0, 0, -5)));
  EXPECT_LT((total(F) - Vec3(0, 0, -0.5 * rho * 6 * c_n * 25)).norm(), 1e-12);
}

TEST_P(Plate, AlongTheWindHasTheFriction) {
  const VecX F = force(plate(GetParam(), Vec3(3, 4, 0)));
  EXPECT_LT((total(F) - 0.5 * rho * 6 * c_t * 5 * Vec3(3, 4, 0)).norm(), 1e-12);
}

TEST_P(Plate, FeelsNothingWhenItMovesWithTheAir) {
  EXPECT_LT(force(plate(GetParam(), Vec3(1, 2, 3), Vec3(1, 2, 3))).norm(), 1e-13);
}

TEST_P(Plate, FeelsOnlyTheDifferenceOfTheVelocities) {
  const VecX moving = force(plate(GetParam(), Vec3(1, 2, 3), Vec3(4, 4, 4)));
  const VecX still = force(plate(GetParam(), Vec3(-3, -2, -1)));
  EXPECT_LT((moving - still).norm(), 1e-12);
}

TEST_P(Plate, TakesTheWindOfTheTime) {
  const System system = plate(GetParam(), LineMotion<Vec3>{Vec3::Zero(), Vec3(0, 0, 2)});
  EXPECT_EQ(force(system, 0).norm(), 0);
  EXPECT_NEAR(total(force(system, 3)).z(), 0.5 * rho * 6 * c_n * 36, 1e-12);
}

TEST(Wind, OnAQuadrilateralHasNoMoment) {
  const VecX F = force(plate(false, Vec3(1, 2, 3)));
  for (int i = 0; i < 4; ++i) EXPECT_LT((F.segment<3>(3 * i) - F.head<3>()).norm(), 1e-14);
}

TEST(Wind, IsNoPotential) {
  const System system = plate(false, Vec3(0, 0, 0));
  EXPECT_FALSE(system.is_conservative());
  EXPECT_TRUE(system.forces_depend_on_velocity());
}

}  // namespace
}  // namespace taut
