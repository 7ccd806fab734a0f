// Random mechanisms against their true motion: no result is wrong while the run says "ok".
// The program random_mechanisms searches more widely.
#include <gtest/gtest.h>

#include "support/mechanism_check.hpp"

namespace taut::testing {
namespace {

class RandomMechanisms : public ::testing::TestWithParam<std::string> {};

TEST_P(RandomMechanisms, NoneIsWrongAndOk) {
  const std::vector<std::string_view> families = mechanism_families();
  const auto family = static_cast<unsigned>(
      std::find(families.begin(), families.end(), GetParam()) - families.begin());
  int compared = 0;
  for (unsigned round = 0; round < 2; ++round) {
    const RandomMechanism random =
        random_mechanism(family + round * static_cast<unsigned>(families.size()));
    if (random.attempts < 0) continue;
    for (const std::string& method : tested_methods()) {
      const Verdict verdict = check(random, method);
      EXPECT_FALSE(verdict.is_wrong) << verdict_text(random, verdict);
      // To give up is no way to be right; of the methods, one must do.
      if (method == "auto") {
        EXPECT_TRUE(verdict.is_ok) << verdict_text(random, verdict);
      }
      ++compared;
    }
    if (random.mechanism.freedoms >= 0) break;  // linkages take longest: one of each
  }
  EXPECT_GE(compared, 9);
}

INSTANTIATE_TEST_SUITE_P(Families, RandomMechanisms, ::testing::ValuesIn([] {
                           const std::vector<std::string_view> names = mechanism_families();
                           return std::vector<std::string>(names.begin(), names.end());
                         }()),
                         [](const auto& family) { return family.param; });

}  // namespace
}  // namespace taut::testing
