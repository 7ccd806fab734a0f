// The contacts of a whole system.
#include "taut/collision/shape_contacts.hpp"

#include <gtest/gtest.h>

#include <set>

#include "taut/model/pose.hpp"

namespace taut::collision {
namespace {

// Corner 7 of box 5 and corner 5 of box 7 once had the same feature, so that each was given the
// other's force.
TEST(ShapeContacts, FeaturesOfDifferentPairsDiffer) {
  System system;
  ShapeContacts contacts;
  contacts.add({world_body, plane(), {}, {}, 0, {}});
  contacts.add({world_body, plane(), Pose3(Vec3(0, 0, 0.01)), {}, 0, {}});
  constexpr int boxes = 20;
  for (int i = 0; i < boxes; ++i) {
    RigidBody body;
    body.position = {0.9 * i, 0, 0};  // they overlap their neighbours and the planes
    contacts.add({system.add(body), box({0.5, 0.5, 0.5}), {}, {}, 0, {}});
  }
  const State state = system.initial_state();
  std::vector<Contact> found;
  contacts.find(Pose(system, state.q), state.v, 0, 2, found);
  ASSERT_GT(found.size(), 8u * boxes);
  std::set<std::uint64_t> features;
  for (const Contact& contact : found) features.insert(contact.feature);
  EXPECT_EQ(features.size(), found.size());
}

}  // namespace
}  // namespace taut::collision
