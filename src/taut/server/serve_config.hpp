// What `taut serve` composes: a scene, its loops, devices and viewers; or devices alone, as a
// module of a server elsewhere. docs/hand.md has the file.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taut/devices/device.hpp"

namespace taut::server {

enum class DeviceType {
  vrpn,
  cyberglove,
  recorded,
  plugin,
  mouse,   ///< the page's
  webxr,   ///< the page's, in a headset
  module,  ///< a device of another process
};
std::string_view name(DeviceType type);
/// Whether this process reads it.
inline bool is_read_here(DeviceType type) { return type <= DeviceType::plugin; }

struct DeviceConfig {
  DeviceType type = DeviceType::vrpn;
  std::string hand;    ///< its name; empty: the first
  double rate = 1000;  ///< Hz: how often it is read
  std::string host = "localhost";
  int port = 0;                                        ///< 0: the usual one
  std::string tracker = "Tracker0", glove = "Glove0";  ///< of VRPN
  std::string file;              ///< the serial line of a glove, a session, or a shared library
  std::string calibration;       ///< of a glove; may be empty
  std::string options;           ///< of a plug-in
  std::optional<Vec3> position;  ///< of the wrist, for gloves that do not measure it
};

struct ServeConfig {
  // A server:
  std::string scene;
  std::map<std::string, double> parameters;
  std::string method, contact_solver;
  double simulation_rate = 0;  ///< Hz; 0: the scene's step
  double display_rate = 60;
  std::string listen = "127.0.0.1";
  std::optional<unsigned short> port;
  std::string token, module_token;  ///< empty: random, none
  bool viewers_control = true, is_paused = false;
  // Or a module:
  struct Connect {
    std::string host = "127.0.0.1";
    unsigned short port = 0;
    std::string token;
  };
  std::optional<Connect> connect;

  std::vector<DeviceConfig> devices;
  bool has_devices = false;  ///< whether the file says who moves hands at all
};

/// Files in it are as seen from its folder. Throws Error with file, place, what was found and what
/// was expected.
ServeConfig read_serve_config(const std::string& path);

/// `start`: where the hand is before a glove without a place has measured anything.
std::unique_ptr<devices::Device> open_device(const DeviceConfig& config,
                                             const hand::HandPose& start);

}  // namespace taut::server
