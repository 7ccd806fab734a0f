#include "taut/model/contact_rows.hpp"

#include <gtest/gtest.h>

#include "taut/collision/shape_contacts.hpp"

namespace taut {
namespace {

/// A ball of 1 m over the ground.
struct OverGround {
  System system;
  State state;
  ContactRows rows;

  OverGround() {
    auto contacts = std::make_unique<collision::ShapeContacts>();
    contacts->add({world_body, collision::plane(), {}, {}, 0, {}});
    RigidBody body;
    body.position = {0, 0, 1.5};
    contacts->add({system.add(body), collision::sphere(1), {}, {}, 0, {}});
    system.add_contacts(std::move(contacts));
    state = system.initial_state();
  }
  double gap(double time, double margin, const Stillness& nearly) {
    rows.find(system, state, time, margin, {}, nearly);
    return rows.empty() ? NAN : rows.contact(0).gap;
  }
};

constexpr Stillness nearly{1e-9, 1};

TEST(ContactRows, ContactsStayWhereNothingMoves) {
  OverGround over;
  const double first = over.gap(0.1, 1, nearly);
  EXPECT_NEAR(first, 0.5, 1e-15);
  over.state.q[2] += 0.5e-9;
  EXPECT_EQ(over.gap(0.1, 1, nearly), first);
  EXPECT_EQ(over.gap(0.1, 0.999999, nearly), first);
  EXPECT_NE(over.gap(0.1, 1, {}), first) << "as accurately as can be, unless it is asked for less";
}

TEST(ContactRows, SmallWaysAddUp) {
  OverGround over;
  over.gap(0.1, 1, nearly);
  for (int i = 0; i < 100; ++i) {
    over.state.q[2] += 0.3e-9;
    EXPECT_NEAR(over.gap(0.1, 1, nearly), over.state.q[2] - 1, 1.1e-9) << i;
  }
}

TEST(ContactRows, TurnsAndSpeedsCountAsWays) {
  OverGround over;
  over.gap(0.1, 1, nearly);
  over.state.q[4] = 1e-6;
  EXPECT_FALSE(over.rows.covers(over.system, over.state, 0.1, 1, {}, nearly));
  over.state.q[4] = 0;
  EXPECT_TRUE(over.rows.covers(over.system, over.state, 0.1, 1, {}, nearly));
  over.state.v[0] = 1e-6;
  EXPECT_FALSE(over.rows.covers(over.system, over.state, 0.1, 1, {}, nearly));
  over.state.v[0] = 0;
  over.state.v[5] = 1e-6;
  EXPECT_FALSE(over.rows.covers(over.system, over.state, 0.1, 1, {}, nearly));
  over.state.v[5] = NAN;
  EXPECT_FALSE(over.rows.covers(over.system, over.state, 0.1, 1, {}, nearly));
}

TEST(ContactRows, WhatMayComeNearIsLookedFor) {
  OverGround over;
  EXPECT_TRUE(std::isnan(over.gap(0.1, 0.1, nearly)));
  EXPECT_NEAR(over.gap(0.1, 1, nearly), 0.5, 1e-15) << "a larger margin";
  EXPECT_TRUE(std::isnan(over.gap(0.1, 0.1, nearly))) << "a smaller one: it would be in the way";
  over.state.v[2] = -10;
  EXPECT_NEAR(over.gap(0.1, 0.1, nearly), 0.5, 1e-15) << "it falls";
}

}  // namespace
}  // namespace taut
