// A hand that is measured by VRPN servers: the wrist by a tracker, the joints by an analog device
// with 22 channels (rad, in the order of the angles). Forces go back in the way that clients ask
// VRPN's devices for them: a force field of the tracker's name for the palm, and five analog
// outputs of the glove's, N per finger. Connects again, once a second, when the server is gone.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "taut/devices/device.hpp"
#include "taut/devices/vrpn_connection.hpp"

namespace taut::devices {

struct VrpnOptions {
  std::string host = "localhost";
  int port = vrpn::usual_port;
  std::string tracker = "Tracker0";
  int sensor = 0;
  std::string glove = "Glove0";
};

class VrpnDevice final : public Device {
 public:
  /// Throws Error for a host that does not exist.
  explicit VrpnDevice(VrpnOptions options);
  std::optional<HandSample> read() override;
  void send(const HandForces& forces) override;
  bool is_connected() const override { return connection_ && connection_->is_ready(); }
  /// Bit i: button i is pressed.
  unsigned long buttons() const { return buttons_; }
  long malformed() const { return malformed_; }

 private:
  void connect();
  bool take(const vrpn::Received& received);

  VrpnOptions options_;
  std::optional<vrpn::Connection> connection_;
  std::chrono::steady_clock::time_point tried_;
  HandSample sample_;
  bool has_pose_ = false;
  unsigned long buttons_ = 0;
  long malformed_ = 0;
};

}  // namespace taut::devices
