// Steps that somebody else asks for are those of a run.
#include "taut/simulate/stepping.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "taut/base/error.hpp"
#include "taut/scene/scene.hpp"

namespace taut {
namespace {

TEST(Stepping, DoesTheStepsOfARunBitForBit) {
  for (const char* name : {"two_link", "four_bar", "box_stack"}) {
    const io::Scene scene = io::load_scene(name);
    RunOptions options;
    options.step = scene.step;
    options.duration = 50 * scene.step;
    std::vector<State> expected;
    VecX lambda;
    options.record = [&](const State& state, const VecX& forces) {
      expected.push_back(state);
      lambda = forces;
    };
    const RunReport report =
        simulate(scene.system, scene.system.initial_state(), *make_method("icd2"), options);

    const auto method = make_method("icd2");
    options.record = nullptr;
    Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
    EXPECT_EQ(stepping.state().q, expected.front().q) << name;
    for (std::size_t i = 1; i < expected.size(); ++i) {
      ASSERT_TRUE(stepping.step());
      EXPECT_EQ(stepping.state().time, expected[i].time) << name;
      EXPECT_EQ(stepping.state().q, expected[i].q) << name << " step " << i;
      EXPECT_EQ(stepping.state().v, expected[i].v) << name << " step " << i;
    }
    EXPECT_EQ(stepping.report().steps, report.steps);
    EXPECT_EQ(stepping.report().constraint_error.accumulated, report.constraint_error.accumulated);
    EXPECT_EQ(stepping.measure().lambda, lambda) << name;
  }
}

TEST(Stepping, GoesOnInStepsOfAnyLength) {
  const io::Scene scene = io::load_scene("two_link");
  const auto method = make_method("rattle");
  RunOptions options;
  options.step = 0.01;
  Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
  stepping.step();
  stepping.step(0.005);
  stepping.step(0.005);
  stepping.step();
  EXPECT_NEAR(stepping.state().time, 0.03, 1e-15);
  EXPECT_EQ(stepping.report().steps, 4);
  for (const double h : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_THROW(stepping.step(h), Error);
}

// Whoever shows the state refers to it.
TEST(Stepping, TheStateStaysWhereItIs) {
  for (const char* name : {"two_link", "box_stack", "flag", "cloth_on_sphere", "slider_crank"})
    for (const MethodInfo& info : methods()) {
      const io::Scene scene = io::load_scene(name);
      const auto method = info.make();
      RunOptions options;
      options.step = scene.step;
      Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
      const double *q = stepping.state().q.data(), *v = stepping.state().v.data();
      for (int i = 0; i < 3; ++i) stepping.step();
      EXPECT_EQ(stepping.state().q.data(), q) << name << " " << info.name;
      EXPECT_EQ(stepping.state().v.data(), v) << name << " " << info.name;
    }
}

// At rest, the forces of the constraints on each body carry its weight.
TEST(Stepping, ConstraintForcesAreThoseOnTheBodies) {
  const io::Scene scene = io::parse_scene(R"({"taut": 1,
    "bodies": [{"type": "particle", "name": "a", "mass": 2, "position": [0, -1, 0]},
               {"type": "particle", "name": "b", "mass": 3, "position": [0, -2, 0]}],
    "forces": [{"type": "gravity", "acceleration": [0, -10, 0]}],
    "constraints": [{"type": "distance", "a": [0, 0, 0], "b": "a"},
                    {"type": "distance", "a": "a", "b": "b"}]})",
                                          "hanging");
  const auto method = make_method("rattle");
  Stepping stepping(scene.system, scene.system.initial_state(), *method, {});
  stepping.step();
  stepping.measure();
  std::vector<Vec3> sums(2, Vec3::Zero());
  for (const ConstraintForce& each : stepping.constraint_forces())
    sums[static_cast<std::size_t>(each.body.index)] += each.force;
  EXPECT_NEAR((sums[0] - Vec3(0, 20, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR((sums[1] - Vec3(0, 30, 0)).norm(), 0, 1e-9);
}

// … also when they are asked for late.
TEST(Stepping, KnowsWhatTouches) {
  const io::Scene scene = io::load_scene("box_stack");
  RunOptions options;
  options.step = scene.step;
  const auto method = make_method("icd2");
  Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
  for (int i = 0; i < 30; ++i) stepping.step();
  Vec3 force = Vec3::Zero();
  for (const ContactSample& contact : stepping.measure().contacts)
    if (contact.body_b.is_world()) force += contact.force;
  double weight = 0;
  for (int i = 0; i < scene.system.body_count(); ++i) weight += 9.81 * scene.system.mass({i});
  EXPECT_NEAR(force.norm(), weight, 1e-3 * weight);
}

TEST(Stepping, StopsWhereARunDiverges) {
  const io::Scene scene = io::load_scene("two_link");
  const auto method = make_method("penalty");
  RunOptions options;
  options.step = 0.5;
  Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
  int steps = 0;
  while (stepping.step() && steps < 1000) ++steps;
  EXPECT_EQ(stepping.report().status, RunStatus::diverged);
  EXPECT_NE(stepping.report().reason, "");
  EXPECT_FALSE(stepping.step());
  options.step = -1;
  EXPECT_THROW(Stepping(scene.system, scene.system.initial_state(), *method, options), Error);
}

}  // namespace
}  // namespace taut
