#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_cli.hpp"

namespace taut::cli {
namespace {

using nlohmann::json;

TEST(CliFit, FindsParametersFromARunsOwnTable) {
  const Scratch scratch;
  const std::string out = (scratch / "run").string();
  ASSERT_EQ(taut({"run", "pendulum", "--set", "L=1.3", "--set", "g=9.6", "--duration", "1",
                  "--method", "icd2", "--sensor", "bob.x=bob.x", "--out", out})
                .code,
            0);
  const std::string table = out + "/sensors.csv", fitted = (scratch / "fitted.csv").string();
  const Result text = taut(
      {"fit", "pendulum", "--to", table, "--vary", "L,g", "--method", "icd2", "--out", fitted});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "converged")) << text.out;
  EXPECT_TRUE(contains(text.out, "100 of 100 steps by the implicit function theorem")) << text.out;
  EXPECT_TRUE(contains(file_text(fitted), "t (s),bob.x measured,bob.x fitted\n0,1.3,"));
  const Result found =
      taut({"fit", "pendulum", "--to", table, "--vary", "L,g=9:10", "--method", "icd2", "--json"});
  ASSERT_EQ(found.code, 0) << found.err;
  const json report = json::parse(found.out);
  EXPECT_TRUE(report["converged"]);
  EXPECT_NEAR(report["parameters"][0]["value"].get<double>(), 1.3, 1e-6);
  EXPECT_NEAR(report["parameters"][1]["value"].get<double>(), 9.6, 1e-5);
  EXPECT_EQ(report["parameters"][1]["max"], 10);
  EXPECT_EQ(report["covariance"].size(), 2u);
  // As few iterations as cannot be enough.
  EXPECT_EQ(taut({"fit", "pendulum", "--to", table, "--vary", "L", "--max-iterations", "1"}).code,
            1);
}

TEST(CliFit, BadInputIsNamed) {
  const Scratch scratch;
  const std::string good = scratch.write("good.csv", "t,bob.x\n0,1\n0.5,0.6\n");
  const auto error = [](const std::vector<std::string>& arguments) {
    const Result result = taut(arguments);
    EXPECT_EQ(result.code, 2) << result.out;
    return result.err;
  };
  EXPECT_TRUE(
      contains(error({"fit", "pendulum", "--to", good, "--vary", "l"}), "did you mean \"L\""));
  EXPECT_TRUE(contains(error({"fit", "chain", "--to", good, "--vary", "N"}), "bob"));
  EXPECT_TRUE(contains(error({"fit", "pendulum", "--to", good, "--vary", "L=2:1"}), "low < high"));
  EXPECT_TRUE(contains(
      error({"fit", "pendulum", "--to", good, "--vary", "L", "--deviation", "bob.y=1"}), "bob.y"));
  const std::string text = scratch.write("text.csv", "t,bob.x\n0,one\n");
  EXPECT_TRUE(contains(error({"fit", "pendulum", "--to", text, "--vary", "L"}),
                       "text.csv:2: found \"one\", expected a number"));
  const std::string back = scratch.write("back.csv", "t,bob.x\n1,1\n0.5,1\n");
  EXPECT_TRUE(contains(error({"fit", "pendulum", "--to", back, "--vary", "L"}), "back.csv:3"));
  const std::string other = scratch.write("other.csv", "t,rob.x\n0,1\n");
  EXPECT_TRUE(contains(error({"fit", "pendulum", "--to", other, "--vary", "L"}), "rob"));
}

}  // namespace
}  // namespace taut::cli
