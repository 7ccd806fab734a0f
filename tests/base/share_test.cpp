#include "taut/base/share.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "taut/base/parallel.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace taut {
namespace {

std::vector<int> counted(int count, int least) {
  std::vector<int> visits(static_cast<std::size_t>(count), 0);
  share(count, least, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
  });
  return visits;
}

TEST(Share, AllIsDoneOnce) {
  for (const int count : {0, 1, 2, 3, 7, 1000}) {
    const std::vector<int> once(static_cast<std::size_t>(count), 1);
    EXPECT_EQ(counted(count, 1), once) << count;
    EXPECT_EQ(counted(count, 10'000), once) << count;
  }
}

#ifdef __linux__
TEST(Parallel, CoresAreThoseThatMayBeUsed) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(core_count(), CPU_COUNT(&all));
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(core_count(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}
#endif

TEST(Share, ShortWorkIsNotSplit) {
  int calls = 0;
  share(9, 10, [&](int begin, int end) {
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 9);
  });
  EXPECT_EQ(calls, 1);
}

TEST(Share, ThreadsThatShareAtTheSameTimeDoTheirOwn) {
  std::atomic<bool> all_right = true;
  const auto work = [&] {
    for (int round = 0; round < 200; ++round) {
      const std::vector<int> visits = counted(100, 1);
      if (std::count(visits.begin(), visits.end(), 1) != 100) all_right = false;
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_TRUE(all_right);
}

TEST(Share, AnExceptionIsThrownToTheCaller) {
  const auto bad = [](int, int end) {
    if (end == 100) throw std::runtime_error("at the end");
  };
  EXPECT_THROW(share(100, 1, bad), std::runtime_error);
  EXPECT_EQ(counted(100, 1), std::vector<int>(100, 1)) << "and goes on to work";
}

}  // namespace
}  // namespace taut
