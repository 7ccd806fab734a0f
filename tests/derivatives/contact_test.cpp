// Derivatives through contacts: what slides, sticks, rolls, bounces and is stacked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "families.hpp"

namespace taut::testing {
namespace {

const char* const plane = R"("shapes": [{"type": "plane", "friction": "=mu"}],
  "forces": [{"type": "gravity", "acceleration": [0.5, 0, "=-g"]}],
  "simulation": {"step": 0.01, "duration": 0.3}})";

std::string box(const std::string& more) {
  return R"({"taut": 1, "name": "box",
    "parameters": {"mu": {"value": 0.3}, "g": {"value": 9.81}, "speed": {"value": 2},
                   "mass": {"value": 1.5}, "e": {"value": 0.6}},
    "bodies": [)" +
         more + "], " + plane;
}

const char* const sliding = R"({"type": "rigid", "name": "bob", "mass": "=mass",
  "position": [0, 0, 0.1], "velocity": ["=speed", "=0.4*speed", 0],
  "shapes": [{"type": "box", "size": [0.4, 0.3, 0.2], "friction": "=mu"}]})";
const char* const sticking = R"({"type": "rigid", "name": "bob", "mass": "=mass",
  "position": [0, 0, 0.1], "shapes": [{"type": "box", "size": [0.4, 0.3, 0.2], "friction": "=mu"}]})";
const char* const rolling = R"({"type": "rigid", "name": "bob", "mass": "=mass",
  "position": [0, 0, 0.1], "velocity": ["=speed", 0.3, 0],
  "shapes": [{"type": "sphere", "radius": 0.1, "friction": "=mu"}]})";
const char* const bouncing = R"({"type": "rigid", "name": "bob", "mass": "=mass",
  "position": [0, 0, 0.2], "velocity": ["=speed", 0, -1],
  "shapes": [{"type": "sphere", "radius": 0.1, "friction": "=mu", "restitution": "=e"}]})";
const char* const stacked =
    R"({"type": "rigid", "name": "under", "mass": 3, "position": [0, 0, 0.1],
  "velocity": ["=0.5*speed", 0, 0],
  "shapes": [{"type": "box", "size": [1, 0.6, 0.2], "friction": "=mu"}]},
  {"type": "rigid", "name": "bob", "mass": "=mass", "position": [0, 0, 0.25],
  "velocity": ["=speed", 0, 0],
  "shapes": [{"type": "box", "size": [0.1, 0.1, 0.1], "friction": "=mu"}]})";

class Contacts : public ::testing::TestWithParam<const char*> {};

TEST_P(Contacts, AreThoseOfRunsOrDoubted) {
  int compared = 0, sharp = 0;
  for (const char* bodies : {sliding, sticking, rolling, bouncing, stacked}) {
    const ModelFamily family = text_family(box(bodies), {"mu", "g", "speed", "mass", "e"});
    const DerivedMethod method = derived(GetParam());
    const RunOptions options = steps_of(0.01, 0.3);
    const Sensitivities found = sensitivities(family, method, options);
    if (!found.report.is_trusted()) continue;
    for (std::size_t k = 0; k < family.parameters.size(); ++k) {
      SCOPED_TRACE(
          fmt::format("{} {}", std::string(bodies).substr(0, 60), family.parameters[k].name));
      const Truth right = truth(family, method, options, k);
      const double size = std::max(right.slope.q.norm(), right.slope.v.norm());
      // Of a parameter that counts for nothing, what is left is round-off of the whole motion.
      const double nothing = 2e-8 / family.parameters[k].value;
      ++compared;
      sharp += 10 * right.doubt <= 1e-6 * size + nothing;
      EXPECT_LE((found.end_slopes[k].q - right.slope.q).norm(),
                1e-6 * size + 10 * right.doubt + nothing);
      EXPECT_LE((found.end_slopes[k].v - right.slope.v).norm(),
                1e-6 * size + 10 * right.doubt + nothing);
    }
  }
  RecordProperty("compared", compared);
  RecordProperty("sharp", sharp);
  fmt::print("{}: {} compared, {} to six digits\n", GetParam(), compared, sharp);
  EXPECT_GE(compared, 15);
  EXPECT_GE(sharp, 12);
}

INSTANTIATE_TEST_SUITE_P(Methods, Contacts,
                         ::testing::Values("icd", "icd2", "energy_momentum", "implicit1", "rattle",
                                           "dop853"),
                         [](const auto& info) { return std::string(info.param); });

// x = v t − ½ (μ g − a) t² with the push a along x, and it does not depend on the mass.
TEST(ClosedForms, SlidingBlock) {
  const std::string scene = box(R"({"type": "rigid", "name": "bob", "mass": "=mass",
    "position": [0, 0, 0.1], "velocity": ["=speed", 0, 0],
    "shapes": [{"type": "box", "size": [0.4, 0.3, 0.2], "friction": "=mu"}]})");
  const ModelFamily family = text_family(scene, {"mu", "g", "speed", "mass"});
  for (const char* method : {"energy_momentum", "rattle", "dop853"}) {
    SCOPED_TRACE(method);
    const Sensitivities found = sensitivities(family, derived(method), steps_of(0.01, 0.3));
    EXPECT_NEAR(found.end_slopes[0].q[0], -0.5 * 9.81 * 0.09, 1e-6);
    EXPECT_NEAR(found.end_slopes[1].q[0], -0.5 * 0.3 * 0.09, 1e-6);
    EXPECT_NEAR(found.end_slopes[2].q[0], 0.3, 1e-6);
    EXPECT_NEAR(found.end_slopes[3].q[0], 0, 1e-7);
  }
}

}  // namespace
}  // namespace taut::testing
