// Springs that become constraints where they are stretched too far, and strings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/constraints/list.hpp"
#include "taut/forces/list.hpp"
#include "taut/methods/method.hpp"
#include "taut/simulate/bounded_step.hpp"

namespace taut {
namespace {

class LimitedSprings : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, LimitedSprings,
                         ::testing::Values("implicit1", "icd", "icd2", "sap", "fast_projection",
                                           "shake", "rattle", "energy_momentum"),
                         [](const auto& made) { return made.param; });

// A bead between a limited spring (k = 40, L = 1, at most 1.1) and a soft spring whose other end is
// drawn away and let come back, so slowly that all is at rest: its pull rises from 0 to 8 N and
// falls. Up to 4 N the limited spring follows it, the rest is borne by the constraint.
TEST_P(LimitedSprings, BecomeConstraintsAndSpringsAgainWithoutAJump) {
  System system;
  const BodyId bead = system.add(Particle{0.001, {1, 0, 0}}, "bead");
  const BodyId hand = system.add(Particle{1, {2, 0, 0}}, "hand");
  const Motion<Vec3> there_and_back = [](double t) {
    const double w = M_PI / 4;
    return MotionSample<Vec3>{{2 + 0.45 * (1 - std::cos(w * t)), 0, 0},
                              {0.45 * w * std::sin(w * t), 0, 0},
                              {0.45 * w * w * std::cos(w * t), 0, 0}};
  };
  constrain(system, Pin{Point(hand), there_and_back, {}}, "pin");
  constrain(system, Distance{world_point(0, 0, 0), Point(bead), 1.1, DistanceForm::squared, true},
            "string");
  apply(system, Spring{world_point(0, 0, 0), Point(bead), 40, 0.1, 1});
  apply(system, Spring{Point(bead), Point(hand), 10, 0, 1});

  auto method = make_method(GetParam());
  Workspace w(system);
  BoundedStep bounded;
  State state = system.initial_state();
  int row = 0;
  for (const auto& batch : system.constraints()) {
    if (batch->type() == "distance") break;
    row += batch->size() * batch->rows_per_constraint();
  }
  const double h = 0.002;
  double last_tension = 0, last_length = 1, most = 0, jump = 0, step = 0, off = 0;
  int active = 0;
  while (state.time < 8) {
    const StepReport report = bounded.step(system, *method, h, state, w);
    ASSERT_EQ(report.status, StepStatus::ok) << state.time;
    const double length = state.q[0], tension = report.active_limits > 0 ? w.lambda[row] : 0;
    jump = std::max(jump, std::abs(tension - last_tension));
    step = std::max(step, std::abs(length - last_length));
    most = std::max(most, length);
    active += report.active_limits;
    // At rest: 40 (l − 1) = 10 (hand − l − 1), as long as that is below 1.1.
    const double hand_at = state.q[3];
    off = std::max(off, std::abs(length - std::min(1.1, (40 + 10 * (hand_at - 1)) / 50)));
    last_tension = tension;
    last_length = length;
  }
  EXPECT_LT(most, 1.1 + 1.5e-3);
  EXPECT_LT(off, 0.01) << "follows the springs, and the constraint where they are too soft";
  EXPECT_LT(step, 1e-3) << "no jump of the bead";
  EXPECT_LT(jump, 0.3) << "no jump of the force, of 3.9 N at most";
  EXPECT_GT(active, 1000);
  EXPECT_LT(active, 3000);
  EXPECT_NEAR(last_length, 1, 0.01) << "a spring again";
}

System hanging(StretchModel stretch, double limit) {
  System system;
  apply(system, Gravity{});
  Grid grid;
  grid.columns = grid.rows = 12;
  ClothMaterial material;
  material.stretch = stretch;
  material.stretch_stiffness = 30;
  material.stretch_damping = 0.1;
  material.stretch_limit = limit;
  const Surface surface = add_cloth(system, grid_mesh(grid), material, "cloth", 12);
  for (const int corner : {0, 11})
    constrain(system, Pin{Point(surface.vertices[static_cast<std::size_t>(corner)]), {}, {}});
  return system;
}

double largest_strain(const System& system, const State& state) {
  const double l = 1.0 / 11;
  double largest = 0;
  const auto place = [&](int i, int j) {
    return Vec3(state.q.segment<3>(system.slot({12 * i + j}).q));
  };
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j + 1 < 12; ++j) {
      largest = std::max(largest, (place(i, j) - place(i, j + 1)).norm() / l - 1);
      largest = std::max(largest, (place(j, i) - place(j + 1, i)).norm() / l - 1);
    }
  return largest;
}

struct Swing {
  double strain = 0;    // the largest
  double active = 0;    // limits, on average
  int most_solved = 0;  // rows in the linear system
};

Swing swing(const System& system, const char* name) {
  auto method = make_method(name);
  Workspace w(system);
  BoundedStep bounded;
  State state = system.initial_state();
  Swing result;
  const int steps = 500;
  for (int i = 0; i < steps; ++i) {
    const StepReport report = bounded.step(system, *method, 0.001, state, w);
    result.strain = std::max(result.strain, largest_strain(system, state));
    result.active += static_cast<double>(report.active_limits) / steps;
    result.most_solved = std::max(result.most_solved, w.solved_rows());
  }
  return result;
}

TEST(LimitedCloth, IsStretchedUpToTheLimitAndOnlySomeEdgesAreInTheSystem) {
  const Swing springs = swing(hanging(StretchModel::springs, 0.1), "implicit1");
  const System limited = hanging(StretchModel::limited, 0.1);
  const Swing implicit1 = swing(limited, "implicit1");
  EXPECT_GT(springs.strain, 0.3);
  EXPECT_LT(implicit1.strain, 0.1 + 3e-3);
  EXPECT_GT(implicit1.active, 2);
  EXPECT_LT(implicit1.most_solved, 60) << "of " << limited.row_count();
  const Swing icd = swing(limited, "icd");
  EXPECT_LT(icd.strain, 0.1 + 3e-3);
  EXPECT_NEAR(icd.active, implicit1.active, 0.15 * implicit1.active);
}

// 264 strings, all of them slack: nothing is solved but the pins.
TEST(LimitedCloth, ThatIsNeverStretchedMovesLikeSprings) {
  const System springs = hanging(StretchModel::springs, 10);
  const System limited = hanging(StretchModel::limited, 10);
  State first = springs.initial_state(), second = limited.initial_state();
  Workspace w1(springs), w2(limited);
  BoundedStep b1, b2;
  const auto m1 = make_method("implicit1"), m2 = make_method("implicit1");
  for (int i = 0; i < 100; ++i) {
    b1.step(springs, *m1, 0.001, first, w1);
    b2.step(limited, *m2, 0.001, second, w2);
  }
  EXPECT_LT((first.q - second.q).norm(), 1e-12);
  EXPECT_EQ(w2.solved_rows(), 6);
}

// A string that pulls at once: a mass falls freely until it is taut, and hangs there.
TEST(String, IsSlackUntilItIsTaut) {
  for (const char* name : {"implicit1", "icd", "rattle", "fast_projection"}) {
    System system;
    apply(system, Gravity{});
    const BodyId mass = system.add(Particle{2, {0, -0.5, 0}}, "mass");
    constrain(system, Distance{world_point(0, 0, 0), Point(mass), 1, DistanceForm::length, true});
    const auto method = make_method(name);
    Workspace w(system);
    BoundedStep bounded;
    State state = system.initial_state();
    const double h = 1e-3;
    while (state.time < 0.3) bounded.step(system, *method, h, state, w);
    EXPECT_NEAR(state.q[1], -0.5 - 0.5 * 9.81 * 0.09, 0.005) << name;
    while (state.time < 1) bounded.step(system, *method, h, state, w);
    EXPECT_NEAR(state.q[1], -1, 1e-3) << name;
    EXPECT_NEAR(state.v[1], 0, 1e-3) << name;
    EXPECT_NEAR(w.lambda[0], 2 * 9.81, 0.1) << name;
  }
}

}  // namespace
}  // namespace taut
