// What a grip holds, against what is known: friction carries a box of weight W between two fingers
// as long as each presses with W/2μ.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "taut/hand/coupling.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/stepping.hpp"

namespace taut::haptics {
namespace {

/// The scene grasp_box with another motion. Two fingers take it in the middle, a little above its
/// centre: there is nothing else that keeps it from swinging.
io::Scene grip(const std::string& motion, const std::vector<io::Setting>& settings,
               const std::string& keyframes = "") {
  std::ifstream file(TAUT_SOURCE_DIR "/scenes/grasp_box.json");
  std::stringstream text;
  text << file.rdbuf();
  std::string scene = text.str();
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(scene.find(from), std::string::npos);
    scene.replace(scene.find(from), from.size(), to);
  };
  replace(R"("motion": "grasp_box")",
          keyframes.empty() ? "\"motion\": \"" + motion + "\"" : keyframes);
  if (motion != "grasp_box")
    replace("[0, 0.004, 0.03]", keyframes.empty() ? "[0, 0, 0.04]" : "[0, 0, 0.053]");
  return io::parse_scene(scene, "grip", settings);
}

struct Held {
  Vec3 place = Vec3::Zero();
  double grip = 0;   // N, along the normals: the mean of both sides, which differ if it is tilted
  double lift = 0;   // N: what the hand carries
  double level = 1;  // cosine of how far the faces that are held are tilted
  double slip = 0;   // m/s: the fastest of a finger on the box
};
Held held(Stepping& stepping, const System& system) {
  Held out;
  out.place = stepping.state().q.segment<3>(system.slot(*system.find_body("box")).q);
  for (const ContactSample& contact : stepping.measure().contacts) {
    out.slip = std::max(out.slip, contact.slip.norm());
    if (contact.a.find("right/") == 0 || contact.b.find("right/") == 0) {
      out.grip += 0.5 * std::abs(contact.force.dot(contact.normal));
      out.level = contact.normal.head<2>().norm();
      out.lift += (contact.b == "box" ? -1 : 1) * contact.force.z();
    }
  }
  return out;
}

class Grip : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Fingers, Grip, ::testing::Values("pinch_two", "pinch_three", "grasp_box"),
                         [](const auto& motion) { return std::string(motion.param); });

// Nothing creeps. (Over 60 s it is less: docs/hand.md.)
TEST_P(Grip, HoldsStillAndLetsGo) {
  const io::Scene scene = grip(GetParam(), {});
  const auto method = make_method("icd");
  RunOptions options;
  options.step = 0.001;
  Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
  const auto run_until = [&](double time) {
    while (stepping.state().time < time - 1e-9) ASSERT_TRUE(stepping.step());
  };
  run_until(3.0);
  const Held before = held(stepping, scene.system);
  EXPECT_GT(before.place.z(), 0.16);
  run_until(3.2);
  const Held after = held(stepping, scene.system);
  EXPECT_LT(before.slip, 1e-8);  // m/s, which is 1e-5 mm/s
  EXPECT_LT(after.slip, 1e-8);
  // It may still swing a little between two fingers, which no friction at points resists.
  EXPECT_LT((after.place - before.place).norm(), 1e-5);
  EXPECT_NEAR(after.grip / before.grip, 1, 1e-3);
  run_until(5.2);
  EXPECT_NEAR(held(stepping, scene.system).place.z(), 0.03, 1e-9);  // on the table
  EXPECT_LT(stepping.state().v.segment<6>(0).norm(), 1e-9);
}

// Thumb and index finger hold the box by its upper edge, with their tips alone, and their ghosts
// open slowly. The box begins to slide when friction on both
// sides is used up.
TEST(GripForce, SlipsAtHalfTheWeightOverFriction) {
  const double mass = 0.3, friction = 0.6, weight = mass * 9.81;
  std::ifstream file(TAUT_SOURCE_DIR "/motions/pinch_two.json");
  std::stringstream text;
  text << file.rdbuf();
  std::string motion = text.str();
  // As it is until the box is lifted; then to no squeeze at all within 6 s.
  const std::size_t closes = motion.find("{\"time\": 0.9");
  std::string opening = motion.substr(closes, motion.find('\n', closes) - closes - 1);
  opening.replace(opening.find("0.9"), 3, "9");
  for (std::size_t at = 0; (at = opening.find("squeeze", at)) != std::string::npos; at += 13)
    opening.replace(at, 7, "(0*squeeze)");
  const std::size_t first = motion.find('[', motion.find("keyframes"));
  const std::string keyframes = "\"point\": [0.09, 0.026, -0.07], \"keyframes\": " +
                                motion.substr(first, motion.find("{\"time\": 3.2") - first) +
                                "{\"time\": 2.6}, " + opening + "]";
  const io::Scene scene = grip("pinch_two", {}, keyframes);
  const auto method = make_method("icd");
  RunOptions options;
  options.step = 0.001;
  Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
  while (stepping.state().time < 2.6) ASSERT_TRUE(stepping.step());
  EXPECT_GT(held(stepping, scene.system).grip, 1.1 * weight / (2 * friction));
  // The last moment at which it was carried, before it fell.
  Held now = held(stepping, scene.system), last = now;
  while (now.place.z() > last.place.z() - 0.002) {
    ASSERT_LT(stepping.state().time, 9);
    ASSERT_TRUE(stepping.step());
    now = held(stepping, scene.system);
    if (now.lift > 0.995 * weight) last = now;
  }
  const double expected = last.level * weight / (2 * friction);
  EXPECT_NEAR(last.grip, expected, 0.01 * expected);
}

}  // namespace
}  // namespace taut::haptics
