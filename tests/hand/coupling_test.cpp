#include "taut/hand/coupling.hpp"

#include <gtest/gtest.h>

#include "taut/collision/shape_contacts.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/hand/hand.hpp"
#include "taut/simulate/stepping.hpp"

namespace taut::hand {
namespace {

struct Held {
  System system;
  std::shared_ptr<HeldGhost> ghost;
  Hand hand;
};

/// A hand with nothing to touch.
Held held(HandOptions options = {}) {
  Held out;
  const HandModel model(options.sizes, options.side);
  out.ghost = std::make_shared<HeldGhost>(model);
  collision::ShapeContacts contacts;
  out.hand = add_hand(out.system, contacts, options, out.ghost);
  apply(out.system, Gravity{Vec3(0, 0, -9.81)});
  return out;
}

/// The largest distance of a limb from its ghost.
double lag(const Held& held, const State& state) {
  const Pose pose(held.system, state.q);
  const LimbStates ghosts = held.ghost->limbs(state.time);
  double largest = 0;
  for (std::size_t i = 0; i < ghosts.size(); ++i)
    largest = std::max(largest, (pose.at(Point(held.hand.bodies[i])) - ghosts[i].position).norm());
  return largest;
}

RunOptions steps_of(double h) {
  RunOptions options;
  options.step = h;
  return options;
}

HandState shifted(double by) {
  HandState hand;
  hand.position.x() = by;
  return hand;
}

TEST(HandCoupling, LimbsHaveNoWeight) {
  const Held hand = held();
  const auto method = make_method("icd");
  Stepping stepping(hand.system, hand.system.initial_state(), *method, steps_of(0.001));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(stepping.step());
  EXPECT_LT(lag(hand, stepping.state()), 1e-12);
}

class EveryImplicitMethod : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, EveryImplicitMethod,
                         ::testing::Values("icd", "icd2", "energy_momentum"));

TEST_P(EveryImplicitMethod, SettlesInTheSettlingTime) {
  for (const Limbs limbs : {Limbs::free, Limbs::jointed}) {
    HandOptions options;
    options.limbs = limbs;
    options.most_force = 1e6;
    const Held hand = held(options);
    const auto method = make_method(GetParam());
    Stepping stepping(hand.system, hand.system.initial_state(), *method, steps_of(0.0005));
    hand.ghost->put(shifted(0.01), 0);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(stepping.step());
    EXPECT_LT(lag(hand, stepping.state()), 0.05 * 0.01);
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(stepping.step());
    EXPECT_LT(lag(hand, stepping.state()), 0.001 * 0.01);
  }
}

TEST_P(EveryImplicitMethod, IsStableWithTheParametersOfZaeh) {
  HandOptions options;
  options.preset = Preset::zaeh;
  const Held hand = held(options);
  const auto method = make_method(GetParam());
  Stepping stepping(hand.system, hand.system.initial_state(), *method, steps_of(0.001));
  hand.ghost->put(shifted(0.1), 0);
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(stepping.step());
  // d/k = 4 s is the time constant: x = 0.1 (1 − exp(−t/4)).
  EXPECT_NEAR(lag(hand, stepping.state()), 0.1 * std::exp(-0.5 / 4), 1e-4);
}

TEST(HandCoupling, PullsWithABoundedForce) {
  const Held hand = held();
  const auto method = make_method("icd");
  Stepping stepping(hand.system, hand.system.initial_state(), *method, steps_of(0.001));
  HandState far = shifted(1);
  far.velocity.x() = 1000;
  hand.ghost->put(far, 0);
  ASSERT_TRUE(stepping.step());
  const LimbForces forces = coupling_forces(hand.hand, hand.system, hand.system.initial_state());
  for (std::size_t i = 1; i < forces.size(); ++i) EXPECT_NEAR(forces[i].force.norm(), 40, 1e-9);
}

// A free limb on its spring: (m + h d + h² k) v⁺ = h k x, which is what a row with these ERP and
// CFM does.
TEST(HandCoupling, IsTheCompliantRow) {
  const Held hand = held();
  const double h = 0.001, x = 1e-4;
  const auto method = make_method("icd");
  Stepping stepping(hand.system, hand.system.initial_state(), *method, steps_of(h));
  hand.ghost->put(shifted(x), 0);
  ASSERT_TRUE(stepping.step());
  for (std::size_t i = 0; i < hand.hand.bodies.size(); ++i) {
    const LimbCoupling& law = hand.hand.coupling[i];
    const double k = law.stiffness, d = law.damping, m = hand.system.mass(hand.hand.bodies[i]);
    const double erp = h * k / (h * k + d), cfm = 1 / (h * k + d);
    const double impulse = (erp * x / h) / (1 / m + cfm / h);
    EXPECT_NEAR(stepping.state().v[hand.system.slot(hand.hand.bodies[i]).v], impulse / m,
                1e-9 * impulse / m);
  }
}

}  // namespace
}  // namespace taut::hand
