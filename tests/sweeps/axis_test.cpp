#include "taut/sweep/axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/messages.hpp"
#include "taut/sweep/plan.hpp"

namespace taut::sweep {
namespace {

using testing::has_all;
using testing::message_of;

using Values = std::vector<std::string>;

TEST(Axis, RangesHitTheirEnds) {
  EXPECT_EQ(parse_axis("R=1:10000:log5").values, (Values{"1", "10", "100", "1000", "10000"}));
  EXPECT_EQ(parse_axis("L=0.5:2:lin4").values, (Values{"0.5", "1", "1.5", "2"}));
  EXPECT_EQ(parse_axis("L=2:0.5:4").values, (Values{"2", "1.5", "1", "0.5"}));
  EXPECT_EQ(parse_axis("L=0.1:0.3:lin3").values, (Values{"0.1", "0.2", "0.3"}));
  EXPECT_EQ(parse_axis("N=2:10:int4").values, (Values{"2", "6", "10"}));
  EXPECT_EQ(parse_axis("N=-1:1:int").values, (Values{"-1", "0", "1"}));
  EXPECT_EQ(parse_axis("N=3:3:int").values, (Values{"3"}));
  EXPECT_EQ(parse_axis(" name = a, b ").values, (Values{"a", "b"}));
  EXPECT_EQ(parse_axis("x=1e-7:1:log2").values, (Values{"1e-07", "1"}));
}

TEST(Axis, RefusesWhatMakesNoSense) {
  for (const char* text : {"R",
                           "=1",
                           "R=",
                           "R=1:10",
                           "R=1:10:lag5",
                           "R=1:10:lin0",
                           "R=1:10:lin1",
                           "R=1:10:lin-2",
                           "R=1:10:lin2.5",
                           "R=1:10:2:3",
                           "R=0:10:log5",
                           "R=-1:-10:log5",
                           "R=1:nan:3",
                           "R=1:inf:3",
                           "R=10:1:int",
                           "R=1.5:3:int",
                           "R=1:3:int0",
                           "R=1,,2",
                           "R=1:2:lin99999999",
                           "R=1:1e9:int",
                           "R=unifrom(1, 2)",
                           "R=uniform(2, 1)",
                           "R=uniform(1)",
                           "R=normal(0, -1)",
                           "R=log_uniform(0, 1)",
                           "R=integer(1.5, 2)",
                           "R=9007199254740993:9007199254740996:int"})
    EXPECT_THROW(parse_axis(text), Error) << text;
  EXPECT_TRUE(
      has_all(message_of([] { parse_axis("R=unifrom(1, 2)"); }), "--set R|unifrom|uniform"));
}

TEST(Axis, SamplesFollowTheirDistributions) {
  const Axis normal = parse_axis("x=normal(10, 2)");
  ASSERT_TRUE(normal.is_random());
  EXPECT_NEAR(std::stod(normal.sample(0.5)), 10, 1e-12);
  EXPECT_NEAR(std::stod(normal.sample(0.8413447460685429)), 12, 1e-9);
  EXPECT_NEAR(std::stod(normal.sample(1e-9)), 10 - 2 * 5.997807015008182, 1e-6);
  EXPECT_NEAR(std::stod(parse_axis("x=log_uniform(1, 100)").sample(0.5)), 10, 1e-9);
  EXPECT_NEAR(std::stod(parse_axis("x=uniform(-1, 3)").sample(0.25)), 0, 1e-12);
  std::set<std::string> seen;
  const Axis dice = parse_axis("x=integer(1, 6)");
  for (int i = 0; i < 600; ++i) seen.insert(dice.sample((i + 0.5) / 600));
  EXPECT_EQ(seen, (std::set<std::string>{"1", "2", "3", "4", "5", "6"}));
}

TEST(Axis, LatinPointsHaveEachPartOnce) {
  const std::size_t count = 50;
  const auto points = random_points(count, 3, true, 7);
  ASSERT_EQ(points.size(), count);
  for (std::size_t k = 0; k < 3; ++k) {
    std::set<int> parts;
    for (const auto& point : points) parts.insert(static_cast<int>(point[k] * count));
    EXPECT_EQ(parts.size(), count);
  }
  EXPECT_EQ(points, random_points(count, 3, true, 7));
  EXPECT_NE(points, random_points(count, 3, true, 8));
}

TEST(Plan, CombinesAllInOrder) {
  Plan plan;
  plan.axes = {parse_axis("A=1,2"), parse_axis("B=x,y,z")};
  plan.methods = {"rattle", "icd2"};
  plan.repeat = 2;
  const std::vector<Case> cases = cases_of(plan);
  ASSERT_EQ(cases.size(), 24u);
  EXPECT_EQ(case_cells(plan, 0, cases[0]), (Values{"1", "1", "x", "rattle", "1"}));
  EXPECT_EQ(case_cells(plan, 3, cases[3]), (Values{"4", "1", "x", "icd2", "2"}));
  EXPECT_EQ(case_cells(plan, 23, cases[23]), (Values{"24", "2", "z", "icd2", "2"}));
  EXPECT_EQ(cases_of({}).size(), 1u);
}

TEST(Plan, RefusesMoreThanAnybodyCanWaitFor) {
  Plan plan;
  for (const char* axis : {"A=1:1000:int", "B=1:1000:int", "C=1:1000:int"})
    plan.axes.push_back(parse_axis(axis));
  EXPECT_THROW(cases_of(plan), Error);
  plan.axes.resize(1);
  plan.axes.push_back(plan.axes.front());
  EXPECT_THROW(cases_of(plan), Error);  // A twice
}

}  // namespace
}  // namespace taut::sweep
