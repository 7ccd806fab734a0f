// Arithmetic over named numbers: what stands behind "=" in a scene. Compiled once, evaluated often.
//
//   sum     = product { ("+" | "-") product }
//   product = factor { ("*" | "/") factor }
//   factor  = ("-" | "+") factor | power
//   power   = primary [ "^" factor ]            so that −2^2 = −4 and 2^−1 = ½
//   primary = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/text/expression_functions.hpp"

namespace taut::io {

class Expression {
 public:
  /// Deep enough for anybody, and a bound on the recursion of the compiler.
  static constexpr int deepest = 64;

  /// Names stand for values[i] in evaluate(). Throws Error: what was found, what was expected.
  Expression(std::string_view text, std::span<const std::string> names);

  /// The same with names that are not identifiers alone: arm.y, 'left arm'.y, f(a, b).y with what
  /// is no function of expressions, and |a - b|. `find` has the index of the value for each, or
  /// throws Error; |…| for which it has nothing is an absolute value.
  using Find = std::function<std::optional<int>(std::string_view name)>;
  Expression(std::string_view text, const Find& find);

  /// Whether it uses one of `count` names from `first` on.
  bool uses(std::size_t first, std::size_t count) const;
  /// Whether it is a name alone.
  bool is_one_value() const { return program_.size() == 1 && program_[0].op == Op::value; }

  /// Not finite where the arithmetic is not: 1/0, log(-1).
  double evaluate(std::span<const double> values) const;

  /// The same where the last of the names, for which there is no value in `values`, has the value
  /// `last`; with the first two derivatives with respect to it.
  Derived differentiate(std::span<const double> values, double last) const;
  /// The same with the values in two parts, one after the other.
  Derived differentiate(std::span<const double> values, std::span<const double> more,
                        double last) const;
  /// … with the first three: value, first, second and third derivative.
  std::array<double, 4> differentiate_thrice(std::span<const double> values, double last) const;

  /// Names that mean something already and cannot be given to a parameter.
  static std::span<const std::string_view> reserved_names();

 private:
  friend class ExpressionCompiler;
  enum class Op { number, value, add, subtract, multiply, divide, power, negate, call1, call2 };
  struct Instruction {
    Op op;
    int index = 0;  // of the value, or of the function
    double number = 0;
  };
  template <class T, class Value>
  T run(const Value& value_at) const;

  std::vector<Instruction> program_;  // postfix
};

/// A letter or underscore, then letters, digits and underscores.
bool is_identifier(std::string_view text);

}  // namespace taut::io
