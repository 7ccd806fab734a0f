// A number with its first three derivatives with respect to one variable: it and its rate, each
// with its first two derivatives. y = f(x) has the rate y' = f'(x)·x'.
#pragma once

#include <cmath>

#include "taut/base/jet.hpp"

namespace taut::io {

/// A number with its first two derivatives with respect to one variable.
using Derived = Jet<1, 2>;

struct ThriceDerived {
  Derived value, rate;

  ThriceDerived() = default;
  ThriceDerived(double constant) : value(constant) {}  // NOLINT: constants mix freely
  ThriceDerived(const Derived& v, const Derived& r) : value(v), rate(r) {}
  static ThriceDerived variable(double at) { return {Derived::variable(at, 0), 1.0}; }

  double third() const { return rate.H[0]; }

  ThriceDerived& operator+=(const ThriceDerived& y) { return *this = *this + y; }
  ThriceDerived& operator-=(const ThriceDerived& y) { return *this = *this - y; }
  ThriceDerived& operator*=(const ThriceDerived& y) { return *this = *this * y; }
  ThriceDerived& operator/=(const ThriceDerived& y) { return *this = *this / y; }
  ThriceDerived operator-() const { return {-value, -rate}; }

  friend ThriceDerived operator+(const ThriceDerived& x, const ThriceDerived& y) {
    return {x.value + y.value, x.rate + y.rate};
  }
  friend ThriceDerived operator-(const ThriceDerived& x, const ThriceDerived& y) {
    return {x.value - y.value, x.rate - y.rate};
  }
  friend ThriceDerived operator*(const ThriceDerived& x, const ThriceDerived& y) {
    return {x.value * y.value, x.rate * y.value + x.value * y.rate};
  }
  friend ThriceDerived operator/(const ThriceDerived& x, const ThriceDerived& y) {
    const Derived ratio = x.value / y.value;
    return {ratio, (x.rate - ratio * y.rate) / y.value};
  }
  friend bool operator<(const ThriceDerived& x, const ThriceDerived& y) {
    return x.value < y.value;
  }
};

inline double value_of(const ThriceDerived& x) { return x.value.a; }
inline bool is_constant(const ThriceDerived& x) {
  return x.value.g[0] == 0 && x.value.H[0] == 0 && x.rate.H[0] == 0;
}

// These and those of Derived have one name.
using taut::abs, taut::acos, taut::asin, taut::atan, taut::cos, taut::exp, taut::log, taut::sin,
    taut::sqrt, taut::tan;

inline ThriceDerived sin(const ThriceDerived& x) { return {sin(x.value), cos(x.value) * x.rate}; }
inline ThriceDerived cos(const ThriceDerived& x) { return {cos(x.value), -sin(x.value) * x.rate}; }
inline ThriceDerived tan(const ThriceDerived& x) {
  const Derived y = tan(x.value);
  return {y, (1.0 + y * y) * x.rate};
}
inline ThriceDerived asin(const ThriceDerived& x) {
  return {asin(x.value), x.rate / sqrt(1.0 - x.value * x.value)};
}
inline ThriceDerived acos(const ThriceDerived& x) {
  return {acos(x.value), -x.rate / sqrt(1.0 - x.value * x.value)};
}
inline ThriceDerived atan(const ThriceDerived& x) {
  return {atan(x.value), x.rate / (1.0 + x.value * x.value)};
}
inline ThriceDerived sqrt(const ThriceDerived& x) {
  const Derived y = sqrt(x.value);
  return {y, 0.5 * x.rate / y};
}
inline ThriceDerived abs(const ThriceDerived& x) { return x.value.a < 0 ? -x : x; }
inline ThriceDerived exp(const ThriceDerived& x) {
  const Derived y = exp(x.value);
  return {y, y * x.rate};
}
inline ThriceDerived log(const ThriceDerived& x) { return {log(x.value), x.rate / x.value}; }

}  // namespace taut::io
