#include "taut/server/serving.hpp"

#include <fmt/core.h>

#include "taut/base/error.hpp"

namespace taut::server {
namespace {

std::size_t hand_number(const io::Scene& scene, const DeviceConfig& device) {
  const auto hands = hand::hands_of(scene.system);
  if (hands.empty()) throw Error(fmt::format("{}: found no hands for devices", scene.name));
  if (device.hand.empty()) return 0;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < hands.size(); ++i) {
    if (hands[i].name == device.hand) return i;
    names.push_back(hands[i].name);
  }
  throw Error(
      fmt::format("devices: found the hand \"{}\"{}", device.hand, suggestion(device.hand, names)));
}

HandSource source_of(DeviceType type) {
  if (type == DeviceType::mouse) return HandSource::mouse;
  return type == DeviceType::webxr ? HandSource::webxr : HandSource::module;
}

HandRules rules_of(const ServeConfig& config, const io::Scene& scene) {
  HandRules rules;
  rules.display_rate = config.display_rate;
  if (!config.has_devices) return rules;
  const auto hands = hand::hands_of(scene.system);
  rules.devices.resize(hands.size());
  rules.sources.resize(hands.size());  // nobody else
  struct Loop {
    std::string name;
    double rate;
    std::shared_ptr<haptics::DeviceLoop> loop;
  };
  auto loops = std::make_shared<std::vector<Loop>>();
  for (const DeviceConfig& device : config.devices) {
    const std::size_t hand = hand_number(scene, device);
    if (!is_read_here(device.type)) {
      rules.sources[hand].insert(source_of(device.type));
      continue;
    }
    if (rules.devices[hand])
      throw Error(fmt::format("devices: found two of the hand \"{}\"", hands[hand].name));
    auto opened = open_device(device, hands[hand].ghost->pose(0));
    if (device.type == DeviceType::recorded) {  // a sample for each step, bit for bit
      rules.devices[hand] = std::move(opened);
      continue;
    }
    auto loop = std::make_shared<haptics::DeviceLoop>(std::move(opened), 1 / device.rate);
    rules.devices[hand] = loop;
    loops->push_back({"device " + hands[hand].name, device.rate, std::move(loop)});
  }
  for (std::size_t i = 0; i < hands.size(); ++i)
    if (rules.devices[i] && !rules.sources[i].empty())
      throw Error(fmt::format("devices: found two of the hand \"{}\"", hands[i].name));
  rules.loops = [loops](io::Json& out) {
    if (out.is_null()) return;
    for (const Loop& each : *loops)
      out.push_back({{"name", each.name},
                     {"rate", each.rate},
                     {"turns", each.loop->turns()},
                     {"late", each.loop->late()}});
  };
  return rules;
}

}  // namespace

std::shared_ptr<World> open_served(Hub& hub, const ServeConfig& config) {
  const Document document = Document::load(config.scene).with_parameters(config.parameters);
  RunRequest run;
  run.method = config.method;
  run.contact_solver = config.contact_solver;
  if (config.simulation_rate > 0) run.step = 1 / config.simulation_rate;
  return hub.open_first(document, {run}, rules_of(config, document.read()));
}

}  // namespace taut::server
