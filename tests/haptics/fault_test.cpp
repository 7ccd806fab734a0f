// Hands that do what no hand should: forces stay bounded, nothing goes through anything, and all is
// well again soon after.
#include <gtest/gtest.h>

#include <cmath>

#include "taut/hand/hand.hpp"
#include "taut/haptics/grasp_session.hpp"
#include "taut/scene/scene.hpp"

namespace taut::haptics {
namespace faults {

struct Trial {
  std::shared_ptr<const hand::Ghost> ghost;
  std::unique_ptr<GraspSession> session;

  explicit Trial(const std::vector<io::Setting>& settings = {}) {
    io::Scene scene = io::load_scene("grasp_box", settings);
    ghost = hand::hands_of(scene.system).front().ghost;
    session = std::make_unique<GraspSession>(std::move(scene.system), 0, SessionOptions{});
  }
  devices::HandSample sample(double time) const { return {time, ghost->pose(time)}; }
  Vec3 place(const std::string& body) const {
    const System& system = session->system();
    return session->state().q.segment<3>(system.slot(*system.find_body(body)).q);
  }
  /// m: how deep shapes are in each other.
  double overlap() const {
    const System& system = session->system();
    std::vector<Contact> contacts;
    const Pose pose(system, session->state().q);
    for (const auto& source : system.contact_sources())
      source->find(pose, session->state().v, 0, 0, contacts);
    double deepest = 0;
    for (const Contact& contact : contacts) deepest = std::max(deepest, -contact.gap);
    return deepest;
  }
};

// The ghosts of thumb and fingers would meet in the middle of a box of 30 mm.
TEST(HandFaults, SqueezingHarderThanTheCouplingAllows) {
  const Trial t(std::vector<io::Setting>{{"squeeze", "0.015"}});
  double felt = 0, deepest = 0;
  for (int i = 1; i <= 1800; ++i) {
    ASSERT_TRUE(t.session->step(t.sample(0.001 * i))) << t.session->report().reason;
    for (const double each : t.session->forces().fingers) felt = std::max(felt, each);
    if (i % 10 == 0) deepest = std::max(deepest, t.overlap());
  }
  EXPECT_EQ(felt, 12);  // all that the device can do
  EXPECT_LT(deepest, 1e-6);
  EXPECT_GT(t.place("box").z(), 0.15);  // and it is lifted all the same
  EXPECT_LT(t.place("right/thumb_distal").x(), t.place("box").x() - 0.015);
  EXPECT_GT(t.place("right/middle_distal").x(), t.place("box").x() + 0.015);
}

// Fingers that begin inside the box are taken out of it, without a kick.
TEST(HandFaults, FingersThatBeginInsideTheBox) {
  const io::Scene scene =
      io::load_scene("grasp_box", std::vector<io::Setting>{{"squeeze", "0.006"}});
  const hand::HandPose closed = hand::hands_of(scene.system).front().ghost->pose(1.0);
  System system;
  auto contacts = std::make_unique<collision::ShapeContacts>();
  RigidBody box;
  box.mass = 0.3;
  box.inertia = Vec3(3.4e-4, 1.1e-4, 2.7e-4).asDiagonal();
  box.position = {0, 0, 0.03};
  contacts->add({system.add(box, "box"), collision::box({0.015, 0.05, 0.03}), {}, {}, 0, "box"});
  hand::add_hand(
      system, *contacts, {},
      std::make_shared<hand::MovedGhost>(hand::HandModel(), hand::HandMotion({{0, closed}})));
  system.add_contacts(std::move(contacts));
  GraspSession session(std::move(system), 0, {});
  double fastest = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(session.step(devices::HandSample{0.001 * i, closed})) << session.report().reason;
    fastest = std::max(fastest, session.state().v.head<3>().norm());
  }
  EXPECT_LT(fastest, 2);  // m/s, of the box
}

// A tracker that is 1 m off for 50 ms is not believed: the box is carried on.
TEST(HandFaults, GlitchOfATracker) {
  const Trial t, good;
  double off = 0;
  for (int i = 1; i <= 1800; ++i) {
    devices::HandSample sample = t.sample(0.001 * i);
    if (i >= 1300 && i < 1350) sample.pose.position.x() += 1;
    ASSERT_TRUE(t.session->step(sample));
    ASSERT_TRUE(good.session->step(good.sample(0.001 * i)));
    off = std::max(off, (t.place("box") - good.place("box")).norm());
    if (i > 1325 && i < 1350) {
      EXPECT_EQ(t.session->forces().fingers[1], 0);  // stale
    }
    if (i == 1449) {  // 100 ms after it
      EXPECT_LT((t.session->ghost().ghost().position - sample.pose.position).norm(), 1e-9);
      EXPECT_NEAR(t.session->forces().fingers[1], good.session->forces().fingers[1],
                  0.1 * good.session->forces().fingers[1]);
    }
  }
  EXPECT_LT(off, 0.03);  // as far as the hand went without it
  EXPECT_GT(t.place("box").z(), 0.15);
}

// A tracker that has been moved by 1 m for good is followed.
TEST(HandFaults, TrackerThatWasMovedIsFollowed) {
  const Trial t;
  for (int i = 1; i <= 1000; ++i) {
    devices::HandSample sample = t.sample(0);
    sample.pose.position.z() += 0.2 + (i > 300 ? 1 : 0);
    ASSERT_TRUE(t.session->step(sample));
    const double height = t.session->ghost().ghost().position.z() - t.sample(0).pose.position.z();
    if (i == 399) {
      EXPECT_NEAR(height, 0.2, 1e-9);  // not yet
    }
    if (i == 1000) {
      EXPECT_NEAR(height, 1.2, 1e-9);
    }
  }
}

// A device that is gone while something is held, and comes back.
TEST(HandFaults, DeviceThatDisconnectsAndComesBack) {
  const Trial t, good;
  for (int i = 1; i <= 2600; ++i) {
    const bool is_gone = i >= 2200 && i < 2500;
    const auto sample = is_gone ? std::nullopt : std::optional(t.sample(0.001 * i));
    ASSERT_TRUE(t.session->step(sample));
    ASSERT_TRUE(good.session->step(good.sample(0.001 * i)));
    if (is_gone && i > 2221) {
      EXPECT_EQ(t.session->forces().fingers[1], 0);
    }
  }
  // 100 ms later it is where it should be, with its force.
  const hand::HandPose wanted = t.ghost->pose(2.6);
  EXPECT_LT((t.session->ghost().ghost().position - wanted.position).norm(), 1e-6);
  EXPECT_LT((t.place("box") - good.place("box")).norm(), 0.005);
  EXPECT_NEAR(t.session->forces().fingers[1], good.session->forces().fingers[1],
              0.2 * good.session->forces().fingers[1]);
}

}  // namespace faults
}  // namespace taut::haptics
