// Solvers for contacts beside the exact one: what each of them can and cannot do.
#include "taut/solve/contact_solvers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/contact_scenes.hpp"
#include "support/messages.hpp"
#include "taut/base/error.hpp"

namespace taut {
namespace {

struct SolvedBy {
  ConeReport report;
  ConeSolution solution;
};

SolvedBy solve(const testing::ContactScene& scene, const ConeOptions& options,
               const ConeSolution& guess = {}) {
  ConeSolver solver;
  solver.analyze(scene.pattern);
  SolvedBy solved{{}, guess};
  solved.report = solver.solve(scene.problem, options, solved.solution);
  return solved;
}

SolvedBy solve(const testing::ContactScene& scene, std::string_view name) {
  ConeOptions options = scene.options(1e-8);
  options.solver = find_contact_solver(name).solver;
  return solve(scene, options);
}

TEST(ContactSolvers, AreFoundByName) {
  EXPECT_EQ(contact_solvers().front().name, "exact");
  for (const ContactSolverInfo& info : contact_solvers())
    EXPECT_EQ(find_contact_solver(info.name).solver, info.solver);
  const std::string message = testing::message_of([] { find_contact_solver("dantzig_boxes"); });
  EXPECT_NE(message.find("dantzig_boxes"), std::string::npos);
  EXPECT_NE(message.find("dantzig_box\""), std::string::npos) << message;
}

/// At how many of the azimuths a cube slides down an incline.
int slides(std::string_view name, double steepness) {
  constexpr double mu = 0.5;
  int count = 0;
  for (int i = 0; i < 12; ++i) {
    const SolvedBy solved =
        solve(testing::incline(std::atan(mu * steepness), i * M_PI / 24, mu), name);
    EXPECT_TRUE(solved.report.ok()) << name << " " << i;
    count += solved.solution.v.norm() > 1e-7;
  }
  return count;
}

TEST(ContactSolvers, APyramidHoldsOnDiagonalsWhatOughtToSlide) {
  for (const char* exact : {"exact", "real_time"}) {
    EXPECT_EQ(slides(exact, 0.99), 0) << exact;
    EXPECT_EQ(slides(exact, 1.2), 12) << exact;
  }
  for (const char* pyramid : {"dantzig_pyramid", "dantzig_box"}) {
    EXPECT_EQ(slides(pyramid, 0.99), 0) << pyramid;
    EXPECT_GT(slides(pyramid, 1.2), 2) << pyramid;
    EXPECT_LT(slides(pyramid, 1.2), 10) << pyramid;
    EXPECT_EQ(slides(pyramid, 1.45), 12) << pyramid;
  }
}

// A frictionless problem has no cones: pivoting is exact there.
TEST(ContactSolvers, PivotingIsExactWithoutFriction) {
  const testing::ContactScene scene = testing::stack(5, 1000, 0);
  const SolvedBy pivoted = solve(scene, "dantzig_pyramid"), exact = solve(scene, "exact");
  EXPECT_TRUE(pivoted.report.ok());
  EXPECT_LE(pivoted.report.residual, 1e-8);
  EXPECT_LT((pivoted.solution.v - exact.solution.v).lpNorm<Eigen::Infinity>(), 1e-10);
}

TEST(ContactSolvers, ContactAfterContactDoesNotBearAHeavyTop) {
  const testing::ContactScene scene = testing::stack(10, 1000);
  EXPECT_TRUE(solve(scene, "exact").report.ok());
  const SolvedBy swept = solve(scene, "gauss_seidel");
  EXPECT_FALSE(swept.report.ok());
  EXPECT_GT(swept.report.residual, 1e-3);
}

TEST(ContactSolvers, InRealTimeTheBestSoFarIsReturned) {
  const testing::ContactScene scene = testing::kicked_stack(30);
  EXPECT_GT(solve(scene, "exact").report.factorisations, 40);
  ConeOptions options = scene.options(1e-8);
  options.solver = ContactSolver::real_time;
  options.most_factorisations = 20;
  const SolvedBy capped = solve(scene, options);
  EXPECT_FALSE(capped.report.ok());
  EXPECT_LT(capped.report.residual, 1);
  EXPECT_GT(capped.report.residual, capped.report.tolerance);
  EXPECT_LE(capped.report.factorisations, 20);
}

// What has been solved before must be quick; the first time it may take longer.
TEST(ContactSolvers, InRealTimeAGuessIsImprovedWithFewFactorisations) {
  const testing::ContactScene scene = testing::kicked_stack(30);
  ConeOptions options = scene.options(1e-8);
  options.solver = ContactSolver::real_time;
  const SolvedBy first = solve(scene, options);
  EXPECT_LE(first.report.factorisations, 100);
  ConeSolution guess = solve(scene, "exact").solution;
  guess.r *= 0.9999;
  const SolvedBy again = solve(scene, options, guess);
  EXPECT_LE(again.report.factorisations, 20);
  EXPECT_LT(again.report.residual, 1e-3);
}

}  // namespace
}  // namespace taut
