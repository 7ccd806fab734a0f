// Sensors: formulas over what can be known of a run, by name. They may be read after any step:
//
//   SensorSet sensors(system);
//   sensors.add({"stretch", "distance(a, b) - 1", "m"});
//   std::vector<double> values = sensors.read(stepping);
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/sensor/quantity.hpp"
#include "taut/text/expression.hpp"

namespace taut {

class Stepping;

struct Sensor {
  std::string name;
  std::string value;      ///< a formula, with or without "=" in front
  std::string unit = {};  ///< where the formula is one quantity alone, that one's if not given
  std::string description = {};
};

class SensorSet {
 public:
  /// Formulas may use the constants beside the quantities of the system.
  void add(const System& system, Sensor sensor, const Constants& constants = {});

  int size() const { return static_cast<int>(sensors_.size()); }
  bool empty() const { return sensors_.empty(); }
  /// As they were added, with their units.
  const std::vector<Sensor>& sensors() const { return sensors_; }
  /// The number of a sensor. Throws Error, with the nearest name, when there is none.
  int find(std::string_view name) const;
  /// "tip_height (m)"
  std::string label(int sensor) const;
  const SensorNeeds& needs() const { return needs_; }

  /// One value for each sensor. Not finite where the arithmetic is not: 1/0. `system` must be the
  /// one that the sensors were added for, or one made in the same way.
  void evaluate(const System& system, const State& state, const VecX& lambda,
                const std::vector<JointSample>& joints, const std::vector<ContactSample>& contacts,
                const std::vector<double>& exerted, std::vector<double>& values);
  /// Of a run that goes step by step: measures what the sensors need, and nothing else.
  void read(Stepping& stepping, std::vector<double>& values);
  std::vector<double> read(Stepping& stepping);

 private:
  std::vector<Sensor> sensors_;
  std::vector<io::Expression> formulas_;
  std::vector<Quantity> quantities_;
  SensorNeeds needs_;
  Pose pose_;
  std::vector<double> numbers_;  // of the quantities
};

}  // namespace taut
