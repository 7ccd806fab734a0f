// Hands in the viewer's protocol: what is told of them, who moves them, and what is refused.
#include "running_server.hpp"
#include "taut/devices/webxr_hand.hpp"

namespace taut::server {
namespace {

using Numbers = std::vector<double>;

Object pose_message(const hand::HandPose& pose) {
  const Quat& q = pose.orientation;
  return {{"type", "hand"},
          {"hand", 0},
          {"source", "module"},
          {"position", {pose.position.x(), pose.position.y(), pose.position.z()}},
          {"orientation", {q.w(), q.x(), q.y(), q.z()}},
          {"angles", pose.angles}};
}

/// Of the newest state that came: columns 0 to 40 of the section `hands`.
Numbers hand_of(const StateView& view, std::size_t hand = 0) {
  const Numbers& all = view.sections.at(static_cast<int>(SectionKind::hands));
  const auto begin = all.begin() + static_cast<long>(hand * hand_columns);
  return {begin, begin + hand_columns};
}

struct GraspBox {
  RunningServer server;
  TestClient client{server};

  GraspBox() { client.open({{"scene", "grasp_box"}}); }
  /// Moves the hand while the simulation goes on, until so much time is over.
  Numbers move_until(double time, const hand::HandPose& pose) {
    Numbers seen;
    client.ask({{"type", "play"}, {"speed", 1}});
    for (int i = 0; i < 20'000; ++i) {
      client.frames.clear();
      EXPECT_EQ(client.ask(pose_message(pose))["type"], "answer");
      client.wait([&](const Object& found) { return found["type"] == "status"; });
      if (client.frames.empty()) continue;
      const StateView view(client.frames.back());
      seen = hand_of(view);
      if (view.header.time >= time) break;
    }
    client.ask({{"type", "pause"}});
    return seen;
  }
};

TEST(ServerHands, TheSceneDescribesThem) {
  GraspBox box;
  const Object& hand = box.client.scene["hands"].at(0);
  EXPECT_EQ(hand["name"], "right");
  EXPECT_EQ(hand["bodies"].size(), 16U);
  EXPECT_EQ(hand["rest"].size(), 16U);
  EXPECT_EQ(hand["limits"].size(), 22U);
  for (int axis = 0; axis < 3; ++axis)
    EXPECT_LT(hand["reach"]["min"][axis].get<double>(), hand["reach"]["max"][axis].get<double>());
  EXPECT_EQ(box.client.scene["runs"][0]["contact_solver"], "real_time");
}

// The recorded motion is what the ghost does while nobody moves it.
TEST(ServerHands, TheMotionMovesTheGhost) {
  GraspBox box;
  box.client.play_until(0.3);
  const StateView view = box.client.recorded(0.3);
  EXPECT_EQ(view.sections.at(static_cast<int>(SectionKind::ghosts)).size(), 16U * 7);
  EXPECT_EQ(view.sections.at(static_cast<int>(SectionKind::limb_forces)).size(), 16U * 3);
  const Numbers hand = hand_of(view);
  EXPECT_EQ(hand[37], 0);  // moved by nobody
  const io::Scene scene = io::load_scene("grasp_box");
  const hand::HandPose wanted = hand::hands_of(scene.system)[0].ghost->pose(view.header.time);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(hand[static_cast<std::size_t>(i)], wanted.position[i], 1e-6);
}

TEST(ServerHands, AClientMovesOneAndTheMotionTakesItBack) {
  GraspBox box;
  hand::HandPose pose;
  pose.position = {0.1, 0.2, 0.3};
  pose.angles[4] = 0.5;
  Numbers hand = box.move_until(0.4, pose);
  ASSERT_EQ(hand.size(), hand_columns);
  EXPECT_EQ(hand[37], 1);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(hand[static_cast<std::size_t>(i)], pose.position[i], 1e-5);
  EXPECT_NEAR(hand[7 + 4], 0.5, 1e-5);
  EXPECT_EQ(hand[40], 0);  // nothing was refused
  EXPECT_EQ(box.client.ask({{"type", "let_go"}, {"hand", "right"}})["type"], "answer");
  box.client.play_until(1.5);
  EXPECT_EQ(hand_of(box.client.recorded(1.5))[37], 0);
}

TEST(ServerHands, JointsOfAHeadsetMoveIt) {
  GraspBox box;
  hand::HandPose pose;
  pose.position = {0, 0, 0.25};
  pose.angles[5] = 0.7;
  const auto joints = devices::joints_of_pose(pose, hand::HandModel());
  Object message{{"type", "hand"}, {"source", "webxr"}, {"joints", Object::array()}};
  for (const Vec3& joint : joints)
    for (int i = 0; i < 3; ++i) message["joints"].push_back(joint[i]);
  const Object answer = box.client.ask(message);
  ASSERT_EQ(answer["type"], "answer") << answer.dump();
  EXPECT_EQ(answer["fingers"].size(), 5U);
  box.client.play_until(0.2);
  EXPECT_NEAR(hand_of(box.client.recorded(0.2))[7 + 5], 0.7, 1e-5);
}

// Nothing of this moves the hand, or ends anything.
TEST(ServerHands, WhatIsNoPoseIsRefused) {
  GraspBox box;
  const Object good = pose_message({});
  const auto refused = [&](const Object& message) {
    const Object answer = box.client.ask(message);
    EXPECT_EQ(answer["type"], "error") << message.dump();
  };
  for (const char* key : {"position", "orientation", "angles"}) {
    for (const Object& wrong :
         {Object(nullptr), Object("x"), Object(1), Object::array(), Object({1, 2, nullptr}),
          Object({1, 2, 3, 4, 5}), Object({{"x", 1}})}) {
      Object message = good;
      message[key] = wrong;
      refused(message);
    }
    Object without = good;
    without.erase(key);
    refused(without);
  }
  Object message = good;
  message["hand"] = 7;
  refused(message);
  message["hand"] = "rihgt";
  refused(message);
  message = good;
  message["source"] = "moose";
  refused(message);
  refused({{"type", "hand"}, {"joints", {1, 2, 3}}});
  refused({{"type", "hand"}, {"joints", Numbers(75, 0.0)}});
  refused({{"type", "let_go"}, {"hand", 3}});
  // Numbers that no hand has come as far as the filter, which counts them.
  message = good;
  message["position"] = {500, 0, 0};
  EXPECT_EQ(box.client.ask(message)["type"], "answer");
  box.client.play_until(0.1);
  const Numbers hand = hand_of(box.client.recorded(0.1));
  for (const double number : hand) EXPECT_TRUE(std::isfinite(number));
  EXPECT_EQ(hand[40], 1);
}

TEST(ServerHands, WithoutTheTokenNobodyMovesThem) {
  GraspBox box;
  TestClient watcher(box.server, false);
  watcher.ask({{"type", "watch"}, {"world", box.client.scene["world"]}});
  EXPECT_EQ(watcher.ask(pose_message({}))["type"], "error");
  EXPECT_EQ(watcher.ask({{"type", "let_go"}, {"hand", 0}})["type"], "error");
}

TEST(ServerHands, OneClientAtATime) {
  GraspBox box;
  TestClient other(box.server);
  other.ask({{"type", "watch"}, {"world", box.client.scene["world"]}});
  EXPECT_EQ(box.client.ask(pose_message({}))["type"], "answer");
  EXPECT_EQ(other.ask(pose_message({}))["type"], "error");
  // Who leaves gives it free.
  box.client.ask({{"type", "leave"}});
  EXPECT_EQ(other.ask(pose_message({}))["type"], "answer");
}

TEST(ServerHands, ASceneWithoutHandsSaysSo) {
  RunningServer server;
  TestClient client(server);
  client.open({{"scene", "pendulum"}});
  EXPECT_TRUE(client.scene["hands"].empty());
  const Object answer = client.ask(pose_message({}));
  EXPECT_EQ(answer["type"], "error");
  EXPECT_NE(answer["message"].get<std::string>().find("none"), std::string::npos);
}

// Both loops count their turns, and what was handed over in time is recorded in order.
TEST(ServerHands, LoopsKeepTheirTime) {
  GraspBox box;
  box.client.ask({{"type", "play"}, {"speed", 1}});
  box.client.wait([](const Object& found) {
    return found["type"] == "status" && found["time"].get<double>() > 0.5;
  });
  box.client.ask({{"type", "pause"}});
  const Object& loops = box.client.status["loops"];
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(loops[0]["name"], "simulation");
  EXPECT_EQ(loops[0]["rate"], 1000);
  EXPECT_GE(loops[0]["turns"].get<long>(), 400);
  EXPECT_EQ(loops[1]["rate"], 60);
  EXPECT_GE(loops[1]["turns"].get<long>(), 5);
  for (const Object& loop : loops) {
    EXPECT_GE(loop["late"].get<long>(), 0);
    EXPECT_LE(loop["late"].get<long>(), loop["turns"].get<long>());
    EXPECT_LE(loop["p50"].get<double>(), loop["p99"].get<double>());
    EXPECT_GE(loop["jitter"].get<double>(), 0);
  }
  const Object history = box.client.ask({{"type", "history"}});
  const Numbers times = history["times"];
  EXPECT_GE(times.size(), 6U);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_EQ(std::adjacent_find(times.begin(), times.end()), times.end());
}

}  // namespace
}  // namespace taut::server
