// The laws of single groups: rolling and spinning, projections, and what bounds a solve.
#include <gtest/gtest.h>

#include <chrono>

#include "support/cone_check.hpp"
#include "support/contact_scenes.hpp"
#include "support/dice.hpp"
#include "support/hard_cones.hpp"

namespace taut {
namespace {

using testing::Dice;

ConeLaw rolling_law(Dice& dice) {
  ConeLaw law;
  law.kind = ConeLaw::Kind::rolling;
  law.friction = dice.between(0, 2);
  law.spinning = dice.below(4) == 0 ? 0 : dice.between(0, 1);
  law.rolling = dice.below(4) == 0 ? 0 : dice.between(0, 1);
  return law;
}

bool is_allowed(const ConeLaw& law, const VecX& r) {
  const double most = r[0] * (1 + 1e-12) + 1e-14;
  return r[0] >= 0 && r.segment(1, 2).norm() <= law.friction * most + 1e-14 &&
         std::abs(r[3]) <= law.spinning * most + 1e-14 &&
         r.segment(4, 2).norm() <= law.rolling * most + 1e-14;
}

// p is the nearest of a convex set if no other point y of it has (x − p)·(y − p) > 0.
TEST(ConeLaws, ProjectionIsTheNearestThatIsAllowed) {
  Dice dice(7);
  for (int i = 0; i < 300; ++i) {
    const ConeLaw law = rolling_law(dice);
    VecX x(6);
    for (double& value : x) value = dice.between(-1, 1);
    VecX p = x;
    cone::project(law, p.data());
    ASSERT_TRUE(is_allowed(law, p)) << i;
    for (int k = 0; k < 50; ++k) {
      VecX y(6);
      for (double& value : y) value = dice.between(-2, 2);
      cone::project(law, y.data());
      EXPECT_LE((x - p).dot(y - p), 1e-12) << i;
    }
  }
}

// Newton's method needs the derivative of what it solves.
TEST(ConeLaws, TangentIsTheDerivativeOfTheDefect) {
  Dice dice(11);
  const double rho = 0.7, delta = 0.1;
  for (int i = 0; i < 200; ++i) {
    const ConeLaw law = rolling_law(dice);
    VecX r(6), u(6), du(6);
    for (VecX* vector : {&r, &u, &du})
      for (double& value : *vector) value = dice.between(-1, 1);
    r[0] = std::abs(r[0]) + 1;  // away from where it opens
    cone::Tangent tangent;
    cone::linearize(law, r.data(), u.data(), rho, {delta, delta}, tangent);
    // f(r + dr, u + du + δ/ρ dr) = 0 to first order, for dr = −t − G du.
    const auto defect_at = [&](double step) {
      VecX dr(6), f(6);
      for (int k = 0; k < 6; ++k) {
        dr[k] = -tangent.t[k];
        for (int j = 0; j < 6; ++j) dr[k] -= tangent.G[6 * k + j] * du[j];
      }
      const VecX at = r + step * dr, of = u + step * (du + delta / rho * dr);
      cone::defect(law, at.data(), of.data(), rho, f.data());
      return f;
    };
    const double step = 1e-7;
    const VecX before = defect_at(0), slope = (defect_at(step) - before) / step;
    EXPECT_LT((slope + before).norm(), 1e-4 * (1 + slope.norm())) << i;
  }
}

TEST(ConeLaws, AGroupAloneIsSolvedExactly) {
  Dice dice(3);
  for (int i = 0; i < 200; ++i) {
    const ConeLaw law = rolling_law(dice);
    MatX half(6, 6);
    for (double& value : half.reshaped()) value = dice.between(-1, 1);
    const MatX A = half * half.transpose() + 0.3 * MatX::Identity(6, 6);
    VecX q(6), r(6);
    for (double& value : q) value = dice.between(-1, 1);
    const Eigen::Matrix<double, 6, 6, Eigen::RowMajor> by_rows = A;
    cone::solve_alone(law, by_rows.data(), q.data(), r.data());
    const VecX u = A * r + q;
    EXPECT_TRUE(is_allowed(law, r)) << i;
    EXPECT_LT(cone::contradiction(law, r.data(), u.data(), A.trace() / 6), 1e-9) << i;
  }
}

// Masses 1 : 10⁹, up to 60 points of contact, any scale: what is said to be solved is.
TEST(ConeLaws, HardProblemsAreSolvedOrSaidNotToBe) {
  int solved = 0;
  constexpr unsigned problems = 150;
  for (unsigned seed = 5000; seed < 5000 + problems; ++seed) {
    const testing::HardCones hard(seed);
    ConeSolver solver;
    ConeSolution solution;
    solver.analyze(hard.pattern);
    if (!solver.solve(hard.problem, {}, solution).ok()) continue;
    ++solved;
    EXPECT_EQ(testing::wrong_answer(hard, solution), "") << seed;
  }
  EXPECT_GE(solved, 140);
}

TEST(ConeLaws, ABoundOnFactorisationsOrTimeGivesTheBestSoFar) {
  const testing::ContactScene scene = testing::kicked_stack(20);
  ConeSolver solver;
  solver.analyze(scene.pattern);
  ConeOptions options = scene.options(1e-12);
  for (const int most : {1, 5, 12}) {
    options.most_factorisations = most;
    ConeSolution solution;
    const ConeReport report = solver.solve(scene.problem, options, solution);
    EXPECT_LE(report.factorisations, most);
    EXPECT_FALSE(report.ok());
    const testing::ConeErrors errors = testing::check(scene.pattern, scene.problem, solution);
    EXPECT_LT(errors.cones, 1e-9);
    EXPECT_LT(errors.dynamics, 1e-9);
  }
  options.most_factorisations = 0;
  options.most_time = 1e-9;
  ConeSolution solution;
  const ConeReport report = solver.solve(scene.problem, options, solution);
  EXPECT_EQ(report.status, ConeReport::Status::not_converged);
  EXPECT_LE(report.factorisations, 1);
  EXPECT_LE(report.admm_iterations, 1);
}

}  // namespace
}  // namespace taut
