// Devices in shared libraries: see plugin.h.
#pragma once

#include <memory>
#include <string>

#include "taut/devices/device.hpp"

namespace taut::devices {

/// `library`: a file, and behind a colon options for the device. Throws Error where it cannot be
/// loaded, has no taut_device(), or that says no.
std::unique_ptr<Device> open_plugin(const std::string& library);

}  // namespace taut::devices
