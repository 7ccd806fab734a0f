#include "taut/analysis/stability_map.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "support/builders.hpp"
#include "taut/analysis/stability_map_picture.hpp"
#include "taut/base/error.hpp"
#include "taut/base/parallel.hpp"
#include "taut/constraints/on_circle.hpp"

namespace taut {
namespace {

/// A particle off its pin: C is linear in q, so theory holds exactly.
System off_its_pin() {
  System system;
  const BodyId body = system.add(Particle{2, {0.3, 0, 0}});
  constrain(system, Pin{body, Vec3(0, 0, 0)});
  return system;
}

StabilityRequest baumgarte_map(const char* base) {
  StabilityRequest request;
  request.method = "baumgarte";
  request.options = {{"base", base}};
  request.parameters = {"alpha", "beta"};
  request.steps = spaced(0.01, 1, 25);
  request.values = spaced(1, 100, 25);
  request.least_steps = 1000;
  return request;
}

TEST(StabilityMap, MeasuredAndPredictedAgreeOnAPin) {
  const System system = off_its_pin();
  for (const char* base : {"explicit_euler", "semi_implicit_euler", "rk4"}) {
    const StabilityMap map = map_stability(system, baumgarte_map(base));
    int checked = 0;
    for (const StabilityCell& cell : map.cells) {
      const std::string value = std::to_string(cell.value);
      const StepLimits limits = *predicted_limits(
          system, "baumgarte", {{"alpha", value}, {"beta", value}, {"base", base}});
      if (std::abs(cell.step / limits.stable - 1) < 0.01) continue;
      ++checked;
      EXPECT_EQ(cell.behaviour == Behaviour::divergent, cell.step > limits.stable)
          << base << ", h = " << cell.step << ", alpha = " << cell.value;
      // A swing counts from 1 % of the start on, so just beyond the onset none is seen.
      if (cell.step < limits.monotone) {
        EXPECT_EQ(cell.behaviour, Behaviour::stable)
            << base << " " << cell.step << " " << cell.value;
      } else if (cell.step > 1.5 * limits.monotone && cell.step < limits.stable) {
        EXPECT_EQ(cell.behaviour, Behaviour::oscillating)
            << base << " " << cell.step << " " << cell.value;
      }
    }
    EXPECT_GT(checked, 590) << base;
  }
}

TEST(StabilityMap, PenaltyOnAPinFollowsTheEigenvaluesOfA) {
  const System system = off_its_pin();  // A = 1/m = 1/2 three times
  StabilityRequest request;
  request.method = "penalty";
  request.options = {{"base", "semi_implicit_euler"}, {"damping", "10"}};
  request.parameters = {"stiffness"};
  request.steps = spaced(0.005, 0.5, 20);
  request.values = spaced(10, 1e5, 20);
  for (const StabilityCell& cell : map_stability(system, request).cells) {
    std::vector<OptionValue> options = request.options;
    options.push_back({"stiffness", std::to_string(cell.value)});
    const double limit = predicted_limits(system, "penalty", options)->stable;
    EXPECT_NEAR(limit, 2 / (2.5 + std::hypot(2.5, std::sqrt(cell.value / 2))), 1e-7);
    if (std::abs(cell.step / limit - 1) < 0.03) continue;
    EXPECT_EQ(cell.behaviour == Behaviour::divergent, cell.step > limit)
        << cell.step << " " << cell.value;
  }
}

TEST(StabilityMap, DoesNotDependOnTheNumberOfThreads) {
  const System system = off_its_pin();
  StabilityRequest request = baumgarte_map("explicit_euler");
  request.threads = 1;
  const std::string one = stability_map_csv(map_stability(system, request), "alpha", {});
  request.threads = 5;
  EXPECT_EQ(one, stability_map_csv(map_stability(system, request), "alpha", {}));
}

TEST(StabilityMap, WithoutAParameterOneRowOfSteps) {
  StabilityRequest request;
  request.method = "implicit1";
  request.steps = spaced(0.01, 2, 10);
  const System system = off_its_pin();
  const StabilityMap map = map_stability(system, request);
  ASSERT_EQ(map.cells.size(), 10u);
  for (const StabilityCell& cell : map.cells) EXPECT_EQ(cell.behaviour, Behaviour::stable);
  EXPECT_TRUE(std::isinf(predicted_limits(system, "implicit1", {})->stable));
  EXPECT_FALSE(predicted_limits(system, "rattle", {}).has_value());
  const std::string svg = stability_map_svg(map, {"a < b", "", ""}, {});
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_NE(svg.find("<circle"), std::string::npos);
}

System bead() {
  System system;
  const BodyId particle = system.add(Particle{1, {65, 0, 0}, {0, 50, 0}});
  constrain(system, OnCircle{particle, world_point(0, 0, 0), {world_body, Vec3::UnitZ()}, 50});
  return system;
}

Behaviour behaviour_of(const System& system, const char* method, double step,
                       std::vector<OptionValue> options = {}) {
  return classify_run(system, *make_method(method, options), step, 10, 200).behaviour;
}

TEST(StabilityMap, Words) {
  // Without feedback the error stays, or drifts; with a weak one it is not yet gone.
  EXPECT_EQ(behaviour_of(off_its_pin(), "lagrange", 0.01), Behaviour::unsettled);
  EXPECT_EQ(behaviour_of(off_its_pin(), "baumgarte", 0.01, {{"alpha", "0.1"}, {"beta", "0.1"}}),
            Behaviour::unsettled);
  EXPECT_EQ(behaviour_of(bead(), "implicit1", 0.01), Behaviour::stable);
  // The published flaw: the normal velocity flips for ever, though the position is held.
  EXPECT_EQ(behaviour_of(bead(), "implicit2", 0.01), Behaviour::oscillating);
  EXPECT_EQ(behaviour_of(bead(), "baumgarte", 0.1, {{"alpha", "20"}, {"beta", "20"}}),
            Behaviour::divergent);
  // A legal start: errors of the method's own making, bounded.
  for (const char* method : {"implicit1", "rattle", "shake", "baumgarte"})
    EXPECT_EQ(behaviour_of(testing::arm(2, 10), method, 0.01), Behaviour::stable) << method;
}

TEST(StabilityMap, UnknownOptionsAreRefused) {
  StabilityRequest request = baumgarte_map("rk4");
  request.parameters = {"gamma"};
  EXPECT_THROW(map_stability(off_its_pin(), request), Error);
}

TEST(Spaced, ByFactorsOverADecade) {
  EXPECT_NEAR(spaced(0.01, 1, 3)[1], 0.1, 1e-15);
  EXPECT_EQ(spaced(2, 4, 3)[1], 3);
  EXPECT_EQ(spaced(0.01, 1, 3).back(), 1);
  EXPECT_EQ(spaced(5, 5, 1), std::vector<double>{5});
}

TEST(ParallelFor, EveryTaskOnceAndTheFirstException) {
  std::vector<int> counts(1000, 0);
  parallel_for(1000, [&](int i) { ++counts[static_cast<std::size_t>(i)]; }, {4, {}});
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 1), 1000);
  EXPECT_THROW(parallel_for(9,
                            [](int i) {
                              if (i == 3) throw Error("three");
                            },
                            {2, {}}),
               Error);
  parallel_for(0, [](int) { FAIL(); });
  std::atomic<int> done{0};
  parallel_for(3, [&](int) { ++done; }, {2, [](int) { return true; }});
  EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace taut
