// Claims: what is required, what was measured, and whether that was expected.
#include <gtest/gtest.h>

#include <cmath>

#include "support/experiment_files.hpp"
#include "taut/base/error.hpp"
#include "taut/experiment/experiment_internal.hpp"

namespace taut::experiment {
namespace {

using report::Claim;

using testing::complaint;
using testing::file;

TEST(Claims, HoldOrFail) {
  detail::Experiment experiment;
  detail::ClaimSpec claim;
  claim.text = "c";
  claim.measure = "a/b";
  claim.at_least = 2;
  claim.at_most = 3;
  experiment.claims = {claim};
  const auto status = [&](double a) {
    return detail::judge(experiment, {{"a", a}, {"b", 2}})[0].status;
  };
  EXPECT_EQ(status(5), Claim::Status::holds);
  EXPECT_EQ(status(7), Claim::Status::fails);
  EXPECT_EQ(status(3), Claim::Status::fails);
  EXPECT_EQ(status(NAN), Claim::Status::fails);
}

Claim judged(double value, const std::string& members) {
  const detail::Experiment experiment = detail::read_experiment(
      file(R"("claims": [{"text": "c", "measure": "a", )" + members + "}]"), "x.json");
  return detail::judge(experiment, {{"a", value}}).at(0);
}

TEST(Claims, AreComparedWithTheirExpectedStatus) {
  EXPECT_TRUE(judged(3, R"("at_least": 2)").is_as_expected());
  EXPECT_FALSE(judged(1, R"("at_least": 2)").is_as_expected());
  const std::string fails = R"("at_least": 2, "expected": "fails", "remark": "known")";
  EXPECT_TRUE(judged(1, fails).is_as_expected());
  EXPECT_FALSE(judged(3, fails).is_as_expected()) << "it holds all at once";
  const std::string varies = R"("at_least": 2, "expected": "varies", "remark": "time")";
  EXPECT_TRUE(judged(1, varies).is_as_expected());
  EXPECT_TRUE(judged(3, varies).is_as_expected());
}

// No claim about time is the same on every machine, however many names it goes through.
TEST(Claims, AboutTimesVary) {
  const auto expected = [](const std::string& measure) {
    const detail::Experiment experiment =
        detail::read_experiment(file(R"("metrics": {"cost": "us_per_step/N"},
                "quantities": {"time": {"run": "a", "metric": "cpu_seconds"},
                               "cost_of_one": {"run": "a", "metric": "cost"},
                               "error": {"run": "a", "metric": "deviation"}},
                "claims": [{"text": "c", "at_most": 1, "measure": ")" +
                                     measure + R"("}])"),
                                "x.json");
    return experiment.claims.at(0).expected;
  };
  EXPECT_EQ(expected("min(error, time/2)"), Claim::Expected::varies);
  EXPECT_EQ(expected("cost_of_one"), Claim::Expected::varies);
  EXPECT_EQ(expected("error"), Claim::Expected::holds);
  EXPECT_EQ(expected("timeless*error"), Claim::Expected::holds);
}

TEST(Claims, SayInWordsWhatIsRequired) {
  EXPECT_EQ(judged(3, R"("at_least": 2, "unit": "m")").required, "at least 2 m");
  EXPECT_EQ(judged(3, R"("at_most": 1e-7)").required, "at most 10⁻⁷");
  EXPECT_EQ(judged(3, R"("at_least": 1.9, "at_most": 2.1)").required, "1.9 to 2.1");
  EXPECT_EQ(judged(3, R"("at_least": 2, "at_most": 2)").required, "exactly 2");
  EXPECT_EQ(judged(2.5e-9, R"("at_most": 1, "unit": "m")").measured, "2.5×10⁻⁹ m");
  const Claim no = judged(0, R"("at_least": 1, "words": ["it broke", "it ran"])");
  EXPECT_EQ(no.required, "it ran");
  EXPECT_EQ(no.measured, "it broke");
  EXPECT_EQ(judged(1, R"("at_most": 0, "words": ["it broke", "it ran"])").required, "it broke");
}

TEST(Claims, NeedAReasonUnlessTheyAreExpectedToHold) {
  const auto message = [](const std::string& expected) {
    return complaint(
        file(R"("claims": [{"text": "c", "measure": "a", "at_least": 1, "expected": ")" + expected +
             "\"}]"));
  };
  EXPECT_EQ(message("holds"), "");
  EXPECT_NE(message("fails").find("remark"), std::string::npos);
  EXPECT_NE(message("fals").find("fails"), std::string::npos) << "the nearest name";
}

}  // namespace
}  // namespace taut::experiment
