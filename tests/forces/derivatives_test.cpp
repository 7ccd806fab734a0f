// Forces that know their derivatives know them right: against differences.
#include <gtest/gtest.h>

#include <functional>

#include "support/matrices.hpp"
#include "support/random_scene.hpp"
#include "taut/forces/list.hpp"
#include "taut/model/rows.hpp"

namespace taut {
namespace {

using testing::Random;

/// Particles anywhere, in motion.
System particles(int count, unsigned seed) {
  Random random(seed);
  System system;
  for (int i = 0; i < count; ++i) system.add(Particle{1, random.vector(), random.vector()});
  return system;
}

struct Case {
  const char* name;
  std::function<void(System&)> apply_to;
  bool places;  ///< whether the derivative with respect to places is given, and positive
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

const BodyId a{0}, b{1}, c{2}, d{3};
Wind some_wind(double normal, double tangential) {
  const SineMotion<Vec3> velocity{Vec3(3, -2, 1), Vec3(1, 1, 0), 0.7, 0.3};
  return {{{a, b, c, d}, {a, b, d}}, velocity, 1.2, normal, tangential};
}

class Forces : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    All, Forces,
    ::testing::Values(Case{"spring",
                           [](System& s) {
                             apply(s, Spring{Point(a), Point(b), 20, 3, 0.1});
                           },
                           true},
                      Case{"line",
                           [](System& s) {
                             apply(s, Bending{{a, b, c}, 2, 0.3});
                           },
                           true},
                      Case{"hinge",
                           [](System& s) {
                             apply(s, Bending{{a, b, c, d}, 2, 0.3});
                           },
                           true},
                      Case{"drag",
                           [](System& s) {
                             apply(s, Drag{{}, 0.3, 0.2, 0});
                           },
                           true},
                      Case{"wind", [](System& s) { apply(s, some_wind(1.2, 0.3)); }, false},
                      Case{"calm", [](System& s) { apply(s, some_wind(0, 0.3)); }, false}),
    [](const auto& made) { return made.param.name; });

TEST_P(Forces, KnowTheirDerivatives) {
  System system = particles(4, 1);
  GetParam().apply_to(system);
  const RowPattern pattern(system);
  const State at = system.initial_state();
  const int n = system.velocity_size();
  const double time = 0.4, e = 1e-6;
  Rows rows;
  rows.add_force_stiffness(system, pattern, Pose(system, at.q), at.v, 0, time);
  const MatX stiffness = dense_stiffness(pattern.coupling_blocks, rows.K, n);
  rows.add_force_stiffness(system, pattern, Pose(system, at.q), at.v, 1, time);
  const MatX resistance = dense_stiffness(pattern.coupling_blocks, rows.K, n) - stiffness;

  const auto force = [&](const VecX& q, const VecX& v) {
    VecX F;
    system.forces(Pose(system, q), v, time, F);
    return F;
  };
  for (int i = 0; i < n; ++i) {
    const VecX step = e * VecX::Unit(n, i);
    const VecX by_speed = (force(at.q, at.v - step) - force(at.q, at.v + step)) / (2 * e);
    EXPECT_LT((resistance.col(i) - by_speed).norm(), 1e-6 * (1 + by_speed.norm())) << i;
    if (!GetParam().places) continue;
    const VecX still = VecX::Zero(n);  // the derivative of damping by place is left out
    const VecX by_place = (force(at.q - step, still) - force(at.q + step, still)) / (2 * e);
    EXPECT_LT((stiffness.col(i) - by_place).norm(), 1e-6 * (1 + by_place.norm())) << i;
  }
  EXPECT_GT(testing::smallest_eigenvalue(stiffness + resistance), -1e-10);
}

/// A million forces are no reason to wait: couplings are visited once.
TEST(Pattern, OfManyForcesIsBuiltInOnePass) {
  System system = particles(50'001, 3);
  for (int i = 0; i < 50'000; ++i) apply(system, Spring{BodyId{i}, BodyId{i + 1}, 1, 0, 1});
  const RowPattern pattern(system);
  EXPECT_EQ(pattern.coupling_blocks.size(), 100'001u);  // a block per body and per pair
}

}  // namespace
}  // namespace taut
