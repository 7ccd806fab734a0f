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

/// From a time on an input has a value, until the next one of that input. Inputs are constant in a
/// step: it counts for the steps whose middle is later.
struct Control {
  double time = 0;
  int input = 0;
  double value = 0;
};

/// A system that may be run, and what is looked at.
struct Model {
  System system;
  State start;
  SensorSet sensors = {};
  std::vector<Control> controls = {};  ///< in the order of their times
  std::vector<double> inputs = {};     ///< what they are before the first one; with controls

  /// The inputs become what they are in the step around a time.
  void steer(double time) const {
    if (controls.empty()) return;
    Inputs now = system.inputs();
    std::vector<double> values = inputs;
    for (const Control& control : controls)
      if (control.time < time) values[static_cast<std::size_t>(control.input)] = control.value;
    if (values != now.values()) now.set_all(values);
  }
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
