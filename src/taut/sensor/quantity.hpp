// What can be known of a run at one moment, each number by its name: "arm.y", "elbow.turn_rate",
// "rope.tension", "contact(box, ground).normal", "distance(a, b)", "energy". docs/sensors.md has
// all of them. Formulas of sensors are made of these.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/simulate/simulation.hpp"

namespace taut {

/// What sensors look at. What nobody needs may be empty.
struct Moment {
  const System& system;
  const State& state;
  const Pose& pose;                            ///< of the state
  const VecX& lambda;                          ///< constraint forces, per row
  const std::vector<JointSample>& joints;      ///< per joint of the system
  const std::vector<ContactSample>& contacts;  ///< what bears a load
  const std::vector<double>& exerted;          ///< per named force, as for ExertedRecorder
};

/// What has to be measured first. Forces cost about as much as a step, joints' places little.
struct SensorNeeds {
  bool joints = false;    ///< Moment::joints: values and rates
  bool forces = false;    ///< Moment::lambda, and what joints transmit
  bool contacts = false;  ///< Moment::contacts
  bool exerted = false;   ///< Moment::exerted
  SensorNeeds& operator|=(const SensorNeeds& other) {
    joints = joints || other.joints;
    forces = forces || other.forces;
    contacts = contacts || other.contacts;
    exerted = exerted || other.exerted;
    return *this;
  }
};

struct Quantity {
  std::string unit;
  SensorNeeds needs;
  std::function<double(const Moment&)> value;
};

/// Numbers with names that formulas may use beside: the parameters of a scene.
struct Constants {
  std::vector<std::string> names;
  std::vector<double> values;
};

/// The quantity of that name. Throws Error when there is none: what was found, what was expected,
/// and the nearest name.
Quantity find_quantity(const System& system, const Constants& constants, std::string_view name);

/// Of "|a - b|" the distance, where both are points; else nothing.
std::optional<Quantity> find_distance(const System& system, const Constants& constants,
                                      std::string_view name);

/// All names, for lists: what has a name, and what can be known of it.
struct QuantityGroup {
  std::string name;  ///< "arm", as formulas have it; empty: the scene as a whole
  std::string kind;  ///< "rigid body", "hinge", …
  struct Part {
    std::string name, unit;
  };
  std::vector<Part> parts;  ///< "y": the name of the quantity is then "arm.y"
};
std::vector<QuantityGroup> list_quantities(const System& system);

}  // namespace taut
