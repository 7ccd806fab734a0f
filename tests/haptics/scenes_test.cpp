// The scenes with hands do what they say.
#include <gtest/gtest.h>

#include "support/touching_cloth.hpp"
#include "taut/model/rotation.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/stepping.hpp"

namespace taut::haptics {
namespace {

struct Place {
  Vec3 position = Vec3::Zero(), turn = Vec3::Zero();
};

/// Where a body is at the end of the scene, or at a time.
Place place_of(const std::string& body, const std::string& scene_name, double time = 0) {
  const io::Scene scene = io::load_scene(scene_name);
  const auto method = make_method(scene.method);
  RunOptions options;
  options.step = scene.step;
  options.contact_solver = "real_time";
  Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
  const double end = time > 0 ? time : scene.duration;
  while (stepping.state().time < end - 1e-9 && stepping.step()) {
  }
  EXPECT_NEAR(stepping.state().time, end, 1e-9) << stepping.report().reason;
  const double* q = stepping.state().q.data() + scene.system.slot(*scene.system.find_body(body)).q;
  return {Vec3(q[0], q[1], q[2]), logarithm(quaternion_at(q + 3))};
}

TEST(HandScenes, FrameIsLifted) {
  EXPECT_GT(place_of("frame", "grasp_frame", 2.5).position.z(), 0.2);
}
TEST(HandScenes, BlockIsStacked) {
  const Place upper = place_of("upper", "stack_blocks");
  EXPECT_NEAR(upper.position.x(), 0.15, 0.003);
  EXPECT_NEAR(upper.position.z(), 0.075, 1e-6);
}
TEST(HandScenes, PegIsInTheHole) {
  const Place peg = place_of("peg", "peg_in_hole");
  EXPECT_NEAR(peg.position.x(), 0.15, 0.003);
  EXPECT_NEAR(peg.position.z(), 0.05, 1e-6);  // on the table, 30 mm deep in the hole
}
TEST(HandScenes, KnobIsTurned) { EXPECT_GT(place_of("knob", "turn_a_knob").turn.z(), 0.6); }
TEST(HandScenes, LidIsOpened) { EXPECT_LT(place_of("lid", "open_a_lid").turn.y(), -0.7); }
TEST(HandScenes, RopeDrawsTheWeight) {
  EXPECT_LT(place_of("weight", "pull_a_rope").position.x(), 0.25);
}

/// How high the corner is in the end that the hand has taken.
double lifted(const std::string& friction, testing::TouchingRun& run) {
  const io::Setting skin{"friction", friction};
  const io::Scene scene = io::load_scene("lift_a_cloth_corner", {&skin, 1});
  run = testing::run_touching(scene, scene.system.initial_state(), scene.method, 0, 10);
  EXPECT_EQ(run.report.status, RunStatus::ok) << run.report.reason;
  EXPECT_EQ(run.crossings + run.intrusions, 0) << run.first;
  EXPECT_LE(run.strain, 0.01);
  EXPECT_GE(run.states, 240);
  const BodyId corner = *scene.system.find_body("cloth_10_10");
  return run.report.final_state.q[scene.system.slot(corner).q + 2];
}

// It hangs at 0.081 m, and the table is at 0.2 m. Friction alone holds it.
TEST(HandScenes, ClothCornerIsLifted) {
  testing::TouchingRun run;
  EXPECT_NEAR(lifted("0.6", run), 0.081 + 0.17, 0.012);
  EXPECT_EQ(run.report.cost.unconverged_steps, 0);
}
TEST(HandScenes, ClothCornerSlipsOutOfSmoothFingers) {
  testing::TouchingRun run;
  EXPECT_LT(lifted("0.02", run), 0.19);
}

// A finger that closes is stopped by the palm, if it touches it.
TEST(HandScenes, FistTouchesItself) {
  for (const bool touches : {false, true}) {
    const io::Scene scene = io::parse_scene(
        std::string(R"({"taut": 1, "name": "fist", "title": "t", "description": "d",
            "hands": [{"name": "right", "self_contact": )") +
            (touches ? "true" : "false") +
            R"(, "keyframes": [{"time": 0, "angles": {"thumb_ab": 0.9}}, {"time": 0.3, "angles":
              {"index_mpj": 1.5, "index_pij": 2.0, "index_dij": 1.3}}]}],
            "simulation": {"method": "icd", "step": 0.001, "duration": 0.4}})",
        "fist", {});
    const auto method = make_method("icd");
    RunOptions options;
    options.step = 0.001;
    options.contact_solver = "real_time";
    Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
    double force = 0, overlap = 0;
    for (int i = 0; i < 400; ++i) {
      ASSERT_TRUE(stepping.step()) << stepping.report().reason;
      overlap = std::max(overlap, stepping.report().contacts.overlap);
    }
    for (const ContactSample& contact : stepping.measure().contacts)
      force = std::max(force, contact.force.norm());
    EXPECT_LT(overlap, 1e-4);
    EXPECT_EQ(force > 0.1, touches);
    EXPECT_LT(force, 60);
  }
}

}  // namespace
}  // namespace taut::haptics
