// Derivatives with respect to controls: inputs that are one number for a while, and then another.
#include <gtest/gtest.h>

#include <cmath>

#include "families.hpp"
#include "support/messages.hpp"
#include "taut/derivatives/gradient.hpp"
#include "taut/simulate/stepping.hpp"

namespace taut::testing {
namespace {

const char* const pushed = R"({"taut": 1, "name": "pushed",
  "inputs": [{"name": "push", "value": 0.5, "min": -10, "max": 10}],
  "bodies": [{"type": "particle", "name": "a", "mass": 2, "position": [0, 0, 0]},
             {"type": "particle", "name": "b", "mass": 1, "position": [1, 0, 0]}],
  "forces": [{"type": "force", "point": "b", "force":
              {"type": "formula", "value": ["=push", "=0.3*push^2", 0]}},
             {"type": "spring", "a": [0, 0, 0], "b": "a", "stiffness": 20, "length": 0.1}],
  "constraints": [{"type": "distance", "a": "a", "b": "b"}],
  "simulation": {"step": 0.02, "duration": 1}})";

ModelFamily controlled(std::vector<double> values) {
  ModelFamily family = with_sensors(text_family(pushed, {"push", "push@0.2", "push@0.5"}),
                                    {{"place", "b.y"}, {"power", "push*b.vx"}});
  for (std::size_t i = 0; i < values.size(); ++i) family.parameters[i].value = values[i];
  return family;
}

/// The same with a program that sets the input between steps.
State by_hand(const std::string& method, const std::vector<double>& values) {
  const Model model = text_family(pushed, {}).make(VecX());
  const std::unique_ptr<Method> by = derived(method).make();
  RunOptions options = steps_of(0.02, 1);
  Inputs inputs = model.system.inputs();
  inputs["push"] = values[0];
  Stepping run(model.system, model.start, *by, options);
  for (int i = 0; i < 50; ++i) {
    if (i == 10) inputs["push"] = values[1];
    if (i == 25) inputs["push"] = values[2];
    run.step();
  }
  return run.state();
}

class Controls : public ::testing::TestWithParam<const char*> {};

TEST_P(Controls, AreThoseOfAProgram) {
  const std::vector<double> values{1.5, -2, 0.7};
  const ModelFamily family = controlled(values);
  const RunOptions options = steps_of(0.02, 1);
  const Sensitivities found = sensitivities(family, derived(GetParam()), options);
  const State end = by_hand(GetParam(), values);
  EXPECT_LE((found.end.q - end.q).norm(), 1e-10);
  for (std::size_t k = 0; k < 3; ++k) {
    constexpr double h = 1e-3;
    std::vector<double> less = values, more = values, least = values, most = values;
    less[k] -= h;
    more[k] += h;
    least[k] -= 2 * h;
    most[k] += 2 * h;
    const auto q = [&](const std::vector<double>& of) { return by_hand(GetParam(), of).q; };
    const VecX slope = (8 * (q(more) - q(less)) - (q(most) - q(least))) / (12 * h);
    EXPECT_LE((found.end_slopes[k].q - slope).norm(), 1e-6 * slope.norm()) << k;
  }
  for (const int sensor : {0, 1}) {
    const Gradient back = gradient(family, derived(GetParam()), options, final_value(sensor));
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(back.parameters[k], found.slopes.back()(sensor, k),
                  1e-7 * found.slopes.back().row(sensor).norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Controls,
                         ::testing::Values("icd", "icd2", "energy_momentum", "shake", "implicit1",
                                           "rattle", "dop853"),
                         [](const auto& info) { return std::string(info.param); });

// x⁺ of a free particle: a force counts for the time that is left.
TEST(ClosedForms, ForcesForAWhile) {
  const std::string scene = R"({"taut": 1, "name": "free", "inputs": [{"name": "u", "value": 0}],
    "bodies": [{"type": "particle", "name": "ball", "mass": 2, "position": [0, 0, 0]}],
    "forces": [{"type": "force", "point": "ball", "force":
                {"type": "formula", "value": ["=u", 0, 0]}}],
    "simulation": {"step": 0.01, "duration": 1}})";
  const ModelFamily family = text_family(scene, {"u@0", "u@0.25", "u@0.5"});
  const Sensitivities found = sensitivities(family, derived("energy_momentum"), steps_of(0.01, 1));
  const auto place = [](double from, double until) {  // at 1 s, by 1 N on 2 kg
    return 0.5 * (0.5 * (until - from) * (until - from) + (until - from) * (1 - until));
  };
  EXPECT_NEAR(found.end_slopes[0].q[0], place(0, 0.25), 1e-9);
  EXPECT_NEAR(found.end_slopes[1].q[0], place(0.25, 0.5), 1e-9);
  EXPECT_NEAR(found.end_slopes[2].q[0], place(0.5, 1), 1e-9);
}

TEST(Controls, BadOnesAreNamed) {
  const auto message = [](const char* name) {
    return message_of([&] { text_family(pushed, {name}); });
  };
  EXPECT_TRUE(has_all(message("push@soon"), "soon|push@0.5"));
  EXPECT_TRUE(has_all(message("push@-1"), "-1|time"));
  EXPECT_TRUE(has_all(message("pull@1"), "\"pull\"|\"push\""));
}

}  // namespace
}  // namespace taut::testing
