#include <gtest/gtest.h>

#include "cli/run_cli.hpp"

namespace taut::cli {
namespace {

/// What the summary says of all states.
std::string states(const std::string& summary) {
  const std::size_t at = summary.find("states");
  return at == std::string::npos ? "" : summary.substr(at, summary.find('\n', at) - at);
}

TEST(CliGrasp, ReplaysARecordedSessionBitForBit) {
  const Scratch folder;
  const std::string file = (folder / "box.session").string();
  const Result recorded = taut({"grasp", "grasp_box", "--duration", "0.8", "--record", file});
  EXPECT_EQ(recorded.code, 0) << recorded.err;
  ASSERT_NE(states(recorded.out), "");
  const Result replayed = taut({"grasp", "grasp_box", "--duration", "0.8", "--replay", file});
  EXPECT_EQ(states(replayed.out), states(recorded.out));
  const Result shorter = taut({"grasp", "grasp_box", "--duration", "0.7", "--replay", file});
  EXPECT_NE(states(shorter.out), states(recorded.out));
}

TEST(CliGrasp, SaysWhatIsWrong) {
  EXPECT_EQ(taut({"grasp", "two_link"}).code, 2);
  EXPECT_EQ(taut({"grasp", "grasp_box", "--hand", "1"}).code, 2);
  EXPECT_EQ(taut({"grasp", "grasp_box", "--replay", "/nowhere"}).code, 2);
  EXPECT_EQ(taut({"grasp", "grasp_box", "--plugin", "/nowhere.so"}).code, 2);
  EXPECT_EQ(taut({"grasp", "grasp_box", "--vrpn", "localhost:x"}).code, 2);
  EXPECT_EQ(taut({"grasp", "grasp_box", "--glove", "/nowhere"}).code, 2);
}

TEST(CliGrasp, FollowsAStylus) {
  const Scratch folder;
  const std::string file = folder.write("touch.json", R"({
      "taut": 1, "name": "touch", "title": "t", "description": "d",
      "shapes": [{"type": "plane"}],
      "styluses": [{"keyframes": [{"time": 0, "position": [0, 0, 0.01]},
                                  {"time": 0.3, "position": [0, 0, 0.003]}]}],
      "simulation": {"method": "icd", "step": 0.001, "duration": 0.5}})");
  const Result result = taut({"grasp", file});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "N on the stylus")) << result.out;
  EXPECT_FALSE(contains(result.out, "at most 0 N"));
  EXPECT_EQ(taut({"grasp", file, "--stylus", "1"}).code, 2);
}

TEST(CliGrasp, WarnsOfMethodsThatDoNotSolveForCouplings) {
  const Scratch folder;
  const std::string out = (folder / "out").string();
  const auto run = [&](const char* method, const char* step) {
    return taut({"run", "grasp_box", "--method", method, "--duration", "0.002", "--step", step,
                 "--out", out});
  };
  EXPECT_TRUE(contains(run("rattle", "0.001").err, "couplings of hands"));
  EXPECT_TRUE(contains(run("rattle", "0.0005").err, "couplings of hands"));  // turns are stiffer
  EXPECT_FALSE(contains(run("rattle", "0.00005").err, "couplings of hands"));
  EXPECT_FALSE(contains(run("icd", "0.001").err, "couplings of hands"));
}

TEST(CliHand, PrintsLimbsAndAngles) {
  const Result result = taut({"hand", "--length", "0.18"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(contains(result.out, "pinkie_distal"));
  EXPECT_TRUE(contains(result.out, "wrist_yaw"));
  EXPECT_EQ(taut({"hand", "--length", "0"}).code, 2);
}

TEST(CliBench, PrintsTheIdleLoopBesideTheSteps) {
  const Result result = taut({"bench", "haptics", "grasp_box", "--seconds", "0.2"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "idle"));
  EXPECT_TRUE(contains(result.out, "grasp_box, CPU"));
}

TEST(CliBench, MapsWalls) {
  const Scratch folder;
  const std::string out = (folder / "walls.html").string();
  const Result result = taut({"bench", "walls", "--rates", "250", "--out", out});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "# # #"));
  EXPECT_TRUE(contains(file_text(folder / "walls.html"), "b = K T/2"));
  EXPECT_EQ(taut({"bench", "walls", "--mass", "0"}).code, 2);
}

}  // namespace
}  // namespace taut::cli
