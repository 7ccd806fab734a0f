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

// With such friction real_time does not solve every step; that is counted, and the session goes on.
TEST(HandFaults, StepsThatAreNotSolvedDoNotEndASession) {
  io::Scene scene = io::load_scene("grasp_frame", std::vector<io::Setting>{{"friction", "3000"}});
  const auto ghost = hand::hands_of(scene.system).front().ghost;
  GraspSession session(std::move(scene.system), 0, {});
  for (int i = 1; i <= 1400; ++i)
    ASSERT_TRUE(session.step(devices::HandSample{0.001 * i, ghost->pose(0.001 * i)}))
        << session.report().reason;
  EXPECT_GT(session.report().cost.unconverged_steps, 0);
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
    // What fingers feel does not depend on where the hand is.
    if (i > 1325 && i < 1350) {
      EXPECT_NEAR(t.session->forces().fingers[1], good.session->forces().fingers[1], 1);
      EXPECT_GT(t.session->forces().fingers[1], 3);
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

// A tracker that has been moved by 1 m for good is followed within 100 ms, with what is held.
TEST(HandFaults, JumpThatLasts) {
  const Vec3 way(0.8, 0, 0.6);
  const Trial t, good;
  const int jumps = 2200;
  double felt = 0;
  for (int i = 1; i <= jumps + 100; ++i) {
    devices::HandSample sample = t.sample(0.001 * i);
    if (i >= jumps) sample.pose.position += way;
    ASSERT_TRUE(t.session->step(sample)) << t.session->report().reason;
    ASSERT_TRUE(good.session->step(good.sample(0.001 * i)));
    for (const double each : t.session->forces().fingers) felt = std::max(felt, each);
    EXPECT_LT(t.overlap(), 1e-6);
    // The box is never left behind, nor kicked.
    const double off = std::min((t.place("box") - good.place("box")).norm(),
                                (t.place("box") - good.place("box") - way).norm());
    EXPECT_LT(off, 0.002);
  }
  EXPECT_LE(felt, 12);
  EXPECT_LT(
      (t.session->ghost().ghost().position - good.session->ghost().ghost().position - way).norm(),
      1e-9);
  for (const char* body : {"right/palm", "right/index_distal", "box"})
    EXPECT_LT((t.place(body) - good.place(body) - way).norm(), 0.001) << body;
  for (std::size_t finger = 0; finger < 5; ++finger)
    EXPECT_NEAR(t.session->forces().fingers[finger], good.session->forces().fingers[finger],
                0.01 * good.session->forces().fingers[finger]);
}

// … as far as nothing is in the way: a wall, which it then presses on.
TEST(HandFaults, JumpThroughAWallEndsAtTheWall) {
  const auto jumps = [](double thickness) {
    System system;
    auto contacts = std::make_unique<collision::ShapeContacts>();
    contacts->add({world_body,
                   collision::box({0.5 * thickness, 1, 1}),
                   collision::Pose3(Vec3(0.5, 0, 0)),
                   {},
                   0,
                   "wall"});
    hand::add_hand(
        system, *contacts, {},
        std::make_shared<hand::MovedGhost>(
            hand::HandModel(), hand::HandMotion(std::vector<hand::HandKeyframe>{{0, {}}})));
    system.add_contacts(std::move(contacts));
    GraspSession session(std::move(system), 0, {});
    devices::HandSample sample;
    double fastest = 0;
    const auto farthest = [&] {
      double out = -1;
      for (int i = 0; i < session.state().q.size(); i += 7)
        out = std::max(out, session.state().q[i]);
      return out;
    };
    for (int i = 0; i < 700; ++i) {
      sample.pose.position.x() = i < 300 ? 0 : 1;
      ASSERT_TRUE(session.step(sample)) << session.report().reason;
      EXPECT_LT(farthest(), 0.5 - 0.5 * thickness);
      for (const double each : session.forces().fingers) EXPECT_LE(each, 12);
      EXPECT_LT(session.forces().wrist.norm(), 401);
      fastest = std::max(fastest, session.state().v.lpNorm<Eigen::Infinity>());
      if (i == 400) EXPECT_GT(farthest(), 0.45);  // it is there
    }
    EXPECT_LT(session.state().v.lpNorm<Eigen::Infinity>(), 0.1);  // and at rest
  };
  jumps(0.02);
  jumps(1e-4);
}

TEST(HandFaults, StylusThatJumps) {
  io::Scene scene = io::parse_scene(
      R"({"taut": 1, "name": "table", "title": "t", "description": "d",
          "shapes": [{"type": "plane", "friction": 0.5}],
          "styluses": [{"name": "pen", "tip": "point", "position": [0, 0, 0.05], "radius": 0.004}],
          "simulation": {"method": "icd", "step": 0.001, "duration": 1}})",
      "table", {});
  GraspSession session(std::move(scene.system), GraspSession::StylusNumber{0}, {});
  devices::HandSample sample;
  for (int i = 0; i < 1000; ++i) {
    sample.pose.position = {i < 700 ? 0.0 : 1.0, 0, std::max(0.003, 0.05 - 2e-4 * i)};
    ASSERT_TRUE(session.step(sample));
    if (i == 699) EXPECT_NEAR(session.forces().wrist.z(), 0.1, 0.01);
    if (i == 730) EXPECT_EQ(session.forces().wrist.norm(), 0);  // nobody knows where it is
  }
  EXPECT_NEAR(session.state().q[0], 1, 1e-6);
  EXPECT_NEAR(session.state().q[2], 0.004, 1e-6);
  EXPECT_NEAR(session.forces().wrist.z(), 0.1, 0.01);
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
