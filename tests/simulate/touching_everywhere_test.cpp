// Cloth that touches, where it might be forgotten: under every method, on height fields and meshes,
// and without anything that holds it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/random_cloth.hpp"
#include "support/touching_cloth.hpp"
#include "taut/model/pose.hpp"
#include "taut/scene/scene.hpp"

namespace taut::testing {
namespace {

class EveryMethodTouches : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, EveryMethodTouches, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const MethodInfo& method : methods())
                             names.emplace_back(method.name);
                           return names;
                         }()),
                         [](const auto& made) { return made.param; });

// As long as it falls, each method does what it does. Where it touches they agree.
TEST_P(EveryMethodTouches, DrapesOverABall) {
  const std::vector<io::Setting> settings{{"n", "7"}};
  const io::Scene scene = io::load_scene("cloth_on_sphere", settings);
  const TouchingRun run = run_touching(scene, scene.system.initial_state(), GetParam(), 0.5, 2);
  EXPECT_EQ(run.report.status, RunStatus::ok) << run.report.reason;
  EXPECT_EQ(run.crossings + run.intrusions, 0) << run.first;
  EXPECT_GT(run.report.contacts.most, 10);
  const TouchingRun exact = run_touching(scene, scene.system.initial_state(), "icd", 0.5, 60);
  const double lost = exact.report.energy.initial - exact.report.energy.final;
  EXPECT_GT(lost, 0.1);
  EXPECT_NEAR(run.report.energy.final, exact.report.energy.final, 0.03 * lost);
  EXPECT_LE(run.strain, 0.01);
}

// Corners are driven, so that nobody knows the energy, and edges are short beside the scene: where
// a method stretches cloth, or gains energy that drives cannot have put in, that is to be said.
TEST_P(EveryMethodTouches, CatchesABallOrSaysThatItDoesNot) {
  const std::vector<io::Setting> settings{{"n", "11"}};
  const io::Scene scene = io::load_scene("ball_on_cloth", settings);
  const TouchingRun run = run_touching(scene, scene.system.initial_state(), GetParam(), 0.6);
  EXPECT_EQ(run.crossings + run.intrusions, 0) << run.first;
  for (const char* good : {"icd", "icd2", "energy_momentum", "fast_projection", "rattle"})
    if (GetParam() == good) EXPECT_TRUE(run.report.is_trusted()) << run.report.doubts.front();
  if (!run.report.is_trusted()) return;
  EXPECT_LE(run.strain, 0.01);
  EXPECT_LE(run.energy_gain, 0.1);  // of 14 J that the motion exchanges
}

io::Scene on_ground(const std::string& ground) {
  return io::parse_scene(R"({ "taut": 1, "name": "on_ground", "shapes": [)" + ground + R"(],
         "cloths": [{ "name": "c", "grid": { "columns": 11, "rows": 11, "width": 0.4, "height": 0.4,
         "origin": [-0.2, 0.2, 0.15], "along": [0, -1, 0] }, "density": 0.2 }],
         "forces": [{ "type": "gravity", "acceleration": [0, 0, -9.81] }],
         "simulation": { "step": "=1/120", "duration": 0.6 } })",
                         "on_ground");
}

/// Heights of a field of 9 × 9 places over a square of 0.8 m.
std::string field(double (*height)(double x, double y)) {
  std::string heights;
  for (int row = 0; row < 9; ++row)
    for (int column = 0; column < 9; ++column)
      heights += fmt::format("{}{}", heights.empty() ? "" : ", ",
                             height(0.1 * column - 0.4, 0.1 * row - 0.4));
  return R"({ "type": "height_field", "columns": 9, "spacing": 0.1, "at": [-0.4, -0.4, 0],
            "heights": [)" +
         heights + "] }";
}

double lowest(const TouchingRun& run) {
  double least = INFINITY;
  for (Eigen::Index i = 2; i < run.report.final_state.q.size(); i += 3)
    least = std::min(least, run.report.final_state.q[i]);
  return least;
}

TEST(TouchingCloth, LiesOnAFlatHeightFieldAsOnAPlane) {
  for (const std::string& ground :
       {field([](double, double) { return 0.0; }), std::string(R"({ "type": "plane" })")}) {
    const io::Scene scene = on_ground(ground);
    const TouchingRun run = run_touching(scene, scene.system.initial_state());
    EXPECT_EQ(run.report.status, RunStatus::ok) << run.report.reason;
    EXPECT_EQ(run.crossings + run.intrusions, 0) << run.first;
    EXPECT_TRUE(run.report.doubts.empty()) << run.report.doubts[0];
    EXPECT_GT(run.report.contacts.most, 50);
    EXPECT_NEAR(lowest(run), 0.00075, 1e-4);
    EXPECT_LT(run.report.final_state.v.cwiseAbs().maxCoeff(), 0.02);
  }
}

TEST(TouchingCloth, DrapesOverAHillyHeightField) {
  const io::Scene scene = on_ground(
      field([](double x, double y) { return 0.06 * std::cos(9 * x) * std::cos(7 * y + 0.3); }));
  const TouchingRun run = run_touching(scene, scene.system.initial_state());
  EXPECT_EQ(run.report.status, RunStatus::ok) << run.report.reason;
  EXPECT_EQ(run.crossings + run.intrusions, 0) << run.first;
  EXPECT_LE(run.strain, 0.01);
  EXPECT_GT(run.report.contacts.most, 10);
  EXPECT_GT(lowest(run), -0.061);
  EXPECT_LE(run.energy_gain, 1e-4);
}

struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
};

Momenta momenta(const System& system, const State& state) {
  const Pose pose(system, state.q);
  Momenta sum;
  for (int i = 0; i < system.body_count(); ++i) {
    const BodySlot& slot = system.slot({i});
    const Vec3 p = system.mass({i}) * state.v.segment<3>(slot.v);
    sum.linear += p;
    sum.angular += pose.position(slot.q).cross(p);
    if (slot.rigid >= 0)
      sum.angular += pose.rotations[static_cast<std::size_t>(slot.rigid)] *
                     (system.inertia({i}) * state.v.segment<3>(slot.v + 3));
  }
  return sum;
}

struct Change {
  double linear = 0, angular = 0;
};

/// A cloth, with nothing that holds it, is hit by a ball beside its middle and by another cloth.
Change change_of_momenta(double step) {
  const io::Scene scene = io::parse_scene(
      R"({ "taut": 1, "name": "floating", "bodies": [{ "type": "rigid", "name": "ball", "mass": 0.05,
         "position": [0.05, 0.03, 0.1], "velocity": [0.3, 0, -2], "angular_velocity": [0, 9, 0],
         "shapes": [{ "type": "sphere", "radius": 0.04, "friction": 0.5 }] }],
         "cloths": [
         { "name": "a", "grid": { "columns": 9, "rows": 9, "width": 0.3, "height": 0.3,
           "origin": [-0.15, 0.15, 0], "along": [0, -1, 0] }, "density": 0.3, "friction": 0.5 },
         { "name": "b", "grid": { "columns": 7, "rows": 7, "width": 0.2, "height": 0.2,
           "origin": [-0.1, 0.1, -0.05], "along": [0, -1, 0] }, "density": 0.3, "friction": 0.5 }],
         "simulation": { "step": )" +
          fmt::format("{}", step) + R"(, "duration": 0.4 } })",
      "floating");
  State start = scene.system.initial_state();
  for (const BodyId vertex : scene.surfaces[1].vertices)
    start.v.segment<3>(scene.system.slot(vertex).v) = Vec3(0.2, 0, 0.5);
  const TouchingRun run = run_touching(scene, start);
  EXPECT_EQ(run.report.status, RunStatus::ok) << run.report.reason;
  EXPECT_EQ(run.crossings + run.intrusions, 0) << run.first;
  EXPECT_GT(run.report.contacts.most, 20);
  EXPECT_LE(run.energy_gain, 1e-6);
  const Momenta before = momenta(scene.system, start),
                after = momenta(scene.system, run.report.final_state);
  return {(after.linear - before.linear).norm(), (after.angular - before.angular).norm()};
}

// The ball has 0.1 kg·m/s, and 0.004 kg·m²/s about the middle of the cloth. Backward Euler keeps
// the first, and the second to first order.
TEST(TouchingCloth, KeepsMomentaWithoutGravity) {
  const Change coarse = change_of_momenta(1.0 / 240), fine = change_of_momenta(1.0 / 480);
  EXPECT_LT(coarse.linear, 1e-12);
  EXPECT_LT(fine.linear, 1e-12);
  EXPECT_LT(coarse.angular, 0.08 * 0.004);
  EXPECT_LT(fine.angular, 0.6 * coarse.angular);
}

/// A box falls on 50 g that are held all round, flat and taut, and have next to no room to give
/// way: rows that are off by little store much energy there.
io::Scene box_on_taut_sheet(double mass, double height, const std::string& step) {
  std::string border;
  for (int row = 0; row < 13; ++row)
    for (int column = 0; column < 13; ++column)
      if (row % 12 == 0 || column % 12 == 0)
        border += fmt::format("{}\"c_{}_{}\"", border.empty() ? "" : ", ", row, column);
  return io::parse_scene(
      fmt::format(
          R"({{ "taut": 1, "name": "box", "bodies": [{{ "type": "rigid", "name": "box", "mass": {},
         "position": [0.003, 0.002, {}], "shapes": [{{ "type": "box", "size": [0.12, 0.1, 0.08] }}] }}],
         "cloths": [{{ "name": "c", "grid": {{ "columns": 13, "rows": 13, "width": 0.5, "height": 0.5,
         "origin": [-0.25, 0.25, 0], "along": [0, -1, 0] }}, "density": 0.2,
         "pins": [{{ "vertices": [{}] }}] }}],
         "forces": [{{ "type": "gravity", "acceleration": [0, 0, -9.81] }}],
         "simulation": {{ "step": "{}", "duration": 0.4 }} }})",
          mass, height + 0.04, border, step),
      "box");
}

TEST(TouchingCloth, StopsAHeavyBoxOnATautSheet) {
  const io::Scene scene = box_on_taut_sheet(20, 0.16, "=1/120");
  const TouchingRun run = run_touching(scene, scene.system.initial_state());
  EXPECT_EQ(run.report.status, RunStatus::ok) << run.report.reason;
  EXPECT_EQ(run.crossings + run.intrusions, 0) << run.first;
  EXPECT_EQ(run.report.cost.unconverged_steps, 0);
  EXPECT_TRUE(run.report.doubts.empty()) << run.report.doubts[0];
  EXPECT_LE(run.strain, 1e-4);
  const double height = run.report.final_state.q[2];
  EXPECT_GT(height, 0.04);
  EXPECT_LT(height, 0.05);
  EXPECT_LT(run.energy_gain, 0.008 * 20 * 9.81 * 0.16);
}

// The heavier the box, the more of these errors' energy comes back when they are put right.
TEST(TouchingCloth, SaysWhereABoxOnATautSheetRebounds) {
  struct Case {
    double mass, height;
    const char* step;
  };
  int suspects = 0;
  for (const Case& box : {Case{100, 0.16, "=1/30"}, Case{100, 0.16, "=1/60"},
                          Case{100, 0.16, "=1/120"}, Case{20, 0.02, "=1/120"}}) {
    const io::Scene scene = box_on_taut_sheet(box.mass, box.height, box.step);
    const TouchingRun run = run_touching(scene, scene.system.initial_state());
    EXPECT_EQ(run.crossings + run.intrusions, 0) << run.first;
    if (run.report.is_trusted())
      EXPECT_LE(run.energy_gain, 1e-3 * box.mass * 9.81 * box.height) << box.mass << box.step;
    else
      ++suspects;
  }
  EXPECT_GT(suspects, 0);  // else there is nothing left to say: see what the limits in docs say
}

// Settings of the solver that have been taken back were wrong here: 830928, heavy bodies at 20 m/s,
// gained twice its energy where errors of few touches that bear much were lost in the mean; 830346
// gained a little where rows alone were put right. 850155 gained ten times its energy in a heap
// whose errors were small in the mean; it has steps that cannot be solved, and says so.
TEST(TouchingCloth, RandomScenesThatWereWrong) {
  for (const unsigned seed : {701140u, 830346u, 830928u, 850155u}) {
    const RandomCloth cloth = random_cloth(seed);
    const TouchingRun run = run_touching(cloth.scene, cloth.start, cloth.method);
    EXPECT_EQ(run.report.status, RunStatus::ok) << seed << ": " << run.report.reason;
    EXPECT_EQ(run.crossings + run.intrusions, 0) << seed << ": " << run.first;
    EXPECT_LE(run.strain, 0.01) << seed;
    EXPECT_LE(run.energy_gain, 1e-3 * (run.report.energy.initial - run.report.energy.final))
        << seed;
    if (seed != 850155u)
      EXPECT_TRUE(run.report.doubts.empty()) << seed << ": " << run.report.doubts[0];
  }
}

// Springs that are stiff for the step: what is left of each vertex's motion tells little of what
// they do together.
TEST(TouchingCloth, SpringsGainNothing) {
  const io::Scene scene = io::parse_scene(
      R"({ "taut": 1, "name": "springs", "shapes": [{ "type": "plane", "friction": 0.5 },
         { "type": "sphere", "radius": 0.3, "at": [0, 0, 0.3] }],
         "cloths": [{ "name": "cloth", "grid": { "columns": 15, "rows": 15, "width": 1, "height": 1,
         "origin": [-0.5, 0.5, 0.62], "along": [0, -1, 0] }, "density": 0.2, "stretch": "springs",
         "stretch_stiffness": 500 }],
         "forces": [{ "type": "gravity", "acceleration": [0, 0, -9.81] }],
         "simulation": { "step": "=1/120", "duration": 0.8 } })",
      "springs");
  const TouchingRun run = run_touching(scene, scene.system.initial_state());
  EXPECT_EQ(run.report.status, RunStatus::ok) << run.report.reason;
  EXPECT_EQ(run.crossings + run.intrusions, 0) << run.first;
  EXPECT_TRUE(run.report.doubts.empty()) << run.report.doubts[0];
  EXPECT_LE(run.energy_gain, 5e-4);
}

}  // namespace
}  // namespace taut::testing
