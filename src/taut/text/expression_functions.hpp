// What expressions can call, generic in the number: plain, or with derivatives with respect to the
// variable of a formula.
#pragma once

#include <cmath>
#include <string_view>

#include "taut/base/jet.hpp"
#include "taut/text/third_derivative.hpp"

namespace taut::io {

struct Function1 {
  std::string_view name;
  double (*call)(double);
  Derived (*derived)(const Derived&);
  ThriceDerived (*thrice)(const ThriceDerived&);
};
struct Function2 {
  std::string_view name;
  double (*call)(double, double);
  Derived (*derived)(const Derived&, const Derived&);
  ThriceDerived (*thrice)(const ThriceDerived&, const ThriceDerived&);
  bool takes_more;  // as many arguments as one likes, from the left
};

inline bool is_constant(double) { return true; }
inline bool is_constant(const Derived& x) { return x.g[0] == 0 && x.H[0] == 0; }

// The rules of a constant exponent hold for any base; x^y = exp(y log x) needs x > 0. A derivative
// with the factor zero is zero, where the power of x that goes with it may be infinite.
inline double power(double x, double y) { return std::pow(x, y); }
inline Derived power(const Derived& x, const Derived& y) {
  const double p = y.a, value = std::pow(x.a, p);
  if (is_constant(y)) {
    const double first = p == 0 ? 0 : p * std::pow(x.a, p - 1);
    const double second = p * (p - 1) == 0 ? 0 : p * (p - 1) * std::pow(x.a, p - 2);
    return is_constant(x) ? Derived(value) : x.chain(value, first, second);
  }
  Derived result = exp(y * log(x));
  result.a = value;
  return result;
}
inline ThriceDerived power(const ThriceDerived& x, const ThriceDerived& y) {
  if (is_constant(x) && is_constant(y)) return std::pow(x.value.a, y.value.a);
  if (!is_constant(y)) return exp(y * log(x));
  const double p = y.value.a;
  if (p == 0) return 1.0;
  return {power(x.value, y.value), p * power(x.value, Derived(p - 1)) * x.rate};
}

template <class T>
T floor_of(const T& x) {
  return T(std::floor(value_of(x)));  // flat between its jumps
}

// What is constant has no derivative, even where that of the function is infinite.
#define TAUT_FUNCTION(name)                                                       \
  Function1 {                                                                     \
#name, [](double x) { return static_cast<double>(std::name(x)); },              \
        [](const Derived& x) { return is_constant(x) ? std::name(x.a) : name(x); }, \
        [](const ThriceDerived& x) {                                              \
          return is_constant(x) ? ThriceDerived(std::name(x.value.a)) : name(x);  \
        } \
  }

inline constexpr Function1 functions1[] = {
    TAUT_FUNCTION(sin),
    TAUT_FUNCTION(cos),
    TAUT_FUNCTION(tan),
    TAUT_FUNCTION(asin),
    TAUT_FUNCTION(acos),
    TAUT_FUNCTION(atan),
    TAUT_FUNCTION(sqrt),
    TAUT_FUNCTION(abs),
    TAUT_FUNCTION(exp),
    TAUT_FUNCTION(log),
    {"floor", [](double x) { return floor_of(x); }, floor_of<Derived>, floor_of<ThriceDerived>},
};
#undef TAUT_FUNCTION

template <class T>
T least(const T& x, const T& y) {
  return y < x ? y : x;
}
template <class T>
T greatest(const T& x, const T& y) {
  return x < y ? y : x;
}
template <class T>
T remainder_of(const T& x, const T& y) {
  return x - y * floor_of(x / y);
}

inline constexpr Function2 functions2[] = {
    {"min", [](double x, double y) { return least(x, y); }, least<Derived>, least<ThriceDerived>,
     true},
    {"max", [](double x, double y) { return greatest(x, y); }, greatest<Derived>,
     greatest<ThriceDerived>, true},
    {"mod", [](double x, double y) { return remainder_of(x, y); }, remainder_of<Derived>,
     remainder_of<ThriceDerived>, false},
};

}  // namespace taut::io
