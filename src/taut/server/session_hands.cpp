// Messages that move hands.
#include <fmt/core.h>

#include "taut/base/error.hpp"
#include "taut/devices/webxr_hand.hpp"
#include "taut/server/session.hpp"

namespace taut::server {
namespace {

using io::Json;

/// A list of exactly so many numbers.
std::vector<double> numbers_of(const Message& message, std::string_view key, std::size_t count) {
  const io::Node* list = message.find(key);
  const auto fail = [&] { throw Error(fmt::format("{}: expected {} numbers", key, count)); };
  if (!list || !list->items() || list->items()->size() != count) fail();
  std::vector<double> out;
  for (const io::Node& item : *list->items()) {
    if (!item.number()) fail();
    out.push_back(*item.number());
  }
  return out;
}

hand::HandPose pose_of(const Message& message, const hand::HandModel& model) {
  if (message.has("joints")) {
    const std::vector<double> places =
        numbers_of(message, "joints", 3 * devices::webxr_joint_count);
    devices::WebXrJoints joints;
    for (std::size_t i = 0; i < joints.size(); ++i)
      joints[i] = {places[3 * i], places[3 * i + 1], places[3 * i + 2]};
    const auto pose = devices::pose_of_joints(joints, model);
    if (!pose) throw Error("joints: found what cannot be a hand");
    return *pose;
  }
  hand::HandPose pose;
  pose.position = message.vector("position");
  const std::vector<double> q = numbers_of(message, "orientation", 4);
  pose.orientation = Quat(q[0], q[1], q[2], q[3]);
  const std::vector<double> angles = numbers_of(message, "angles", hand::angle_count);
  std::copy(angles.begin(), angles.end(), pose.angles.begin());
  return pose;
}

int hand_of(const Message& message, const World& world) {
  const io::Node* found = message.find("hand");
  if (found && found->text()) return world.find_hand(*found->text());
  return world.find_hand(std::to_string(message.whole_or("hand", 0, 0, 1000)));
}

}  // namespace

Json Session::move_hand(const Message& message, World& world) {
  const int hand = hand_of(message, world);
  if (message.type() == "let_go") {
    world.let_hand_go(this, hand);
    return Json::object();
  }
  World::HandMove move;
  move.hand = hand;
  move.source = find_hand_source(message.text_if("source").value_or("module"));
  move.sample.time = message.number_or("time", 0);
  move.sample.pose = pose_of(message, world.hand_model(hand));
  const devices::HandForces forces = world.move_hand(this, move);
  return {{"fingers", std::vector<double>(forces.fingers.begin(), forces.fingers.end())},
          {"wrist", std::vector<double>(forces.wrist.data(), forces.wrist.data() + 3)}};
}

}  // namespace taut::server
