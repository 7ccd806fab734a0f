#include "taut/analysis/explanation.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/messages.hpp"

namespace taut {
namespace {

RunReport explained(const System& system, const char* method, double step, double duration) {
  RunReport report = testing::run(system, method, step, duration);
  explain(system, find_method(method).promises, report);
  return report;
}

TEST(Explanation, NamesWhatContradicts) {
  System system;
  const BodyId a = system.add(Particle{1, {0, 0, 0}});
  const BodyId b = system.add(Particle{1, {1, 0, 0}});
  constrain(system, Pin{a, {}}, "left");
  constrain(system, Pin{b, {}}, "right");
  constrain(system, Distance{a, b, 0.9}, "link");
  const RunReport report = explained(system, "icd2", 0.01, 0.1);
  EXPECT_FALSE(report.is_trusted());
  EXPECT_TRUE(testing::has_all(report.doubts.back(), "contradict|link (distance)|left and right"));
}

// A compromise without a contradiction: the method gave up where a better one would not.
TEST(Explanation, SaysWhenTheMethodFailed) {
  const System system = testing::arm(2, 1);
  RunReport report = testing::run(system, "rattle", 0.01, 0.1);
  report.singular_state = report.final_state;
  report.doubts.push_back("in 1 of 10 steps a compromise was taken");
  explain(system, {}, report);
  EXPECT_TRUE(testing::has_all(report.doubts.back(), "no constraints|method failed"));
}

TEST(Explanation, SingularPositionsAreNotForEveryMethod) {
  const System line = testing::taut_line(3, 0.5, {0, -9.81, 0});
  for (const char* method : {"dop853", "icd2"}) {
    RunReport report;
    report.singular_state = line.initial_state();
    explain(line, find_method(method).promises, report);
    EXPECT_EQ(report.findings.size(), 1u);
    EXPECT_EQ(report.is_trusted(), method == std::string("icd2"));
    if (!report.is_trusted())
      EXPECT_TRUE(testing::has_all(report.doubts.back(), "position is singular|not made for"));
  }
}

}  // namespace
}  // namespace taut
