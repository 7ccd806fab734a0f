// What taut says about how far a run can be trusted.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_cli.hpp"
#include "support/messages.hpp"

namespace taut::cli {
namespace {

using nlohmann::json;
using testing::has_all;

TEST(CliVerdict, StandsInTheSummaryAndTheReport) {
  EXPECT_TRUE(
      has_all(taut({"run", "two_link", "--duration", "1"}).out, "verdict           trusted"));
  const std::vector<std::string> bad{"run", "two_link", "--method", "icd", "--duration", "5"};
  const Result result = taut(bad);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has_all(result.out, "verdict: suspect|damped the motion"));
  std::vector<std::string> as_json = bad;
  as_json.push_back("--json");
  const json report = json::parse(taut(as_json).out);
  EXPECT_EQ(report["status"], "ok");
  EXPECT_EQ(report["verdict"], "suspect");
  ASSERT_EQ(report["doubts"].size(), 1u);
  EXPECT_TRUE(has_all(report["doubts"][0].get<std::string>(), "damped|lost| J, | %"));
}

TEST(CliVerdict, StrictMakesSuspectRunsFail) {
  EXPECT_EQ(taut({"run", "two_link", "--duration", "1", "--strict"}).code, 0);
  EXPECT_EQ(taut({"run", "two_link", "--method", "icd", "--duration", "5", "--strict"}).code, 4);
  EXPECT_EQ(taut({"run", "conflict_pins", "--duration", "0.1", "--strict", "--quiet"}).code, 4);
  const Result diverged =
      taut({"run", "two_link", "--method", "penalty", "--step", "1", "--strict"});
  EXPECT_EQ(diverged.code, 1) << diverged.out;
}

TEST(CliVerdict, VerifyEstimatesTheError) {
  const Result good = taut({"run", "two_link", "--duration", "2", "--verify", "--strict"});
  EXPECT_EQ(good.code, 0) << good.out;
  EXPECT_TRUE(has_all(good.out, "verified|a step of 0.005 s|error about|digits"));
  const Result poor = taut(
      {"run", "two_link", "--method", "rattle", "--duration", "2", "--verify=1e-9", "--strict"});
  EXPECT_EQ(poor.code, 4) << poor.out;
  EXPECT_TRUE(has_all(poor.out, "verdict: suspect|within 1e-09 only until"));
  const json report =
      json::parse(taut({"run", "two_link", "--duration", "2", "--verify", "--json"}).out);
  EXPECT_EQ(report["verification"]["wanted"], 1e-3);
  EXPECT_TRUE(report["verification"]["met"].get<bool>());
  EXPECT_LT(report["verification"]["relative_error"].get<double>(), 1e-9);
}

TEST(CliVerdict, VerifyTakesANumber) {
  for (const char* bad : {"--verify=x", "--verify=0", "--verify=-1", "--verify=inf"}) {
    const Result result = taut({"run", "two_link", bad});
    EXPECT_EQ(result.code, 2) << bad;
    EXPECT_TRUE(has_all(result.err, "--verify|number > 0")) << bad;
  }
}

// The energy of a pendulum whose length is driven tells nothing, and methods of order 1 and 2 are
// far off at this step; the comparison, which is quick, shows it.
TEST(CliVerdict, ShortRunsAreComparedWithoutBeingAskedFor) {
  const Scratch scratch;
  const std::string scene = scratch.write("swing.json", R"json({
    "taut": 1, "name": "swing", "forces": [{"type": "gravity"}],
    "bodies": [{"type": "particle", "name": "bob", "mass": 1, "position": [1, 0, 0]}],
    "constraints": [{"type": "distance", "a": [0, 0, 0], "b": "bob",
      "length": {"type": "formula", "value": "=1-0.3*sin(4*t)"}}],
    "simulation": {"step": 0.01, "duration": 10}})json");
  for (const char* method : {"implicit1", "implicit2", "rattle", "energy_momentum", "icd2"}) {
    const Result result = taut({"run", scene, "--method", method, "--strict"});
    EXPECT_EQ(result.code, 4) << method << result.out;
  }
  const Result good = taut({"run", scene, "--method", "dop853", "--strict"});
  EXPECT_EQ(good.code, 0) << good.out;
  EXPECT_TRUE(has_all(good.out, "verified|with a step of 0.005 s|verdict           trusted"));
  const Result once = taut({"run", scene, "--method", "dop853", "--no-verify"});
  EXPECT_TRUE(has_all(once.out, "trusted, as far as one run tells"));
}

TEST(CliVerdict, CompareHasAColumn) {
  const Result result = taut({"compare", "two_link", "--methods", "rattle,icd"});
  EXPECT_TRUE(has_all(result.out, "verdict|ok      trusted|ok      suspect"));
}

}  // namespace
}  // namespace taut::cli
