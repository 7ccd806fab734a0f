#include "taut/solve/cone_solver.hpp"

#include <gtest/gtest.h>

#include "support/cone_check.hpp"
#include "support/contact_scenes.hpp"
#include "support/matrices.hpp"
#include "taut/solve/box_solver.hpp"

namespace taut {
namespace {

using testing::ContactScene;
using testing::Random;
using Status = ConeReport::Status;

constexpr double g = 9.81;

struct Solved : ConeSolution {
  ConeReport report;
};

Solved solved(const ConePattern& pattern, const ConeProblem& problem, const ConeOptions& options) {
  Solved answer;
  ConeSolver solver;
  solver.analyze(pattern);
  answer.report = solver.solve(problem, options, answer);
  return answer;
}

Solved solved(const ContactScene& scene, double tolerance = 1e-8) {
  return solved(scene.pattern, scene.problem, scene.options(tolerance));
}

/// By the definitions, relative to the speed that matters in the scene.
void expect_right(const ContactScene& scene, const Solved& answer, double speed, double tolerance,
                  const std::string& what) {
  EXPECT_EQ(answer.report.status, Status::converged) << what << " " << answer.report.residual;
  const testing::ConeErrors errors = testing::check(scene.pattern, scene.problem, answer);
  EXPECT_LT(errors.laws, tolerance * speed) << what;
  EXPECT_LT(errors.cones, 1e-12) << what;
  EXPECT_LT(errors.dynamics, 1e-9 * speed) << what;
  EXPECT_LT(errors.equations, 1e-10 * speed) << what;
}

// A block on an incline, in every direction, closer and closer to where it begins to slide.
TEST(ConeSolver, InclineSticksOrSlides) {
  for (const double mu : {0.2, 0.5, 1.0, 1.5})
    for (int direction = 0; direction < 72; ++direction)
      for (const double off : {-1e-2, -1e-5, -1e-9, 1e-9, 1e-5, 1e-2}) {
        const double angle = std::atan(mu * (1 + off)), azimuth = 2 * M_PI * direction / 72;
        const ContactScene scene = testing::incline(angle, azimuth, mu);
        const Solved answer = solved(scene, 1e-12);
        ASSERT_TRUE(answer.report.ok()) << mu << " " << azimuth << " " << off;
        const double slides = scene.h * g * std::max(0.0, std::sin(angle) - mu * std::cos(angle));
        VecX expected = VecX::Zero(6);
        expected[0] = slides * std::cos(azimuth);
        expected[1] = slides * std::sin(azimuth);
        EXPECT_LT((answer.v - expected).norm(), 1e-10 * scene.h * g)
            << mu << " " << azimuth << " " << off;
      }
}

TEST(ConeSolver, SlidingBlockSlowsDown) {
  for (int direction = 0; direction < 24; ++direction) {
    const double angle = 2 * M_PI * direction / 24, mu = 0.4;
    const Vec3 along(std::cos(angle), std::sin(angle), 0);
    ContactScene scene = testing::incline(0, 0, mu);
    scene.bodies[0].velocity = 2 * along;
    scene.build();
    const Solved answer = solved(scene, 1e-13);
    ASSERT_TRUE(answer.report.ok());
    EXPECT_LT((answer.v.head<3>() - (2 - mu * g * scene.h) * along).norm(), 1e-12);
    EXPECT_LT(answer.v.tail<3>().norm(), 1e-11);
  }
}

// A ball that hits the ground keeps sliding if |u_T| > 7/2 μ v_N; else it rolls.
TEST(ConeSolver, BallHitsTheGround) {
  Random random(4);
  int rolling = 0;
  for (int i = 0; i < 200; ++i) {
    const double mu = random.uniform(0, 1), radius = 0.2, mass = 0.7;
    Vec3 velocity = random.vector(3);
    velocity.z() = -random.uniform(0.1, 3);
    const Vec3 spin = random.vector(20);
    const ContactScene scene = testing::ball(mu, velocity, spin);
    const Solved answer = solved(scene, 1e-13);
    ASSERT_TRUE(answer.report.ok());
    const Vec3 arm(0, 0, -radius);
    Vec3 slip = velocity + spin.cross(arm);
    slip.z() = 0;
    const double most = mu * mass * -velocity.z();
    Vec3 impulse = -2.0 / 7 * mass * slip;
    if (impulse.norm() > most)
      impulse *= most / impulse.norm();
    else
      ++rolling;
    impulse.z() = -mass * velocity.z();
    const Vec3 after = velocity + impulse / mass;
    const Vec3 turning = spin + arm.cross(impulse) / (0.4 * mass * radius * radius);
    EXPECT_LT((answer.v.head<3>() - after).norm(), 1e-11) << i;
    EXPECT_LT((answer.v.tail<3>() - turning).norm(), 1e-10) << i;
  }
  EXPECT_GT(rolling, 20);
  EXPECT_LT(rolling, 180);
}

TEST(ConeSolver, RandomProblemsByDefinition) {
  int redundant = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const testing::RandomCones random(seed);
    ConeOptions options;
    options.tolerance = 1e-10;
    const Solved answer = solved(random.pattern, random.problem, options);
    const testing::ConeErrors errors = testing::check(random.pattern, random.problem, answer);
    EXPECT_EQ(answer.report.status, Status::converged) << seed << " " << answer.report.residual;
    EXPECT_LT(errors.laws, 1e-7) << seed;
    EXPECT_LT(errors.cones, 1e-12) << seed;
    EXPECT_LT(errors.equations, 1e-9) << seed;
    EXPECT_LT(errors.dynamics, 1e-8) << seed;
    const MatX J = testing::dense(random.pattern, random.problem).J;
    if (J.rows() > 0 && testing::rank(J, 1e-10) < J.rows()) ++redundant;
  }
  EXPECT_GT(redundant, 40);
}

TEST(ConeSolver, ScenesAtAllMassRatios) {
  const std::vector<std::pair<std::string, ContactScene>> scenes{
      {"stack", testing::stack(10)},
      {"stack 1e4", testing::stack(10, 1e4)},
      {"stack 1e6", testing::stack(10, 1e6)},
      {"stack 1e-4", testing::stack(10, 1e-4)},
      {"high stack", testing::stack(30, 1e3)},
      {"kicked", testing::kicked_stack(10)},
      {"kicked 1e3", testing::kicked_stack(10, 1e3)},
      {"wall", testing::wall(5, 6, 1e3)},
      {"kicked wall", testing::kicked_wall(5, 6)},
      {"cubes", testing::cubes(3, false)},
      {"kicked cubes", testing::cubes(3, true)},
      {"holds", testing::grasp(5, 4, 1e-3)},
      {"slips", testing::grasp(5, 4, -1e-3)},
      {"chain", testing::chain(30, 1e4)}};
  for (const auto& [name, scene] : scenes) {
    const Solved answer = solved(scene);
    double speed = scene.h * g;
    for (const ContactScene::Body& body : scene.bodies)
      speed = std::max(speed, 2 * body.velocity.norm() + body.spin.norm());
    expect_right(scene, answer, speed, 1e-6, name);
    double before = 0;
    VecX start = VecX::Zero(answer.v.size());
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      start.segment<3>(6 * static_cast<int>(i)) =
          scene.bodies[i].velocity +
          scene.h * (scene.gravity + scene.bodies[i].force / scene.bodies[i].mass);
      start.segment<3>(6 * static_cast<int>(i) + 3) = scene.bodies[i].spin;
    }
    before = scene.kinetic_energy(start);
    EXPECT_LE(scene.kinetic_energy(answer.v), before * (1 + 1e-9)) << name;
  }
}

TEST(ConeSolver, GraspHoldsAndSlipsAtItsLimit) {
  const ContactScene holds = testing::grasp(5, 4, 1e-3), slips = testing::grasp(5, 4, -1e-3);
  EXPECT_LT(solved(holds, 1e-12).v.norm(), 1e-11 * g * holds.h);
  EXPECT_NEAR(solved(slips, 1e-12).v[2], -1e-3 * g * slips.h, 1e-10 * g * slips.h);
}

// The same in grams of a billionth and micrometres, and in tons and kilometres.
TEST(ConeSolver, AnyScale) {
  for (const double length : {1e-6, 1.0, 1e3})
    for (const double mass : {1e-9, 1.0, 1e6}) {
      ContactScene scene(1e-3, {0, 0, -g * length});
      const int below = scene.add_box(length * Vec3(0, 0, 1), length * Vec3(1, 1, 1), mass);
      const int above = scene.add_box(length * Vec3(0.2, 0, 3), length * Vec3(1, 1, 1), 3 * mass);
      scene.touch_ground(below, 0.5);
      scene.touch_boxes(above, below, 0.5);
      scene.bodies[1].velocity = length * Vec3(1, 0.2, -0.1);
      scene.build();
      const Solved answer = solved(scene, 1e-10);
      expect_right(scene, answer, length, 1e-9, "scale");
      const Vec3 impulse = mass * scene.h * 4 * g * length * Vec3::UnitZ();
      EXPECT_GT(answer.r[0] + answer.r[3] + answer.r[6] + answer.r[9], impulse.z());
    }
}

TEST(ConeSolver, RedundantEquationsShareTheLoad) {
  for (const int copies : {1, 2, 5}) {
    ContactScene scene;
    scene.add_box({0, 0, 1}, {0.1, 0.1, 0.1}, 2);
    scene.add_box({0, 0, 1.2}, {0.1, 0.1, 0.1}, 3);
    scene.touch_boxes(1, 0, 0.5);
    for (int i = 0; i < copies; ++i)
      scene.join(0, -1, {0, 0, 1}, {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()});
    scene.hold_turning(0);
    scene.build();
    const Solved answer = solved(scene, 1e-11);
    expect_right(scene, answer, g * scene.h, 1e-9, "redundant");
    for (int i = 0; i < copies; ++i)
      EXPECT_NEAR(answer.lambda[3 * i + 2], 5 * g * scene.h / copies, 1e-6 * g * scene.h);
  }
}

TEST(ConeSolver, HalfLinesAndIntervalsAgreeWithTheBoxSolver) {
  Random random(11);
  for (int problem = 0; problem < 100; ++problem) {
    ConePattern pattern;
    ConeProblem cones;
    const int bodies = 1 + problem % 4, groups = 1 + problem % 7, size = 3 * bodies;
    pattern.body_size.assign(static_cast<std::size_t>(bodies), 3);
    MatX H(groups, size), W = MatX::Zero(size, size);
    cones.M.setZero(9 * bodies);
    for (int i = 0; i < size; ++i) {
      const double mass = random.uniform(0.1, 10);
      cones.M[9 * (i / 3) + 4 * (i % 3)] = mass;
      W(i, i) = 1 / mass;
    }
    std::vector<int> all;
    for (int b = 0; b < bodies; ++b) all.push_back(b);
    cones.H.resize(groups * size);
    std::vector<Bounds> bounds;
    for (int i = 0; i < groups; ++i) {
      pattern.groups.add(1, all);
      for (int j = 0; j < size; ++j) cones.H[i * size + j] = H(i, j) = random.uniform(-1, 1);
      ConeLaw law;
      if (i % 2 == 1) {
        law.kind = ConeLaw::Kind::interval;
        law.lower = -0.4;
        law.upper = i % 4 == 1 ? 0.3 : std::numeric_limits<double>::infinity();
      }
      cones.laws.push_back(law);
      bounds.push_back(i % 2 == 1 ? Bounds{law.lower, law.upper} : Bounds{0, Bounds{}.upper});
    }
    cones.f = random.vector_of(size);
    cones.w = -H * random.vector_of(size);
    const MatX A = H * W * H.transpose();
    VecX lambda = VecX::Zero(groups);
    ASSERT_TRUE(BoxSolver().solve(A, H * W * cones.f + cones.w, A.diagonal(), bounds, lambda).ok);
    ConeOptions options;
    options.tolerance = 1e-11;
    const Solved answer = solved(pattern, cones, options);
    EXPECT_TRUE(answer.report.ok()) << problem;
    const VecX expected = W * (cones.f + H.transpose() * lambda);
    EXPECT_LT((answer.v - expected).norm(), 1e-8) << problem;
  }
}

TEST(ConeSolver, CompliantContactIsASpring) {
  ContactScene scene = testing::ball(0.3, {0, 0, -2}, {0, 0, 0});
  scene.problem.laws[0].compliance = 0.5;
  const Solved answer = solved(scene, 1e-12);
  EXPECT_TRUE(answer.report.ok());
  EXPECT_NEAR(answer.r[0], 2 / (1 / 0.7 + 0.5), 1e-11);
}

TEST(ConeSolver, AWarmStartIsNearlyFree) {
  ContactScene scene = testing::stack(10, 100);
  ConeSolver solver;
  solver.analyze(scene.pattern);
  ConeSolution solution;
  ASSERT_TRUE(solver.solve(scene.problem, scene.options(), solution).ok());
  const ConeReport again = solver.solve(scene.problem, scene.options(), solution);
  EXPECT_TRUE(again.ok());
  EXPECT_EQ(again.factorisations, 0);
  scene.problem.f *= 1.001;
  const ConeReport near = solver.solve(scene.problem, scene.options(), solution);
  EXPECT_TRUE(near.ok());
  EXPECT_LE(near.factorisations, 1);
}

TEST(ConeSolver, TheAnswerDependsOnTheArgumentsAlone) {
  const ContactScene one = testing::kicked_stack(8), other = testing::wall(4, 5);
  const Solved fresh = solved(one);
  ConeSolver solver;
  for (const ContactScene* scene : {&other, &one, &other, &one}) {
    solver.analyze(scene->pattern);
    ConeSolution solution;
    solver.solve(scene->problem, scene->options(), solution);
    if (scene != &one) continue;
    EXPECT_EQ(solution.r, fresh.r);
    EXPECT_EQ(solution.v, fresh.v);
  }
}

}  // namespace
}  // namespace taut
