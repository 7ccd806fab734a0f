// Hands in scenes: what is read, and what is said of mistakes.
#include <fstream>

#include "io/error_messages.hpp"
#include "io/scratch_folder.hpp"
#include "taut/hand/coupling.hpp"

namespace taut::io {
namespace {

std::string scene_of(const std::string& hands, const std::string& parameters = "") {
  return R"({"taut": 1, "name": "n", )" + parameters + R"("hands": [)" + hands + "]}";
}

TEST(HandsOfScenes, TwoOfThemWithTheirLimbs) {
  const Scene scene = parse_scene(scene_of(R"({"name": "right", "position": [1, 2, 3]},
                  {"name": "left", "side": "left", "length": 0.17, "limbs": "jointed"})"),
                                  "f.json");
  const auto hands = hand::hands_of(scene.system);
  ASSERT_EQ(hands.size(), 2u);
  EXPECT_EQ(scene.system.body_count(), 32);
  EXPECT_TRUE(scene.system.find_body("left/index_distal"));
  EXPECT_EQ(hands[0].ghost->pose(0).position, Vec3(1, 2, 3));
  EXPECT_EQ(hands[1].model.side(), hand::Side::left);
  EXPECT_EQ(scene.system.row_count(), 5 * 3 + 10 * 5);  // balls and hinges of the left one
}

TEST(HandsOfScenes, KeyframesUseParametersAndKeepWhatTheyDoNotSay) {
  const Scene scene = parse_scene(
      scene_of(R"({"keyframes": [{"time": 0, "position": [1, 0, 0], "angles": {"index_mpj": 0.5}},
                                 {"time": 1, "angles": {"index_pij": "=2*bend"}}]})",
               R"("parameters": {"bend": {"value": 0.25}}, )"),
      "f.json");
  const hand::HandPose end = hand::hands_of(scene.system).front().ghost->pose(5);
  EXPECT_EQ(end.position, Vec3(1, 0, 0));
  EXPECT_EQ(end.angles[4], 0.5);
  EXPECT_EQ(end.angles[5], 0.5);
}

// While it turns, the point stays where it is.
TEST(HandsOfScenes, TurnAboutTheirPoint) {
  const Scene scene = parse_scene(
      scene_of(R"({"point": [0.1, 0, 0], "keyframes": [{"time": 0, "position": [0, 0, 1]},
                   {"time": 1, "orientation": {"axis": [0, 0, 1], "angle": 1}}]})"),
      "f.json");
  for (const double time : {0.0, 0.3, 0.5, 1.0}) {
    const hand::HandPose pose = hand::hands_of(scene.system).front().ghost->pose(time);
    EXPECT_LT((pose.position + pose.orientation * Vec3(0.1, 0, 0) - Vec3(0, 0, 1)).norm(), 1e-15);
  }
}

TEST(HandsOfScenes, SayWhatIsWrong) {
  const auto message = [](const std::string& hand) { return parse_message(scene_of(hand)); };
  const auto expect = [](const std::string& text, std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts)
      EXPECT_NE(text.find(part), std::string::npos) << text << "\n lacks " << part;
  };
  expect(message(R"({"side": "both"})"), {"/hands/0/side", "right"});
  expect(message(R"({"motion": "grasp_bax"})"), {"/hands/0/motion", "grasp_box"});
  expect(message(R"({"length": -1})"), {"/hands/0/length"});
  expect(message(R"({"motion": "grasp_box", "keyframes": [{"time": 0}]})"), {"one of the two"});
  expect(message(R"({"keyframes": [{"time": 0, "angles": {"index_mpk": 1}}]})"), {"index_mpj"});
  expect(message(R"({"keyframes": [{"time": 0, "angles": {"index_mpj": 9}}]})"),
         {"/hands/0/keyframes/0/angles/index_mpj", "a hand can do"});
  expect(message(R"({"keyframes": [{"time": 1}, {"time": 1}]})"), {"later"});
  expect(message(R"({"keyframes": []})"), {"keyframe"});
  expect(message(R"({"name": "a"}, {"name": "a"})"), {"/hands/1", "a/palm"});
}

class HandFile : public ScratchFolder {};

TEST_F(HandFile, SizesThatWereMeasured) {
  write("sizes.json", R"({"length": 0.19, "index": {"lengths": [0.05, 0.03, 0.02]}})");
  const auto scene = write("scene.json", scene_of(R"({"sizes": "sizes.json"})"));
  const Scene read = load_scene(scene.string());
  EXPECT_EQ(hand::hands_of(read.system).front().model.limb(4).length, 0.05);
  EXPECT_EQ(hand::hands_of(read.system).front().model.limb(7).length, 0.045);
  write("sizes.json", R"({"index": {"radii": [0.05, 0.03, 0.03]}})");
  EXPECT_NE(load_message(scene.string()).find("thick"), std::string::npos);
}

}  // namespace
}  // namespace taut::io
