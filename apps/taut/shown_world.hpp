// What view and render show: a scene with its runs, or a recording.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "taut/server/hub.hpp"

namespace taut::cli {

struct ShownWorld {
  std::string scene;
  std::vector<std::string> settings, methods, steps;
};
void add_shown_world(CLI::App& command, ShownWorld& arguments, bool is_required);
/// Opens it, paused. Throws Error.
std::shared_ptr<server::World> open_first(server::Hub& hub, const ShownWorld& arguments);

}  // namespace taut::cli
