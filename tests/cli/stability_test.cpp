#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_cli.hpp"

namespace taut::cli {
namespace {

using nlohmann::json;

TEST(CliStabilityFeedback, PolesAndSteps) {
  const Result result =
      taut({"stability", "feedback", "--alpha", "3", "--beta", "5", "--step", "0.1"});
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* part : {"-3 ± 4i 1/s", "0.6 (underdamped", "explicit_euler", "0.24", "0.226476",
                           "spectral radius at 0.1 s"})
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
}

TEST(CliStabilityFeedback, PolePlacement) {
  const Result result = taut({"stability", "feedback", "--poles", "-3+4i,-3-4i", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json object = json::parse(result.out);
  EXPECT_EQ(object["alpha"], 3.0);
  EXPECT_EQ(object["beta"], 5.0);
  EXPECT_EQ(object["poles"][0]["im"], 4.0);
  EXPECT_EQ(object["bases"]["explicit_euler"]["largest_stable_step"], 0.24);
  EXPECT_EQ(json::parse(taut({"stability", "feedback", "--poles", "-5,-5", "--json"}).out)["beta"],
            5.0);
}

TEST(CliStability, BadInput) {
  const auto fails = [](std::vector<std::string> arguments, std::string_view part) {
    arguments.insert(arguments.begin(), "stability");
    const Result result = taut(arguments);
    EXPECT_EQ(result.code, 2) << part;
    EXPECT_TRUE(contains(result.err, part)) << result.err;
  };
  fails({"feedback", "--poles", "-3+4i,-3"}, "complex gains");
  fails({"feedback", "--poles", "3,-3"}, "not stable");
  fails({"feedback", "--poles", "-3"}, "expected two numbers");
  fails({"feedback", "--poles", "-3,-3", "--alpha", "2"}, "either the poles or the gains");
  fails({"feedback", "--alpha", "-1"}, "expected a number ≥ 0");
  fails({"feedback", "--alpha", "1", "--step", "0"}, "expected a number > 0");
  fails({"feedback", "--alfa", "1"}, "did you mean \"--alpha\"");
  fails({"feedbak"}, "did you mean \"feedback\"");
  fails({"map", "--method", "baumgarde"}, "did you mean \"baumgarte\"");
  fails({"map", "--method", "baumgarte", "--scene", "beed"}, "did you mean \"bead\"");
  fails({"map", "--method", "baumgarte", "--parameter", "aplha=1:2"}, "did you mean \"alpha\"");
  fails({"map", "--method", "implicit1", "--parameter", "alpha=1:2"}, "no numeric option");
  fails({"map", "--method", "baumgarte", "--steps", "1:0.1"}, "expected from < to");
  fails({"map", "--method", "baumgarte", "--steps", "x"}, "expected from:to");
  fails({"map", "--method", "baumgarte", "--set", "method.alpha=2"}, "the map varies");
}

TEST(CliStabilityMap, WritesPictureAndTable) {
  const Scratch scratch;
  const auto out = scratch / "out";
  const Result result =
      taut({"stability", "map", "--method", "baumgarte", "--steps", "0.01:1:9", "--parameter",
            "alpha=1:100:7", "--set", "v=0", "--out", out.string()});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "alpha = beta from 1 to 100 1/s")) << result.out;
  const std::string csv = file_text(out / "map.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 64);
  EXPECT_TRUE(contains(csv, "step,alpha,behaviour,"));
  const std::string svg = file_text(out / "map.svg");
  for (const char* part :
       {"<svg", "step h (s)", "alpha = beta (1/s)", "predicted limit", "#D55E00"})
    EXPECT_TRUE(contains(svg, part)) << part;
}

TEST(CliStabilityMap, JsonHasEveryCell) {
  const Scratch scratch;
  const Result result = taut({"stability", "map", "--method", "baumgarte", "--steps", "0.01:0.05:3",
                              "--parameter", "beta=1:5:2", "--set", "method.alpha=4", "--json",
                              "--out", (scratch / "out").string()});
  ASSERT_EQ(result.code, 0) << result.err;
  const json map = json::parse(result.out);
  EXPECT_EQ(map["cells"].size(), 6u);
  EXPECT_EQ(map["parameters"], json({"beta"}));
  EXPECT_EQ(map["options"]["alpha"], "4");
  EXPECT_EQ(map["predicted"].size(), 2u);
}

TEST(CliAdvise, RecommendsAndSaysHowGoodTheReferenceIs) {
  const Result result =
      taut({"advise", "pendulum", "--duration", "2", "--accuracy", "0.01", "--budget", "5"});
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* part : {"Cheapest: ", "taut run pendulum --method ", "accurate to ", "deviation",
                           "µs per s", "from the scene's own"})
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
}

TEST(CliAdvise, ExitCodeOneWhenNothingIsAccurateEnough) {
  const Result result = taut({"advise", "pendulum", "--duration", "1", "--accuracy", "1e-10",
                              "--budget", "0.5", "--set", "method.base=explicit_euler", "--json"});
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_TRUE(json::parse(result.out)["recommended"].is_null());
  EXPECT_EQ(taut({"advise", "pendulum", "--accuracy", "0"}).code, 2);
  EXPECT_EQ(taut({"advise", "pendulun"}).code, 2);
}

}  // namespace
}  // namespace taut::cli
