#include "taut/haptics/device_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace taut::haptics {
namespace {

TEST(Newest, GivesWhatIsNewAndOnlyOnce) {
  Newest<int> newest;
  int value = -1;
  EXPECT_FALSE(newest.read(value));
  newest.write(1);
  newest.write(2);
  EXPECT_TRUE(newest.read(value));
  EXPECT_EQ(value, 2);
  EXPECT_FALSE(newest.read(value));
}

// Values of several numbers that belong together stay together, and none is older than one that was
// read before.
TEST(Newest, IsWholeBetweenTwoThreads) {
  struct Value {
    long a = 0, b[16] = {}, c = 0;
  };
  Newest<Value> newest;
  constexpr long last = 200'000;
  std::thread writer([&] {
    for (long i = 1; i <= last; ++i) {
      Value value;
      value.a = value.c = i;
      std::fill(std::begin(value.b), std::end(value.b), i);
      newest.write(value);
    }
  });
  Value value;
  long before = 0, torn = 0, old = 0;
  while (value.a < last) {
    if (!newest.read(value)) continue;
    torn += value.a != value.c || std::any_of(std::begin(value.b), std::end(value.b),
                                              [&](long b) { return b != value.a; });
    old += value.a <= before;
    before = value.a;
  }
  writer.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(old, 0);
}

/// Counts samples, and remembers what it was sent.
class Counting final : public devices::Device {
 public:
  struct Seen {
    std::atomic<long> reads{0};
    std::atomic<double> force{-1};
  };
  explicit Counting(Seen& seen) : seen_(seen) {}
  std::optional<devices::HandSample> read() override {
    devices::HandSample sample;
    sample.time = static_cast<double>(++seen_.reads);
    return sample;
  }
  void send(const devices::HandForces& forces) override { seen_.force = forces.fingers[1]; }

 private:
  Seen& seen_;
};

TEST(DeviceLoop, RunsBesideASimulationAndStopsForcesWhenThatStalls) {
  Counting::Seen seen;
  {
    DeviceLoop loop(std::make_unique<Counting>(seen), 0.0005);
    devices::HandForces forces;
    forces.fingers[1] = 7;
    double newest = 0;
    bool was_felt = false;
    for (int i = 0; i < 200 && !was_felt; ++i) {  // a slow simulation
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (const auto sample = loop.read()) {
        EXPECT_GT(sample->time, newest);
        newest = sample->time;
      }
      loop.send(forces);
      was_felt = seen.force == 7;
    }
    EXPECT_TRUE(was_felt);
    EXPECT_GT(newest, 0);
    bool has_stopped = false;
    for (int i = 0; i < 400 && !has_stopped; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      has_stopped = seen.force == 0;
    }
    EXPECT_TRUE(has_stopped);
    EXPECT_GT(loop.turns(), 1);
    loop.send(forces);
  }
  EXPECT_EQ(seen.force, 0);  // at the end, too
}

}  // namespace
}  // namespace taut::haptics
