// Cloth that touches: shapes, bodies, itself.
#include "taut/simulate/sheet_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "support/dice.hpp"
#include "support/random_cloth.hpp"
#include "support/touching_cloth.hpp"
#include "taut/scene/scene.hpp"

namespace taut::testing {
namespace {

/// A napkin on a slope: gravity is tilted, not the ground.
io::Scene napkin(double slope, double friction) {
  return io::parse_scene(
      R"({ "taut": 1, "name": "napkin", "shapes": [{ "type": "plane", "friction": )" +
          std::to_string(friction) +
          R"( }], "cloths": [{ "name": "napkin", "grid": { "columns": 7, "rows": 7, "width": 0.2,
         "height": 0.2, "origin": [0, 0, 0.00075], "across": [1, 0, 0], "along": [0, 1, 0] },
         "density": 0.2, "friction": )" +
          std::to_string(friction) + R"( }], "forces": [{ "type": "gravity", "acceleration": [)" +
          std::to_string(9.81 * std::sin(slope)) + ", 0, " +
          std::to_string(-9.81 * std::cos(slope)) +
          R"(] }], "simulation": { "step": "=1/240", "duration": 0.5 } })",
      "napkin");
}

double slid(const io::Scene& scene, const std::string& method) {
  const TouchingRun run = run_touching(scene, scene.system.initial_state(), method);
  EXPECT_EQ(run.report.status, RunStatus::ok) << run.report.reason;
  EXPECT_EQ(run.intrusions, 0) << run.first;
  return run.report.final_state.q[0] - scene.system.initial_state().q[0];
}

TEST(TouchingCloth, SticksBelowTheAngleOfFriction) {
  // 0.4° to both sides of atan μ
  EXPECT_LT(std::abs(slid(napkin(std::atan(0.3) - 0.007, 0.3), "icd")), 1e-4);
}

TEST(TouchingCloth, SlipsAboveTheAngleOfFriction) {
  const double slope = std::atan(0.3) + 0.05;
  const double way = 0.5 * 0.5 * 0.5 * 9.81 * (std::sin(slope) - 0.3 * std::cos(slope));
  for (const char* method : {"icd", "icd2", "fast_projection"})
    EXPECT_NEAR(slid(napkin(slope, 0.3), method), way, 0.03 * way) << method;
  EXPECT_GT(slid(napkin(std::atan(0.3) + 0.007, 0.3), "icd"), 2e-3);
}

/// A ribbon that hangs over a cylinder, with a weight at each end; the second is `ratio` times the
/// first. How fast it is after half a second.
double speed_over_cylinder(double ratio) {
  constexpr double radius = 0.1, thickness = 0.0015, edge = 0.0105;
  constexpr int bend = 30, straight = 9;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("taut_capstan_" + std::to_string(ratio));
  std::filesystem::create_directories(folder);
  std::ofstream mesh(folder / "ribbon.obj");
  const auto vertex = [&](double x, double z) {
    for (int k = 0; k < 3; ++k) mesh << "v " << x << ' ' << 0.015 * (k - 1) << ' ' << z << '\n';
  };
  mesh.precision(17);
  const double r = radius + 0.5 * thickness;
  int rows = 0;
  for (int i = 0; i < straight; ++i, ++rows) vertex(-r, -edge * (straight - i));
  for (int i = 0; i <= bend; ++i, ++rows) {
    const double angle = std::numbers::pi * (1 - static_cast<double>(i) / bend);
    vertex(r * std::cos(angle), r * std::sin(angle));
  }
  for (int i = 1; i <= straight; ++i, ++rows) vertex(r, -edge * i);
  for (int i = 0; i + 1 < rows; ++i)
    for (int k = 0; k < 2; ++k)
      mesh << "f " << 3 * i + k + 1 << ' ' << 3 * i + k + 2 << ' ' << 3 * i + k + 5 << ' '
           << 3 * i + k + 4 << '\n';
  mesh.close();
  std::string weights, ties;
  for (int k = 0; k < 6; ++k) {
    const bool is_second = k >= 3;
    weights += (k ? ", " : "") + std::string(R"({ "type": "particle", "name": "w)") +
               std::to_string(k) + R"(", "mass": )" +
               std::to_string(is_second ? ratio / 3 : 1.0 / 3) + R"(, "position": [)" +
               std::to_string(is_second ? r : -r) + ", " + std::to_string(0.015 * (k % 3 - 1)) +
               ", " + std::to_string(-edge * straight) + "] }";
    ties += (k ? ", " : "") + std::string(R"({ "type": "ball", "a": "w)") + std::to_string(k) +
            R"(", "b": "ribbon_)" + std::to_string(is_second ? 3 * (rows - 1) + k - 3 : k) + "\" }";
  }
  const io::Scene scene = io::parse_scene(
      R"({ "taut": 1, "name": "capstan", "shapes": [{ "type": "cylinder", "radius": 0.1,
         "height": 0.2, "orientation": { "axis": [1, 0, 0], "angle": "=pi/2" }, "friction": 0.3 }],
         "bodies": [)" +
          weights +
          R"(], "cloths": [{ "name": "ribbon", "mesh": "ribbon.obj", "density": 0.05,
         "bending_stiffness": 0, "friction": 0.3, "thickness": 0.0015 }], "constraints": [)" +
          ties +
          R"(], "forces": [{ "type": "gravity", "acceleration": [0, 0, -9.81] }],
         "simulation": { "step": "=1/240", "duration": 0.5 } })",
      (folder / "scene.json").string());
  const TouchingRun run = run_touching(scene, scene.system.initial_state(), "icd", 0, 20);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(run.report.status, RunStatus::ok) << run.report.reason;
  EXPECT_EQ(run.intrusions, 0) << run.first;
  return -run.report.final_state.v[3 * 3 + 2];
}

// T₂/T₁ = e^{μφ} with φ = π
TEST(TouchingCloth, HoldsOverACylinderAsEulerSays) {
  const double limit = std::exp(0.3 * std::numbers::pi);
  EXPECT_LT(std::abs(speed_over_cylinder(0.99 * limit)), 1e-3);
  EXPECT_GT(speed_over_cylinder(1.01 * limit), 1e-2);
}

struct Case {
  const char* scene;
  int n;
  double duration;
};

class NothingGetsThrough : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Scenes, NothingGetsThrough,
    ::testing::Values(Case{"cloth_on_sphere", 13, 0.6}, Case{"cloth_on_box_corner", 13, 0.6},
                      Case{"table_cloth", 13, 0.5}, Case{"ball_on_cloth", 11, 0.8},
                      Case{"ball_on_elastic_cloth", 9, 0.6}, Case{"hammock", 9, 0.8},
                      Case{"curtain_pile", 9, 0.7}, Case{"two_sheets_slide", 9, 0.3},
                      Case{"flag_on_pole", 9, 2.2}, Case{"ribbon_folds", 40, 0.35},
                      Case{"twist", 10, 0.5}),
    [](const auto& made) { return std::string(made.param.scene); });

TEST_P(NothingGetsThrough, AndNothingStretches) {
  const std::vector<io::Setting> settings{{"n", std::to_string(GetParam().n)}};
  const io::Scene scene = io::load_scene(GetParam().scene, settings);
  const TouchingRun run =
      run_touching(scene, scene.system.initial_state(), "icd", GetParam().duration, 2);
  EXPECT_EQ(run.report.status, RunStatus::ok) << run.report.reason;
  EXPECT_EQ(run.crossings, 0) << run.first;
  EXPECT_EQ(run.intrusions, 0) << run.first;
  EXPECT_GT(run.report.contacts.most, 0);
  const bool is_elastic = std::string(GetParam().scene) == "ball_on_elastic_cloth";
  EXPECT_LE(run.strain, is_elastic ? 0.11 : 0.01);
}

TEST(TouchingCloth, BearsAHundredTimesItsMass) {
  const std::vector<io::Setting> settings{{"n", "11"}, {"mass", "20"}};
  const io::Scene scene = io::load_scene("ball_on_cloth", settings);
  const TouchingRun run = run_touching(scene, scene.system.initial_state(), "icd", 1.0, 2);
  EXPECT_EQ(run.report.status, RunStatus::ok) << run.report.reason;
  EXPECT_EQ(run.crossings + run.intrusions, 0) << run.first;
  EXPECT_LE(run.strain, 0.01);
  EXPECT_LT(run.report.final_state.q[2], 0.15);  // it is in the cloth
}

TEST(TouchingCloth, GoesThroughEverythingIfItIsToTouchNothing) {
  io::Scene scene = io::parse_scene(
      R"({ "taut": 1, "name": "ghost", "shapes": [{ "type": "plane" }], "cloths": [{ "name": "c",
         "grid": { "columns": 3, "rows": 3, "origin": [0, 0, 0.1], "along": [0, 1, 0] },
         "touches": "nothing" }], "forces": [{ "type": "gravity", "acceleration": [0, 0, -9.81] }],
         "simulation": { "step": 0.01, "duration": 0.3 } })",
      "ghost");
  EXPECT_EQ(scene.system.sheets(), nullptr);
  const TouchingRun run = run_touching(scene, scene.system.initial_state());
  EXPECT_GT(run.intrusions, 0);
}

TEST(TouchingCloth, RandomScenesHaveNoIntersections) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const RandomCloth cloth = random_cloth(seed);
    const TouchingRun run = run_touching(cloth.scene, cloth.start, cloth.method, 0.2);
    EXPECT_EQ(run.crossings + run.intrusions, 0) << seed << ": " << run.first;
    EXPECT_LE(run.strain, 0.01) << seed;
  }
}

io::Scene hit_by(const std::string& mass, const std::string& speed) {
  return io::parse_scene(
      R"({ "taut": 1, "name": "bullet", "bodies": [{ "type": "rigid", "name": "ball", "mass": )" +
          mass + R"(, "position": [0.01, 0.02, 0.4], "velocity": [0, 0, -)" + speed +
          R"(], "shapes": [{ "type": "sphere", "radius": 0.05 }] }],
         "cloths": [{ "name": "cloth", "grid": { "columns": 9, "rows": 9, "width": 0.3, "height": 0.3,
         "origin": [-0.15, 0.15, 0.1], "along": [0, -1, 0] }, "density": 0.2,
         "pins": [{ "part": "corners" }] }],
         "forces": [{ "type": "gravity", "acceleration": [0, 0, -9.81] }],
         "simulation": { "step": "=1/60", "duration": 0.3 } })",
      "bullet");
}

// 50 kg at 50 m/s on 18 g that are held: more than steps of 1/60 s can solve for. It goes on, and
// says so.
TEST(TouchingCloth, GoesOnWhereAStepCannotBeSolved) {
  const io::Scene scene = hit_by("50", "50");
  const TouchingRun run = run_touching(scene, scene.system.initial_state());
  EXPECT_EQ(run.report.status, RunStatus::ok) << run.report.reason;
  EXPECT_EQ(run.crossings + run.intrusions, 0) << run.first;
  EXPECT_LE(run.strain, 0.01);
  EXPECT_GT(run.report.cost.unconverged_steps, 0);
  EXPECT_FALSE(run.report.doubts.empty());
  EXPECT_NEAR(run.report.final_state.time, 0.3, 1e-9);
}

// Two triangles share a place, not a vertex: they are tangled, and nothing may move.
TEST(TouchingCloth, IsNotTrustedWhereItCannotMove) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "taut_tangled";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "tangled.obj")
      << "v 0 0 0.1\nv 0.1 0 0.1\nv 0.1 0.1 0.1\nv 0 0.1 0.1\nv 0.1 0.1 0.1\nf 1 2 3\nf 1 5 4\n";
  const io::Scene scene = io::parse_scene(
      R"({ "taut": 1, "name": "tangled", "cloths": [{ "name": "c", "mesh": "tangled.obj",
         "open_seams": true, "touches": "all" }], "forces": [{ "type": "gravity", "acceleration": [0, 0, -9.81] }],
         "simulation": { "step": "=1/60", "duration": 0.3 } })",
      (folder / "scene.json").string());
  const TouchingRun run = run_touching(scene, scene.system.initial_state());
  std::filesystem::remove_all(folder);
  EXPECT_GT(run.report.cost.unconverged_steps, 0);
  EXPECT_FALSE(run.report.doubts.empty());
}

TEST(TouchingCloth, RigidZonesKeepMomenta) {
  Dice dice(5);
  System system;
  for (int i = 0; i < 4; ++i) system.add(Particle{0.1 + 0.1 * i, dice.vector()});
  for (int i = 0; i < 2; ++i) {
    RigidBody body;
    body.mass = 2;
    body.inertia = Vec3(0.3, 0.4, 0.5).asDiagonal();
    body.position = dice.vector();
    body.orientation = dice.rotation();
    system.add(body);
  }
  const State start = system.initial_state();
  const Pose pose(system, start.q);
  VecX v(system.velocity_size());
  for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = dice.between(-1, 1);
  const auto momenta = [&](const VecX& of) {
    Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
    for (int i = 0; i < system.body_count(); ++i) {
      const BodySlot& slot = system.slot({i});
      const Vec3 p = system.mass({i}) * of.segment<3>(slot.v);
      sum.head<3>() += p;
      sum.tail<3>() += pose.position(slot.q).cross(p);
      if (slot.rigid >= 0)
        sum.tail<3>() += pose.rotations[static_cast<std::size_t>(slot.rigid)] *
                         (system.inertia({i}) * of.segment<3>(slot.v + 3));
    }
    return sum;
  };
  // 0, 1 and the first rigid body touch; 2 and 3 touch; the last body is alone.
  std::vector<SheetTouch> touches(3);
  const auto touch = [&](std::size_t number, int a, int b) {
    touches[number].add({Point(BodyId{a}), 1});
    touches[number].add({Point(BodyId{b}), -1});
  };
  touch(0, 0, 1);
  touch(1, 1, 4);
  touch(2, 2, 3);
  VecX after = v;
  RigidZones().unite(system, pose, touches, after);
  EXPECT_LT((momenta(after) - momenta(v)).norm(), 1e-9);
  EXPECT_LT(system.kinetic_energy(after), system.kinetic_energy(v));
  EXPECT_EQ(after.tail(6), v.tail(6));
  // No gap opens or closes in a zone.
  const auto rate = [&](int a, int b) {
    return (pose.at(Point(BodyId{a})) - pose.at(Point(BodyId{b})))
        .dot(after.segment<3>(system.slot({a}).v) - after.segment<3>(system.slot({b}).v));
  };
  for (const auto& [a, b] : {std::pair{0, 1}, {0, 4}, {1, 4}, {2, 3}})
    EXPECT_NEAR(rate(a, b), 0, 1e-9);
  EXPECT_GT(std::abs(rate(0, 2)), 1e-3);
  // What the world holds comes to rest.
  touches.emplace_back();
  touches.back().add({Point(BodyId{2}), 1});
  touches.back().add({Point(world_body, Vec3::Zero()), -1});
  after = v;
  RigidZones().unite(system, pose, touches, after);
  EXPECT_TRUE(after.segment<6>(system.slot({2}).v).isZero(0));
  EXPECT_FALSE(after.head<3>().isZero(1e-6));
}

/// Three particles and a rigid body: a triangle over a corner of it.
class Touches : public ::testing::Test {
 protected:
  Touches() {
    for (int i = 0; i < 3; ++i) system_.add(Particle{0.1 + 0.1 * i, Vec3(i == 1, i == 2, 0.01)});
    RigidBody body;
    body.mass = 2;
    body.inertia = Vec3(0.3, 0.4, 0.5).asDiagonal();
    body.position = Vec3(0.3, 0.3, -0.5);
    body.orientation = Quat(Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized()));
    system_.add(body);
    start_ = system_.initial_state();
    pose_.set(system_, start_.q);
    SheetTouch touch;
    touch.feature = 7;
    for (int i = 0; i < 3; ++i)
      touch.add({Point(BodyId{i}), std::array{0.5, 0.2, 0.3}[static_cast<std::size_t>(i)]});
    touch.add({Point(BodyId{3}, Vec3(0.1, -0.2, 0.4)), -1});
    touch.normal = Vec3(0.2, -0.1, 1).normalized();
    touch.gap = 1e-3;
    touch.thickness = 1e-3;
    touch.friction = 0.5;
    touches_.push_back(touch);
    stiffness_ = VecX::Constant(4, 1000);
    forces_.set({system_, pose_, pose_, stiffness_}, touches_);
  }
  /// −Hᵀf
  VecX force(const VecX& displacement) {
    VecX r = VecX::Zero(system_.velocity_size());
    forces_.evaluate(displacement, r);
    return r;
  }
  /// Brings it to bear a load, which is the guess from then on.
  VecX load(double closing) {
    VecX x = VecX::Zero(system_.velocity_size());
    for (int i = 0; i < 3; ++i) x.segment<3>(3 * i) = -closing * touches_[0].normal;
    for (int i = 0; i < 3; ++i) {
      force(x);
      forces_.update();
    }
    return x;
  }

  System system_;
  State start_;
  Pose pose_;
  std::vector<SheetTouch> touches_;
  VecX stiffness_;
  TouchForces forces_;
};

TEST_F(Touches, DoNothingWhileTheyAreOpen) {
  EXPECT_TRUE(force(VecX::Zero(system_.velocity_size())).isZero(0));
  EXPECT_EQ(forces_.loaded(), 0);
}

TEST_F(Touches, HaveTheStiffnessOfTheirForces) {
  Dice dice(3);
  const VecX loaded = load(2e-3);
  for (int k = 0; k < 20; ++k) {
    // Small displacements stick, large ones slip.
    VecX x = loaded, d(system_.velocity_size());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      x[i] += (k % 2 ? 3e-3 : 1e-5) * dice.between(-1, 1);
      d[i] = dice.between(-1, 1);
    }
    const double e = 1e-8;
    const VecX difference = (force(x + e * d) - force(x - e * d)) / (2 * e);
    force(x);
    VecX product = VecX::Zero(d.size());
    forces_.add_product(d, product);
    EXPECT_LT((product - difference).norm(), 1e-5 * difference.norm() + 1e-6) << k;
    // With and without what is on the diagonal.
    BodyDiagonal diagonal(system_);
    diagonal.set_mass(system_, 0);
    forces_.add_to(diagonal);
    VecX of_diagonal, beside = VecX::Zero(d.size());
    diagonal.apply(d, of_diagonal);
    forces_.add_beside_diagonal(d, beside);
    EXPECT_LT((of_diagonal + beside - product).norm(), 1e-12 * product.norm() + 1e-12) << k;
  }
}

TEST_F(Touches, ObeyCoulombsLawWhereTheGuessIsRight) {
  load(2e-3);
  // Now the gap is just closed, and it is dragged along.
  const Vec3& n = touches_[0].normal;
  const Vec3 way = 0.01 * n.unitOrthogonal();
  VecX x = VecX::Zero(system_.velocity_size());
  for (int i = 0; i < 3; ++i) x.segment<3>(3 * i) = -touches_[0].gap * n + way;
  for (int i = 0; i < 60; ++i) {
    force(x);
    forces_.update();
  }
  const VecX r = force(x);
  const Vec3 f = -(r.segment<3>(0) + r.segment<3>(3) + r.segment<3>(6));
  const double along = n.dot(f);
  EXPECT_GT(along, 0);
  EXPECT_LT((f - along * n + 0.5 * along * way.normalized()).norm(), 1e-9 * along);
}

}  // namespace
}  // namespace taut::testing
