// What a ConeSolver must survive, and what it must not claim.
#include <gtest/gtest.h>

#include "support/cone_check.hpp"
#include "support/contact_scenes.hpp"

namespace taut {
namespace {

using testing::ContactScene;
using Status = ConeReport::Status;

ConeReport solve(const ContactScene& scene, ConeSolution& solution, double tolerance = 1e-8) {
  ConeSolver solver;
  solver.analyze(scene.pattern);
  return solver.solve(scene.problem, scene.options(tolerance), solution);
}

// The measure that everything is judged by: what a law forbids must not vanish in it.
TEST(ConeDegenerate, ContradictionIsTheSpeedThatMustNotBe) {
  for (const double mu : {0.0, 0.3, 1.5, 1e8}) {
    ConeLaw law;
    law.kind = ConeLaw::Kind::friction;
    law.friction = mu;
    const auto of = [&](const Vec3& r, const Vec3& u) {
      return cone::contradiction(law, r.data(), u.data(), 2.0);
    };
    EXPECT_GE(of({0, 0, 0}, {-0.1, 5, 0}), 0.1) << mu;        // closes, without a push
    EXPECT_NEAR(of({1e18, 0, 0}, {-0.1, 0, 0}), 0.1, 1e-15);  // closes, with any push
    EXPECT_EQ(of({0, 0, 0}, {0.1, 5, 1}), 0) << mu;           // open
    EXPECT_NEAR(of({1, 0, 0}, {0.1, 0, 0}), 0.1, 1e-15);      // open, but pushes
    if (mu == 0) continue;
    EXPECT_NEAR(of({1e3, 0, 0}, {0, 0.03, 0.04}), 0.05, 1e-12) << mu;  // sticks, but slides
    if (mu > 10) continue;
    EXPECT_NEAR(of({1, mu, 0}, {0, -0.4, 0}), 0, 1e-15) << mu;  // slides as it should
    EXPECT_GT(of({1, mu, 0}, {0, 0.4, 0}), 0.3) << mu;          // with, and not against, the force
    EXPECT_GT(of({1, mu, 0}, {0, 0, 0.4}), 0.2) << mu;          // across
    EXPECT_GT(of({1, 0.5 * mu, 0}, {0, -0.4, 0}), 0.1) << mu;   // with less friction than there is
  }
}

TEST(ConeDegenerate, Nothing) {
  ConeSolver solver;
  ConeSolution solution;
  solver.analyze({});
  EXPECT_TRUE(solver.solve({}, {}, solution).ok());
  ContactScene falls;
  falls.add_particle(2, {0, 0, 0}, {1, 0, 0});
  falls.build();
  EXPECT_TRUE(solve(falls, solution).ok());
  EXPECT_LT((solution.v - Vec3(1, 0, -9.81e-3)).norm(), 1e-15);
}

TEST(ConeDegenerate, NoFrictionAndAnyFriction) {
  for (const double mu : {0.0, 1e-12, 1e3, 1e8}) {
    ContactScene scene = testing::incline(0.5, 0.7, mu);
    ConeSolution solution;
    ASSERT_TRUE(solve(scene, solution, 1e-10).ok()) << mu;
    const double slides = mu < 1 ? 9.81e-3 * std::sin(0.5) : 0;
    EXPECT_NEAR(solution.v.norm(), slides, 1e-11) << mu;
  }
}

// Rows of zeros: nothing can be done, and nothing need be if the contact opens.
TEST(ConeDegenerate, NoMobility) {
  for (const double gap : {1e-3, 0.0, -1e-3}) {
    ContactScene scene = testing::stack(2);
    const std::vector<int> first{0};
    scene.pattern.groups.add(3, first);
    VecX H = VecX::Zero(scene.problem.H.size() + 18), w = VecX::Zero(scene.problem.w.size() + 3);
    H.head(scene.problem.H.size()) = scene.problem.H;
    w.head(scene.problem.w.size()) = scene.problem.w;
    w[scene.problem.w.size()] = gap / scene.h;
    scene.problem.H = H;
    scene.problem.w = w;
    scene.problem.laws.push_back(scene.problem.laws.front());
    ConeSolution solution;
    const ConeReport report = solve(scene, solution);
    EXPECT_EQ(report.status, gap < 0 ? Status::compromise : Status::converged) << gap;
    EXPECT_LT(solution.v.norm(), 1e-5) << gap;
  }
}

TEST(ConeDegenerate, TheSameContactManyTimes) {
  ContactScene scene = testing::stack(3);
  for (int i = 0; i < 5; ++i) scene.touch_ground(0, 0.5);
  scene.build();
  ConeSolution solution;
  EXPECT_TRUE(solve(scene, solution).ok());
  EXPECT_LT(solution.v.norm(), 1e-9);
}

TEST(ConeDegenerate, NotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int where = 0; where < 7; ++where) {
    ContactScene scene = testing::chain(4, 10);
    ConeProblem& problem = scene.problem;
    KeptVec* const all[] = {&problem.M, &problem.f, &problem.J, &problem.H, &problem.b, &problem.w};
    if (where < 6)
      (*all[where])[all[where]->size() / 2] = nan;
    else
      problem.laws[0].friction = nan;
    ConeSolution solution;
    const ConeReport report = solve(scene, solution);
    EXPECT_EQ(report.status, Status::not_converged) << where;
    EXPECT_TRUE(std::isinf(report.residual)) << where;
    EXPECT_EQ(report.factorisations, 0) << where;
  }
  ContactScene scene = testing::stack(2);
  ConeSolution solution;
  solution.r = VecX::Constant(scene.problem.w.size(), nan);  // only a guess
  EXPECT_TRUE(solve(scene, solution).ok());
}

TEST(ConeDegenerate, MassesThatAreNone) {
  ContactScene scene = testing::stack(2);
  scene.problem.M[0] = -1;
  ConeSolution solution;
  EXPECT_EQ(solve(scene, solution).status, Status::not_converged);
}

// Two walls that close on a box: impossible, so both press alike, and no answer is called exact.
TEST(ConeDegenerate, SqueezeIsACompromise) {
  const ContactScene scene = testing::squeeze(0.1);
  ConeSolution solution;
  const ConeReport report = solve(scene, solution);
  EXPECT_EQ(report.status, Status::compromise);
  EXPECT_LT(solution.v.norm(), 1e-6);
  double below = 0, above = 0;
  for (int c = 0; c < 4; ++c) {
    below += solution.r[3 * c];
    above += solution.r[3 * (c + 4)];
  }
  EXPECT_GT(below, 1);
  EXPECT_NEAR(below / above, 1, 1e-6);
}

// Rods that dig in: there may be no force without an impulse, but there is an impulse.
TEST(ConeDegenerate, Painleve) {
  int stuck = 0;
  for (int i = 0; i < 80; ++i) {
    const double angle = 0.3 + 1.2 * (i % 10) / 10.0, mu = 0.375 * (1 + i / 10);
    const ContactScene scene = testing::rod(angle, mu, -2, 0.01);
    ConeSolution solution;
    const ConeReport report = solve(scene, solution, 1e-10);
    EXPECT_TRUE(report.ok()) << i;
    const testing::ConeErrors errors = testing::check(scene.pattern, scene.problem, solution);
    EXPECT_LT(errors.laws, 1e-9) << i;
    EXPECT_LT(errors.dynamics, 1e-12) << i;
    if (solution.r[0] > 0.5) ++stuck;
  }
  EXPECT_GT(stuck, 5);
}

// A body between hard stops, held by equations as well: contact that nothing can move.
TEST(ConeDegenerate, AHeldBodyTouches) {
  ContactScene scene = testing::stack(1);
  scene.join(0, -1, {0, 0, 0.05}, {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()});
  scene.hold_turning(0);
  scene.build();
  ConeSolution solution;
  EXPECT_TRUE(solve(scene, solution).ok());
  EXPECT_LT(solution.v.norm(), 1e-12);
}

}  // namespace
}  // namespace taut
