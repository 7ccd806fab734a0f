// What a grip holds, against what is known: friction carries a box of weight W between two fingers
// as long as each presses with W/2μ.
#include <gtest/gtest.h>

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
  if (motion != "grasp_box") replace("[0, 0.004, 0.03]", "[0, 0, 0.04]");
  return io::parse_scene(scene, "grip", settings);
}

struct Held {
  Vec3 place = Vec3::Zero();
  double thumb = 0;  // N, along its normal
  double slip = 0;   // m/s: the fastest of a finger on the box
};
Held held(Stepping& stepping, const System& system) {
  Held out;
  out.place = stepping.state().q.segment<3>(system.slot(*system.find_body("box")).q);
  for (const ContactSample& contact : stepping.measure().contacts) {
    out.slip = std::max(out.slip, contact.slip.norm());
    if (contact.a.find("thumb") != std::string::npos ||
        contact.b.find("thumb") != std::string::npos)
      out.thumb += std::abs(contact.force.dot(contact.normal));
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
  EXPECT_NEAR(after.thumb / before.thumb, 1, 1e-3);
  run_until(5.2);
  EXPECT_NEAR(held(stepping, scene.system).place.z(), 0.03, 1e-9);  // on the table
  EXPECT_LT(stepping.state().v.segment<6>(0).norm(), 1e-9);
}

// The ghosts of thumb and index finger open slowly. The box begins to slide when friction on both
// sides is used up.
TEST(GripForce, SlipsAtHalfTheWeightOverFriction) {
  const double mass = 0.3, friction = 0.6, weight = mass * 9.81;
  std::ifstream file(TAUT_SOURCE_DIR "/motions/pinch_two.json");
  std::stringstream text;
  text << file.rdbuf();
  std::string motion = text.str();
  // As it is until the box is lifted; then to no squeeze at all within 4 s.
  const std::size_t closes = motion.find("{\"time\": 0.9");
  std::string opening = motion.substr(closes, motion.find('\n', closes) - closes - 1);
  opening.replace(opening.find("0.9"), 3, "7.5");
  for (std::size_t at = 0; (at = opening.find("squeeze", at)) != std::string::npos; at += 13)
    opening.replace(at, 7, "(0*squeeze)");
  const std::size_t first = motion.find('[', motion.find("keyframes"));
  const std::string keyframes = "\"point\": [0.09, 0.026, -0.07], \"keyframes\": " +
                                motion.substr(first, motion.find("{\"time\": 3.2") - first) +
                                "{\"time\": 3.5}, " + opening + "]";
  const io::Scene scene = grip("pinch_two", {}, keyframes);
  const auto method = make_method("icd");
  RunOptions options;
  options.step = 0.001;
  Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
  while (stepping.state().time < 3.5) ASSERT_TRUE(stepping.step());
  double thumb = held(stepping, scene.system).thumb;
  const double height = held(stepping, scene.system).place.z();
  EXPECT_GT(thumb, 1.1 * weight / (2 * friction));
  while (held(stepping, scene.system).place.z() > height - 5e-4) {
    ASSERT_LT(stepping.state().time, 7.5);
    thumb = held(stepping, scene.system).thumb;
    ASSERT_TRUE(stepping.step());
  }
  EXPECT_NEAR(thumb, weight / (2 * friction), 0.01 * weight / (2 * friction));
}

}  // namespace
}  // namespace taut::haptics
