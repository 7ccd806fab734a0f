#include "taut/analysis/advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/builders.hpp"
#include "taut/base/error.hpp"
#include "taut/constraints/on_circle.hpp"

namespace taut {
namespace {

// Seconds that a search may take. What it finds must not depend on a slow machine, and under the
// sanitizers every machine is slow.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double patience = 60;
#else
constexpr double patience = 10;
#endif

AdviceRequest quick(double accuracy, double duration) {
  AdviceRequest request;
  request.accuracy = accuracy;
  request.duration = duration;
  request.budget = patience;
  return request;
}

TEST(Advice, WhatIsRecommendedIsAccurate) {
  const System system = testing::arm(1, 1);
  const Advice advice = advise(system, quick(1e-3, 2));
  ASSERT_NE(advice.best(), nullptr);
  EXPECT_EQ(advice.start_violation, 0);
  EXPECT_LT(advice.reference.uncertainty, 1e-4);
  EXPECT_DOUBLE_EQ(advice.reference.until, 2);
  // Against a run of another kind with a step far below.
  const AdviceCandidate& best = *advice.best();
  const RunReport truth = testing::run(system, "rattle", 1e-5, 2);
  const RunReport run = testing::run(system, best.method, best.choice()->step, 2, best.options);
  EXPECT_LT((truth.final_state.q - run.final_state.q).norm(), 1.1e-3);
}

TEST(Advice, CheapestFirstAndConfirmedByTheNextStep) {
  const Advice advice = advise(testing::arm(2, 1), quick(1e-2, 2));
  double last = 0;
  bool seen_poor = false;
  for (const AdviceCandidate& candidate : advice.candidates) {
    if (const AdviceTrial* choice = candidate.choice()) {
      EXPECT_FALSE(seen_poor);
      EXPECT_GE(choice->cost, last);
      last = choice->cost;
      EXPECT_LE(choice->deviation, 1e-2);
      EXPECT_LE(choice->constraint_error, 1e-2);
      if (candidate.stopped.empty()) {
        EXPECT_TRUE(candidate.trials.back().reaches) << candidate.label();
        EXPECT_LT(candidate.trials.back().step, choice->step) << candidate.label();
      }
    } else {
      seen_poor = true;
      EXPECT_NE(candidate.stopped, "") << candidate.label();
    }
  }
}

TEST(Advice, SaysWhenNoMethodIsAccurateEnough) {
  AdviceRequest request = quick(1e-17, 1);  // beyond what can be known
  request.budget = 0.5;
  request.options = {{"base", "explicit_euler"}};  // bars RK4
  const Advice advice = advise(testing::arm(1, 1), request);
  EXPECT_EQ(advice.best(), nullptr);
}

TEST(Advice, ChaoticMotionIsJudgedOnlyWhileItCanBePredicted) {
  AdviceRequest request = quick(1e-6, 60);
  request.budget = 20;  // a busy machine must not cut the reference short
  const Advice advice = advise(testing::arm(3, 1), request);
  EXPECT_LT(advice.reference.until, 30);
  EXPECT_NE(advice.reference.shortened, "");
}

// The comparison ends long before the run does: what is recommended is tried until its end.
TEST(Advice, WhatIsRecommendedIsTriedOverTheWholeDuration) {
  AdviceRequest request = quick(1e-3, 30);
  request.budget = 20;
  const System system = testing::arm(3, 1);
  const Advice advice = advise(system, request);
  ASSERT_LT(advice.reference.until, 29);
  ASSERT_NE(advice.best(), nullptr);
  EXPECT_EQ(advice.tried_until, 30);
  const AdviceCandidate& best = *advice.best();
  EXPECT_TRUE(
      testing::run(system, best.method, best.choice()->step, 30, best.options).is_trusted());
  for (const AdviceCandidate& candidate : advice.candidates) {
    if (!candidate.stopped.starts_with("later: ")) continue;
    EXPECT_EQ(candidate.choice(), nullptr);
  }
}

TEST(Advice, AnIllegalStartNeedsAMethodThatSettles) {
  System system;
  const BodyId particle = system.add(Particle{1, {65, 0, 0}, {8, 49, 0}});
  constrain(system, OnCircle{particle, world_point(0, 0, 0), {world_body, Vec3::UnitZ()}, 50});
  const Advice advice = advise(system, quick(0.1, 3));
  EXPECT_NEAR(advice.start_violation, 15, 1e-9);
  ASSERT_NE(advice.best(), nullptr);
  for (const AdviceCandidate& candidate : advice.candidates) {
    // Lagrange drifts from where it starts; implicit2 flips its normal velocity for ever.
    if (candidate.method == "lagrange" || candidate.method == "implicit2") {
      EXPECT_EQ(candidate.chosen, -1) << candidate.label();
    }
    if (candidate.method == "implicit1") {
      EXPECT_GE(candidate.chosen, 0);
    }
  }
}

TEST(Advice, OptionsGoToTheMethodsThatHaveThem) {
  AdviceRequest request = quick(0.1, 1);
  request.options = {{"alpha", "8"}};
  for (const AdviceCandidate& candidate : advise(testing::arm(1, 1), request).candidates)
    EXPECT_EQ(std::any_of(candidate.options.begin(), candidate.options.end(),
                          [](const OptionValue& o) { return o.name == "alpha"; }),
              candidate.method == "baumgarte" || candidate.method == "avbd")
        << candidate.method;
  request.options = {{"alfa", "8"}};
  EXPECT_THROW(advise(testing::arm(1, 1), request), Error);
}

}  // namespace
}  // namespace taut
