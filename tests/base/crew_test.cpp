#include "taut/base/crew.hpp"

#include <gtest/gtest.h>

#include <set>

namespace taut {
namespace {

TEST(Crew, EveryOneWorksOnceInEveryRound) {
  Crew crew(3);
  EXPECT_EQ(crew.size(), 3);
  std::vector<long> sums(3, 0);
  std::vector<std::thread::id> who(3);
  for (int round = 1; round <= 2000; ++round) {
    crew.run([&](int i) {
      sums[static_cast<std::size_t>(i)] += round;
      who[static_cast<std::size_t>(i)] = std::this_thread::get_id();
    });
    for (const long sum : sums) ASSERT_EQ(sum, round * (round + 1L) / 2);
  }
  EXPECT_EQ(std::set<std::thread::id>(who.begin(), who.end()).size(), 3u);
  EXPECT_EQ(who[0], std::this_thread::get_id());
}

TEST(Crew, OfOneStartsNoThread) {
  Crew crew(1);
  int calls = 0;
  crew.run([&](int i) { calls += 1 + i; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace taut
