#include "taut/devices/vrpn_device.hpp"

#include <algorithm>

namespace taut::devices {

VrpnDevice::VrpnDevice(VrpnOptions options) : options_(std::move(options)) { connect(); }

void VrpnDevice::connect() {
  connection_.emplace(vrpn::connect_to(options_.host, options_.port));
  tried_ = std::chrono::steady_clock::now();
}

/// Whether it changed the sample.
bool VrpnDevice::take(const vrpn::Received& received) {
  const auto note = [&](bool is_right) {
    if (!is_right) ++malformed_;
    return is_right;
  };
  if (received.type == vrpn::tracker_type && received.sender == options_.tracker) {
    const auto pose = vrpn::read_tracker(received.payload);
    if (!note(pose.has_value()) || pose->sensor != options_.sensor) return false;
    sample_.pose.position = pose->position;
    sample_.pose.orientation = pose->orientation;
    has_pose_ = true;
  } else if (received.type == vrpn::analog_type && received.sender == options_.glove) {
    const auto channels = vrpn::read_analog(received.payload);
    if (!note(channels && channels->size() == sample_.pose.angles.size())) return false;
    std::copy(channels->begin(), channels->end(), sample_.pose.angles.begin());
  } else if (received.type == vrpn::button_type) {
    const auto change = vrpn::read_button(received.payload);
    if (!note(change.has_value()) || change->button >= 64) return false;
    const unsigned long bit = 1UL << change->button;
    buttons_ = change->state ? buttons_ | bit : buttons_ & ~bit;
    return false;
  } else {
    return false;
  }
  sample_.time = received.time;
  return true;
}

std::optional<HandSample> VrpnDevice::read() {
  if (!connection_ || !connection_->is_open()) {
    constexpr std::chrono::seconds pause(1);
    if (std::chrono::steady_clock::now() - tried_ < pause) return std::nullopt;
    tried_ = std::chrono::steady_clock::now();
    try {
      connect();
    } catch (const std::exception&) {  // the network is gone, too: try again later
      return std::nullopt;
    }
  }
  bool is_new = false;
  for (const vrpn::Received& received : connection_->receive()) is_new = take(received) || is_new;
  if (!is_new || !has_pose_) return std::nullopt;
  return sample_;
}

void VrpnDevice::send(const HandForces& forces) {
  if (!is_connected()) return;
  constexpr double radius = 1;  // m: of a hand that is elsewhere by then nothing is known
  connection_->send(options_.tracker, vrpn::force_field_type, sample_.time,
                    vrpn::force_field_payload({sample_.pose.position, forces.wrist, radius}));
  connection_->send(options_.glove, vrpn::outputs_type, sample_.time,
                    vrpn::outputs_payload(forces.fingers));
}

}  // namespace taut::devices
