// What `auto` chooses, on scenes of each kind.
#include "taut/analysis/method_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/builders.hpp"
#include "support/messages.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/forces/spring.hpp"
#include "taut/scene/scene.hpp"

namespace taut {
namespace {

MethodChoice choice(const std::string& name, std::vector<io::Setting> settings = {}) {
  const io::Scene scene = io::load_scene(name, settings);
  const MethodChoice chosen =
      choose_method(scene.system, scene.system.initial_state(), scene.step, scene.duration);
  EXPECT_FALSE(chosen.reason.empty());
  EXPECT_NO_THROW(make_method(chosen.method, chosen.options));
  return chosen;
}

TEST(MethodChoice, SmoothMechanismsGetTheHighOrder) {
  EXPECT_EQ(choice("two_link").method, "dop853");
  EXPECT_EQ(choice("driven_pin").method, "dop853");
}

TEST(MethodChoice, HeavyEndsAndStiffSpringsGetIcd2) {
  EXPECT_EQ(choice("heavy_chain").method, "icd2");
  EXPECT_EQ(choice("hinge_chain", {{"N", "50"}}).method, "icd2");
  System system = testing::arm(2, 1);
  const BodyId hung = system.add(Particle{1, {2, -1, 0}});
  apply(system, Spring{Point(BodyId{1}), Point(hung), 1e7, 0, 1});
  EXPECT_EQ(choose_method(system, system.initial_state(), 0.01, 1).method, "icd2");
}

// What matters is what the constraints leave free to swing: nothing along a rod or beside a weld,
// all of a hinge.
TEST(MethodChoice, StiffSpringsAreJudgedWithTheConstraints) {
  System held = testing::arm(2, 1);
  apply(held, Spring{Point(BodyId{0}), Point(BodyId{1}), 1e7, 0, 1});
  EXPECT_EQ(choose_method(held, held.initial_state(), 0.01, 1).method, "dop853");
  const auto elbow = [](const std::string& more) {
    const io::Scene scene = io::parse_scene(R"({ "taut": 1, "name": "elbow",
      "bodies": [
        { "type": "rigid", "name": "a", "mass": 1, "inertia": [0.001, 0.08, 0.08], "position": [0.5, 0, 0] },
        { "type": "rigid", "name": "b", "mass": 1, "inertia": [0.001, 0.08, 0.08], "position": [1.5, 0, 0] } ],
      "forces": [ { "type": "gravity" }, { "type": "joint_spring", "joint": "k", "stiffness": 1e9 } ],
      "constraints": [
        { "type": "hinge", "name": "h", "b": "a", "at": [0, 0, 0] },
        { "type": "hinge", "name": "k", "a": "a", "b": "b", "at": [1, 0, 0] })" +
                                                more + " ] }",
                                            "elbow");
    return choose_method(scene.system, scene.system.initial_state(), 0.01, 1).method;
  };
  EXPECT_EQ(elbow(""), "icd2");
  EXPECT_EQ(elbow(R"(, { "type": "weld", "a": "a", "b": "b", "at": [1, 0, 0] })"), "dop853");
}

// What flies freely has no size but the way it goes.
TEST(MethodChoice, FreeFlightIsResolvedByAnyStep) {
  System system;
  apply(system, Gravity{});
  system.add(Particle{1, {0, 0, 0}, {1, 0, 0}});
  EXPECT_EQ(choose_method(system, system.initial_state(), 0.1, 10).method, "dop853");
}

TEST(MethodChoice, LongConservativeRunsAndLoopsGetEnergyMomentum) {
  const System system = testing::arm(2, 1);
  EXPECT_EQ(choose_method(system, system.initial_state(), 0.01, 1000).method, "energy_momentum");
  // Too large for a trial.
  EXPECT_EQ(choice("n_four_bar", {{"N", "40"}}).method, "energy_momentum");
}

// Redundant in space, everywhere alike, or not at all: what passes all positions in a trial is
// taken because of that.
TEST(MethodChoice, LoopsGetTheHighOrderWhereATrialShowsThatItPasses) {
  for (const char* name : {"n_four_bar", "n_four_bar_hinges", "four_bar", "slider_crank"}) {
    const MethodChoice chosen = choice(name);
    // n_four_bar passes a singular position, where dop853 loses a little energy.
    EXPECT_TRUE(chosen.method == "dop853" || chosen.method == "rk4_projected") << name;
    EXPECT_TRUE(testing::has_all(chosen.reason, "trial|energy stays"));
  }
}

TEST(MethodChoice, ALightTailIsNoLoad) {
  System system;
  apply(system, Gravity{});
  Point last = world_point(0, 0, 0);
  double x = 0;
  for (const double mass : {1000.0, 1.0, 1e-3}) {
    const Point next = system.add(Particle{mass, {++x, 0, 0}});
    constrain(system, Distance{last, next, 1});
    last = next;
  }
  EXPECT_EQ(choose_method(system, system.initial_state(), 0.005, 3).method, "dop853");
}

// A triangle of light rods hangs on a heavy body, by a tie or by two: it does not bear that. On the
// heavy body's other side it would.
TEST(MethodChoice, WhatALoopHangsOnIsNoLoad) {
  const auto triangle = [](bool heavy_first) {
    System system;
    const BodyId above = system.add(Particle{heavy_first ? 1e4 : 1e-2, {0, -1, 0}});
    const BodyId left = system.add(Particle{1e-2, {-0.5, -2, 0}});
    const BodyId right = system.add(Particle{heavy_first ? 1e-2 : 1e4, {0.5, -2, 0}});
    apply(system, Gravity{{0, -9.81, 0}});
    constrain(system, Distance{world_point(1, 0, 0), above, std::sqrt(2.0)});
    constrain(system, Distance{above, left, std::sqrt(1.25)});
    constrain(system, Distance{left, right, 1});
    constrain(system, Distance{right, above, std::sqrt(1.25)});
    return choose_method(system, system.initial_state(), 0.01, 100).method;
  };
  EXPECT_NE(triangle(true), "icd2");
  EXPECT_EQ(triangle(false), "icd2");
}

TEST(MethodChoice, SaysWhenNoMethodFollowsTheMotionAtThisStep) {
  const std::vector<io::Setting> settings{{"R", "40"}};
  const io::Scene scene = io::load_scene("bead", settings);
  const State start = scene.system.initial_state();
  EXPECT_TRUE(testing::has_all(choose_method(scene.system, start, 2, 10).reason, "no method|2 s"));
  EXPECT_EQ(choose_method(scene.system, start, 0.01, 10).method, "dop853");
}

TEST(MethodChoice, StringsAreNoHindrance) {
  System system;
  apply(system, Gravity{});
  Distance string{world_point(0, 0, 0), system.add(Particle{1, {0, -0.2, 0}}), 1};
  string.slack = true;
  constrain(system, string);
  EXPECT_EQ(choose_method(system, system.initial_state(), 0.001, 1).method, "dop853");
}

TEST(MethodChoice, ConflictsAndDependentRowsGetIcd2) {
  EXPECT_EQ(choice("conflict_pins").method, "icd2");
  EXPECT_EQ(choice("scissor_lift", {{"stages", "3"}}).method, "icd2");
  const System line = testing::taut_line(3, 0.5, {0, -9.81, 0});
  EXPECT_EQ(choose_method(line, line.initial_state(), 0.001, 1).method, "icd2");
}

TEST(MethodChoice, EverySceneHasOne) {
  for (const io::SceneSummary& scene : io::list_scenes()) choice(scene.name);
}

}  // namespace
}  // namespace taut
