// What loading a bad scene says.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "taut/base/error.hpp"
#include "taut/scene/scene.hpp"

namespace taut::io {

/// The message of the Error that `action` throws, which must be one line.
template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_LT(text.size(), 700u) << text;
    EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < 32; }));
    return text;
  }
  return "no error";
}

inline std::string parse_message(std::string_view text, std::vector<Setting> settings = {}) {
  return message_of([&] { parse_scene(text, "f.json", settings); });
}

inline std::string load_message(const std::string& path) {
  return message_of([&] { load_scene(path); });
}

}  // namespace taut::io
