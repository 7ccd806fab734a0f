// Methods on cloth: solved by iteration, with a line that is taut between two pins.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/random_scene.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/constraints/pin.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/forces/spring.hpp"
#include "taut/methods/step_guess.hpp"
#include "taut/solve/kkt_krylov.hpp"
#include "taut/solve/kkt_matrix.hpp"

namespace taut {
namespace {

using testing::square_cloth;

double strain(const RunReport& report, double length) {
  return report.constraint_error.max / length;
}

// A crumpled cloth in tension and compression, with springs and a rigid body.
TEST(KktKrylov, SolvesTheSameAsTheDirectSolver) {
  testing::Random random(6);
  const int n = 7;
  System system = square_cloth(n);
  RigidBody block;
  block.mass = 0.3;
  block.position = {0.5, -0.4, 1.2};
  const BodyId body = system.add(block);
  constrain(system, Distance{BodyId{n * n - 3}, Point(body, {0.1, 0.2, 0}), {}});
  for (int i = 0; i + n + 1 < n * n; ++i)
    apply(system, Spring{BodyId{i}, BodyId{i + n + 1}, 20, 0.1, 0.2});
  State state = system.initial_state();
  for (int i = 0; i < n * n; ++i) state.q.segment<3>(3 * i) += 0.03 * random.vector();
  Workspace w(system);
  w.evaluate(system, state.q, 0, w.start, RowForm::smooth);
  VecX lambda(w.pattern.rows());
  for (double& value : lambda) value = random.uniform(-0.5, 2);
  w.start.add_stiffness(system, w.pattern, w.start.pose, 0, lambda, RowForm::smooth,
                        Definiteness::positive);
  w.start.add_force_stiffness(system, w.pattern, w.start.pose, state.v, 100);
  const double mass = 240.0 * 240.0, compliance = 1e-9;
  const std::vector<Mat3> turning{mass * block.inertia};
  const KktSolver::Terms terms{mass,      turning,   1,         w.start.G,
                               w.start.K, w.start.J, w.start.J, w.modes};
  VecX force(system.velocity_size()), value(w.pattern.rows());
  for (double& f : force) f = random.uniform(-1, 1);
  for (double& c : value) c = random.uniform(-1e-3, 1e-3);

  KktMatrix direct(system, w.pattern);
  KktKrylov iterated(system, w.pattern);
  StepReport report;
  ASSERT_TRUE(direct.factor(system, terms, compliance));
  ASSERT_TRUE(iterated.factor(system, terms, compliance));
  VecX x = force, y = value, x_iterated = force, y_iterated = value;
  direct.solve(x, y, 0, report);
  iterated.solve(x_iterated, y_iterated, 1e-13, report);
  EXPECT_LT((x_iterated - x).norm(), 1e-8 * x.norm());
  EXPECT_LT((y_iterated - y).norm(), 1e-6 * y.norm());
  EXPECT_GT(report.linear_iterations, 0);
}

// Rows between particles are kept as one vector where their gradients are opposite and B = J.
TEST(KktKrylov, GradientsNeedNotBeOppositeNorThoseOfTheForces) {
  testing::Random random(7);
  const int n = 6;
  System system = square_cloth(n);
  for (int i = 0; i + n + 1 < n * n; ++i)
    apply(system, Spring{BodyId{i}, BodyId{i + n + 1}, 20, 0.1, 0.2});
  State state = system.initial_state();
  for (int i = 0; i < n * n; ++i) state.q.segment<3>(3 * i) += 0.03 * random.vector();
  Workspace w(system);
  w.evaluate(system, state.q, 0, w.start, RowForm::smooth);
  const VecX lambda = VecX::Ones(w.pattern.rows());
  w.start.add_stiffness(system, w.pattern, w.start.pose, 0, lambda, RowForm::smooth,
                        Definiteness::positive);
  w.start.add_force_stiffness(system, w.pattern, w.start.pose, state.v, 100);
  VecX opposite = w.start.J;
  VecX uneven = opposite, scaled = 1.1 * opposite;
  for (double& value : uneven) value *= random.uniform(0.9, 1.1);
  const double mass = 240.0 * 240.0, compliance = 1e-9;
  const std::vector<Mat3> turning;
  for (const VecX* J : {&opposite, &uneven})
    for (const VecX* B : {&opposite, &uneven, &scaled}) {
      const KktSolver::Terms terms{mass, turning, 1, w.start.G, w.start.K, *B, *J, w.modes};
      KktMatrix direct(system, w.pattern);
      KktKrylov iterated(system, w.pattern);
      ASSERT_TRUE(direct.factor(system, terms, compliance));
      ASSERT_TRUE(iterated.factor(system, terms, compliance));
      VecX x(system.velocity_size()), y(w.pattern.rows());
      for (double& f : x) f = random.uniform(-1, 1);
      for (double& c : y) c = random.uniform(-1e-3, 1e-3);
      VecX x_iterated = x, y_iterated = y;
      StepReport report;
      direct.solve(x, y, 0, report);
      iterated.solve(x_iterated, y_iterated, 1e-13, report);
      EXPECT_LT((x_iterated - x).norm(), 1e-8 * x.norm());
      EXPECT_LT((y_iterated - y).norm(), 1e-6 * y.norm());
    }
}

// With a constant acceleration, and multipliers that grow steadily, nothing is left to be found.
TEST(StepGuess, ContinuesAsTheLastStepWent) {
  System system;
  system.add(Particle{});
  const double h = 0.1;
  const Vec3 acceleration{1, -2, 3};
  StepGuess guess;
  State state = system.initial_state();
  VecX q(3), lambda(1);
  for (int i = 0; i < 4; ++i) {
    q = state.q + h * state.v;
    lambda[0] = i;
    EXPECT_EQ(guess.improve(system, state, h, q, lambda), i > 1);
    const VecX v_end = state.v + h * acceleration, q_end = state.q + h * v_end;
    if (i > 1) {
      EXPECT_LT((q - q_end).norm(), 1e-14);
      EXPECT_NEAR(lambda[0], i + 1, 1e-14);
    }
    lambda[0] = i + 1;
    guess.learn(system, state, h, q_end, lambda);
    state = {state.time + h, q_end, v_end};
  }
  q = state.q;
  EXPECT_FALSE(guess.improve(system, state, 0.5 * h, q, lambda));  // as long a step only
}

// What grows as a parabola is found when three steps are known; a guess that leaves more of the
// equations than a plain one is not used.
TEST(StepGuess, FollowsAParabolaUnlessPlainGuessesAreBetter) {
  System system;
  system.add(Particle{});
  const double h = 0.1;
  for (const bool helps : {true, false}) {
    StepGuess guess;
    State state = system.initial_state();
    VecX q(3), lambda(1);
    int used = 0;
    for (int i = 0; i < 40; ++i) {
      q = state.q;
      lambda[0] = 0;
      const bool is_better = guess.improve(system, state, h, q, lambda);
      const VecX q_end = state.q + Vec3(1 + i, 2 - i * i, 0.5 * i * i);
      if (is_better && i > 20 && helps) {
        EXPECT_LT((q - q_end).norm(), 1e-9);
        EXPECT_NEAR(lambda[0], 1 + i * i, 1e-9);
      }
      if (i > 20) used += is_better ? 1 : 0;
      guess.judge(is_better == helps ? 0.01 : 1);
      lambda[0] = 1 + i * i;
      guess.learn(system, state, h, q_end, lambda);
      state = {state.time + h, q_end, state.v};
    }
    if (helps)
      EXPECT_GE(used, 17);
    else
      EXPECT_LE(used, 2);
  }
}

// A step of a frame does not resolve the springs of such a cloth. A filter that moves its pins back
// stretches them, in each step anew; and a guess that stretched them is no measure of what Newton's
// method may leave unsolved.
TEST(StiffSprings, GiveNoEnergyToWhatHangsOnThem) {
  const int n = 31;
  System system;
  apply(system, Gravity{});
  Grid grid;
  grid.columns = grid.rows = n;
  grid.along = Vec3::UnitZ();
  ClothMaterial material;
  material.stretch = StretchModel::springs;
  const Surface surface = add_cloth(system, grid_mesh(grid), material, "cloth", n);
  for (const int corner : {0, n - 1})
    constrain(system, Pin{Point(surface.vertices[static_cast<std::size_t>(corner)]), {}, {}});
  const double h = 1.0 / 60;
  for (const char* name : {"icd", "fast_projection"}) {
    const auto method = make_method(name);
    Workspace w(system);
    State state = system.initial_state();
    const double start = system.energy(state);
    double least = start, rise = 0;
    for (int i = 0; i < 25; ++i) {
      const StepReport report = method->step(system, h, state, w);
      EXPECT_LT(report.residual, 1e-4) << name << " at " << state.time;
      const double now = system.energy(state);
      rise = std::max(rise, now - least);
      least = std::min(least, now);
    }
    EXPECT_GT(start - least, 0.01) << name;
    EXPECT_LT(rise, 0.002 * (start - least)) << name;
  }
}

// Goldenthal et al. 2007, theorem 1. The potential is linear, so that icd's forces are sap's.
TEST(Sap, IsIcdToRoundOff) {
  std::vector<System> systems;
  systems.push_back(testing::arm(10, 0.3));
  for (const int n : {5, 14}) systems.push_back(square_cloth(n, 1));  // solved directly, iterated
  for (const System& system : systems) {
    const RunReport icd = testing::run(system, "icd", 1e-3, 0.03);
    const RunReport sap = testing::run(system, "sap", 1e-3, 0.03);
    EXPECT_EQ(sap.status, RunStatus::ok) << sap.reason;
    EXPECT_LT((icd.final_state.q - sap.final_state.q).lpNorm<Eigen::Infinity>(), 1e-11);
    EXPECT_LT((icd.final_state.v - sap.final_state.v).lpNorm<Eigen::Infinity>(), 1e-8);
  }
}

// The first scene every user tries: the matrix J W Jᵀ is singular, and the taut row cannot carry
// the cloth without being stretched a little.
TEST(FlatClothBetweenTwoPins, IsHeldInAFewIterations) {
  for (const char* method : {"icd", "icd2", "sap", "fast_projection"}) {
    std::vector<OptionValue> options{{"tolerance", "1e-5"}};
    if (std::string_view(method) == "fast_projection") options = {{"strain", "0.005"}};
    const int n = 21;
    const RunReport report = testing::run(square_cloth(n), method, 1.0 / 240, 1, options);
    EXPECT_EQ(report.status, RunStatus::ok) << method << ": " << report.reason;
    EXPECT_LT(strain(report, 1.0 / (n - 1)), 0.01) << method;
    EXPECT_LE(report.cost.iterations, 8 * report.steps) << method;
    EXPECT_LT(report.energy.final, 1e-3) << method << " gains energy";
  }
}

class EveryFilter : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, EveryFilter,
                         ::testing::Values("fast_projection", "strain_limit_jacobi",
                                           "strain_limit_gauss_seidel"),
                         [](const auto& name) { return name.param; });

// A chain that swings down, with a block at its end: no strain beyond what is permitted,
// whatever the base step, and the first-order filters approach the motion as the step is refined.
TEST_P(EveryFilter, KeepsThePermittedStrain) {
  for (const char* base : {"explicit", "implicit", "bdf2"}) {
    System system = testing::arm(6, 0.1, 0.05);
    RigidBody block;
    block.mass = 0.2;
    block.inertia = 1e-3 * Mat3::Identity();
    block.position = {0.7, 0, 0};
    const BodyId body = system.add(block);
    constrain(system, Distance{BodyId{5}, Point(body, {-0.05, 0.02, 0}), {}});
    const RunReport report =
        testing::run(system, GetParam(), 1e-3, 0.2, {{"free_step", base}, {"strain", "0.01"}});
    EXPECT_EQ(report.status, RunStatus::ok) << base << ": " << report.reason;
    EXPECT_LE(report.constraint_error.max, 0.0101 * 0.1) << base;
  }
}

TEST_P(EveryFilter, KeepsMomentumAndCentreOfAFreeCloth) {
  testing::Random random(9);
  const int n = 6;
  System system;
  for (int i = 0; i < n * n; ++i)
    system.add(Particle{random.uniform(0.5, 2), {i % n * 0.1, 0, i / n * 0.1}, random.vector()});
  for (int i = 0; i < n * n; ++i) {
    if (i % n + 1 < n) constrain(system, Distance{BodyId{i}, BodyId{i + 1}, {}});
    if (i + n < n * n) constrain(system, Distance{BodyId{i}, BodyId{i + n}, {}});
  }
  const auto momentum = [&](const VecX& v) {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < n * n; ++i) sum += system.mass({i}) * v.segment<3>(3 * i);
    return sum;
  };
  const Vec3 before = momentum(system.initial_state().v);
  const RunReport report = testing::run(system, GetParam(), 1e-3, 0.2, {{"strain", "0.01"}});
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_LT((momentum(report.final_state.v) - before).norm(), 1e-9 * before.norm() + 1e-9);
}

/// A row of masses of 1 kg joined by springs, pulled apart.
System row_of_springs(double stiffness) {
  System system;
  for (int i = 0; i < 12; ++i) system.add(Particle{1, Vec3(i + 0.1 * (i % 2), 0, 0)});
  for (int i = 0; i + 1 < 12; ++i) apply(system, Spring{BodyId{i}, BodyId{i + 1}, stiffness, 0, 1});
  return system;
}

// Of a row of springs, the largest ω² is just below 4k/m.
TEST(FastProjection, SolvesForForcesOnlyWhereAStepDoesNotResolveThem) {
  const double h = 0.01;
  for (const double s : {0.1, 0.8, 1.2, 100.0}) {
    const System system = row_of_springs(s / (4 * h * h));
    Workspace w(system);
    State state = system.initial_state();
    const auto method = make_method("fast_projection", {});
    const double energy = system.energy(state);
    double before = energy;
    int solves = 0;
    for (int i = 0; i < 500; ++i) {
      solves += method->step(system, h, state, w).linear_solves;
      if (i % 50 != 49) continue;
      EXPECT_LE(system.energy(state), before + 1e-9 * energy) << s << " at " << i;
      before = system.energy(state);
    }
    EXPECT_EQ(solves > 0, s > 1) << s;
    EXPECT_LT(before, 0.9 * energy) << s;
  }
}

// BDF2 as base keeps more of the energy of a pendulum than backward Euler, by far.
TEST(FastProjection, Bdf2LosesFarLessEnergy) {
  const auto lost = [](const char* base) {
    return testing::run(testing::arm(1, 1), "fast_projection", 0.01, 4,
                        {{"free_step", base}, {"strain", "1e-8"}})
        .energy.max_abs_error;
  };
  EXPECT_LT(lost("bdf2"), 0.1 * lost("implicit"));
}

// Published fast projection alone sits at its iteration cap where a line is taut; it says so.
TEST(FastProjection, WithoutFallbackItReportsThatItDoesNotGetThere) {
  const RunReport report =
      testing::run(square_cloth(21), "fast_projection", 1.0 / 240, 0.3,
                   {{"fallback", "none"}, {"strain", "1e-4"}, {"max_iterations", "20"}});
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_GT(report.cost.halved_steps, 0);
}

// At rest the spring, λ = k (l² − L²)/2L along d/L, carries the weight: k (l² − 1) l/2 = m g.
TEST(ImplicitSprings, HangAsSpringsDo) {
  System system;
  apply(system, Gravity{});
  const BodyId top = system.add(Particle{1, {0, 0, 0}}), bob = system.add(Particle{2, {0, -1, 0}});
  constrain(system, Pin{top, {}});
  constrain(system, Distance{top, bob, 1.0});
  const RunReport report =
      testing::run(system, "implicit_springs", 0.01, 20, {{"stiffness", "5000"}});
  const double l = report.final_state.q[1] - report.final_state.q[4];
  EXPECT_NEAR(0.5 * 5000 * (l * l - 1) * l, 2 * 9.81, 1e-3);
}

// Edges between pinned vertices follow from the pins. A few of them made the preconditioner of flat
// sheets infinite: nothing was solved, nothing moved, and all seemed well.
TEST(PinnedPatch, TheRestOfAFlatSheetFalls) {
  constexpr int rings = 8;
  constexpr double edge = 0.032;
  System system;
  apply(system, Gravity{});
  std::vector<BodyId> vertices;
  std::vector<Vec3> places;
  for (int a = -rings; a <= rings; ++a)
    for (int b = -rings; b <= rings; ++b)
      if (std::abs(a + b) <= rings) {
        places.push_back({edge * (a + 0.5 * b), 0, edge * std::sqrt(0.75) * b});
        vertices.push_back(system.add(Particle{1e-3, places.back()}));
      }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].norm() < 0.1) constrain(system, Pin{vertices[i], {}});
    for (std::size_t j = 0; j < i; ++j)
      if ((places[i] - places[j]).norm() < 1.1 * edge)
        constrain(system, Distance{vertices[i], vertices[j], edge});
  }
  const RunReport report = testing::run(system, "icd2", 0.01, 0.03);
  EXPECT_LT(report.final_state.q[system.slot(vertices.front()).q + 1], -1e-4);
}

}  // namespace
}  // namespace taut
