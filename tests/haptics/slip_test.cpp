// The force at which a grip slips: n tips around a cylinder of weight W carry it as long as each
// presses with W/nμ, in whichever direction they press.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "taut/hand/stylus.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/stepping.hpp"

namespace taut::haptics {
namespace slips {

constexpr double radius = 0.02, tip = 0.008;  // m, of the cylinder and the tips
constexpr double mass = 0.3, friction = 0.6, gravity = 9.81;

struct Grip {
  int fingers;
  double azimuth;  // rad, of the first
  bool opens = true;
};

/// Styluses around a standing cylinder. They close, lift it by 5 mm, and open slowly from 1 s on.
io::Scene scene_of(const Grip& grip) {
  std::string styluses;
  for (int i = 0; i < grip.fingers; ++i) {
    const double angle = grip.azimuth + 2 * std::numbers::pi * i / grip.fingers;
    const double x = std::cos(angle), y = std::sin(angle);
    const auto at = [&](double time, double squeeze, double height) {
      const double away = radius + tip - squeeze;
      return fmt::format(R"({{"time": {}, "position": [{:.17g}, {:.17g}, {}]}})", time, away * x,
                         away * y, 0.03 + height);
    };
    styluses += fmt::format(
        R"({}{{"name": "tip{}", "tip": "point", "radius": {}, "settling": 0.003, "friction": {},
            "keyframes": [{}, {}, {}, {}, {}]}})",
        i > 0 ? "," : "", i, tip, friction, at(0, -0.002, 0), at(0.3, 0.0006, 0),
        at(0.7, 0.0006, 0.005), at(1, 0.0006, 0.005), at(5, grip.opens ? 0 : 0.0006, 0.005));
  }
  return io::parse_scene(
      fmt::format(R"({{"taut": 1, "name": "grip", "title": "t", "description": "d",
          "shapes": [{{"type": "plane"}}],
          "bodies": [{{"type": "rigid", "name": "load", "mass": {}, "position": [0, 0, 0.03],
            "shapes": [{{"type": "cylinder", "radius": {}, "height": 0.06, "friction": {}}}]}}],
          "styluses": [{}],
          "forces": [{{"type": "gravity", "acceleration": [0, 0, {}]}}],
          "simulation": {{"method": "icd", "step": 0.001, "duration": 5}}}})",
                  mass, radius, friction, styluses, -gravity),
      "grip", {});
}

class SlipForce : public ::testing::TestWithParam<Grip> {};
INSTANTIATE_TEST_SUITE_P(Grips, SlipForce,
                         ::testing::Values(Grip{2, 0}, Grip{2, 0.4}, Grip{2, std::numbers::pi / 4},
                                           Grip{3, 0}, Grip{3, 1}, Grip{5, 0.2}),
                         [](const auto& grip) {
                           return fmt::format("Fingers{}Azimuth{:.0f}", grip.param.fingers,
                                              100 * grip.param.azimuth);
                         });

TEST_P(SlipForce, IsTheWeightOverFriction) {
  const io::Scene scene = scene_of(GetParam());
  const auto method = make_method("icd");
  RunOptions options;
  options.step = 0.001;
  options.contact_solver = "real_time";
  Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
  const int at = scene.system.slot(*scene.system.find_body("load")).q + 2;
  while (stepping.state().time < 1) ASSERT_TRUE(stepping.step()) << stepping.report().reason;
  const double carried = stepping.state().q[at];
  EXPECT_GT(carried, 0.033);  // lifted, less what the tips give way
  const double expected = mass * gravity / (GetParam().fingers * friction);
  // Slowly open. It has slipped when it is a tenth of a millimetre lower than just before.
  double grip = 0, before = 0, sunk = carried;
  while (stepping.state().time < 5) {
    ASSERT_TRUE(stepping.step());
    double sum = 0, slip = 0;
    for (const ContactSample& contact : stepping.measure().contacts) {
      sum += std::abs(contact.force.dot(contact.normal));
      slip = std::max(slip, contact.slip.norm());
    }
    grip = sum / GetParam().fingers;
    if (slip > 1e-5) break;  // m/s
    before = grip;
    sunk = stepping.state().q[at];
  }
  EXPECT_LT(stepping.state().time, 5);
  EXPECT_NEAR(before, expected, 0.01 * expected);
  EXPECT_LT(carried - sunk, 2e-5);  // it stuck until then
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(stepping.step());
  EXPECT_LT(stepping.state().q[at], sunk - 1e-3);  // and falls
}

// What bears a load is never lost, not for one step.
TEST(HeldLoad, IsStill) {
  const io::Scene scene = scene_of({5, 0.2, false});
  const auto method = make_method("icd");
  RunOptions options;
  options.step = 0.001;
  options.contact_solver = "real_time";
  Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
  const int at = scene.system.slot(*scene.system.find_body("load")).v;
  double fastest = 0;
  while (stepping.state().time < 8) {
    ASSERT_TRUE(stepping.step()) << stepping.report().reason;
    if (stepping.state().time > 3)
      fastest = std::max(fastest, stepping.state().v.segment<3>(at).norm());
  }
  EXPECT_LT(fastest, 1e-8);
}

}  // namespace slips
}  // namespace taut::haptics
