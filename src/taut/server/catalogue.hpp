// What the program knows, as JSON: scenes, methods.
#pragma once

#include <string>

namespace taut::server {

/// Of the built-in scenes and robots.
std::string scenes_json();
std::string methods_json();
/// The text of a built-in scene or robot; empty where there is none of that name.
std::string builtin_text(std::string_view name);

}  // namespace taut::server
