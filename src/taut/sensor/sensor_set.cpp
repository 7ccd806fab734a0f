#include "taut/sensor/sensor_set.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "taut/base/error.hpp"
#include "taut/simulate/stepping.hpp"
#include "taut/text/at.hpp"

namespace taut {
namespace {

std::string_view without_sign(std::string_view formula) {
  formula.remove_prefix(std::min(formula.find_first_not_of(' '), formula.size()));
  if (formula.starts_with('=')) formula.remove_prefix(1);
  return formula;
}

}  // namespace

void SensorSet::add(const System& system, Sensor sensor, const Constants& constants) {
  if (sensor.name.empty())
    throw Error("a sensor has an empty name, expected at least one character");
  for (const Sensor& other : sensors_)
    if (other.name == sensor.name)
      throw Error(fmt::format("two sensors are named {}", io::in_quotes(sensor.name)));
  // Of this formula alone: what a name stands for depends on the constants, too.
  std::vector<std::string> names;
  std::vector<Quantity> quantities;
  const auto find = [&](std::string_view name) -> std::optional<int> {
    const auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end()) {
      std::optional<Quantity> quantity = name.starts_with('|')
                                             ? find_distance(system, constants, name)
                                             : find_quantity(system, constants, name);
      if (!quantity) return std::nullopt;
      names.emplace_back(name);
      quantities.push_back(std::move(*quantity));
      return static_cast<int>(quantities_.size() + quantities.size()) - 1;
    }
    return static_cast<int>(quantities_.size()) + static_cast<int>(known - names.begin());
  };
  const io::Expression formula(without_sign(sensor.value), find);
  if (sensor.unit.empty() && formula.is_one_value()) sensor.unit = quantities[0].unit;
  formulas_.push_back(formula);
  sensors_.push_back(std::move(sensor));
  for (Quantity& quantity : quantities) {
    needs_ |= quantity.needs;
    quantities_.push_back(std::move(quantity));
  }
  numbers_.resize(quantities_.size());
}

int SensorSet::find(std::string_view name) const {
  std::vector<std::string_view> known;
  for (int i = 0; i < size(); ++i) {
    known.push_back(sensors_[static_cast<std::size_t>(i)].name);
    if (known.back() == name) return i;
  }
  throw Error(fmt::format("there is no sensor \"{}\"{}", name, suggestion(name, known)));
}

std::string SensorSet::label(int sensor) const {
  const Sensor& of = sensors_[static_cast<std::size_t>(sensor)];
  return of.unit.empty() ? of.name : fmt::format("{} ({})", of.name, of.unit);
}

void SensorSet::evaluate(const System& system, const State& state, const VecX& lambda,
                         const std::vector<JointSample>& joints,
                         const std::vector<ContactSample>& contacts,
                         const std::vector<double>& exerted, std::vector<double>& values) {
  values.resize(sensors_.size());
  if (empty()) return;
  pose_.set(system, state.q);
  const Moment moment{system, state, pose_, lambda, joints, contacts, exerted};
  for (std::size_t i = 0; i < quantities_.size(); ++i) numbers_[i] = quantities_[i].value(moment);
  for (std::size_t i = 0; i < formulas_.size(); ++i) values[i] = formulas_[i].evaluate(numbers_);
}

void SensorSet::read(Stepping& stepping, std::vector<double>& values) {
  static const VecX no_forces;
  static const std::vector<JointSample> no_joints;
  static const std::vector<ContactSample> no_contacts;
  static const std::vector<double> as_laws_say;
  if (needs_.forces || needs_.contacts || (needs_.exerted && !stepping.laws_tell())) {
    const Stepping::Measured measured = stepping.measure();
    evaluate(stepping.system(), stepping.state(), measured.lambda, measured.joints,
             measured.contacts, measured.exerted, values);
  } else {
    evaluate(stepping.system(), stepping.state(), no_forces,
             needs_.joints ? stepping.joints() : no_joints, no_contacts, as_laws_say, values);
  }
}

std::vector<double> SensorSet::read(Stepping& stepping) {
  std::vector<double> values;
  read(stepping, values);
  return values;
}

}  // namespace taut
