// Every listed force, made from its fields, on particles and rigid bodies: what it says of itself
// (its potential, its dependence on velocity, its derivatives) is what it does.
#include <gtest/gtest.h>

#include "support/random_scene.hpp"
#include "taut/constraints/hinge.hpp"
#include "taut/forces/drag.hpp"
#include "taut/forces/joint_forces.hpp"
#include "taut/model/rows.hpp"

namespace taut {
namespace {

using testing::Random;

class EveryForce : public ::testing::TestWithParam<ForceInfo> {};
INSTANTIATE_TEST_SUITE_P(Forces, EveryForce, ::testing::ValuesIn(force_types()),
                         [](const auto& made) { return std::string(made.param.type); });

constexpr unsigned tries = 10;
constexpr double at_time = 0.4;

/// One random force on random bodies; without damping where it is to be still, since it may have a
/// potential then.
struct MovedCase {
  System system;
  State state;

  MovedCase(const ForceInfo& info, unsigned seed, bool still, bool turning = true) {
    Random random(seed);
    system = testing::random_bodies(random);
    system.add(Particle{1, random.vector(2), random.vector()});
    ForceInfo made = info;
    std::erase_if(made.fields, [&](const FieldInfo& field) {
      return (still && field.name == "damping") || (!turning && field.name == "angular");
    });
    testing::add_random_force(made, system, random);
    state = system.initial_state();
  }
  const ForceBatch& force() const { return *system.all_forces()[0]; }
  VecX at(const VecX& q, const VecX& v) const {
    VecX F = VecX::Zero(system.velocity_size());
    force().add(system, Pose(system, q), v, at_time, F);
    return F;
  }
  double potential(const VecX& q) const {
    return force().potential_energy(system, Pose(system, q));
  }
  VecX moved(const VecX& way, double h) const {
    VecX q;
    system.advance(state.q, way, h, q);
    return q;
  }
};

// Where it says that it is conservative, it is the gradient of its potential.
TEST_P(EveryForce, IsTheGradientOfItsPotential) {
  for (unsigned seed = 0; seed < tries; ++seed) {
    const MovedCase c(GetParam(), seed, true);
    if (!c.force().is_conservative()) continue;
    const int n = c.system.velocity_size();
    const VecX F = c.at(c.state.q, VecX::Zero(n));
    const double e = 1e-5;
    for (int i = 0; i < n; ++i) {
      const VecX unit = VecX::Unit(n, i);
      const double slope =
          (c.potential(c.moved(unit, e)) - c.potential(c.moved(unit, -e))) / (2 * e);
      EXPECT_NEAR(F[i], -slope, 1e-7 * (1 + F.norm())) << "seed " << seed << " dof " << i;
    }
  }
}

// … and its mean over a passage does exactly the work that the potential loses.
TEST_P(EveryForce, WorkOverAPassageIsTheLossOfPotential) {
  for (unsigned seed = 0; seed < tries; ++seed) {
    const MovedCase c(GetParam(), seed, true);
    if (!c.force().is_conservative()) continue;
    Random random(seed + 100);
    const VecX to = c.moved(random.vector_of(c.system.velocity_size()), 0.3);
    const Pose first(c.system, c.state.q), second(c.system, to);
    Pose mean;
    mean.set_mean(c.system, first, second);
    VecX way, F = VecX::Zero(c.system.velocity_size());
    c.system.difference(c.state.q, to, Chart::cayley, way);
    c.force().add_between(c.system, {first, second, mean, at_time}, VecX::Zero(F.size()), F);
    const double lost = c.potential(c.state.q) - c.potential(to);
    EXPECT_NEAR(F.dot(way), lost, 1e-11 * (1 + std::abs(lost) + F.norm())) << "seed " << seed;
  }
}

// Over no passage at all, the mean is the force itself, damping included.
TEST_P(EveryForce, IsItsMeanWhereNothingMoves) {
  for (unsigned seed = 0; seed < tries; ++seed) {
    const MovedCase c(GetParam(), seed, false);
    const Pose pose(c.system, c.state.q);
    const VecX F = c.at(c.state.q, c.state.v);
    VecX mean = VecX::Zero(F.size());
    c.force().add_between(c.system, {pose, pose, pose, at_time}, c.state.v, mean);
    EXPECT_LT((mean - F).norm(), 1e-12 * (1 + F.norm())) << "seed " << seed;
  }
}

TEST(Drag, ResistsTurning) {
  Random random(3);
  System system;
  const BodyId body = system.add(testing::random_rigid_body(random));
  Drag drag;
  drag.point = Point(body);
  drag.angular = 0.7;
  apply(system, drag);
  const State state = system.initial_state();
  VecX F = VecX::Zero(6);
  system.all_forces()[0]->add(system, Pose(system, state.q), state.v, 0, F);
  EXPECT_LT((F.tail<3>() + 0.7 * state.v.tail<3>()).norm(), 1e-12);
}

// At 3 rad, with its rest at −3 rad, it is turned by 6 rad: full revolutions count.
TEST(JointSpring, MeasuresATurnFromItsRest) {
  Random random(4);
  System system;
  Hinge hinge;
  hinge.b = Point(system.add(testing::random_rigid_body(random)));
  hinge.turn_at_start = 3;
  constrain(system, hinge, "hinge");
  apply(system, JointSpring{system.joint_coordinate("hinge"), 5, 0, -3});
  const double turn = 6;
  EXPECT_NEAR(system.potential_energy(Pose(system, system.initial_state().q)),
              0.5 * 5 * turn * turn, 1e-12);
}

// It says so in every case or in none; one that acts on the world alone does nothing.
TEST_P(EveryForce, DependsOnVelocityIfItSaysSo) {
  for (const bool still : {true, false}) {
    bool says_so = false, does_so = false;
    for (unsigned seed = 0; seed < tries; ++seed) {
      const MovedCase c(GetParam(), seed, still);
      const VecX rest = VecX::Zero(c.system.velocity_size());
      does_so = does_so || c.at(c.state.q, c.state.v) != c.at(c.state.q, rest);
      says_so = c.force().depends_on_velocity();
    }
    EXPECT_EQ(does_so, says_so) << (still ? "without" : "with") << " damping";
  }
}

// A force that knows its derivatives knows the resistance −∂F/∂v. (That of drag against turning is
// not among them: it has no anchor.)
TEST_P(EveryForce, KnowsItsResistance) {
  for (unsigned seed = 0; seed < tries; ++seed) {
    const MovedCase c(GetParam(), seed, false, false);
    if (c.force().couplings(c.system) == 0) continue;
    const int n = c.system.velocity_size();
    const RowPattern pattern(c.system);
    const Pose pose(c.system, c.state.q);
    Rows rows;
    rows.add_force_stiffness(c.system, pattern, pose, c.state.v, 0, at_time);
    const MatX stiffness = dense_stiffness(pattern.coupling_blocks, rows.K, n);
    rows.add_force_stiffness(c.system, pattern, pose, c.state.v, 1, at_time);
    const MatX resistance = dense_stiffness(pattern.coupling_blocks, rows.K, n) - stiffness;
    const double e = 1e-6;
    for (int i = 0; i < n; ++i) {
      const VecX step = e * VecX::Unit(n, i);
      const VecX slope =
          (c.at(c.state.q, c.state.v - step) - c.at(c.state.q, c.state.v + step)) / (2 * e);
      EXPECT_LT((resistance.col(i) - slope).norm(), 1e-6 * (1 + resistance.norm()))
          << "seed " << seed << " dof " << i;
    }
  }
}

}  // namespace
}  // namespace taut
