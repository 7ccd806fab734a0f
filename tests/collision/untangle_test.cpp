// Tangled starts are moved apart, or it is said that they are not.
#include "taut/collision/untangle.hpp"

#include <gtest/gtest.h>

#include "taut/collision/cloth_faults.hpp"
#include "taut/model/pose.hpp"
#include "taut/scene/scene.hpp"

namespace taut::testing {
namespace {

using collision::find_cloth_faults;
using collision::untangle;
using collision::Untangling;

std::size_t faults(const io::Scene& scene, const VecX& q) {
  const auto found = find_cloth_faults(scene.system, scene.surfaces, Pose(scene.system, q), 1e-9);
  return found.tangled.size() + found.inside.size();
}

std::string sheet(const char* name, const char* place, const char* more = "") {
  return std::string(R"({ "name": ")") + name +
         R"(", "grid": { "columns": 7, "rows": 7, "width": 0.3, "height": 0.3, )" + place +
         R"( }, "touches": "all")" + more + " }";
}

io::Scene scene_of(const std::string& cloths, const std::string& shapes = "") {
  return io::parse_scene(R"({ "taut": 1, "name": "tangled", "shapes": [)" + shapes +
                             R"(], "cloths": [)" + cloths + "] }",
                         "tangled");
}

constexpr const char
    *level = R"("origin": [0, 0, 0], "across": [1, 0, 0], "along": [0, 1, 0])",
    *through = R"("origin": [0.23, 0.017, 0.11], "across": [0, 1, 0], "along": [0.3, 0.1, -1])";

TEST(Untangle, TakesTwoSheetsApart) {
  const io::Scene scene = scene_of(sheet("level", level) + ", " + sheet("through", through));
  VecX q = scene.system.initial_state().q;
  ASSERT_GT(faults(scene, q), 5u);
  const Untangling result = untangle(scene.system, scene.surfaces, q);
  EXPECT_TRUE(result.is_done);
  EXPECT_EQ(faults(scene, q), 0u);
  EXPECT_LT(result.strain, 0.01);
  EXPECT_LT(result.farthest, 0.3);
  // Layers are apart, so that a run can begin.
  std::vector<SheetTouch> touches;
  const Pose pose(scene.system, q);
  scene.system.sheets()->find(pose, pose, touches);
  for (const SheetTouch& touch : touches) EXPECT_GT(touch.gap, -0.5 * touch.thickness);
}

TEST(Untangle, TakesASheetOutOfABall) {
  const io::Scene scene = scene_of(
      sheet("level", level), R"({ "type": "sphere", "radius": 0.1, "at": [0.15, 0.15, -0.08] })");
  VecX q = scene.system.initial_state().q;
  ASSERT_GT(faults(scene, q), 0u);
  const Untangling result = untangle(scene.system, scene.surfaces, q);
  EXPECT_TRUE(result.is_done);
  EXPECT_EQ(faults(scene, q), 0u);
  EXPECT_LT(result.strain, 0.01);
}

TEST(Untangle, TakesAStripOutOfItself) {
  const io::Scene scene = scene_of(
      R"json({ "name": "strip", "touches": "all", "grid": { "columns": 41, "rows": 4, "width": 0.8,
           "height": 0.06, "across": [1, 0, 0], "along": [0, 1, 0] },
           "start_formula": ["=0.3*x+0.12*sin(2*pi*x/0.8+0.3)", "=y", "=-0.1*cos(2*pi*x/0.8+0.3)"] })json");
  VecX q = scene.system.initial_state().q;
  ASSERT_GT(faults(scene, q), 3u);
  const Untangling result = untangle(scene.system, scene.surfaces, q);
  EXPECT_TRUE(result.is_done);
  EXPECT_EQ(faults(scene, q), 0u);
  EXPECT_LT(result.strain, 0.01);
}

TEST(Untangle, LeavesWhatIsInOrder) {
  const io::Scene scene = scene_of(sheet("level", level));
  VecX q = scene.system.initial_state().q;
  const Untangling result = untangle(scene.system, scene.surfaces, q);
  EXPECT_TRUE(result.is_done);
  EXPECT_EQ(result.rounds, 0);
  EXPECT_TRUE(q == scene.system.initial_state().q);
}

TEST(Untangle, SaysSoWhereEverythingIsHeld) {
  const char* held = R"(, "pins": [{ "near": [0, 0, 0], "radius": 9 }])";
  const io::Scene scene =
      scene_of(sheet("level", level, held) + ", " + sheet("through", through, held));
  VecX q = scene.system.initial_state().q;
  EXPECT_FALSE(untangle(scene.system, scene.surfaces, q).is_done);
  EXPECT_TRUE(q == scene.system.initial_state().q);
}

}  // namespace
}  // namespace taut::testing
