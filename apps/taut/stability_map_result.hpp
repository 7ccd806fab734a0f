// What taut stability map found, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "stability.hpp"
#include "taut/analysis/stability_map_picture.hpp"
#include "taut/scene/scene.hpp"

namespace taut::cli {

/// What the vertical axis of the map is.
struct MapParameter {
  std::vector<std::string> names;  ///< all get the same value; empty: there is none
  std::string label, unit;
};

struct MapResult {
  const io::Scene& scene;
  const StabilityRequest& request;
  const MapParameter& parameter;
  const StabilityMap& map;
  const std::vector<StepLimits>& limits;  // per value, or one, or none
  double seconds;
};

void print_map_summary(const MapResult& result);
std::string map_json(const MapResult& result);

}  // namespace taut::cli
