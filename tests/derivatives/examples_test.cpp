// What derivatives are for.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "families.hpp"
#include "taut/derivatives/fit.hpp"
#include "taut/derivatives/gradient.hpp"

namespace taut::testing {
namespace {

/// What the family's models say at `values`, at the given times.
MeasuredTable measured(const ModelFamily& family, const DerivedMethod& method, RunOptions options,
                       const std::vector<double>& values, long every) {
  ModelFamily true_one = family;
  for (std::size_t i = 0; i < values.size(); ++i) true_one.parameters[i].value = values[i];
  options.record_every = every;
  const Sensitivities found = sensitivities(true_one, method, options);
  return {found.sensors, found.times, found.values};
}

// With which speed must a pendulum be pushed for its bob to be at a given height after a second?
TEST(Examples, PendulumEndsAtAPoint) {
  const std::string scene = R"({"taut": 1, "name": "pushed", "parameters": {"speed": {"value": 1}},
    "bodies": [{"type": "particle", "name": "bob", "mass": 1, "position": [0, -1, 0],
                "velocity": ["=speed", 0, 0]}],
    "forces": [{"type": "gravity", "acceleration": [0, -9.81, 0]}],
    "constraints": [{"type": "distance", "name": "rod", "a": [0, 0, 0], "b": "bob"}],
    "simulation": {"step": 0.005, "duration": 0.7}})";
  for (const char* method : {"icd", "icd2", "energy_momentum", "rattle"}) {
    SCOPED_TRACE(method);
    ModelFamily family = with_sensors(text_family(scene, {"speed"}), {{"x", "bob.x"}});
    double x = 0;
    for (int i = 0; i < 8; ++i) {
      const Gradient found =
          gradient(family, derived(method), steps_of(0.005, 0.7), final_value(0));
      x = found.value;
      family.parameters[0].value += (0.6 - x) / found.parameters[0];
    }
    EXPECT_NEAR(x, 0.6, 1e-12);
    const Model model = family.make(family.values());
    const State end =
        simulate(model.system, model.start, *derived(method).make(), steps_of(0.005, 0.7))
            .final_state;
    EXPECT_NEAR(end.q[0], 0.6, 1e-11);
  }
}

// Three strings hold a puppet with elastic arms. How long must they be for a wanted pose at rest?
TEST(Examples, StringsOfAMarionette) {
  const std::string scene = R"({"taut": 1, "name": "puppet",
    "parameters": {"left": {"value": 1.2}, "middle": {"value": 0.9}, "right": {"value": 1.1}},
    "bodies": [
      {"type": "particle", "name": "head", "mass": 1, "position": [0, "=-middle", 0]},
      {"type": "particle", "name": "body", "mass": 2, "position": [0, "=-middle-0.5", 0]},
      {"type": "particle", "name": "left", "mass": 0.3, "position": [-0.5, "=-left", 0]},
      {"type": "particle", "name": "right", "mass": 0.3, "position": [0.5, "=-right", 0]}],
    "forces": [{"type": "gravity", "acceleration": [0, -9.81, 0]}, {"type": "drag", "linear": 4},
      {"type": "spring", "a": "body", "b": "left", "stiffness": 8, "length": 0.6},
      {"type": "spring", "a": "body", "b": "right", "stiffness": 8, "length": 0.6}],
    "constraints": [
      {"type": "distance", "name": "neck", "a": "head", "b": "body", "length": 0.5},
      {"type": "distance", "name": "string_l", "a": [-0.5, 0, 0], "b": "left",
       "length": "=left", "slack": true},
      {"type": "distance", "name": "string_m", "a": [0, 0, 0], "b": "head",
       "length": "=middle", "slack": true},
      {"type": "distance", "name": "string_r", "a": [0.5, 0, 0], "b": "right",
       "length": "=right", "slack": true}],
    "simulation": {"step": 0.02, "duration": 8}})";
  const ModelFamily family =
      with_sensors(text_family(scene, {"left", "middle", "right"}),
                   {{"head", "head.y"}, {"left hand", "left.y"}, {"right hand", "right.y"}});
  const MeasuredTable pose{{"head", "left hand", "right hand"}, {8}, {{-1.0, -1.1, -1.3}}};
  const FitResult found = fit(family, derived("icd"), steps_of(0.02, 8), pose);
  EXPECT_EQ(found.status, FitResult::Status::converged);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found.model[0][i], pose.values[0][i], 1e-8);
  EXPECT_GT(found.derivatives.by_theorem, 300);  // strings that act all the time are equations
}

// A block on rough ground, pulled by a spring of known stiffness: mass and friction from where it
// was, measured to a millimetre.
TEST(Examples, MassAndFrictionOfASlidingBlock) {
  const std::string scene = R"({"taut": 1, "name": "block",
    "parameters": {"mass": {"value": 1, "min": 0.01}, "friction": {"value": 0.2, "min": 0}},
    "shapes": [{"type": "plane", "name": "ground", "friction": "=friction"}],
    "bodies": [{"type": "rigid", "name": "block", "mass": "=mass", "position": [0, 0, 0.05],
      "velocity": [2, 0, 0],
      "shapes": [{"type": "box", "name": "box", "size": [0.4, 0.3, 0.1],
                  "friction": "=friction"}]}],
    "forces": [{"type": "gravity", "acceleration": [0, 0, -9.81]},
               {"type": "spring", "a": [-1, 0, 0.05], "b": "block", "stiffness": 20,
                "length": 1}],
    "simulation": {"step": 0.01, "duration": 0.5}})";
  const ModelFamily family =
      with_sensors(text_family(scene, {"mass", "friction"}), {{"x", "block.x"}});
  MeasuredTable table = measured(family, derived("icd"), steps_of(0.01, 0.4), {1.6, 0.33}, 1);
  std::mt19937 engine(7);
  std::normal_distribution<double> noise(0, 1e-3);
  for (auto& row : table.values) row[0] += noise(engine);
  const FitResult found = fit(family, derived("icd"), steps_of(0.01, 0.4), table);
  EXPECT_EQ(found.status, FitResult::Status::converged);
  EXPECT_NEAR(found.parameters[0].value, 1.6, 4 * found.parameters[0].error);
  EXPECT_NEAR(found.parameters[1].value, 0.33, 4 * found.parameters[1].error);
  EXPECT_LT(found.parameters[0].error, 0.1);
  EXPECT_LT(found.parameters[1].error, 0.02);
  EXPECT_GT(found.parameters[1].error, 1e-5);
  EXPECT_NEAR(found.columns[0].rms, 1e-3, 3e-4);
}

// The linkage has three rows too many in space.
TEST(Examples, CrankOfAFourBarForAPath) {
  const ModelFamily family = with_sensors(text_family("four_bar", {"crank", "coupler"}),
                                          {{"x", "coupler.x"}, {"y", "coupler.y"}});
  const MeasuredTable path =
      measured(family, derived("icd2"), steps_of(0.005, 0.5), {0.23, 0.66}, 5);
  const FitResult found = fit(family, derived("icd2"), steps_of(0.005, 0.5), path);
  EXPECT_EQ(found.status, FitResult::Status::converged);
  EXPECT_NEAR(found.parameters[0].value, 0.23, 1e-7);
  EXPECT_NEAR(found.parameters[1].value, 0.66, 1e-7);
  EXPECT_EQ(found.derivatives.by_theorem, 100);
}

TEST(Fits, SayWhatCannotBeTold) {
  const ModelFamily family =
      with_sensors(text_family("pendulum", {"L", "g", "m"}), {{"x", "bob.x"}});
  const MeasuredTable table =
      measured(family, derived("icd2"), steps_of(0.01, 1), {1.1, 9.7, 1}, 1);
  FitResult found = fit(family, derived("icd2"), steps_of(0.01, 1), table);
  EXPECT_EQ(found.status, FitResult::Status::converged);
  EXPECT_NEAR(found.parameters[0].value, 1.1, 1e-7);
  EXPECT_EQ(found.parameters[2].value, 1);  // a pendulum does not know its mass
  EXPECT_TRUE(std::isinf(found.parameters[2].error));
  ASSERT_EQ(found.doubts.size(), 1u);
  EXPECT_NE(found.doubts[0].find("m has no influence"), std::string::npos);

  ModelFamily bounded = family;
  bounded.parameters.resize(2);
  bounded.make = [make = family.make](const VecX& v) { return make(Vec3(v[0], v[1], 1)); };
  bounded.parameters[0].max = 1.05;
  found = fit(bounded, derived("icd2"), steps_of(0.01, 1), table);
  EXPECT_EQ(found.parameters[0].value, 1.05);
  EXPECT_TRUE(found.parameters[0].is_at_bound);
}

// Of a block that slides and stops before the end: the distance is v²/(2 μ g). (It stops in the
// step in which it would turn back, so it is off by less than a step.)
TEST(Events, ABlockThatStops) {
  const ModelFamily family = with_sensors(text_family("sliding_block", {"speed", "friction"}),
                                          {{"way", "sqrt(block.x^2 + block.y^2)"}});
  const Sensitivities found = sensitivities(family, derived("dop853"), steps_of(0.01, 1.5));
  const double way = 2.0 * 2 / (2 * 0.4 * 9.81);
  EXPECT_NEAR(found.values.back()[0], way, 1e-6);
  EXPECT_NEAR(found.slopes.back()(0, 0), way, 0.005 * way);               // 2 way/speed
  EXPECT_NEAR(found.slopes.back()(0, 1), -way / 0.4, 0.005 * way / 0.4);  // −way/μ
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_LT(relative_difference(found.end_slopes[k],
                                  by_runs(family, derived("dop853"), steps_of(0.01, 1.5), k, 1e-5)),
              1e-6);
  EXPECT_GT(found.report.by_stretches, 0);
  EXPECT_FALSE(found.report.changes.empty());
}

// A ball on a string that becomes taut on the way: dropped from a height h below the ceiling, it is
// caught. And a stop that is hit, with a rebound: x after it is L − e·(v t − L).
TEST(Events, AStopThatIsHit) {
  const std::string scene = R"({"taut": 1, "name": "hit",
    "parameters": {"speed": {"value": 2}, "stop": {"value": 1.007}},
    "bodies": [{"type": "rigid", "name": "cart", "mass": 1, "inertia": [1, 1, 1],
                "position": [0, 0, 0], "velocity": ["=speed", 0, 0]}],
    "constraints": [
      {"type": "slider", "name": "rail", "b": "cart", "at": [0, 0, 0], "axis": [1, 0, 0]},
      {"type": "limit", "name": "buffer", "joint": "rail", "upper": "=stop",
       "restitution": 0.5}],
    "simulation": {"step": 0.01, "duration": 1}})";
  const ModelFamily family = text_family(scene, {"speed", "stop"});
  for (const char* method : {"icd", "icd2", "energy_momentum", "rattle", "dop853"}) {
    SCOPED_TRACE(method);
    const Sensitivities found = sensitivities(family, derived(method), steps_of(0.01, 1));
    EXPECT_TRUE(found.report.is_trusted());
    EXPECT_NEAR(found.end.q[0], 1.007 - 0.5 * (2 - 1.007), 1e-8);
    EXPECT_NEAR(found.end_slopes[0].q[0], -0.5, 1e-6);
    EXPECT_NEAR(found.end_slopes[0].v[0], -0.5, 1e-6);
    EXPECT_NEAR(found.end_slopes[1].q[0], 1.5, 1e-6);
    bool is_named = false;
    for (const ActiveChange& change : found.report.changes)
      is_named = is_named || (change.of.find("buffer") != std::string::npos &&
                              std::abs(change.time - 0.5035) < 1e-6);
    EXPECT_TRUE(is_named);
  }
}

// Just reached at the end: faster, it would be hit. The derivative is that of the slower side, and
// the report says so.
TEST(Events, AnEdgeIsReported) {
  const std::string scene = R"({"taut": 1, "name": "edge",
    "parameters": {"speed": {"value": 1.99999}},
    "bodies": [{"type": "rigid", "name": "cart", "mass": 1, "inertia": [1, 1, 1],
                "position": [0, 0, 0], "velocity": ["=speed", 0, 0]}],
    "constraints": [
      {"type": "slider", "name": "rail", "b": "cart", "at": [0, 0, 0], "axis": [1, 0, 0]},
      {"type": "limit", "name": "buffer", "joint": "rail", "upper": 1, "restitution": 0}],
    "simulation": {"step": 0.01, "duration": 0.5000075}})";
  const ModelFamily family = text_family(scene, {"speed"});
  const Model model = family.make(family.values());
  RunOptions options = steps_of(0.01, 1.0 / 1.99999 + 1e-7);
  const Sensitivities found = sensitivities(family, derived("icd"), options);
  EXPECT_FALSE(found.report.is_trusted());
  ASSERT_FALSE(found.report.doubts.empty());
  EXPECT_NE(found.report.doubts[0].find("buffer"), std::string::npos) << found.report.doubts[0];
}

TEST(Measured, TablesOfOthers) {
  const MeasuredTable table = parse_measured(
      "# comment\n\"t (s)\", tip (m) ,distance(a, b),x\n0,1,2,\n0.5,nan,3,4\r\n", "file");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"tip", "distance(a, b)", "x"}));
  EXPECT_EQ(table.times, (std::vector<double>{0, 0.5}));
  EXPECT_TRUE(std::isnan(table.values[0][2]));
  EXPECT_TRUE(std::isnan(table.values[1][0]));
  EXPECT_EQ(table.values[1][2], 4);
}

// Memory grows like the square root of the steps.
TEST(Checkpoints, AreFew) {
  const ModelFamily family = with_sensors(text_family("two_link", {"g"}), {{"y", "node2.y"}});
  for (const char* method : {"icd", "icd2", "energy_momentum"}) {
    SCOPED_TRACE(method);
    const RunOptions options = steps_of(0.002, 2);
    const Gradient found = gradient(family, derived(method), options, final_value(0));
    EXPECT_TRUE(found.is_adjoint);
    EXPECT_EQ(found.report.by_theorem, 1000);
    EXPECT_LE(found.most_states, 100);
    const Sensitivities forth = sensitivities(family, derived(method), options);
    EXPECT_NEAR(found.parameters[0], forth.slopes.back()(0, 0),
                1e-8 * std::abs(found.parameters[0]));
  }
}

}  // namespace
}  // namespace taut::testing
