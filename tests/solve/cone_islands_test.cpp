// Islands solved one by one give what the whole gives.
#include "taut/solve/cone_islands.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/contact_scenes.hpp"

namespace taut {
namespace {

void append(const VecX& from, VecX& to) {
  const Eigen::Index before = to.size();
  to.conservativeResize(before + from.size());
  to.tail(from.size()) = from;
}

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

}  // namespace
}  // namespace taut
