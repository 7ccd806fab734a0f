// Runs that are right are trusted; runs with planted faults are suspect, for the true reason.
#include "taut/simulate/verdict.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/messages.hpp"
#include "taut/constraints/on_circle.hpp"
#include "taut/forces/drag.hpp"
#include "taut/scene/scene.hpp"

namespace taut {
namespace {

std::string all_doubts(const RunReport& report) {
  std::string text;
  for (const std::string& doubt : report.doubts) text += doubt + "\n";
  return text;
}

/// `pieces` of the doubts, separated by "|".
void expect_suspect(const RunReport& report, std::string_view pieces) {
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_EQ(verdict_text(report), "suspect");
  EXPECT_TRUE(testing::has_all(all_doubts(report), pieces));
}

void expect_trusted(const RunReport& report) {
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_EQ(verdict_text(report), "trusted") << all_doubts(report);
}

RunReport run_with(const System& system, Method& method, double step, double duration,
                   bool reactions = false) {
  RunOptions options;
  options.step = step;
  options.duration = duration;
  options.reactions = reactions;
  return simulate(system, system.initial_state(), method, options);
}

/// A method with faults.
struct Faulty : Method {
  explicit Faulty(std::string_view name = "") {
    if (!name.empty()) good = make_method(name);
    if (good) promises = good->promises;
  }
  int order() const override { return good ? good->order() : 1; }
  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    StepReport report;
    ++steps;
    if (good) {
      report = good->step(system, h, state, w);
    } else {
      w.adapt(system);
      w.lambda.setZero(w.pattern.rows());
      if (falls) state.v += h * system.all_forces().front()->uniform_acceleration();
      system.advance(state.q, state.v, h, state.q);
      state.time += h;
    }
    if (fault) fault(state, w, report);
    return report;
  }

  std::unique_ptr<Method> good;
  bool falls = false;  // a single particle
  int steps = 0;
  std::function<void(State&, Workspace&, StepReport&)> fault;
};

TEST(Verdict, GoodRunsAreTrusted) {
  const System system = testing::arm(2, 1);
  for (const char* method : {"dop853", "rk4_projected", "rattle", "energy_momentum", "icd2"})
    expect_trusted(testing::run(system, method, 0.001, 2));
}

TEST(Verdict, AtRestRoundOffIsNoMotion) {
  System system;
  apply(system, Gravity{});
  const BodyId bob = system.add(Particle{1, {0, -1, 0}});
  constrain(system, Distance{world_point(0, 0, 0), bob, 1});
  for (const MethodInfo& method : methods())
    if (!testing::gives_way(method.name))
      expect_trusted(testing::run(system, method.name, 0.01, 1));
}

TEST(Verdict, ATooLargeStepIsSeenInTheEnergy) {
  const System system = testing::arm(2, 1);
  expect_suspect(testing::run(system, "implicit1", 0.05, 5), "energy|off by|smaller step");
  expect_suspect(testing::run(system, "post", 0.01, 5), "energy|off by");
  expect_suspect(testing::run(system, "icd", 0.01, 5), "damped|lost|energy_momentum");
  expect_suspect(testing::run(system, "baumgarte", 0.02, 2), "energy");
}

TEST(Verdict, SoftSpringsAreSeenInTheLengths) {
  const System system = testing::arm(2, 1);
  expect_suspect(testing::run(system, "penalty", 0.001, 2, {{"stiffness", "300"}}),
                 "distance \"link|is off by");
}

TEST(Verdict, EnergyFromNothingIsSeenInDampedScenesToo) {
  System system = testing::arm(1, 1);
  apply(system, Drag{.point = {}, .linear = 0.1});
  expect_trusted(testing::run(system, "dop853", 0.01, 2));
  Faulty method("dop853");
  method.fault = [](State& state, Workspace&, StepReport&) { state.v *= 1.01; };
  expect_suspect(run_with(system, method, 0.01, 2), "energy rose|nothing in the scene adds");
}

TEST(Verdict, ADampingMethodMayNotGain) {
  Faulty method("icd2");
  method.fault = [](State& state, Workspace&, StepReport&) { state.v *= 1.001; };
  expect_suspect(run_with(testing::arm(1, 1), method, 0.001, 2), "should only lose");
}

// What a singular position does to explicit methods of high order: all is smooth but for one step.
TEST(Verdict, AJumpOfTheEnergyIsSeen) {
  const System system = testing::arm(1, 1);
  Faulty method("dop853");
  expect_trusted(run_with(system, method, 0.01, 2));
  method.steps = 0;
  method.fault = [&](State& state, Workspace&, StepReport&) {
    if (method.steps == 50) state.v *= 1 + 3e-5;
  };
  expect_suspect(run_with(system, method, 0.01, 2), "in one step, at 0.5 s|singular");
}

TEST(Verdict, ExactEnergyDoesNotHideATooLongStep) {
  System system;
  const BodyId bead = system.add(Particle{1, {1, 0, 0}, {0, 10, 0}});
  constrain(system, OnCircle{bead, world_point(0, 0, 0), {world_body, Vec3::UnitZ()}, 1});
  expect_trusted(testing::run(system, "energy_momentum", 0.01, 1));
  expect_suspect(testing::run(system, "energy_momentum", 0.3, 3), "step is too long");
}

// A pendulum that swings through 50 steps of 0.2 s has its energy and its length, and is a quarter
// of a swing late.
TEST(Verdict, ExactEnergyDoesNotHideThatErrorsAddUp) {
  const System system = testing::arm(1, 1);
  expect_trusted(testing::run(system, "energy_momentum", 0.01, 10));
  expect_suspect(testing::run(system, "energy_momentum", 0.2, 10),
                 "too long to follow|of node1|higher order");
}

// A rod on a ball and a universal joint has little inertia about its axis, and spins up.
TEST(Verdict, ExactEnergyDoesNotHideASpinThatIsNotFollowed) {
  constexpr const char* rods = R"({ "taut": 1, "name": "rods",
    "bodies": [
      { "type": "rigid", "name": "upper", "mass": 1, "inertia": [0.084, 0.00084, 0.084], "position": [0.5, 0, 0],
        "orientation": { "axis": [0, 0, 1], "angle": "=pi/2" } },
      { "type": "rigid", "name": "lower", "mass": 1, "inertia": [0.084, 0.00084, 0.084], "position": [1, 0, 0.5],
        "orientation": { "axis": [1, 0, 0], "angle": "=pi/2" } } ],
    "forces": [ { "type": "gravity" } ],
    "constraints": [
      { "type": "ball", "name": "shoulder", "a": [0, 0, 0], "b": { "body": "upper", "at": [0, 0.5, 0] } },
      { "type": "universal", "name": "elbow", "a": "upper", "b": "lower", "at": [1, 0, 0], "axis": [0, 1, 0], "second_axis": [1, 0, 0] } ] })";
  const io::Scene scene = io::parse_scene(rods, "rods");
  const auto exact = make_method("energy_momentum");
  expect_suspect(run_with(scene.system, *exact, 0.005, 2), "too long to follow|turns of");
  expect_trusted(testing::run(scene.system, "dop853", 0.005, 2));
}

// A body that tumbles freely, in steps too long for methods of order 2.
TEST(Verdict, WhatStepsMissIsSeenUnderEveryMethodOfHigherOrder) {
  System system;
  RigidBody body;
  body.inertia = Vec3(1, 2, 3).asDiagonal();
  body.angular_velocity = {2, 1, 4};
  system.add(body, "tumbler");
  for (const char* method : {"rattle", "energy_momentum", "icd2"}) {
    expect_suspect(testing::run(system, method, 0.1, 20), "too long to follow|turns of tumbler");
    expect_trusted(testing::run(system, method, 0.005, 20));
  }
  expect_trusted(testing::run(system, "dop853", 0.1, 20));
}

// A slide without any length of its own: what is long or short is told by how far it goes.
TEST(Verdict, BouncesAreNotTooLongAStep) {
  constexpr const char* slide = R"({ "taut": 1, "name": "slide",
    "bodies": [ { "type": "rigid", "name": "cart", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [0, 1, 0] } ],
    "forces": [ { "type": "gravity" } ],
    "constraints": [
      { "type": "slider", "name": "rail", "b": "cart", "axis": [0, 1, 0], "at": [0, 1, 0] },
      { "type": "limit", "name": "floor", "joint": "rail", "lower": -1, "upper": 10, "restitution": 0.8 } ] })";
  const io::Scene scene = io::parse_scene(slide, "slide");
  expect_trusted(testing::run(scene.system, "dop853", 0.03, 2.2));
}

TEST(Verdict, ExactMethodsMustMeetTheConstraints) {
  Faulty method("rattle");
  method.fault = [](State& state, Workspace&, StepReport&) { state.q[0] -= 1e-5; };
  expect_suspect(run_with(testing::arm(1, 1), method, 0.01, 0.1),
                 "distance \"link1\"|should meet it exactly");
}

TEST(Verdict, StepsThatDidNotConvergeAreNotSilent) {
  Faulty method("icd2");
  double residual = 1e-12;
  method.fault = [&](State&, Workspace&, StepReport& report) {
    report.status = StepStatus::not_converged;
    report.residual = residual;
  };
  expect_trusted(run_with(testing::arm(1, 1), method, 0.001, 0.1));
  residual = 2e-5;
  expect_suspect(run_with(testing::arm(1, 1), method, 0.001, 0.1), "100 of 100 steps|2e-05");
}

// The constraints may hold where the motion was not solved for.
TEST(Verdict, AMotionThatWasNotSolvedForIsNotSilent) {
  Faulty method("icd2");
  double unsolved = 1e-12;
  method.fault = [&](State&, Workspace&, StepReport& report) {
    report.status = StepStatus::not_converged;
    report.unsolved = unsolved;
  };
  expect_trusted(run_with(testing::arm(1, 1), method, 0.001, 0.1));
  unsolved = 0.1;  // however much it is, it is let pass
  expect_suspect(run_with(testing::arm(1, 1), method, 0.001, 0.1),
                 "100 of 100 steps|adds up to 10");
}

/// A particle on a string, straight above the point where the string is fixed.
System balanced(double height) {
  System system;
  apply(system, Gravity{});
  const BodyId bob = system.add(Particle{1, {0, height, 0}});
  Distance string{world_point(0, 0, 0), bob, 1};
  string.slack = true;
  constrain(system, string, "string");
  return system;
}

TEST(Verdict, AStringMayNotBeTooLong) {
  Faulty method;
  method.falls = true;
  expect_suspect(run_with(balanced(-0.9), method, 0.01, 1), "distance \"string\"|beyond its limit");
}

TEST(Verdict, AStringMayNotPush) {
  Faulty method;
  method.fault = [](State&, Workspace& w, StepReport&) {
    for (RowModes::Mode& mode : w.modes.modes()) {
      mode.is_equation = true;
      mode.target = mode.law.upper;
    }
  };
  expect_suspect(run_with(balanced(1), method, 0.01, 0.1, true),
                 "distance \"string\"|9.81 N|cannot act");
}

constexpr const char* rod_and_stop = R"({ "taut": 1, "name": "stop",
  "bodies": [{ "type": "rigid", "name": "rod", "mass": 1, "inertia": [0.01, 0.01, 0.01],
               "position": [0.3, 0, 0] }],
  "forces": [{ "type": "gravity" }],
  "constraints": [
    { "type": "hinge", "name": "h", "b": "rod", "at": [0, 0, 0], "axis": [0, 0, 1] },
    { "type": "limit", "name": "stop", "joint": "h", "lower": -1, "restitution": 0.5 }],
  "simulation": { "step": 0.005, "duration": 2 } })";

TEST(Verdict, ImpactsAreNoLossOfTheMethod) {
  const io::Scene scene = io::parse_scene(rod_and_stop, "stop");
  const RunReport report = testing::run(scene.system, "dop853", 0.005, 1);
  EXPECT_GT(report.impacts.count, 0);
  EXPECT_LT(report.impacts.energy_change, -1);
  expect_trusted(report);
}

// Waves of cloth are finer than a step resolves: that a damping method takes them away is told, and
// is no fault.
TEST(Verdict, DampingIsExpectedOfCloth) {
  const RunReport report = testing::run(testing::square_cloth(6, 1), "icd", 1.0 / 60, 2);
  expect_trusted(report);
  ASSERT_EQ(report.remarks.size(), 1u);
  EXPECT_TRUE(testing::has_all(report.remarks.front(), "damped|lost"));
}

// Edges of a fine cloth are short beside the scene.
TEST(Verdict, StretchedClothIsSeen) {
  const System system = testing::square_cloth(6, 1);
  Faulty method("icd");
  method.promises.exact_constraints = false;
  double stretch = 0;
  method.fault = [&](State& state, Workspace&, StepReport&) {
    if (method.steps != 20) return;
    auto corner = state.q.segment<3>(system.slot({35}).q);
    corner += stretch * (corner - state.q.segment<3>(system.slot({34}).q));
  };
  for (const double strain : {0.005, 0.02}) {
    stretch = strain;
    method.steps = 0;
    const RunReport report = run_with(system, method, 1.0 / 120, 1);
    EXPECT_GT(report.constraint_error.max, 0.9 * strain * 0.2);
    if (strain < 0.01)
      expect_trusted(report);
    else
      expect_suspect(report, "distance|% of its length");
  }
}

// What moves the corners does work that nobody counts, but not as much as one likes.
TEST(Verdict, DrivenClothMayNotGainMoreThanDrivesPutIn) {
  const io::Scene scene = io::load_scene("ball_on_cloth", std::vector<io::Setting>{{"n", "7"}});
  for (const double faster : {1.0, 1.1}) {
    Faulty method("icd");
    method.fault = [&](State& state, Workspace&, StepReport&) {
      if (method.steps == 20) state.v *= faster;  // the corners move until step 60
    };
    const RunReport report = run_with(scene.system, method, scene.step, 1);
    if (faster == 1)
      expect_trusted(report);
    else
      expect_suspect(report, "energy rose|drives put in less");
  }
}

TEST(Verdict, DivergedRunsAreNotTrusted) {
  const RunReport report = testing::run(testing::arm(2, 1), "penalty", 0.5, 50);
  EXPECT_EQ(report.status, RunStatus::diverged);
  EXPECT_FALSE(report.is_trusted());
}

// What goes where surfaces meet is no fault, but it is told.
TEST(Verdict, EnergyThatContactsTakeIsToldUnlessItIsCounted) {
  const auto remarks = [](const char* name, const char* method, std::vector<io::Setting> settings) {
    const io::Scene scene = io::load_scene(name, settings);
    const RunReport report = run_with(scene.system, *make_method(method), scene.step, 0.6);
    expect_trusted(report);
    return report.remarks;
  };
  const std::vector<io::Setting> dropped{{"n", "5"}, {"height", "0.5"}};
  const std::vector<std::string> told = remarks("bouncing_balls", "implicit1", dropped);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(testing::has_all(told[0], "contacts took| J"));
  EXPECT_TRUE(remarks("bouncing_balls", "dop853", dropped).empty());  // impacts, all counted
  EXPECT_TRUE(remarks("sliding_block", "dop853", {}).empty());        // friction
}

}  // namespace
}  // namespace taut
