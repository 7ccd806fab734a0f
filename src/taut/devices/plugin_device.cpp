#include "taut/devices/plugin_device.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>

#include "taut/base/error.hpp"
#include "taut/devices/plugin.h"

namespace taut::devices {
namespace {

class PluginDevice final : public Device {
 public:
  PluginDevice(void* library, const taut_device_functions& functions)
      : library_(library), functions_(functions) {}
  ~PluginDevice() override {
    if (functions_.close) functions_.close(functions_.device);
    dlclose(library_);
  }
  PluginDevice(const PluginDevice&) = delete;
  PluginDevice& operator=(const PluginDevice&) = delete;

  std::optional<HandSample> read() override {
    taut_hand_sample given{};
    if (!is_connected_) return std::nullopt;
    const int result = functions_.read(functions_.device, &given);
    if (result < 0) is_connected_ = false;
    if (result <= 0) return std::nullopt;
    HandSample sample;
    sample.time = given.time;
    sample.pose.position = Vec3(given.position[0], given.position[1], given.position[2]);
    const double* turn = given.orientation;
    sample.pose.orientation = Quat(turn[0], turn[1], turn[2], turn[3]);
    std::copy(std::begin(given.angles), std::end(given.angles), sample.pose.angles.begin());
    return sample;
  }
  void send(const HandForces& forces) override {
    if (!functions_.send || !is_connected_) return;
    taut_hand_forces out{};
    std::copy(forces.fingers.begin(), forces.fingers.end(), out.fingers);
    for (int i = 0; i < 3; ++i) {
      out.wrist[i] = forces.wrist[i];
      out.torque[i] = forces.torque[i];
    }
    functions_.send(functions_.device, &out);
  }
  bool is_connected() const override { return is_connected_; }

 private:
  void* library_;
  taut_device_functions functions_;
  bool is_connected_ = true;
};

}  // namespace

std::unique_ptr<Device> open_plugin(const std::string& library) {
  const std::size_t colon = library.find(':');
  const std::string file = library.substr(0, colon);
  const std::string options = colon == std::string::npos ? "" : library.substr(colon + 1);
  std::unique_ptr<void, int (*)(void*)> handle(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL),
                                               dlclose);
  if (!handle) throw Error(fmt::format("{}: cannot be loaded: {}", file, dlerror()));
  const auto function =
      reinterpret_cast<decltype(&taut_device)>(dlsym(handle.get(), "taut_device"));
  if (!function) throw Error(fmt::format("{}: found no function taut_device()", file));
  taut_device_functions functions{};
  const int result = function(TAUT_DEVICE_VERSION, options.c_str(), &functions);
  if (result != 0 || !functions.read)
    throw Error(fmt::format("{}: opens no device (its taut_device() returned {})", file, result));
  return std::make_unique<PluginDevice>(handle.release(), functions);
}

}  // namespace taut::devices
