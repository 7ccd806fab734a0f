// Random scenes of cloth that touches: sheets, ribbons and bodies thrown together.
#pragma once

#include <string>

#include "taut/scene/scene.hpp"

namespace taut::testing {

struct RandomCloth {
  io::Scene scene;
  State start;
  std::string method;
  std::string what;  ///< in words
};
RandomCloth random_cloth(unsigned seed);

}  // namespace taut::testing
