// Joints as such: what they leave free, where they are put, how far they have moved.
#include <gtest/gtest.h>

#include <map>

#include "support/matrices.hpp"
#include "support/objects.hpp"
#include "support/random_scene.hpp"
#include "taut/base/error.hpp"

namespace taut {
namespace {

using testing::Random;

/// Two rigid bodies anywhere, joined at a random place about a random axis.
template <class C>
System joined(Random& random) {
  System system;
  const BodyId a = system.add(testing::random_rigid_body(random), "a");
  const BodyId b = system.add(testing::random_rigid_body(random), "b");
  C joint;
  joint.a = Point(a);
  joint.b = Point(b);
  joint.at = random.vector();
  joint.axis = {world_body, random.direction()};
  if constexpr (std::is_same_v<C, Universal>)
    joint.second = {world_body, any_square_to(joint.axis.local)};
  if constexpr (requires { joint.turn_at_start; }) joint.turn_at_start = 0.3;
  constrain(system, joint, "joint");
  return system;
}

const std::map<std::string_view, int> freedoms{{"hinge", 1},     {"slider", 1}, {"cylindrical", 2},
                                               {"universal", 2}, {"planar", 3}, {"weld", 0},
                                               {"screw", 1}};

// Put together, a joint's rows hold and are independent: each takes one degree of freedom.
TEST(Joints, RowsAreIndependentAndLeaveTheRightFreedom) {
  int tested = 0;
  testing::for_each_joint([&]<class C>() {
    {
      ++tested;
      for (unsigned seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(std::string(C::type) + ", seed " + std::to_string(seed));
        Random random(seed);
        const System system = joined<C>(random);
        const RowPattern pattern(system);
        Rows rows;
        rows.resize(pattern);
        rows.linearize(system, pattern, Pose(system, system.initial_state().q), 0);
        EXPECT_LT(rows.C.norm(), 1e-14);
        const MatX J = dense_jacobian(pattern, rows.J, system.velocity_size());
        EXPECT_EQ(testing::rank(J, 1e-8), pattern.rows());
        EXPECT_EQ(6 - testing::rank(J, 1e-8), freedoms.at(C::type));
      }
    }
  });
  EXPECT_EQ(tested, std::count_if(constraint_types().begin(), constraint_types().end(),
                                  [](const ConstraintInfo& info) { return info.is_joint; }));
}

// The coordinate says how far b was moved in the way the joint lets it move, and nothing else
// violates the joint.
TEST(Joints, CoordinatesMeasureTheMotionTheJointAllows) {
  testing::for_each_joint([&]<class C>() {
    {
      for (unsigned seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(std::string(C::type) + ", seed " + std::to_string(seed));
        Random random(seed);
        const System system = joined<C>(random);
        const ConstraintBatch& batch = *system.constraints()[0];
        const C& joint = *static_cast<const C*>(batch.object(0));
        const State state = system.initial_state();
        const Vec3 u = system.initial_place(joint.ua), place = system.initial_place(joint.b);
        const bool turns = C::type != "slider" && C::type != "weld";
        const bool slides = C::type == "slider" || C::type == "cylindrical" || C::type == "screw";
        const double angle = turns ? random.uniform(-3, 3) : 0;
        double way = slides ? random.uniform(-2, 2) : 0;
        if constexpr (std::is_same_v<C, Screw>) way = joint.pitch * angle / (2 * M_PI);

        // b turned about the axis through the joint, and moved along it
        VecX q = state.q;
        const BodySlot& slot = system.slot({1});
        const Quat turn(Eigen::AngleAxisd(angle, u));
        const Vec3 center = state.q.segment<3>(slot.q);
        q.segment<3>(slot.q) = place + turn * (center - place) + way * u;
        const Quat before(q[slot.q + 3], q[slot.q + 4], q[slot.q + 5], q[slot.q + 6]);
        const Quat after = turn * before;
        q.segment<4>(slot.q + 3) << after.w(), after.x(), after.y(), after.z();

        const Pose pose(system, q);
        double error = 1;
        batch.errors(pose, 0, {&error, 1});
        EXPECT_LT(error, 1e-13);
        for (const JointCoordinate& each : system.joints()[0].coordinates) {
          Coordinate::Places x;
          for (int k = 0; k < 3; ++k)
            x.col(k) = pose.at(each.coordinate.anchors[static_cast<std::size_t>(k)]);
          const double expected = each.name == "turn"    ? 0.3 + angle
                                  : each.name == "slide" ? way
                                                         : 0;
          EXPECT_NEAR(each.coordinate.value(x), expected, 1e-13) << each.name;
        }
      }
    }
  });
}

TEST(Joints, AUniversalJointHasTwoAngles) {
  System system;
  const BodyId shaft = system.add(RigidBody{}, "shaft");
  Universal joint;
  joint.b = Point(shaft);
  joint.axis = {world_body, Vec3::UnitZ()};
  joint.second = {world_body, Vec3::UnitX()};
  constrain(system, joint, "cross");
  // First about the axis in the world, then about the second, which goes along.
  const Quat q =
      Quat(Eigen::AngleAxisd(0.4, Vec3::UnitZ())) * Quat(Eigen::AngleAxisd(0.7, Vec3::UnitX()));
  VecX configuration = system.initial_state().q;
  configuration.tail<4>() << q.w(), q.x(), q.y(), q.z();
  const Pose pose(system, configuration);
  const auto value = [&](const char* name) {
    const Coordinate& c = system.joint_coordinate(name);
    Coordinate::Places x;
    for (int k = 0; k < 3; ++k) x.col(k) = pose.at(c.anchors[static_cast<std::size_t>(k)]);
    return c.value(x);
  };
  EXPECT_NEAR(value("cross.turn"), 0.4, 1e-14);
  EXPECT_NEAR(value("cross.second_turn"), 0.7, 1e-14);
}

TEST(Joints, PlacesAreFoundOneWayOrAnother) {
  System system;
  RigidBody body;
  body.position = {1, 2, 3};
  const BodyId b = system.add(body, "b");
  Hinge hinge;
  hinge.b = Point(b, {0, -1, 0});
  constrain(system, hinge, "held_by_the_world");
  hinge.b = Point(b);
  hinge.at = Vec3(1, 1, 3);
  constrain(system, hinge, "at_a_place");
  for (const Joint& joint : system.joints()) {
    EXPECT_EQ(joint.a.local, Vec3(1, 1, 3));
    EXPECT_EQ(joint.b.local, Vec3(0, -1, 0));
  }
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Joints, WhatCannotBeAJointIsRefused) {
  System system;
  const BodyId particle = system.add(Particle{}, "grain");
  const BodyId body = system.add(RigidBody{}, "plank");
  Hinge hinge;
  hinge.b = Point(particle);
  EXPECT_NE(message_of([&] { constrain(system, hinge); }).find("\"grain\" is a particle"),
            std::string::npos);
  hinge.b = Point(body);
  hinge.a = Point(body, {1, 0, 0});
  EXPECT_NE(message_of([&] { constrain(system, hinge); }).find("same body"), std::string::npos);
  hinge.a.reset();
  hinge.axis.local.setZero();
  EXPECT_NE(message_of([&] { constrain(system, hinge); }).find("zero"), std::string::npos);
  hinge.axis.local = {0, 0, 1};
  hinge.at = Vec3(1, 1, 1);
  hinge.b.local = {1, 0, 0};
  EXPECT_NE(message_of([&] { constrain(system, hinge); }).find("at:"), std::string::npos);
  Universal cross;
  cross.b = Point(body);
  cross.second = cross.axis;
  EXPECT_NE(message_of([&] { constrain(system, cross); }).find("square"), std::string::npos);
  EXPECT_TRUE(system.joints().empty());
}

TEST(Joints, AreFoundByNameAndCoordinate) {
  System system;
  const BodyId b = system.add(RigidBody{}, "b");
  Cylindrical joint;
  joint.b = Point(b);
  constrain(system, joint, "rod");
  Weld weld;
  weld.b = Point(b);
  constrain(system, weld, "glue");
  EXPECT_TRUE(system.joint_coordinate("rod.turn").is_turn());
  EXPECT_FALSE(system.joint_coordinate("rod.slide").is_turn());
  EXPECT_NE(message_of([&] { system.joint_coordinate("rod"); }).find("rod.turn"),
            std::string::npos);
  EXPECT_NE(message_of([&] { system.joint_coordinate("rod.trun"); }).find("turn"),
            std::string::npos);
  EXPECT_NE(message_of([&] { system.joint_coordinate("glue"); }).find("does not move"),
            std::string::npos);
  EXPECT_NE(message_of([&] { system.joint_coordinate("rad"); }).find("rod"), std::string::npos);
}

TEST(Gear, RatiosAreFractions) {
  for (const double ratio :
       {1.0, -0.5, 2.0 / 3, -7.0 / 31, M_PI, 0.7853981, 123.456, 1e-3, 1.00005}) {
    const Gear::Fraction fraction = Gear::fraction(ratio);
    EXPECT_NEAR(fraction.over / fraction.under, ratio, 1e-9 * std::abs(ratio));
    EXPECT_LE(fraction.under, 1e6);
    EXPECT_EQ(fraction.under, std::round(fraction.under));
  }
  EXPECT_EQ(Gear::fraction(-7.0 / 31).over, -7);
  EXPECT_EQ(Gear::fraction(-7.0 / 31).under, 31);
}

}  // namespace
}  // namespace taut
