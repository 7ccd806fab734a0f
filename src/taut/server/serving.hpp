// A world as a configuration composes it: its scene, and what moves its hands.
#pragma once

#include <memory>
#include <vector>

#include "taut/haptics/device_loop.hpp"
#include "taut/server/hub.hpp"
#include "taut/server/serve_config.hpp"

namespace taut::server {

/// Opens the devices and the world, paused. Throws Error.
std::shared_ptr<World> open_served(Hub& hub, const ServeConfig& config);

}  // namespace taut::server
