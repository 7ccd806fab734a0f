// Where a derivative is one-sided, or there is none: it says so, and is never a mean of both sides.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "families.hpp"
#include "taut/derivatives/gradient.hpp"

namespace taut::testing {
namespace {

class Edges : public ::testing::TestWithParam<const char*> {
 protected:
  Sensitivities of(const std::string& scene, const char* parameter) {
    const ModelFamily family =
        with_sensors(text_family(scene, {parameter}), {{"y", "bob.y"}, {"vy", "bob.vy"}});
    const RunOptions options = steps_of(0.01, 0.3);
    const Gradient back = gradient(family, derived(GetParam()), options, final_value(0));
    const Sensitivities found = sensitivities(family, derived(GetParam()), options);
    EXPECT_EQ(back.report.is_trusted(), found.report.is_trusted());
    return found;
  }
};

/// What hangs is let go: after a time that is a whole number of steps.
std::string let_go(double until) {
  return fmt::format(R"({{"taut": 1, "name": "let_go", "parameters": {{"T": {{"value": {}}}}},
    "bodies": [{{"type": "particle", "name": "bob", "mass": 1, "position": [1, 0, 0]}}],
    "forces": [{{"type": "gravity", "acceleration": [0, -9.81, 0]}}],
    "constraints": [{{"type": "pin", "point": "bob", "until": "=T"}}],
    "simulation": {{"step": 0.01, "duration": 0.3}}}})",
                     until);
}

// y = −½ g (0.3 − T)², but for the error of the method.
TEST_P(Edges, LettingGoBetweenTwoSteps) {
  const Sensitivities found = of(let_go(0.1), "T");
  EXPECT_NEAR(found.slopes.back()(0, 0), 9.81 * 0.2, 0.12);
  EXPECT_NEAR(found.slopes.back()(1, 0), 9.81, 1e-6);
  const Sensitivities inside = of(let_go(0.1037), "T");
  EXPECT_TRUE(inside.report.is_trusted());
  EXPECT_NEAR(inside.slopes.back()(1, 0), 9.81, 1e-6);
}

TEST_P(Edges, LettingGoAtTheEnd) {
  const Sensitivities found = of(let_go(0.3), "T");
  EXPECT_FALSE(found.report.is_trusted());
}

// A string that is just taut at rest: with any larger length it is slack, and the bob falls.
TEST_P(Edges, AStringThatIsJustTaut) {
  const Sensitivities found = of(R"({"taut": 1, "name": "hangs",
    "parameters": {"L": {"value": 1}},
    "bodies": [{"type": "particle", "name": "bob", "mass": 1, "position": [0, -1, 0]}],
    "forces": [{"type": "gravity", "acceleration": [0, -9.81, 0]}],
    "constraints": [{"type": "distance", "slack": true, "a": [0, 0, 0], "b": "bob",
                     "length": "=L"}],
    "simulation": {"step": 0.01, "duration": 0.3}})",
                                 "L");
  EXPECT_NEAR(found.slopes.back()(0, 0), -1, 1e-5);
  EXPECT_NEAR(found.slopes.back()(1, 0), 0, 1e-3);
}

/// A force of 3 N on 1 kg ends at T, at once.
std::string jump(double time) {
  return fmt::format(R"json({{"taut": 1, "name": "pushed", "parameters": {{"T": {{"value": {}}}}},
    "bodies": [{{"type": "particle", "name": "bob", "mass": 1, "position": [1, 0, 0]}}],
    "forces": [{{"type": "force", "point": "bob", "force":
                {{"type": "formula", "value": [0, "=3-3*min(1, floor(t/T))", 0]}}}}],
    "simulation": {{"step": 0.01, "duration": 0.3}}}})json",
                     time);
}

// (icd2 remembers the acceleration for a while, and does not give just that.)
TEST_P(Edges, AForceThatJumpsInAStep) {
  const Sensitivities found = of(jump(0.1037), "T");
  EXPECT_TRUE(found.report.is_trusted());
  const Truth right =
      truth(text_family(jump(0.1037), {"T"}), derived(GetParam()), steps_of(0.01, 0.3), 0);
  EXPECT_NEAR(found.slopes.back()(1, 0), right.slope.v[1], 1e-5);
  if (std::string_view(GetParam()) != "icd2") EXPECT_NEAR(found.slopes.back()(1, 0), 3, 1e-5);
}

TEST_P(Edges, AForceThatJumpsBetweenTwoSteps) {
  const Sensitivities found = of(jump(0.1), "T");
  const double off = std::abs(found.slopes.back()(1, 0) - 3);
  EXPECT_LE(found.report.is_trusted() ? off : 0, 1e-3) << found.slopes.back()(1, 0);
}

INSTANTIATE_TEST_SUITE_P(Methods, Edges,
                         ::testing::Values("icd", "icd2", "energy_momentum", "shake", "rattle",
                                           "dop853", "implicit2"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace taut::testing
