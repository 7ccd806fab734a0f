// Factors that are kept from step to step, as long as that is worth it.
#include "taut/methods/kept_factors.hpp"

#include <gtest/gtest.h>

namespace taut {
namespace {

constexpr KeptFactors::Of of{100, 1e-7, 0};
constexpr double h = 0.01;

/// Steps, each of which leaves left(age) of what is accepted where factors are `age` steps old;
/// how many of them had to make new ones.
template <class Left>
int made_in(KeptFactors& kept, int steps, const Left& left) {
  int made = 0, age = 0;
  for (int i = 0; i < steps; ++i) {
    const bool keeps = kept.will_do(of, i * h, h);
    if (!keeps) age = 0;
    const double first = left(age);
    if (!keeps || first > 1) {
      kept.made(of);
      ++made;
      age = 0;
    }
    kept.learn((i + 1) * h, keeps, first);
    ++age;
  }
  return made;
}

TEST(KeptFactors, AreKeptWhereThatIsEnough) {
  KeptFactors kept;
  EXPECT_LT(made_in(kept, 400, [](int) { return 0.1; }), 40);
}

TEST(KeptFactors, AreMadeInTime) {
  KeptFactors kept;
  const int made = made_in(kept, 400, [](int age) { return 0.1 + 0.14 * age; });
  EXPECT_GT(made, 60);   // every sixth step at least
  EXPECT_LT(made, 160);  // and not much more often
}

TEST(KeptFactors, AreNotKeptWhereOldOnesAreNeverEnough) {
  KeptFactors kept;
  int tried = 0;
  made_in(kept, 1000, [&](int age) {
    tried += age > 0;
    return age == 0 ? 0.5 : 2.0;
  });
  EXPECT_GT(tried, 0);
  EXPECT_LT(tried, 12);
}

TEST(KeptFactors, AreOfTheSameEquationsAndTheStepBefore) {
  KeptFactors kept;
  EXPECT_FALSE(kept.will_do(of, 0, h));
  kept.made(of);
  kept.learn(h, false, 0.5);
  EXPECT_TRUE(kept.will_do(of, h, h));
  EXPECT_FALSE(kept.will_do({50, 1e-7, 0}, h, h));
  EXPECT_FALSE(kept.will_do({100, 1e-6, 0}, h, h));
  EXPECT_FALSE(kept.will_do({100, 1e-7, 1}, h, h));
  EXPECT_FALSE(kept.will_do(of, 3 * h, h));
  kept.forget();
  EXPECT_FALSE(kept.will_do(of, h, h));
  // Where new ones are not enough, they are not kept.
  kept.made(of);
  kept.learn(2 * h, false, 1.5);
  EXPECT_FALSE(kept.will_do(of, 2 * h, h));
}

}  // namespace
}  // namespace taut
