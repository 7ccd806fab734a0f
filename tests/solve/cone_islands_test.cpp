// Islands solved one by one give what the whole gives.
#include "taut/solve/cone_islands.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/contact_scenes.hpp"

namespace taut {
namespace {

void append(const VecX& from, KeptVec& to) { to.append(from.data(), from.size()); }

void append(const RowGroups& from, int bodies, RowGroups& to) {
  for (int g = 0; g < from.count(); ++g) {
    std::vector<int> moved;
    for (const int body : from.bodies_of(g)) moved.push_back(body + bodies);
    to.add(from.rows[static_cast<std::size_t>(g)], moved);
  }
}

void append(const testing::ContactScene& from, ConePattern& pattern, ConeProblem& problem) {
  const int bodies = static_cast<int>(pattern.body_size.size());
  ASSERT_TRUE(from.pattern.couplings.empty());
  pattern.body_size.insert(pattern.body_size.end(), from.pattern.body_size.begin(),
                           from.pattern.body_size.end());
  append(from.pattern.equations, bodies, pattern.equations);
  append(from.pattern.groups, bodies, pattern.groups);
  append(from.problem.M, problem.M);
  append(from.problem.f, problem.f);
  append(from.problem.J, problem.J);
  append(from.problem.H, problem.H);
  append(from.problem.b, problem.b);
  append(from.problem.w, problem.w);
  problem.laws.insert(problem.laws.end(), from.problem.laws.begin(), from.problem.laws.end());
}

TEST(ConeIslands, AreSolvedAsTheWhole) {
  const testing::ContactScene stack = testing::stack(4, 100);
  const testing::ContactScene sliding = testing::incline(std::atan(0.6), 0.3, 0.5);
  ConePattern pattern;
  ConeProblem problem;
  append(stack, pattern, problem);
  append(sliding, pattern, problem);
  // A body that nothing touches.
  pattern.body_size.push_back(3);
  append(VecX::Map(std::array<double, 9>{2, 0, 0, 0, 2, 0, 0, 0, 2}.data(), 9), problem.M);
  append(VecX::Map(std::array<double, 3>{2, 4, 6}.data(), 3), problem.f);

  const ConeOptions options = sliding.options(1e-10);
  ConeIslands islands;
  ConeSolution parts;
  const ConeReport report = islands.solve(pattern, problem, options, parts);
  EXPECT_TRUE(report.ok());
  ConeSolver solver;
  ConeSolution whole;
  solver.analyze(pattern);
  EXPECT_TRUE(solver.solve(problem, options, whole).ok());
  EXPECT_LT((parts.v - whole.v).lpNorm<Eigen::Infinity>(), 1e-7);
  EXPECT_GT(parts.v.segment(6 * 4, 6).norm(), 1e-4);  // it slides
  EXPECT_LT((parts.v.tail<3>() - Vec3(1, 2, 3)).norm(), 1e-14);

  const int first = static_cast<int>(stack.pattern.body_size.size());
  EXPECT_EQ(islands.island_of(first - 1), 0);
  EXPECT_EQ(islands.island_of(first), first);
  EXPECT_EQ(islands.island_of(static_cast<int>(pattern.body_size.size()) - 1),
            static_cast<int>(pattern.body_size.size()) - 1);
}

void expect_same(const ConePattern& pattern, const ConeProblem& problem, const ConeOptions& options,
                 const char* name) {
  ConeIslands islands;
  ConeSolution parts, whole;
  EXPECT_TRUE(islands.solve(pattern, problem, options, parts).ok()) << name;
  ConeSolver solver;
  solver.analyze(pattern);
  EXPECT_TRUE(solver.solve(problem, options, whole).ok()) << name;
  EXPECT_LT((parts.v - whole.v).lpNorm<Eigen::Infinity>(), 1e-6 * whole.v.norm()) << name;
}

// Balls in a row, with gaps: the first runs into the second, that into the third, and so on, until
// too few are left of the speed. No contact but the first closes before the one before it.
TEST(ConeIslands, WhatIsPushedIntoOthersRousesThem) {
  constexpr int balls = 9;
  ConePattern pattern;
  ConeProblem problem;
  problem.M.resize(9 * balls);
  problem.f.setZero(3 * balls);
  problem.H.resize(6 * (balls - 1));
  problem.w.resize(balls - 1);
  for (int i = 0; i < balls; ++i) {
    pattern.body_size.push_back(3);
    problem.M.segment<9>(9 * i) = Eigen::Map<const VecX>(Mat3::Identity().eval().data(), 9);
    if (i == 0) continue;
    pattern.groups.add(1, std::array{i - 1, i});
    problem.H.segment<6>(6 * (i - 1)) << -1, 0, 0, 1, 0, 0;
    problem.w[i - 1] = 0.1;
    problem.laws.push_back({});
  }
  problem.f[0] = 3;
  const ConeOptions options{.tolerance = 1e-10, .speed = 1};
  ConeIslands islands;
  ConeSolution solution;
  EXPECT_TRUE(islands.solve(pattern, problem, options, solution).ok());
  // Each is slower than the last by what its gap closes at; all that the first had is shared.
  double first = 0;
  int moving = 0;
  for (int n = 1; n <= balls; ++n) {
    const double speed = (3 + 0.1 * n * (n - 1) / 2) / n;  // of the first, if n move
    if (speed - 0.1 * (n - 1) <= 0) break;
    first = speed;
    moving = n;
  }
  ASSERT_GT(moving, 5);
  for (int i = 0; i < balls; ++i)
    EXPECT_NEAR(solution.v[3 * i], i < moving ? first - 0.1 * i : 0, 1e-9) << i;
  expect_same(pattern, problem, options, "row");
}

TEST(ConeIslands, WhatIsHitIsSolvedAsTheWhole) {
  const auto expect = [](const testing::ContactScene& scene, const char* name) {
    expect_same(scene.pattern, scene.problem, scene.options(1e-10), name);
  };
  expect(testing::kicked_stack(6), "stack");
  expect(testing::kicked_stack(6, 100), "stack with a heavy top");
  expect(testing::cubes(3, true), "cube");
  expect(testing::incline(0.3, 0.2, 0.5), "incline");
}

// A ball on a plane, alone: it is held, slides, rolls, or flies.
TEST(ConeIslands, OneContactAloneIsSolvedWithoutIterations) {
  for (const double friction : {0.0, 0.05, 0.3, 2.0})
    for (const bool rolls : {false, true})
      for (const double rise : {-1.0, -0.1, 0.2}) {
        ConePattern pattern;
        pattern.body_size = {6};
        ConeProblem problem;
        problem.M.setZero(36);
        for (int i = 0; i < 6; ++i) problem.M[7 * i] = i < 3 ? 2 : 0.01;
        problem.f.resize(6);
        problem.f << 0.8, -0.4, 2 * rise, 0.003, 0.002, -0.004;
        ConeLaw law;
        law.kind = rolls ? ConeLaw::Kind::rolling : ConeLaw::Kind::friction;
        law.friction = friction;
        law.spinning = law.rolling = 0.1;
        const int rows = law.rows();
        pattern.groups.add(rows, std::array{0});
        problem.laws = {law};
        problem.w.setZero(rows);
        problem.H.setZero(6 * rows);
        problem.H[2] = 1;
        problem.H[6 + 0] = problem.H[12 + 1] = 1;
        problem.H[6 + 4] = -0.1;
        problem.H[12 + 3] = 0.1;
        for (int i = 3; i < rows; ++i) problem.H[6 * i + (i == 3 ? 5 : i - 1)] = 0.1;
        const ConeOptions options{.tolerance = 1e-11, .speed = 0.1};
        ConeIslands islands;
        ConeSolution solution;
        const ConeReport report = islands.solve(pattern, problem, options, solution);
        EXPECT_TRUE(report.ok());
        EXPECT_EQ(report.factorisations + report.sweeps, 0);
        expect_same(pattern, problem, options, "ball");
      }
}

}  // namespace
}  // namespace taut
