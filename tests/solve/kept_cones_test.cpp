// What a ConeSolver keeps from one problem to the next must not show: the answer depends on the
// arguments alone.
#include <gtest/gtest.h>

#include <functional>

#include "support/cone_check.hpp"
#include "support/contact_scenes.hpp"

namespace taut {
namespace {

ConeOptions to_ten_digits() {
  ConeOptions options;
  options.tolerance = 1e-10;
  return options;
}

ConeSolution solved_again(ConeSolver& solver, const ConePattern& pattern,
                          const ConeProblem& problem, const ConeSolution& guess) {
  ConeSolution solution = guess;
  solver.analyze(pattern);
  solver.solve(problem, to_ten_digits(), solution);
  return solution;
}

void expect_same(const KeptVec& one, const KeptVec& other, const std::string& what) {
  ASSERT_EQ(one.size(), other.size()) << what;
  for (Eigen::Index i = 0; i < one.size(); ++i) EXPECT_EQ(one[i], other[i]) << what << " " << i;
}

TEST(KeptCones, AnswersAreThoseOfANewSolver) {
  const std::vector<std::pair<std::string, std::function<void(ConeProblem&)>>> changes{
      {"nothing", [](ConeProblem&) {}},
      {"M", [](ConeProblem& problem) { problem.M *= 3; }},
      {"nothing after M", [](ConeProblem&) {}},
      {"J", [](ConeProblem& problem) { problem.J *= -2; }},
      {"H", [](ConeProblem& problem) { problem.H *= 0.7; }},
      {"f", [](ConeProblem& problem) { problem.f *= 1.5; }},
      {"M and H", [](ConeProblem& problem) {
         problem.M *= 0.2;
         problem.H *= 1.3;
       }}};
  for (unsigned seed = 0; seed < 60; ++seed) {
    testing::RandomCones random(seed);
    ConeSolver kept;
    ConeSolution guess;
    for (const auto& [name, change] : changes) {
      change(random.problem);
      ConeSolver anew;
      const ConeSolution now = solved_again(kept, random.pattern, random.problem, guess);
      const ConeSolution then = solved_again(anew, random.pattern, random.problem, guess);
      const std::string what = name + ", seed " + std::to_string(seed);
      expect_same(now.r, then.r, what);
      expect_same(now.v, then.v, what);
      expect_same(now.lambda, then.lambda, what);
      guess = now;
    }
  }
}

TEST(KeptCones, WhatIsNoNumberIsSeenAndForgotten) {
  testing::RandomCones random(3);
  ConeSolver solver;
  solver.analyze(random.pattern);
  for (KeptVec ConeProblem::*numbers : {&ConeProblem::M, &ConeProblem::J, &ConeProblem::H}) {
    if ((random.problem.*numbers).size() == 0) continue;
    ConeSolution solution;
    EXPECT_TRUE(solver.solve(random.problem, to_ten_digits(), solution).ok());
    const double was = (random.problem.*numbers)[0];
    (random.problem.*numbers)[0] = NAN;
    for (int twice = 0; twice < 2; ++twice)
      EXPECT_FALSE(solver.solve(random.problem, to_ten_digits(), solution).ok());
    (random.problem.*numbers)[0] = was;
    EXPECT_TRUE(solver.solve(random.problem, to_ten_digits(), solution).ok());
  }
}

// In real time, what is good enough but not yet at rest is improved, and a guess that is at rest is
// taken as it is.
TEST(KeptCones, AGuessIsImprovedUntilItRests) {
  const testing::ContactScene scene = testing::stack(3, 1, 0.5);
  ConeOptions asked = scene.options(1e-8);
  asked.solver = ContactSolver::real_time;
  ConeSolver solver;
  solver.analyze(scene.pattern);
  ConeSolution exact;
  ASSERT_TRUE(solver.solve(scene.problem, scene.options(1e-13), exact).ok());
  ConeSolution near = exact;
  for (Eigen::Index i = 0; i < near.r.size(); ++i) near.r[i] *= 1 + 1e-10 * (i % 7);
  ConeSolution kept = near;
  const ConeReport as_it_is = solver.solve(scene.problem, asked, kept);
  EXPECT_EQ(as_it_is.factorisations, 0);
  ASSERT_GT(as_it_is.residual, 1e-12);
  asked.at_rest = 1e-12;
  ConeSolution better = near;
  const ConeReport improved = solver.solve(scene.problem, asked, better);
  EXPECT_GT(improved.newton_steps, 0);
  EXPECT_LT(improved.residual, 1e-12);
  EXPECT_EQ(solver.solve(scene.problem, asked, better).factorisations, 0);
}

}  // namespace
}  // namespace taut
