#include "taut/model/inputs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"

namespace taut {
namespace {

void require_value(const Input& input, double value) {
  if (std::isfinite(value) && value >= input.min && value <= input.max) return;
  std::string expected = "a number";
  if (std::isfinite(input.min) && std::isfinite(input.max))
    expected = fmt::format("a number from {} to {}", input.min, input.max);
  else if (std::isfinite(input.min))
    expected = fmt::format("a number, at least {}", input.min);
  else if (std::isfinite(input.max))
    expected = fmt::format("a number, at most {}", input.max);
  throw Error(fmt::format("input \"{}\": found {}, expected {}", input.name, value, expected));
}

}  // namespace

int Inputs::add(Input input) {
  for (const Input& other : held_->inputs)
    if (other.name == input.name)
      throw Error(fmt::format("two inputs are named \"{}\"", input.name));
  if (!(input.min <= input.max))
    throw Error(fmt::format("input \"{}\": found min {} and max {}, expected min ≤ max", input.name,
                            input.min, input.max));
  require_value(input, input.start);
  held_->values.push_back(input.start);
  held_->inputs.push_back(std::move(input));
  return size() - 1;
}

int Inputs::find(std::string_view name) const {
  const auto& all = held_->inputs;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Input& input) { return input.name == name; });
  if (found != all.end()) return static_cast<int>(found - all.begin());
  std::vector<std::string_view> known;
  for (const Input& input : all) known.push_back(input.name);
  throw Error(fmt::format("there is no input \"{}\"{}", name, suggestion(name, known)));
}

void Inputs::set(int input, double value) {
  require_value(info(input), value);
  double& held = held_->values[static_cast<std::size_t>(input)];
  if (held == value) return;
  held = value;
  ++held_->changes;
}

void Inputs::set_all(const std::vector<double>& values) {
  if (values.size() != held_->values.size())
    throw Error(fmt::format("found {} values of inputs, expected {}", values.size(), size()));
  for (int i = 0; i < size(); ++i) set(i, values[static_cast<std::size_t>(i)]);
}

}  // namespace taut
