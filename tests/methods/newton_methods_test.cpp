// icd, icd2 and energy_momentum: what they promise beyond what every method does.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/random_scene.hpp"
#include "taut/constraints/list.hpp"
#include "taut/forces/list.hpp"

namespace taut {
namespace {

using testing::arm;
using testing::run;

const std::vector<OptionValue> order4{{"order", "4"}}, order6{{"order", "6"}};

System heavy_chain(int links, double ratio) {
  System system;
  apply(system, Gravity{});
  Point last = world_point(0, 0, 0);
  for (int i = 1; i <= links; ++i) {
    const Point next = system.add(Particle{i == links ? 0.01 * ratio : 0.01, {0.1 * i, 0, 0}});
    constrain(system, Distance{last, next, 0.1});
    last = next;
  }
  return system;
}

TEST(HeavyChain, KeepsItsLinksAtLargeSteps) {
  for (const double ratio : {100.0, 1e4}) {
    for (const char* method : {"icd", "icd2", "energy_momentum"}) {
      const RunReport report = run(heavy_chain(200, ratio), method, 1.0 / 60, 2);
      EXPECT_EQ(report.status, RunStatus::ok) << method << ": " << report.reason;
      EXPECT_LT(report.constraint_error.max, 1e-10) << method;
      EXPECT_EQ(report.cost.unconverged_steps, 0) << method;
      EXPECT_LE(static_cast<double>(report.cost.iterations) / static_cast<double>(report.steps), 5)
          << method << " " << ratio;
    }
  }
}

// A light end cracks like a whip: a few steps of 1/60 s are too long, and are solved in parts
// rather than by giving way.
TEST(HeavyChain, ALightEndIsHalvedThrough) {
  const RunReport report = run(heavy_chain(50, 1), "energy_momentum", 1.0 / 60, 5);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_GT(report.cost.halved_steps, 0);
  EXPECT_EQ(report.cost.compromise_steps, 0);
  EXPECT_LT(report.constraint_error.max, 1e-9);
  EXPECT_LT(report.energy.max_abs_error, 1e-4);
}

TEST(EnergyMomentum, ConservesEnergyAndLengthsAtAnyStep) {
  for (const double h : {0.01, 0.05, 0.1}) {
    const RunReport report = run(arm(2, 10), "energy_momentum", h, 20);
    EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
    EXPECT_LT(report.constraint_error.max, 1e-12) << h;
    EXPECT_LT(report.energy.max_abs_error, 1e-9 * 98.1) << h;
  }
  for (const auto& options : {order4, order6}) {
    const RunReport report = run(arm(2, 10), "energy_momentum", 0.05, 10, options);
    EXPECT_LT(report.energy.max_abs_error, 1e-9 * 98.1);
  }
}

// Measured between two steps where the error is neither round-off nor out of the asymptotic range.
double measured_order(const std::string& method, const std::vector<OptionValue>& options, double h,
                      bool velocity) {
  const State exact = run(arm(1, 1), "dop853", 0.01, 1).final_state;
  double error[2];
  for (int i = 0; i < 2; ++i) {
    const State end = run(arm(1, 1), method, h / (1 << i), 1, options).final_state;
    error[i] = velocity ? (end.v - exact.v).norm() : (end.q - exact.q).norm();
  }
  return std::log2(error[0] / error[1]);
}

TEST(Orders, OfIcd2AndTheCompositions) {
  for (const bool velocity : {false, true}) {
    EXPECT_NEAR(measured_order("icd", {}, 1.0 / 800, velocity), 1, 0.2);
    EXPECT_NEAR(measured_order("icd2", {}, 1.0 / 400, velocity), 2, 0.1);
    EXPECT_NEAR(measured_order("energy_momentum", {}, 1.0 / 100, velocity), 2, 0.1);
    EXPECT_NEAR(measured_order("energy_momentum", order4, 1.0 / 10, velocity), 4, 0.2);
    EXPECT_NEAR(measured_order("energy_momentum", order6, 1.0 / 10, velocity), 6, 0.3);
  }
}

Vec3 angular_momentum(const System& system, const State& state) {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < system.body_count(); ++i) {
    const BodySlot& slot = system.slot({i});
    sum += system.mass({i}) * Vec3(state.q.segment<3>(slot.q)).cross(state.v.segment<3>(slot.v));
    if (slot.rigid < 0) continue;
    const Quat turn(state.q[slot.q + 3], state.q[slot.q + 4], state.q[slot.q + 5],
                    state.q[slot.q + 6]);
    sum += turn * (system.inertia({i}) * state.v.segment<3>(slot.v + 3));
  }
  return sum;
}

TEST(EnergyMomentum, AFreeBodyKeepsEnergyAndAngularMomentum) {
  System system;
  RigidBody body;
  body.inertia = Vec3(1, 2, 2.8).asDiagonal();
  body.angular_velocity = {0.1, 3, 0.1};  // about the middle axis: it tumbles
  system.add(body);
  const Vec3 before = angular_momentum(system, system.initial_state());
  const RunReport report = run(system, "energy_momentum", 0.1, 20);
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_LT(report.energy.max_abs_error, 1e-10);
  EXPECT_LT((angular_momentum(system, report.final_state) - before).norm(), 1e-10);
}

// Rigid bodies, a particle, a rod, a ball joint, a spring: all in space, nothing from outside.
TEST(EnergyMomentum, AMixedFreeSystemKeepsEnergyAndMomenta) {
  testing::Random random(7);
  System system;
  const BodyId a = system.add(testing::random_rigid_body(random));
  const BodyId b = system.add(testing::random_rigid_body(random));
  const BodyId c = system.add(Particle{1, {1, 1, 0}, {0, 0, 1}});
  constrain(system, Distance{Point(a, {0.3, 0.1, 0.2}), Point(b, {-0.2, 0.3, 0.1}), {}});
  constrain(system, Distance{Point(b, {0.5, 0, 0}), c, {}});
  apply(system, Spring{Point(a, {0, 0.4, 0}), Point(c), 200, 0, 0.5});
  // The velocities are made legal first; then nothing may change.
  const State legal = run(system, "rattle", 1e-4, 1e-4).final_state;
  const auto method = make_method("energy_momentum");
  RunOptions options;
  options.step = 0.02;
  options.duration = 10;
  const Vec3 before = angular_momentum(system, legal);
  const RunReport report = simulate(system, legal, *method, options);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_LT(report.energy.max_abs_error, 1e-9 * (1 + std::abs(report.energy.initial)));
  EXPECT_LT((angular_momentum(system, report.final_state) - before).norm(), 1e-9);
  EXPECT_LT(report.constraint_error.max, 1e-12);
}

// An angle is not quadratic: Gonzalez' discrete gradient.
TEST(EnergyMomentum, NonQuadraticConstraintsDoNoWork) {
  System system;
  apply(system, Gravity{});
  const BodyId a = system.add(Particle{1, {1, 0, 0}}), b = system.add(Particle{1, {1, 1, 0}}),
               c = system.add(Particle{2, {2, 1.5, 0.5}});
  constrain(system, Distance{world_point(0, 0, 0), a, {}});
  constrain(system, Distance{a, b, {}});
  constrain(system, Distance{b, c, {}});
  constrain(system, Angle{a, b, c, {}});
  const RunReport report = run(system, "energy_momentum", 0.02, 10);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_LT(report.energy.max_abs_error, 1e-9);
  EXPECT_LT(report.constraint_error.max, 1e-12);
}

TEST(EnergyMomentum, TheWorkOfADrivenConstraintIsTheChangeOfEnergy) {
  System system;
  apply(system, Gravity{});
  const Motion<Vec3> shake = SineMotion<Vec3>{Vec3::Zero(), {0.2, 0.1, 0}, 1.3, 0.4};
  const BodyId pivot = system.add(Particle{1, shake.at(0).value, shake.at(0).rate});
  const BodyId bob = system.add(Particle{1, shake.at(0).value + Vec3(0, -1, 0), shake.at(0).rate});
  constrain(system, Pin{pivot, shake});
  constrain(system, Distance{pivot, bob, 1.0});
  const auto method = make_method("energy_momentum");
  State state = system.initial_state();
  Workspace workspace(system);
  const double start = system.energy(state);
  double work = 0, largest = 0;
  for (int i = 0; i < 500; ++i) {
    const StepReport report = method->step(system, 0.01, state, workspace);
    EXPECT_EQ(report.status, StepStatus::ok);
    work += report.work;
    largest = std::max(largest, std::abs(system.energy(state) - start - work));
  }
  EXPECT_GT(std::abs(work), 0.1);
  EXPECT_LT(largest, 1e-10);
}

// Stiff springs, strong drag: implicit methods see their derivatives.
TEST(Icd, StiffForcesAreTakenImplicitly) {
  for (const char* method : {"icd", "icd2", "energy_momentum"}) {
    System system = arm(1, 1);
    const BodyId free = system.add(Particle{0.01, {2, 0, 0}});
    apply(system, Spring{Point(BodyId{0}), Point(free), 1e6, 0, 1});
    const RunReport report = run(system, method, 0.01, 2);
    EXPECT_EQ(report.status, RunStatus::ok) << method << ": " << report.reason;
    EXPECT_EQ(report.cost.unconverged_steps, 0) << method;
    EXPECT_LT(report.energy.max_abs_error, method == std::string("energy_momentum") ? 1e-6 : 20)
        << method;
  }
  System system;
  system.add(Particle{0.01, {0, 0, 0}, {1, 0, 0}});
  apply(system, Drag{{}, 800, 0, 0});  // d·h/m = 80
  const RunReport report = run(system, "icd", 0.001, 0.1);
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_LT(report.final_state.v.norm(), 1e-9);
}

// A step may be repeated with another size; a state that was changed is a new start.
// However stiff, a spring acts as a rod does: the round-off of positions makes forces in it that
// no iteration can get rid of, and that must not be taken for failure.
TEST(Icd, SpringsOfAnyStiffnessActAsRods) {
  const auto swing = [](double stiffness) {
    System system = arm(1, 1);
    const BodyId end = system.add(Particle{1, {2, 0, 0}});
    if (stiffness > 0)
      apply(system, Spring{Point(BodyId{0}), Point(end), stiffness, 0, 1});
    else
      constrain(system, Distance{Point(BodyId{0}), Point(end), 1});
    return system;
  };
  for (const char* method : {"icd", "icd2", "energy_momentum"}) {
    const RunReport rod = run(swing(0), method, 0.01, 3);
    for (const double stiffness : {1e9, 1e10, 1e11, 1e12}) {
      const RunReport report = run(swing(stiffness), method, 0.01, 3);
      EXPECT_EQ(report.cost.unconverged_steps, 0) << method << " " << stiffness;
      EXPECT_EQ(report.cost.halved_steps, 0) << method << " " << stiffness;
      EXPECT_LT((report.final_state.q - rod.final_state.q).norm(), 1e-4)
          << method << " " << stiffness;
    }
  }
}

TEST(Icd2, RemembersOnlyWhatBelongsToTheState) {
  const System system = arm(2, 1);
  Workspace workspace(system);
  const auto method = make_method("icd2"), fresh = make_method("icd2");
  State state = system.initial_state();
  for (int i = 0; i < 5; ++i) method->step(system, 0.01, state, workspace);
  const State before = state;
  method->step(system, 0.01, state, workspace);
  const State once = state;
  state = before;
  method->step(system, 0.005, state, workspace);
  state = before;
  method->step(system, 0.01, state, workspace);
  EXPECT_LT((state.q - once.q).norm(), 1e-13);

  state = before;
  state.v *= 0.5;
  State other = state;
  Workspace clean(system);
  method->step(system, 0.01, state, workspace);
  fresh->step(system, 0.01, other, clean);
  EXPECT_LT((state.q - other.q).norm(), 1e-12);
}

// Steps chosen by its own estimate: the smaller the tolerance, the smaller the error.
TEST(Icd2, ControlsItsSteps) {
  const State exact = run(arm(2, 1), "dop853", 0.005, 2).final_state;
  double before = INFINITY;
  for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6}) {
    RunOptions options;
    options.tolerance = tolerance;
    options.duration = 2;
    const System system = arm(2, 1);
    const auto method = make_method("icd2");
    const RunReport report = simulate(system, system.initial_state(), *method, options);
    EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
    const double error = (report.final_state.q - exact.q).norm();
    EXPECT_LT(error, 0.5 * before) << tolerance;
    before = error;
  }
  EXPECT_LT(before, 0.01);
}

// Conflicts ---------------------------------------------------------------------------------------

System pins(double gap, double link) {
  System system;
  apply(system, Gravity{});
  const BodyId a = system.add(Particle{1, {0, 0, 0}}), b = system.add(Particle{1, {gap, 0, 0}});
  constrain(system, Pin{a, Vec3(0, 0, 0)});
  constrain(system, Pin{b, Vec3(gap, 0, 0)});
  constrain(system, Distance{a, b, link});
  return system;
}

class Conflicts : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, Conflicts, ::testing::Values("icd", "icd2", "energy_momentum"),
                         [](const auto& made) { return std::string(made.param); });

// Two pins 1 m apart and a rod of 0.9 m: each of the three gives way by a third.
TEST_P(Conflicts, PinsAndAShortRodShareTheError) {
  const System system = pins(1, 0.9);
  const auto method = make_method(GetParam());
  State state = system.initial_state();
  Workspace workspace(system);
  for (int i = 0; i < 2000; ++i) {
    const StepReport report = method->step(system, 0.01, state, workspace);
    ASSERT_EQ(report.status, StepStatus::compromise) << i;
    ASSERT_NEAR(report.residual, 0.1 / 3, 2e-3) << i;
    ASSERT_LT(workspace.lambda.norm(), 1e4) << i;
  }
}

// When the conflict ends, nothing of it is left.
TEST_P(Conflicts, EndCleanly) {
  System system;
  apply(system, Gravity{});
  const BodyId a = system.add(Particle{1, {0, 0, 0}}), b = system.add(Particle{1, {1, 0, 0}});
  const BodyId bob = system.add(Particle{1, {1, -0.5, 0}});
  constrain(system, Pin{a, Vec3(0, 0, 0)});
  constrain(system, Pin{b, KeyframeMotion<Vec3>{
                               {0, 0.5, 1.5, 2},
                               {Vec3(1, 0, 0), Vec3(1, 0, 0), Vec3(0.9, 0, 0), Vec3(0.9, 0, 0)}}});
  constrain(system, Distance{a, b, 0.9});
  constrain(system, Distance{b, bob, 0.5});
  const RunReport report = run(system, GetParam(), 0.005, 4);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_GT(report.cost.compromise_steps, 100);
  EXPECT_LT(report.constraint_error.final, 1e-9);
  // Of the pinned ones: nothing damps energy_momentum, so what the motion's end leaves stays.
  const bool damped = GetParam() != std::string("energy_momentum");
  EXPECT_LT(report.final_state.v.head<6>().norm(), damped ? 1e-6 : 1e-3);
  EXPECT_LT(report.final_state.v.tail<3>().norm(), 0.6);  // the bob swings a little
}

// A rod whose ends stay on walls that are too far apart: singular only where it ends up.
TEST_P(Conflicts, ARodBetweenWallsTooFarApart) {
  System system;
  apply(system, Gravity{});
  const BodyId a = system.add(Particle{1, {0, 0, 0}}), b = system.add(Particle{1, {1.1, 0.05, 0}});
  constrain(system, OnPlane{a, world_point(0, 0, 0), {world_body, {1, 0, 0}}});
  constrain(system, OnPlane{b, world_point(1.1, 0, 0), {world_body, {1, 0, 0}}});
  constrain(system, Distance{a, b, 1.0});
  const auto method = make_method(GetParam());
  State state = system.initial_state();
  Workspace workspace(system);
  for (int i = 0; i < 300; ++i) {
    const StepReport report = method->step(system, 0.01, state, workspace);
    ASSERT_EQ(report.status, StepStatus::compromise) << i;
    ASSERT_LT(report.residual, 0.06) << i;
    ASSERT_LT(std::abs(state.q[0]) + std::abs(state.q[3] - 1.1), 0.2) << i;
  }
}

TEST_P(Conflicts, ATautLineLoadedAcrossIsHeld) {
  for (const int links : {2, 3, 10}) {
    for (const double h : {1.0 / 60, 1e-3}) {
      const RunReport report = run(testing::taut_line(links, 0.5, {0, -9.81, 0}), GetParam(), h, 1);
      EXPECT_EQ(report.status, RunStatus::ok) << links << ", " << h << ": " << report.reason;
      EXPECT_LT(report.constraint_error.max, 1e-6) << links << ", " << h;
    }
  }
}

}  // namespace
}  // namespace taut
