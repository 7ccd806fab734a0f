// A family of systems that depend on parameters: what derivatives are taken of.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "taut/model/system.hpp"
#include "taut/sensor/sensor_set.hpp"

namespace taut {

/// A system that may be run, and what is looked at.
struct Model {
  System system;
  State start;
  SensorSet sensors = {};
};

struct FamilyParameter {
  std::string name;
  double value = 0;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

struct ModelFamily {
  std::vector<FamilyParameter> parameters;
  /// A fresh model for values of all parameters. All of them must have the same bodies and rows.
  std::function<Model(const VecX& values)> make;

  VecX values() const {
    VecX out(static_cast<Eigen::Index>(parameters.size()));
    for (Eigen::Index i = 0; i < out.size(); ++i)
      out[i] = parameters[static_cast<std::size_t>(i)].value;
    return out;
  }
};

}  // namespace taut
