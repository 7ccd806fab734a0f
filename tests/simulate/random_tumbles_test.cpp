// A few random scenes of tumbling bodies; the program random_tumbles runs as many as you like.
#include "support/random_tumbles.hpp"

#include <gtest/gtest.h>

namespace taut::testing {
namespace {

class RandomTumbles : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seeds, RandomTumbles, ::testing::Values(0u, 30u, 60u, 90u, 120u));

/// A motion that is followed with first order only must still not pass through walls, nor gain
/// energy.
bool is_doubted_for_its_order_alone(const RunReport& report) {
  return std::all_of(report.doubts.begin(), report.doubts.end(), [](const std::string& doubt) {
    for (const char* accuracy : {"rolled or turned", "energy is kept at any step", "spins, and"})
      if (doubt.find(accuracy) != doubt.npos) return true;
    return false;
  });
}

TEST_P(RandomTumbles, NothingIsWrongAndTrusted) {
  int trusted = 0;
  for (unsigned seed = GetParam(); seed < GetParam() + 30; ++seed) {
    const Tumble tumble = random_tumble(seed);
    const TumbleResult result = judge_tumble(tumble);
    if (!is_doubted_for_its_order_alone(result.report)) continue;
    ++trusted;
    EXPECT_TRUE(result.faults.empty()) << "seed " << seed << " (" << tumble.kind << ", "
                                       << tumble.method << "): " << result.faults.front();
  }
  EXPECT_GE(trusted, 20);
}

// After an impact it turns by almost a whole turn in a step. The method did not converge, and its
// end, inside the floor, was not looked at.
TEST(RandomTumblesJudge, WhatTurnsTooFastForTheMethodStaysOutside) {
  const TumbleResult result = judge_tumble(random_tumble(107217));
  EXPECT_LT(result.overlap, 1e-9);
  EXPECT_TRUE(result.faults.empty());
}

// Corners that turn away from the floor within a step: it is pushed out of the floor before that,
// and bears no load at the end of the step; or friction goes on though its slip has turned back.
// This gave energy, 6e-6 to 2e-5 of it.
TEST(RandomTumblesJudge, WhatOpensWithinAStepGainsNothing) {
  for (const unsigned seed : {108235u, 130975u, 202299u}) {
    const TumbleResult result = judge_tumble(random_tumble(seed));
    EXPECT_TRUE(result.faults.empty()) << "seed " << seed << ": " << result.faults.front();
  }
}

/// Does not see contacts.
TEST(RandomTumblesJudge, SeesWhatFallsThroughTheFloor) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Tumble tumble = random_tumble(seed);
    if (tumble.kind != "room") continue;
    System blind;
    const State start = tumble.system.initial_state();
    for (int i = 0; i < tumble.system.body_count(); ++i) {
      RigidBody body;
      body.mass = tumble.system.mass({i});
      body.inertia = tumble.system.inertia({i});
      body.position = start.q.segment<3>(tumble.system.slot({i}).q);
      body.velocity = {0, 0, -5};
      blind.add(body);
    }
    tumble.system = std::move(blind);
    tumble.step = 0.01;
    EXPECT_FALSE(judge_tumble(tumble).faults.empty()) << seed;
  }
}

}  // namespace
}  // namespace taut::testing
