// Sensors of scenes: what is read, and what a run leaves of them.
#include <fstream>
#include <sstream>

#include "io/scratch_folder.hpp"
#include "support/messages.hpp"
#include "taut/analysis/verify.hpp"
#include "taut/record/output.hpp"
#include "taut/record/run_output.hpp"
#include "taut/scene/scene.hpp"
#include "taut/text/json.hpp"

namespace taut::io {
namespace {

using taut::testing::message_of;
using taut::testing::says;

constexpr const char* thrown_balls = R"({"taut": 1,
  "parameters": {"n": {"value": 2}, "u": {"value": 3}},
  "bodies": [{"repeat": {"count": "=n"}, "items": [
    {"type": "particle", "name": "ball{i+1}", "mass": 1, "position": ["=i", 0, 0],
     "velocity": [0, "=u", 0]}]}],
  "forces": [{"type": "gravity", "acceleration": [0, -10, 0]}],
  "sensors": [
    {"repeat": {"count": "=n"}, "items": [{"name": "height{i+1}", "value": "=ball{i+1}.y + i"}]},
    {"name": "inverse", "value": "=1/t", "unit": "1/s"},
    {"name": "climb, left", "value": "=u - ball1.vy"}],
  "simulation": {"method": "dop853", "step": 0.01, "duration": 1}})";

using SensorFiles = ScratchFolder;

TEST_F(SensorFiles, EachSensorIsAColumnAndALineOfTheReport) {
  const Scene scene = parse_scene(thrown_balls, "balls");
  RunOptions options;
  options.step = 0.01;
  options.duration = 1;
  RunOutput output(scene, "dop853", {{&find_run_writer("sensors"), folder_ / "sensors.csv", {}}}, 0,
                   options);
  RunReport report = simulate_verified(
      scene.system, scene.system.initial_state(), [] { return make_method("dop853"); }, options);
  report.sensors = output.sensors();
  output.finish(report);

  std::istringstream table(content(folder_ / "sensors.csv"));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line, "time,height1,height2,inverse (1/s),\"climb, left\"");
  std::getline(table, line);
  EXPECT_EQ(line, "0,0,1,inf,0");
  int lines = 1;
  while (std::getline(table, line)) ++lines;
  EXPECT_EQ(lines, 101);

  // y = 3 t − 5 t², highest 0.45 m at 0.3 s, −2 m at the end; the second is 1 m higher.
  ASSERT_EQ(report.sensors.size(), 4u);
  const RunReport::SensorSummary& height = report.sensors[1];
  EXPECT_EQ(height.name, "height2");
  EXPECT_NEAR(height.largest, 1.45, 1e-9);
  EXPECT_NEAR(height.largest_at, 0.3, 1e-9);
  EXPECT_NEAR(height.least, -1, 1e-9);
  EXPECT_NEAR(height.least_at, 1, 1e-9);
  EXPECT_NEAR(height.final, -1, 1e-9);
  EXPECT_EQ(height.not_finite, 0);
  EXPECT_EQ(report.sensors[2].not_finite, 1);
  EXPECT_EQ(report.sensors[2].not_finite_at, 0);
  EXPECT_NEAR(report.sensors[2].largest, 100, 1e-9);
  EXPECT_NEAR(report.sensors[3].final, 10, 1e-9);
  const Json json = report_object(scene, "dop853", report);
  EXPECT_NE(json.dump().find("\"climb, left\""), std::string::npos);
}

TEST(SensorScenes, AutomaticStepsRecordTheSameFunctionOfTime) {
  const Scene scene = parse_scene(thrown_balls, "balls");
  RunOptions options;
  options.tolerance = 1e-8;
  options.record_interval = 0.05;
  options.duration = 1;
  RunOutput output(scene, "dop853", {}, 0, options);
  const auto method = make_method("dop853");
  simulate(scene.system, scene.system.initial_state(), *method, options);
  EXPECT_NEAR(output.sensors()[0].largest, 0.45, 1e-9);
  EXPECT_NEAR(output.sensors()[0].largest_at, 0.3, 1e-9);
}

TEST(SensorScenes, MistakesAreTold) {
  const auto message = [](const std::string& sensors) {
    return message_of([&] {
      std::string text = thrown_balls;
      const std::size_t from = text.find("\"sensors\""), to = text.find("\"simulation\"");
      text.replace(from, to - from, "\"sensors\": [" + sensors + "], ");
      parse_scene(text, "balls");
    });
  };
  EXPECT_EQ(message(R"({"name": "a", "value": "=ball1.y"})"), "no error");
  EXPECT_TRUE(says(message(R"({"name": "a", "value": "=bal1.y"})"), "balls: /sensors/0/value",
                   "\"bal1.y\"", "quantity", "ball1.y"));
  EXPECT_TRUE(says(message(R"({"name": "a", "value": "ball1.y"})"), "balls: /sensors/0/value",
                   "the string \"ball1.y\"", "a formula \"=…\""));
  EXPECT_TRUE(says(message(R"({"name": "a", "value": 3})"), "balls: /sensors/0/value",
                   "the number 3", "a formula"));
  EXPECT_TRUE(says(message(R"({"name": "a"})"), "balls: /sensors/0", "no \"value\"", "one"));
  EXPECT_TRUE(says(message(R"({"value": "=t"})"), "balls: /sensors/0", "no \"name\"", "one"));
  EXPECT_TRUE(taut::testing::mentions(message(R"({"name": "a", "valu": "=t"})"),
                                      "balls: /sensors/0/valu", "an unknown key|value"));
  EXPECT_TRUE(taut::testing::mentions(
      message(R"({"name": "a", "value": "=t"}, {"name": "a", "value": "=t"})"),
      "balls: /sensors/1/value", "two sensors|\"a\""));
}

TEST(SensorScenes, ForcesHaveNames) {
  const auto message = [](const std::string& name, const std::string& second) {
    return message_of([&] {
      parse_scene(R"({"taut": 1, "bodies": [
        {"type": "particle", "name": "a", "mass": 1, "position": [0, 0, 0]}],
        "constraints": [{"type": "distance", "name": "rod", "a": "a", "b": [0, 1, 0]}],
        "forces": [{"type": "spring", "a": "a", "b": [1, 0, 0], "stiffness": 2, "name": ")" +
                      name + R"("}, {"type": "gravity", "acceleration": [0, 0, 1], "name": ")" +
                      second + R"("}],
        "sensors": [{"name": "s", "value": "=coil.tension"}]})",
                  "test");
    });
  };
  EXPECT_EQ(message("coil", "down"), "no error");
  EXPECT_TRUE(says(message("rod", "down"), "test: /forces/0/name", "\"rod\"", "no constraint"));
  EXPECT_TRUE(
      taut::testing::mentions(message("coil", "coil"), "test: /forces/1/name", "two forces"));
  EXPECT_TRUE(says(message("cil", "down"), "test: /sensors/0/value", "coil.tension", "quantity",
                   "cil.tension"));
}

}  // namespace
}  // namespace taut::io
