// What is fast gets through nothing: ShapeContacts::passes().
#include "taut/collision/shape_contacts.hpp"

namespace taut::collision {
namespace {

/// A body that moves and one that may; or the world.
struct Flight {
  System system;
  ShapeContacts shapes;
  VecX from, to, v;

  Flight(const Shape& bullet, const Shape& wall, bool wall_moves = true) {
    add(bullet, Vec3(-1, 0.1, 0.2), true);
    add(wall, Vec3::Zero(), wall_moves);
    from = system.initial_state().q;
    v = system.initial_state().v;
  }
  void add(const Shape& shape, const Vec3& at, bool moves) {
    BodyShape placed;
    placed.shape = shape;
    placed.body = world_body;
    if (moves) placed.body = system.add(RigidBody{1, Mat3::Identity(), at});
    shapes.add(std::move(placed));
  }
  /// All with these velocities for a second; body 0 first.
  bool passes() {
    system.advance(from, v, 1, to);
    const Pose start(system, from), end(system, to);
    return shapes.is_fast(start, v, 1) && shapes.passes(start, end, v, 1);
  }
};

TEST(Sweeps, ABulletThatEndsBehindAWallWentThroughIt) {
  const Shape plate = box({5e-4, 20, 20});
  const Shape surface = triangle_mesh({{0, -20, -20}, {0, 20, -20}, {0, 0, 20}}, {{0, 2, 1}});
  for (const Shape& bullet : {sphere(1e-3), capsule(0.2, 1e-3), box({1e-3, 0.1, 0.5})})
    for (const bool moves : {true, false})
      for (const Shape& wall : {plate, surface}) {
        if (moves && wall.type == ShapeType::mesh) continue;
        for (const double spin : {0.0, 10.0, 300.0}) {
          Flight flight(bullet, wall, moves);
          flight.v[0] = 300;
          flight.v[4] = spin;
          EXPECT_TRUE(flight.passes());
          flight.v[0] = -300;  // away
          EXPECT_FALSE(flight.passes());
          flight.v[0] = 0.2;  // not there yet
          EXPECT_FALSE(flight.passes());
        }
      }
}

TEST(Sweeps, AWallThatTurnsIntoSomethingWentThroughIt) {
  Flight flight(sphere(1e-3), box({5e-4, 20, 20}));
  flight.from[0] = -0.01;
  flight.from[2] = 5;
  flight.v[6 + 4] = 0.5;  // about y: where the ball is, the wall moves to −x … or to +x
  const bool one_way = flight.passes();
  flight.v[6 + 4] = -0.5;
  EXPECT_NE(one_way, flight.passes());
}

TEST(Sweeps, WhatFliesPastIsNotHit) {
  Flight flight(capsule(0.2, 1e-3), box({5e-4, 1, 1}));
  flight.v[0] = 300;
  EXPECT_TRUE(flight.passes());
  flight.from[1] = 1.5;
  EXPECT_FALSE(flight.passes());
}

TEST(Sweeps, WhatIsSlowIsNotEvenLookedAt) {
  Flight flight(box({0.1, 0.1, 0.1}), box({1, 1, 1}));
  flight.v[0] = 0.02;
  EXPECT_FALSE(flight.shapes.is_fast(Pose(flight.system, flight.from), flight.v, 1));
  flight.v[0] = 0.2;
  EXPECT_TRUE(flight.shapes.is_fast(Pose(flight.system, flight.from), flight.v, 1));
}

/// How much of a way the first body of a flight may go, with nothing but itself.
double free_part(const Flight& flight, const Vec3& way, double room) {
  std::vector<char> moves(static_cast<std::size_t>(flight.system.body_count()), 0);
  moves[0] = 1;
  return flight.shapes.free_part(Pose(flight.system, flight.from), moves, way, room);
}

TEST(FreePart, EndsWhereSomethingIsInTheWay) {
  constexpr double room = 1e-3;
  const Shape surface = triangle_mesh({{0, -20, -20}, {0, 20, -20}, {0, 0, 20}}, {{0, 2, 1}});
  for (const bool moves : {true, false})
    for (const Shape& wall : {box({0.05, 20, 20}), surface}) {
      if (moves && wall.type == ShapeType::mesh) continue;
      const Flight flight(sphere(0.1), wall, moves);
      const double thick = wall.type == ShapeType::mesh ? 0 : 0.05;
      EXPECT_NEAR(free_part(flight, Vec3(10, 0, 0), room), (0.9 - thick - room) / 10, 1e-4);
      EXPECT_EQ(free_part(flight, Vec3(0.5, 0, 0), room), 1);
      EXPECT_EQ(free_part(flight, Vec3(-10, 3, 0), room), 1);
    }
  // A plane has no box that could be looked at.
  Flight flight(sphere(0.1), plane(), false);
  flight.from.head<3>() = Vec3(0, 0, 1);
  EXPECT_NEAR(free_part(flight, Vec3(3, 0, -9), room), (0.9 - room) / 9, 1e-4);
}

// It may slide along what it touches, and leave it, but not go into it.
TEST(FreePart, OfWhatTouches) {
  constexpr double room = 1e-3;
  Flight flight(box({0.1, 0.1, 0.1}), box({5, 5, 1}), false);
  flight.from.head<3>() = Vec3(0, 0, 1.1);
  EXPECT_EQ(free_part(flight, Vec3(2, 0, 0), room), 1);
  EXPECT_EQ(free_part(flight, Vec3(2, 0, 1), room), 1);
  EXPECT_EQ(free_part(flight, Vec3(2, 0, -1), room), 0);
  // A cup: it touches the bottom, and its own wall is in the way.
  Flight cup(box({0.1, 0.1, 0.1}),
             compound({{box({1, 1, 0.1}), Pose3()}, {box({0.1, 1, 1}), Pose3(Vec3(0.9, 0, 0))}}));
  cup.from.head<3>() = Vec3(0, 0, 0.2);
  EXPECT_EQ(free_part(cup, Vec3(-5, 0, 0), room), 1);
  EXPECT_NEAR(free_part(cup, Vec3(5, 0, 0), room), (0.7 - room) / 5, 1e-4);
}

}  // namespace
}  // namespace taut::collision
