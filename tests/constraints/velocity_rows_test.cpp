// Rows on velocities: what J v says against the velocities of points, written here a second time;
// formulas of one's own; and what is refused.
#include <gtest/gtest.h>

#include "support/messages.hpp"
#include "support/random_scene.hpp"
#include "taut/base/error.hpp"
#include "taut/constraints/list.hpp"
#include "taut/constraints/velocity_formula.hpp"
#include "taut/methods/method.hpp"

namespace taut {
namespace {

using testing::Random;

/// J v + C_t of the only constraint.
VecX rates(const System& system, const VecX& q, const VecX& v) {
  const RowPattern pattern(system);
  Rows rows;
  rows.resize(pattern);
  rows.linearize(system, pattern, Pose(system, q), 0.4);
  VecX out;
  multiply(pattern, rows.J, v, out);
  return out + rows.C_t;
}

/// Angular velocity in the world.
Vec3 spin(const System& system, const Pose& pose, BodyId body, const VecX& v) {
  if (body.is_world() || !system.is_rigid(body)) return Vec3::Zero();
  const BodySlot& slot = system.slot(body);
  return pose.rotations[static_cast<std::size_t>(slot.rigid)] * v.segment<3>(slot.v + 3);
}

/// A random state, not that of the start, of a system with one random constraint.
struct Moved {
  System system;
  VecX q, v;
  template <class C>
  const C& constraint() const {
    return *static_cast<const C*>(system.constraints()[0]->object(0));
  }
  Moved(std::string_view type, unsigned seed) {
    Random random(seed);
    system = testing::random_bodies(random);
    testing::add_random_constraint(*find_type(constraint_types(), type), system, random);
    v = random.vector_of(system.velocity_size());
    system.advance(system.initial_state().q, random.vector_of(system.velocity_size()), 0.2, q);
  }
};

TEST(VelocityRows, KnifeEdgeIsTheVelocityAcross) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Moved at(KnifeEdge::type, seed);
    const auto& knife = at.constraint<KnifeEdge>();
    const Pose pose(at.system, at.q);
    const Vec3 across = pose.at(knife.normal).cross(pose.at(knife.edge)).normalized();
    EXPECT_NEAR(rates(at.system, at.q, at.v)[0], across.dot(pose.velocity(knife.point, at.v)),
                1e-12)
        << seed;
    EXPECT_EQ(knife.edge.body, knife.point.body);
  }
}

TEST(VelocityRows, RollingIsTheVelocityOfTheContactAgainstThePlane) {
  int discs = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Moved at(Rolling::type, seed);
    const auto& rolling = at.constraint<Rolling>();
    const Pose pose(at.system, at.q);
    std::array<Anchor, 7> anchors;
    at.system.constraints()[0]->anchors(0, anchors);
    const Vec3 t1 = pose.at(anchors[4]), t2 = pose.at(anchors[5]), n = t1.cross(t2);
    Vec3 up = n;
    if (rolling.axis) {
      ++discs;
      const Vec3 u = pose.at(anchors[1]);
      up = (n - n.dot(u) * u).normalized();
    }
    const Vec3 arm = -rolling.radius * up, center = pose.at(rolling.center);
    const Vec3 touching = pose.velocity(rolling.center, at.v) +
                          spin(at.system, pose, rolling.center.body, at.v).cross(arm);
    const Vec3 below =
        pose.velocity(rolling.through, at.v) + spin(at.system, pose, rolling.through.body, at.v)
                                                   .cross(center + arm - pose.at(rolling.through));
    const VecX found = rates(at.system, at.q, at.v);
    EXPECT_NEAR(found[1], t1.dot(touching - below), 1e-12) << seed;
    EXPECT_NEAR(found[2], t2.dot(touching - below), 1e-12) << seed;
  }
  EXPECT_GT(discs, 3);
  EXPECT_LT(discs, 17);
}

// A formula of one's own: the velocity of a point along a direction is prescribed.
struct Conveyor {
  static constexpr std::string_view type = "conveyor", summary = "", unit = "m";
  static constexpr int rows = 1, anchor_count = 2;
  Point point;
  Direction along;
  bool squared = false;

  std::array<Anchor, 2> anchors() const { return {point, along}; }
  template <class T>
  Eigen::Matrix<T, 1, 1> rate(const Columns<T, 2>& x, const Columns<T, 2>& v, const T& t) const {
    using std::sin;
    T speed = x.col(1).dot(v.col(0));
    if (squared) speed = speed * speed;
    return Eigen::Matrix<T, 1, 1>(speed - sin(t));
  }
};

TEST(VelocityRows, AFormulaMayPrescribeAVelocity) {
  System system;
  const BodyId body = system.add(Particle{2, {1, 2, 3}, {0, 0.5, 0}});
  constrain(system, VelocityFormula<Conveyor>{{body, {world_body, Vec3::UnitX()}}});
  for (const MethodInfo& info : methods()) {
    if (info.name == "penalty" || info.name == "implicit_springs" || info.name == "vbd" ||
        info.name == "projective_dynamics")
      continue;  // these give way
    const auto method = info.make();
    State state = system.initial_state();
    Workspace workspace(system);
    for (int i = 0; i < 100; ++i) method->step(system, 0.02, state, workspace);
    // ẋ = sin t; across it nothing acts.
    EXPECT_NEAR(state.v[0], std::sin(2.0), 0.03) << info.name;
    EXPECT_NEAR(state.q[0], 1 + 1 - std::cos(2.0), 0.03) << info.name;
    EXPECT_NEAR(state.q[1], 3, 1e-9) << info.name;
  }
}

template <class C>
std::string refusal(System& system, C constraint) {
  try {
    constrain(system, std::move(constraint));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(VelocityRows, WhatIsNotLinearIsRefused) {
  System system;
  const BodyId body = system.add(Particle{2, {1, 2, 3}});
  EXPECT_TRUE(testing::has_all(
      refusal(system, VelocityFormula<Conveyor>{{body, {world_body, Vec3::UnitX()}, true}}),
      "conveyor|not linear"));
}

TEST(VelocityRows, BadInputIsRefused) {
  System system;
  const BodyId particle = system.add(Particle{1, {0, 0, 1}}, "bead");
  const BodyId wheel = system.add(RigidBody{}, "wheel"), other = system.add(RigidBody{}, "other");
  const Direction x{world_body, Vec3::UnitX()}, z{world_body, Vec3::UnitZ()};
  using testing::has_all;
  EXPECT_TRUE(has_all(refusal(system, KnifeEdge{particle, x, z}), "edge|bead|rigid body"));
  EXPECT_TRUE(has_all(refusal(system, KnifeEdge{wheel, z, z}), "edge|parallel"));
  EXPECT_TRUE(
      has_all(refusal(system, KnifeEdge{wheel, {world_body, Vec3::Zero()}, z}), "edge|zero"));
  EXPECT_TRUE(has_all(refusal(system, KnifeEdge{wheel, {other, Vec3::UnitX()}, z}),
                      "edge|another body|wheel"));
  const Point floor = world_point(0, 0, 0);
  EXPECT_TRUE(
      has_all(refusal(system, Rolling{particle, 1, floor, z, {}}), "center|bead|rigid body"));
  EXPECT_TRUE(has_all(refusal(system, Rolling{wheel, 1, floor, z, z}), "axis|flat"));
  EXPECT_TRUE(has_all(refusal(system, Rolling{wheel, 1, wheel, z, {}}), "through|rolls"));
  EXPECT_TRUE(has_all(refusal(system, Rolling{wheel, 1, floor, {other, Vec3::UnitZ()}, {}}),
                      "normal|another body"));
  EXPECT_TRUE(has_all(refusal(system, Rolling{wheel, 1, floor, {world_body, Vec3::Zero()}, {}}),
                      "normal|zero"));
}

}  // namespace
}  // namespace taut
