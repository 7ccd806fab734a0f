// Scenes by groups, which have names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scene.hpp"

namespace peers {

struct Group {
  std::string name, title;
  std::string words;  ///< for the report: who is good at it, and why
  std::function<std::vector<Scene>()> scenes;
};
const std::vector<Group>& groups();

}  // namespace peers
