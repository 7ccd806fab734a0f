#include "taut/analysis/feedback.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/builders.hpp"
#include "taut/base/error.hpp"

namespace taut {
namespace {

using testing::run;
using Complex = std::complex<double>;

constexpr std::array bases{Base::explicit_euler, Base::semi_implicit_euler, Base::rk4};
// Under-, over-, critically damped, nearly so, without damping, without position gain.
const std::vector<Feedback> feedbacks{{3, 5},  {7, 4},  {4, 4}, {4, 4.0001}, {4, 3.9999},
                                      {1, 50}, {50, 1}, {0, 6}, {6, 0}};

TEST(Feedback, PolesSolveTheCharacteristicEquation) {
  for (const Feedback& f : feedbacks)
    for (const Complex s : poles(f))
      EXPECT_LT(std::abs(s * s + 2 * f.alpha * s + f.beta * f.beta), 1e-11)
          << f.alpha << " " << f.beta;
  EXPECT_EQ(poles({3, 5})[0], Complex(-3, 4));
  EXPECT_EQ(poles({3, 5})[1], Complex(-3, -4));
  EXPECT_DOUBLE_EQ(poles({1e8, 1})[0].real(), -0.5e-8);  // no cancellation
}

TEST(Feedback, DampingAndFrequency) {
  EXPECT_DOUBLE_EQ(damping_ratio({3, 5}), 0.6);
  EXPECT_TRUE(std::isinf(damping_ratio({3, 0})));
  EXPECT_EQ(natural_frequency({3, 5}), 5);
}

// Against the differential equation, by RK4 with a small step.
TEST(Feedback, ResponseSolvesTheDifferentialEquation) {
  for (const Feedback& f : feedbacks) {
    const double h = 1e-4;
    const Eigen::Matrix2d map = error_map(f, Base::rk4, h);
    Eigen::Vector2d error(1, 0);
    for (int n = 0; n <= 20000; ++n, error = map * error) {
      if (n % 1000 == 0) {
        EXPECT_NEAR(response(f, n * h), error[0], 1e-9) << f.alpha << " " << f.beta;
      }
    }
  }
}

TEST(Feedback, SettlingTimeIsTheLastTimeOutside) {
  for (const Feedback& f : feedbacks) {
    const std::optional<double> settled = settling_time(f);
    ASSERT_EQ(settled.has_value(), f.alpha > 0 && f.beta > 0);
    if (!settled) continue;
    EXPECT_NEAR(std::abs(response(f, *settled)), 0.02, 1e-9) << f.alpha << " " << f.beta;
    double last_outside = 0;
    for (double t = 0; t < 3 * *settled; t += *settled / 5000)
      if (std::abs(response(f, t)) > 0.02) last_outside = t;
    EXPECT_NEAR(*settled, last_outside, *settled / 2500);
  }
  // (1 + x) e^{−x} = 0.02 at x = 5.8339.
  EXPECT_NEAR(*settling_time({4, 4}), 5.8339 / 4, 1e-4);
  EXPECT_EQ(settling_time({4, 4}, 2.).value(), 0);
}

/// The larger of the two |λ|, with λ² − λ trace + determinant = 0.
double largest_eigenvalue(const Eigen::Matrix2d& map) {
  const double half = 0.5 * (map(0, 0) + map(1, 1));
  const double determinant = map(0, 0) * map(1, 1) - map(0, 1) * map(1, 0);
  const double root = half * half - determinant;
  return root < 0 ? std::sqrt(determinant) : std::abs(half) + std::sqrt(root);
}

TEST(Feedback, SpectralRadiusIsThatOfTheMap) {
  for (const Feedback& f : feedbacks)
    for (const Base base : bases)
      for (const double h : {0.001, 0.02, 0.1, 0.3, 1.}) {
        const double radius = largest_eigenvalue(error_map(f, base, h));
        // A defective matrix has eigenvalues known to √ε only.
        EXPECT_NEAR(spectral_radius(f, base, h), radius, 1e-6 * std::max(1., radius));
      }
}

TEST(Feedback, BeyondTheLargestStableStepTheErrorGrows) {
  for (const Feedback& f : feedbacks)
    for (const Base base : bases) {
      const double limit = largest_stable_step(f, base);
      ASSERT_TRUE(std::isfinite(limit));
      EXPECT_GT(spectral_radius(f, base, limit * 1.001 + 1e-4), 1) << f.alpha << " " << f.beta;
      for (int i = 1; i < 1000; ++i)
        ASSERT_LE(spectral_radius(f, base, limit * i / 1000), 1 + 1e-12);
    }
}

TEST(Feedback, LargestStableStepInClosedForm) {
  const auto limit = [](double alpha, double beta, Base base) {
    return largest_stable_step({alpha, beta}, base);
  };
  EXPECT_DOUBLE_EQ(limit(5, 5, Base::explicit_euler), 2. / 5);   // |1 − αh| < 1
  EXPECT_DOUBLE_EQ(limit(3, 5, Base::explicit_euler), 6. / 25);  // complex: 2α/β²
  EXPECT_DOUBLE_EQ(limit(5, 0, Base::explicit_euler), 1. / 5);
  EXPECT_EQ(limit(0, 5, Base::explicit_euler), 0);  // grows at every step
  EXPECT_DOUBLE_EQ(limit(0, 5, Base::semi_implicit_euler), 2. / 5);
  EXPECT_DOUBLE_EQ(limit(5, 0, Base::semi_implicit_euler), 1. / 5);
  EXPECT_NEAR(limit(0, 5, Base::rk4), std::sqrt(8.) / 5, 1e-12);
  EXPECT_NEAR(limit(5, 5, Base::rk4), 2.785293563405282 / 5, 1e-12);
  EXPECT_TRUE(std::isinf(limit(0, 0, Base::explicit_euler)));
}

TEST(Feedback, UpToTheMonotoneStepEigenvaluesAreRealAndPositive) {
  for (const Feedback& f : feedbacks)
    for (const Base base : bases) {
      const double limit = largest_monotone_step(f, base);
      EXPECT_EQ(limit > 0, f.alpha >= f.beta);
      if (limit == 0) continue;
      // trace > 0 and det ≥ 0 with real eigenvalues: both are ≥ 0.
      const Eigen::Matrix2d inside = error_map(f, base, 0.99 * limit);
      EXPECT_GE(inside.determinant(), 0);
      EXPECT_GT(inside.trace(), 0);
      if (base != Base::rk4 && f.beta < 0.9 * f.alpha) {
        EXPECT_LT(error_map(f, base, 1.01 * limit).determinant(), 0);
      }
    }
}

TEST(PolePlacement, PutsThePolesThere) {
  const Feedback critical = place_poles(-5, -5);
  EXPECT_EQ(critical.alpha, 5);
  EXPECT_EQ(critical.beta, 5);
  const Feedback pair = place_poles({-3, 4}, {-3, -4});
  EXPECT_DOUBLE_EQ(pair.alpha, 3);
  EXPECT_DOUBLE_EQ(pair.beta, 5);
  const auto [slow, fast] = poles(place_poles(-8, -2));
  EXPECT_NEAR(slow.real(), -2, 1e-12);
  EXPECT_NEAR(fast.real(), -8, 1e-12);
}

TEST(PolePlacement, RefusesWhatNoRealStableFeedbackHas) {
  EXPECT_THROW(place_poles({-3, 4}, {-3, 4}), Error);
  EXPECT_THROW(place_poles({-3, 4}, -3), Error);
  EXPECT_THROW(place_poles(-3, 1), Error);
  EXPECT_THROW(place_poles(0, -1), Error);
  EXPECT_THROW(place_poles({0, 2}, {0, -2}), Error);
  EXPECT_THROW(place_poles(-INFINITY, -1), Error);
}

// For a pin the error equation is exactly linear: simulation and map agree to round-off.
TEST(Feedback, APinFollowsTheMapUnderEveryBase) {
  System system;
  const BodyId body = system.add(Particle{2, {0.3, 0, 0}, {0, 0.1, 0}});
  constrain(system, Pin{body, Vec3(0, 0, 0)});
  const double h = 0.05;
  for (const Base base : bases) {
    const Eigen::Matrix2d map = error_map({7, 4}, base, h);
    Eigen::Matrix<double, 2, 3> error;
    error << 0.3, 0, 0, 0, 0.1, 0;
    testing::run_as_is(
        system, "baumgarte", h, 2,
        {{"alpha", "7"}, {"beta", "4"}, {"base", std::string(choice_name(base))}},
        [&](const State& state, const VecX&) {
          EXPECT_LT((state.q.transpose() - error.row(0)).norm(), 1e-14) << choice_name(base);
          EXPECT_LT((state.v.transpose() - error.row(1)).norm(), 1e-14) << choice_name(base);
          error = map * error;
        });
  }
}

}  // namespace
}  // namespace taut
