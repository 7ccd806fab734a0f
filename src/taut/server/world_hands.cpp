// Who moves the hands of a world.
#include <fmt/core.h>

#include <algorithm>

#include "taut/base/error.hpp"
#include "taut/server/world.hpp"

namespace taut::server {
namespace {

constexpr auto silence = std::chrono::seconds(1);  // after which another client may take a hand
constexpr std::array<std::string_view, 3> source_names{"mouse", "webxr", "module"};

}  // namespace

std::string_view name(HandSource source) { return source_names[static_cast<std::size_t>(source)]; }

HandSource find_hand_source(std::string_view text) {
  const auto found = std::find(source_names.begin(), source_names.end(), text);
  if (found == source_names.end())
    throw Error(fmt::format("source: found \"{}\"{}", text, suggestion(text, source_names)));
  return static_cast<HandSource>(found - source_names.begin());
}

void World::note_hands(const io::Scene& scene, std::size_t run_count) {
  const auto hands = hand::hands_of(scene.system);
  const auto& devices = rules_.devices;
  const bool has_devices =
      std::any_of(devices.begin(), devices.end(), [](const auto& each) { return each != nullptr; });
  if (has_devices) {
    if (devices.size() > hands.size())
      throw Error(fmt::format("found {} hands, expected one for each device", hands.size()));
    if (run_count > 1) throw Error("found several runs, expected one where a device moves a hand");
    for (const auto& run : runs()) {
      run->set_goal(-INFINITY);
      if (const auto former = std::dynamic_pointer_cast<LiveRun>(run)) former->current();
    }
  }
  const std::lock_guard lock(hands_mutex_);
  movers_.assign(hands.size(), {});
  hand_names_.clear();
  hand_models_.clear();
  for (const hand::Hand& hand : hands) {
    hand_names_.push_back(hand.name);
    hand_models_.push_back(hand.model);
  }
}

int World::find_hand(std::string_view name) const {
  const std::lock_guard lock(hands_mutex_);
  if (hand_names_.empty()) throw Error("hand: this scene has none");
  for (std::size_t i = 0; i < hand_names_.size(); ++i)
    if (hand_names_[i] == name || std::to_string(i) == name) return static_cast<int>(i);
  const std::vector<std::string_view> names(hand_names_.begin(), hand_names_.end());
  throw Error(fmt::format("hand: found \"{}\"{}", name, suggestion(name, names)));
}

hand::HandModel World::hand_model(int hand) const {
  const std::lock_guard lock(hands_mutex_);
  return hand_models_.at(static_cast<std::size_t>(hand));
}

// With the lock.
void World::require_mover(const void* client, int hand) {
  if (hand < 0 || static_cast<std::size_t>(hand) >= movers_.size())
    throw Error(fmt::format("there is no hand {}", hand));
  Mover& mover = movers_[static_cast<std::size_t>(hand)];
  const Clock::time_point now = Clock::now();
  if (mover.client && mover.client != client && now - mover.seen < silence)
    throw Error("somebody else moves this hand");
  mover.client = client;
  mover.seen = now;
}

devices::HandForces World::move_hand(const void* client, const HandMove& move) {
  const std::size_t hand = static_cast<std::size_t>(move.hand);
  if (hand < rules_.devices.size() && rules_.devices[hand])
    throw Error("a device of the server moves this hand");
  if (hand < rules_.sources.size() && !rules_.sources[hand].contains(move.source))
    throw Error(fmt::format("this hand is not to be moved by a {}", server::name(move.source)));
  const std::lock_guard lock(hands_mutex_);
  require_mover(client, move.hand);
  bool is_first = true;
  for (const auto& run : runs()) {
    const auto live = std::dynamic_pointer_cast<LiveRun>(run);
    if (!live || move.hand >= live->hand_count()) continue;
    live->put_hand(move.hand, move.sample);
    const auto forces = live->hand_forces(move.hand);
    if (forces && is_first) movers_[hand].forces = *forces;
    is_first = false;
  }
  return movers_[hand].forces;
}

void World::let_hand_go(const void* client, int hand) {
  const std::lock_guard lock(hands_mutex_);
  require_mover(client, hand);
  movers_[static_cast<std::size_t>(hand)] = {};
  for (const auto& run : runs())
    if (const auto live = std::dynamic_pointer_cast<LiveRun>(run);
        live && hand < live->hand_count())
      live->let_hand_go(hand);
}

}  // namespace taut::server
