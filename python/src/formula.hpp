// A formula that Python has written down by calculating with symbols, once. It is evaluated here,
// without Python, for numbers of any kind: plain, or with derivatives.
#pragma once

#include <cmath>
#include <vector>

#include "taut/base/jet.hpp"

namespace taut::python {

struct Formula {
  enum class Op {
    number,    ///< a constant
    variable,  ///< `a`: three coordinates per point, then the time
    add,
    subtract,
    multiply,
    divide,
    negate,
    power,  ///< of a constant exponent, `number`
    sqrt,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    atan2,
    exp,
    log,
    abs,
    minimum,
    maximum,
  };
  /// What is calculated from earlier values, those of instructions a and b.
  struct Instruction {
    Op op;
    int a = 0, b = 0;
    double number = 0;
  };
  std::vector<Instruction> instructions;
  int result = 0;
  bool depends_on_time = false;

  template <class T, class Variable>
  T evaluate(const Variable& variable) const;
};

template <class T, class Variable>
T Formula::evaluate(const Variable& variable) const {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::exp, std::log,
      std::pow, std::sin, std::sqrt, std::tan;
  static thread_local std::vector<T> values;  // kept: nothing is allocated after the first time
  if (values.size() < instructions.size()) values.resize(instructions.size());
  const auto at = [](int i) -> const T& { return values[static_cast<std::size_t>(i)]; };
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const auto& [op, a, b, number] = instructions[i];
    const auto value = [&, a = a, b = b, number = number, op = op]() -> T {
      switch (op) {
        case Op::number:
          return T(number);
        case Op::variable:
          return variable(a);
        case Op::add:
          return at(a) + at(b);
        case Op::subtract:
          return at(a) - at(b);
        case Op::multiply:
          return at(a) * at(b);
        case Op::divide:
          return at(a) / at(b);
        case Op::negate:
          return -at(a);
        case Op::power:
          return number == 2 ? T(at(a) * at(a)) : T(pow(at(a), number));
        case Op::sqrt:
          return sqrt(at(a));
        case Op::sin:
          return sin(at(a));
        case Op::cos:
          return cos(at(a));
        case Op::tan:
          return tan(at(a));
        case Op::asin:
          return asin(at(a));
        case Op::acos:
          return acos(at(a));
        case Op::atan:
          return atan(at(a));
        case Op::atan2:
          return atan2(at(a), at(b));
        case Op::exp:
          return exp(at(a));
        case Op::log:
          return log(at(a));
        case Op::abs:
          return abs(at(a));
        case Op::minimum:
          return at(b) < at(a) ? at(b) : at(a);
        case Op::maximum:
          return at(a) < at(b) ? at(b) : at(a);
      }
      return T(NAN);
    };
    values[i] = value();
  }
  return at(result);
}

}  // namespace taut::python
