// What loading a bad scene says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/messages.hpp"
#include "taut/scene/scene.hpp"

namespace taut::io {

using testing::mentions;
using testing::message_of;
using testing::Mistake;
using testing::mistake_name;
using testing::says;

inline std::string parse_message(std::string_view text, std::vector<Setting> settings = {}) {
  return message_of([&] { parse_scene(text, "f.json", settings); });
}

inline std::string load_message(const std::string& path, std::vector<Setting> settings = {}) {
  return message_of([&] { load_scene(path, settings); });
}

}  // namespace taut::io
