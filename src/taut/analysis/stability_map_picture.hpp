// A stability map as a picture (SVG) and as a table (CSV).
#pragma once

#include <string>
#include <vector>

#include "taut/analysis/stability_map.hpp"

namespace taut {

/// Predicted limits along the parameter, for the lines in the picture.
struct PredictedCurve {
  std::vector<double> values;
  std::vector<StepLimits> limits;
};

struct MapLabels {
  std::string title, subtitle;
  std::string parameter;  ///< of the vertical axis, with its unit; unused without a parameter
};

/// With a parameter: a field of cells over step and parameter, the prediction as lines. Without:
/// the error that is left at the end of each run over the step; `predicted.limits`, if any, has one
/// entry then. Colours are those of Okabe and Ito, which most people tell apart.
std::string stability_map_svg(const StabilityMap& map, const MapLabels& labels,
                              const PredictedCurve& predicted);

/// A line per cell; `parameter` is the heading of the column of values. Predicted limits per value
/// of the map, or empty.
std::string stability_map_csv(const StabilityMap& map, const std::string& parameter,
                              const std::vector<StepLimits>& limits);

}  // namespace taut
