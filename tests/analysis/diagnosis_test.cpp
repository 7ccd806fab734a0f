#include "taut/analysis/diagnosis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "taut/constraints/list.hpp"
#include "taut/scene/scene.hpp"

namespace taut {
namespace {

using Names = std::vector<std::string>;

Diagnosis diagnose(const System& system) { return taut::diagnose(system, system.initial_state()); }

/// Particles on the x axis from 0, `spacing` apart, the ends pinned, each link `length` long.
System line(int links, double spacing, double length, double sag = 0) {
  System system;
  for (int i = 0; i <= links; ++i)
    system.add(Particle{1, {spacing * i, i % 2 ? -sag : 0, 0}, Vec3::Zero()});
  constrain(system, Pin{Point(BodyId{0}), {}}, "left");
  constrain(system, Pin{Point(BodyId{links}), Vec3(spacing * links, 0, 0)}, "right");
  for (int i = 0; i < links; ++i)
    constrain(system, Distance{BodyId{i}, BodyId{i + 1}, length, DistanceForm::length},
              "link" + std::to_string(i));
  return system;
}

TEST(Diagnosis, EmptySystem) {
  const Diagnosis nothing = diagnose(System());
  EXPECT_EQ(nothing.rows, 0);
  EXPECT_EQ(nothing.degrees_of_freedom, 0);
  EXPECT_FALSE(nothing.has_conflict());
  System free;
  free.add(RigidBody{});
  EXPECT_EQ(diagnose(free).degrees_of_freedom, 6);
}

// Of two wheels on an axle, what keeps one from slipping aside keeps the other, too, wherever they
// roll.
TEST(Diagnosis, WheelsOnAnAxleAreNoSingularPosition) {
  const io::Scene scene = io::parse_scene(R"({ "taut": 1, "name": "axle",
    "bodies": [
      { "type": "rigid", "name": "left", "mass": 1, "inertia": [0.02, 0.02, 0.04], "position": [0, 0.3, 0.5] },
      { "type": "rigid", "name": "right", "mass": 1, "inertia": [0.02, 0.02, 0.04], "position": [0, 0.3, -0.5] },
      { "type": "rigid", "name": "axle", "mass": 2, "inertia": [0.3, 0.3, 0.01], "position": [0, 0.3, 0] } ],
    "constraints": [
      { "type": "rolling", "center": "left", "radius": 0.3, "through": [0, 0, 0], "normal": [0, 1, 0],
        "axis": { "body": "left", "axis": [0, 0, 1] } },
      { "type": "rolling", "center": "right", "radius": 0.3, "through": [0, 0, 0], "normal": [0, 1, 0],
        "axis": { "body": "right", "axis": [0, 0, 1] } },
      { "type": "hinge", "a": "axle", "b": "left", "at": [0, 0.3, 0.5] },
      { "type": "hinge", "a": "axle", "b": "right", "at": [0, 0.3, -0.5] } ] })",
                                          "axle");
  const Diagnosis found = diagnose(scene.system);
  EXPECT_EQ(found.rank, 15);
  EXPECT_EQ(found.generic_rank, 15);
  ASSERT_EQ(found.dependencies.size(), 1u);
  EXPECT_FALSE(found.dependencies[0].only_here);
}

TEST(Diagnosis, SoundSystemHasNothingToReport) {
  System system;
  const BodyId a = system.add(Particle{1, {1, 0, 0}, {0, 1, 0}});
  const BodyId b = system.add(Particle{1, {2, 0, 0}, {0, 2, 0}});
  constrain(system, Distance{world_point(0, 0, 0), a, {}, {}});
  constrain(system, Distance{a, b, {}, {}});
  const Diagnosis found = diagnose(system);
  EXPECT_EQ(found.bodies, 2);
  EXPECT_EQ(found.velocities, 6);
  EXPECT_EQ(found.constraints, 2);
  EXPECT_EQ(found.rank, 2);
  EXPECT_EQ(found.generic_rank, 2);
  EXPECT_EQ(found.degrees_of_freedom, 4);
  EXPECT_TRUE(found.position_violations.empty());
  EXPECT_TRUE(found.velocity_violations.empty());
  EXPECT_TRUE(found.dependencies.empty());
}

TEST(Diagnosis, ReportsViolationsWithTheirSize) {
  System system;
  const BodyId a = system.add(Particle{1, {1, 0, 0}, {3, 0, 0}});
  constrain(system, Distance{world_point(0, 0, 0), a, 0.75, {}}, "rod");
  const Diagnosis found = diagnose(system);
  ASSERT_EQ(found.position_violations.size(), 1u);
  EXPECT_EQ(found.position_violations[0].constraint, "rod");
  EXPECT_EQ(found.position_violations[0].unit, "m");
  EXPECT_NEAR(found.position_violations[0].error, 0.25, 1e-12);
  ASSERT_EQ(found.velocity_violations.size(), 1u);
  EXPECT_NEAR(found.velocity_violations[0].rate, 3, 1e-12);
  EXPECT_TRUE(found.dependencies.empty());
}

TEST(Diagnosis, OfTwoEqualConstraintsTheLaterIsRedundant) {
  System system;
  const BodyId a = system.add(Particle{1, {1, 2, 0}, Vec3::Zero()});
  constrain(system, Distance{world_point(0, 0, 0), a, {}, {}}, "first");
  constrain(system, Distance{a, world_point(0, 0, 0), {}, DistanceForm::squared}, "again");
  const Diagnosis found = diagnose(system);
  EXPECT_EQ(found.rank, 1);
  EXPECT_EQ(found.generic_rank, 1);
  ASSERT_EQ(found.dependencies.size(), 1u);
  EXPECT_EQ(found.dependencies[0].constraint, "again");
  EXPECT_EQ(found.dependencies[0].depends_on, Names{"first"});
  EXPECT_FALSE(found.dependencies[0].only_here);
  EXPECT_FALSE(found.dependencies[0].conflict);
}

TEST(Diagnosis, DifferentLengthsForOneLinkAreAConflict) {
  System system;
  const BodyId a = system.add(Particle{1, {1, 0, 0}, Vec3::Zero()});
  constrain(system, Distance{world_point(0, 0, 0), a, 1.0, {}}, "first");
  constrain(system, Distance{world_point(0, 0, 0), a, 1.2, {}}, "again");
  const Diagnosis found = diagnose(system);
  ASSERT_EQ(found.dependencies.size(), 1u);
  EXPECT_EQ(found.dependencies[0].constraint, "again");
  EXPECT_TRUE(found.dependencies[0].conflict);
  EXPECT_NEAR(found.dependencies[0].mismatch, 0.2, 1e-6);
  EXPECT_TRUE(found.has_conflict());
}

TEST(Diagnosis, LinkTooShortBetweenTwoPins) {
  const Diagnosis found = diagnose(line(1, 1, 0.9));
  ASSERT_EQ(found.dependencies.size(), 1u);
  EXPECT_EQ(found.dependencies[0].constraint, "link0");
  EXPECT_EQ(found.dependencies[0].depends_on, (Names{"left", "right"}));
  EXPECT_TRUE(found.dependencies[0].conflict);
  EXPECT_NEAR(found.dependencies[0].mismatch, 0.1, 1e-6);
}

TEST(Diagnosis, RowsThatActOnNothing) {
  System system;
  constrain(system, Distance{world_point(0, 0, 0), world_point(1, 0, 0), 1.0, {}}, "fits");
  constrain(system, Distance{world_point(0, 0, 0), world_point(1, 0, 0), 2.0, {}}, "wrong");
  const Diagnosis found = diagnose(system);
  EXPECT_EQ(found.rank, 0);
  ASSERT_EQ(found.dependencies.size(), 2u);
  EXPECT_FALSE(found.dependencies[0].conflict);
  EXPECT_TRUE(found.dependencies[0].depends_on.empty());
  EXPECT_EQ(found.dependencies[1].constraint, "wrong");
  EXPECT_TRUE(found.dependencies[1].conflict);
  EXPECT_NEAR(found.dependencies[1].mismatch, 1, 1e-12);
}

TEST(Diagnosis, TautLineIsSingularOnlyHere) {
  const Diagnosis found = diagnose(line(5, 1, 1));
  EXPECT_EQ(found.rank, found.rows - 1);
  EXPECT_EQ(found.generic_rank, found.rows);
  ASSERT_EQ(found.dependencies.size(), 1u);
  EXPECT_EQ(found.dependencies[0].constraint, "link4");
  EXPECT_EQ(found.dependencies[0].depends_on,
            (Names{"left", "right", "link0", "link1", "link2", "link3"}));
  EXPECT_TRUE(found.dependencies[0].only_here);
  EXPECT_FALSE(found.dependencies[0].conflict);
}

// A flat net of triangles is full of dependent rows, whose errors, each too small to count, add up.
TEST(Diagnosis, WhatHoldsIsNotInConflict) {
  System system;
  constexpr int n = 16;
  std::mt19937 random;
  const auto uniform = [&] { return 0.2 * random() / std::mt19937::max(); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      system.add(Particle{1, {0.1 * (j + uniform()), 0, 0.1 * (i + uniform())}, Vec3::Zero()});
  const VecX q = system.initial_state().q;
  const auto link = [&](int a, int b) {
    const double length = (q.segment<3>(3 * a) - q.segment<3>(3 * b)).norm();
    constrain(system, Distance{BodyId{a}, BodyId{b}, length * (1 + 5e-8 * (uniform() - 0.1)),
                               DistanceForm::length});
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (j + 1 < n) link(i * n + j, i * n + j + 1);
      if (i + 1 < n) link(i * n + j, (i + 1) * n + j);
      if (i + 1 < n && j + 1 < n) link(i * n + j, (i + 1) * n + j + 1);
    }
  }
  const Diagnosis found = diagnose(system);
  EXPECT_TRUE(found.position_violations.empty());
  EXPECT_FALSE(found.dependencies.empty());
  EXPECT_FALSE(found.has_conflict());
}

// All is relative to the size of the scene, down to the smallest.
TEST(Diagnosis, DoesNotDependOnTheUnitOfLength) {
  for (const double scale : {1e3, 1.0, 1e-3, 1e-6, 1e-9}) {
    EXPECT_TRUE(diagnose(line(6, scale, 0.95 * scale, 0.4 * scale)).has_conflict()) << scale;
    EXPECT_FALSE(diagnose(line(6, 0.8 * scale, scale, 0.6 * scale)).has_conflict()) << scale;
    const Diagnosis off = diagnose(line(1, scale, scale * (1 + 1e-8)));
    EXPECT_EQ(off.position_violations.size(), 1u) << scale;
    EXPECT_TRUE(off.has_conflict()) << scale;
  }
}

TEST(Diagnosis, SlackLineIsSound) {
  const Diagnosis found = diagnose(line(6, 0.8, 1, 0.6));
  EXPECT_EQ(found.rank, found.rows);
  EXPECT_TRUE(found.dependencies.empty());
  EXPECT_TRUE(found.position_violations.empty());
}

// The rows are independent where it starts; only on the way to each other do they fall out.
TEST(Diagnosis, LineTooShortForItsPinsIsAConflict) {
  const Diagnosis found = diagnose(line(6, 1, 0.95, 0.4));
  ASSERT_TRUE(found.has_conflict());
  const Dependency& last = found.dependencies.back();
  EXPECT_EQ(last.constraint, "link5");
  EXPECT_EQ(last.depends_on.size(), 7u);
  EXPECT_NEAR(last.mismatch, 0.3, 0.01);
}

TEST(Diagnosis, CoincidentEndsAreViolatedButNotInConflict) {
  System system;
  const BodyId a = system.add(Particle{});
  constrain(system, Distance{world_point(0, 0, 0), a, 1.0, {}}, "rod");
  const Diagnosis found = diagnose(system);
  EXPECT_EQ(found.position_violations.size(), 1u);
  EXPECT_EQ(found.rank, 1);
  EXPECT_FALSE(found.has_conflict());
}

// Four bars in a plane, joined by balls into a ring, each kept in the plane by its two ends. Around
// the ring, what keeps one of the ends in the plane is said twice at each ball.
TEST(Diagnosis, ClosedLoopOfRigidBodies) {
  System system;
  const Vec3 corners[] = {{0, 0, 0}, {2, 0, 0}, {2.5, 1, 0}, {0.5, 1.5, 0}};
  for (int i = 0; i < 4; ++i) {
    const Vec3 from = corners[i], to = corners[(i + 1) % 4];
    RigidBody bar;
    bar.position = 0.5 * (from + to);
    bar.orientation =
        Eigen::AngleAxisd(std::atan2(to.y() - from.y(), to.x() - from.x()), Vec3::UnitZ());
    // as written in a file
    bar.position = (bar.position * 1e6).array().round() / 1e6;
    system.add(bar, "bar" + std::to_string(i));
  }
  const auto end = [&](int i, double side) {
    const double length = (corners[(i + 1) % 4] - corners[i % 4]).norm();
    return Point(BodyId{i % 4}, {0.5 * side * length, 0, 0});
  };
  for (int i = 0; i < 4; ++i)
    constrain(system, Ball{end(i, 1), end(i + 1, -1)}, "joint" + std::to_string(i));
  for (int i = 0; i < 4; ++i)
    for (const double side : {-1.0, 1.0})
      constrain(system, OnPlane{end(i, side), world_point(0, 0, 0), {world_body, Vec3::UnitZ()}},
                "plane" + std::to_string(i) + (side < 0 ? "a" : "b"));
  const Diagnosis found = diagnose(system);
  EXPECT_EQ(found.rows, 20);
  // The ring moves in the plane (3) and changes its shape (1); each bar spins about itself (4).
  EXPECT_EQ(found.degrees_of_freedom, 8);
  EXPECT_EQ(found.rank, 16);
  EXPECT_EQ(found.generic_rank, 16);
  ASSERT_EQ(found.dependencies.size(), 4u);
  EXPECT_FALSE(found.has_conflict());
  for (const Dependency& dependency : found.dependencies) {
    EXPECT_EQ(dependency.type, "on_plane");
    EXPECT_EQ(dependency.depends_on.size(), 2u);
    EXPECT_FALSE(dependency.only_here);
  }
}

TEST(Diagnosis, MotionsThatPartAreAConflict) {
  System system;
  const BodyId a = system.add(Particle{1, {0, 0, 0}, {1, 0, 0}});
  constrain(system, Pin{a, LineMotion<Vec3>{{0, 0, 0}, {1, 0, 0}}}, "cart");
  constrain(system, OnPlane{a, world_point(0, 0, 0), {world_body, Vec3::UnitX()}}, "wall");
  const Diagnosis found = diagnose(system);
  ASSERT_EQ(found.dependencies.size(), 1u);
  EXPECT_EQ(found.dependencies[0].constraint, "wall");
  EXPECT_TRUE(found.dependencies[0].conflict);
  EXPECT_NEAR(found.dependencies[0].rate_mismatch, 1, 1e-9);
}

TEST(Diagnosis, LargeChainsAreChecked) {
  constexpr int links = 10000;
  System chain = line(links, 0.8, 1, 0.6);
  const Diagnosis sound = diagnose(chain);
  EXPECT_EQ(sound.rank, links + 6);
  EXPECT_TRUE(sound.dependencies.empty());
  constrain(chain, Distance{BodyId{10}, BodyId{11}, {}, {}}, "twice");
  const Diagnosis doubled = diagnose(chain);
  ASSERT_EQ(doubled.dependencies.size(), 1u);
  EXPECT_EQ(doubled.dependencies[0].constraint, "twice");
  EXPECT_EQ(doubled.dependencies[0].depends_on, Names{"link10"});
  EXPECT_FALSE(doubled.dependencies[0].only_here);
}

TEST(Diagnosis, LargeTautLine) {
  const Diagnosis found = diagnose(line(1000, 1, 1));
  ASSERT_EQ(found.dependencies.size(), 1u);
  EXPECT_EQ(found.dependencies[0].constraint, "link999");
  EXPECT_TRUE(found.dependencies[0].only_here);
  EXPECT_EQ(found.dependencies[0].depends_on.size(), 1001u);
}

TEST(Diagnosis, ManyRedundantRows) {
  System system = line(800, 0.8, 1, 0.6);
  for (int i = 0; i < 800; ++i)
    constrain(system, Distance{BodyId{i}, BodyId{i + 1}, {}, {}}, "twice" + std::to_string(i));
  const Diagnosis found = diagnose(system);
  EXPECT_EQ(found.rank, 806);
  ASSERT_EQ(found.dependencies.size(), 800u);
  for (int i = 0; i < 800; ++i) {
    const Dependency& dependency = found.dependencies[static_cast<std::size_t>(i)];
    EXPECT_EQ(dependency.constraint, "twice" + std::to_string(i));
    EXPECT_EQ(dependency.depends_on, Names{"link" + std::to_string(i)});
  }
}

}  // namespace
}  // namespace taut
