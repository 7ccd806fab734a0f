// Inputs: numbers from outside, such as a throttle or a slider. Formulas of a scene may use them.
// They are constant during a step and are set between two.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct Input {
  std::string name, unit, description;
  double start = 0;  ///< what it is at the start
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

/// A handle: copies refer to the same numbers, those of one System. So formulas read what a program
/// sets.
class Inputs {
 public:
  Inputs() : held_(std::make_shared<Held>()) {}

  /// Its number. Throws Error for a name that is taken, and a start that is not from min to max.
  int add(Input input);

  int size() const { return static_cast<int>(held_->inputs.size()); }
  const Input& info(int input) const { return held_->inputs[static_cast<std::size_t>(input)]; }
  /// Throws Error, with the nearest name, when there is none.
  int find(std::string_view name) const;

  /// Of all, in the order in which they were added.
  const std::vector<double>& values() const { return held_->values; }
  double value(int input) const { return held_->values[static_cast<std::size_t>(input)]; }
  /// Throws Error for what is not a number from min to max.
  void set(int input, double value);
  /// All of them, as values() once was.
  void set_all(const std::vector<double>& values);
  /// Grows whenever a value becomes another one.
  long changes() const { return held_->changes; }

  /// inputs["throttle"] = 0.5
  class Named;
  Named operator[](std::string_view name) const;

 private:
  struct Held {
    std::vector<Input> inputs;
    std::vector<double> values;
    long changes = 0;
  };
  std::shared_ptr<Held> held_;
};

class Inputs::Named {
 public:
  Named(Inputs inputs, int input) : inputs_(std::move(inputs)), input_(input) {}
  Named& operator=(double value) {
    inputs_.set(input_, value);
    return *this;
  }
  operator double() const { return inputs_.value(input_); }  // NOLINT: on purpose

 private:
  Inputs inputs_;
  int input_;
};

inline Inputs::Named Inputs::operator[](std::string_view name) const { return {*this, find(name)}; }

}  // namespace taut
