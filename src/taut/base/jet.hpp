// Automatic differentiation: numbers that carry their first (and second) derivatives with respect
// to N variables along. Order 1 for Jacobians, order 2 where Hessians are wanted.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>

namespace taut {

// Plain arrays and loops: for these small fixed sizes they run as fast as matrix expressions and
// compile many times faster.
template <int N, int Order>
struct Jet {
  static_assert(Order == 1 || Order == 2);
  static constexpr int second = Order == 2 ? N * N : 0;

  double a = 0;
  std::array<double, N> g{};       ///< gradient
  std::array<double, second> H{};  ///< Hessian, row by row; empty for order 1

  Jet() = default;
  Jet(double constant) : a(constant) {}  // NOLINT: constants mix freely with jets

  /// The i-th variable, with the value `at`.
  static Jet variable(double at, int i) {
    Jet x(at);
    x.g[static_cast<std::size_t>(i)] = 1;
    return x;
  }

  /// f(x) by the chain rule, from the value and derivatives of f at x.a.
  Jet chain(double f, double f1, double f2) const {
    Jet y(f);
    for (std::size_t i = 0; i < N; ++i) y.g[i] = f1 * g[i];
    for (std::size_t i = 0; i * N < second; ++i)
      for (std::size_t j = 0; j < N; ++j) y.H[i * N + j] = f1 * H[i * N + j] + f2 * g[i] * g[j];
    return y;
  }

  Jet& operator+=(const Jet& b) { return add(b, 1); }
  Jet& operator-=(const Jet& b) { return add(b, -1); }
  Jet& operator*=(const Jet& b) { return *this = *this * b; }
  Jet& operator/=(const Jet& b) { return *this = *this / b; }
  Jet operator-() const { return chain(-a, -1, 0); }

  friend Jet operator+(Jet x, const Jet& y) { return x += y; }
  friend Jet operator-(Jet x, const Jet& y) { return x -= y; }
  friend Jet operator*(const Jet& x, const Jet& y) {
    Jet z(x.a * y.a);
    for (std::size_t i = 0; i < N; ++i) z.g[i] = x.a * y.g[i] + y.a * x.g[i];
    for (std::size_t i = 0; i * N < second; ++i)
      for (std::size_t j = 0; j < N; ++j)
        z.H[i * N + j] =
            x.a * y.H[i * N + j] + y.a * x.H[i * N + j] + x.g[i] * y.g[j] + y.g[i] * x.g[j];
    return z;
  }
  friend Jet operator/(const Jet& x, const Jet& y) {
    const double r = 1 / y.a;
    return x * y.chain(r, -r * r, 2 * r * r * r);
  }
  friend bool operator<(const Jet& x, const Jet& y) { return x.a < y.a; }
  friend bool operator>(const Jet& x, const Jet& y) { return x.a > y.a; }
  friend bool operator<=(const Jet& x, const Jet& y) { return x.a <= y.a; }
  friend bool operator>=(const Jet& x, const Jet& y) { return x.a >= y.a; }
  friend bool operator==(const Jet& x, const Jet& y) { return x.a == y.a; }

 private:
  Jet& add(const Jet& b, double sign) {
    a += sign * b.a;
    for (std::size_t i = 0; i < N; ++i) g[i] += sign * b.g[i];
    for (std::size_t i = 0; i < second; ++i) H[i] += sign * b.H[i];
    return *this;
  }
};

/// The plain number in a jet, for decisions that are not differentiated.
inline double value_of(double x) { return x; }
template <int N, int O>
double value_of(const Jet<N, O>& x) {
  return x.a;
}

template <int N, int O>
Jet<N, O> sqrt(const Jet<N, O>& x) {
  const double s = std::sqrt(x.a);
  return x.chain(s, 0.5 / s, -0.25 / (s * x.a));
}
template <int N, int O>
Jet<N, O> sin(const Jet<N, O>& x) {
  const double s = std::sin(x.a), c = std::cos(x.a);
  return x.chain(s, c, -s);
}
template <int N, int O>
Jet<N, O> cos(const Jet<N, O>& x) {
  const double s = std::sin(x.a), c = std::cos(x.a);
  return x.chain(c, -s, -c);
}
template <int N, int O>
Jet<N, O> exp(const Jet<N, O>& x) {
  const double e = std::exp(x.a);
  return x.chain(e, e, e);
}
template <int N, int O>
Jet<N, O> log(const Jet<N, O>& x) {
  return x.chain(std::log(x.a), 1 / x.a, -1 / (x.a * x.a));
}
template <int N, int O>
Jet<N, O> pow(const Jet<N, O>& x, double p) {
  return x.chain(std::pow(x.a, p), p * std::pow(x.a, p - 1), p * (p - 1) * std::pow(x.a, p - 2));
}
template <int N, int O>
Jet<N, O> atan(const Jet<N, O>& x) {
  const double r = 1 / (1 + x.a * x.a);
  return x.chain(std::atan(x.a), r, -2 * x.a * r * r);
}
template <int N, int O>
Jet<N, O> tan(const Jet<N, O>& x) {
  const double y = std::tan(x.a), r = 1 + y * y;
  return x.chain(y, r, 2 * y * r);
}
template <int N, int O>
Jet<N, O> asin(const Jet<N, O>& x) {
  const double r = 1 / (1 - x.a * x.a), s = std::sqrt(r);
  return x.chain(std::asin(x.a), s, x.a * r * s);
}
template <int N, int O>
Jet<N, O> acos(const Jet<N, O>& x) {
  const double r = 1 / (1 - x.a * x.a), s = std::sqrt(r);
  return x.chain(std::acos(x.a), -s, -x.a * r * s);
}
/// The angle of (x, y). Its derivatives are those of atan(y/x), or of −atan(x/y) where x is small.
template <int N, int O>
Jet<N, O> atan2(const Jet<N, O>& y, const Jet<N, O>& x) {
  Jet<N, O> angle = std::abs(x.a) > std::abs(y.a) ? atan(y / x) : -atan(x / y);
  angle.a = std::atan2(y.a, x.a);
  return angle;
}
template <int N, int O>
Jet<N, O> abs(const Jet<N, O>& x) {
  return x.a < 0 ? -x : x;
}
// Eigen looks these up for norms.
template <int N, int O>
Jet<N, O> abs2(const Jet<N, O>& x) {
  return x * x;
}
template <int N, int O>
bool isfinite(const Jet<N, O>& x) {
  return std::isfinite(x.a);
}

}  // namespace taut

template <int N, int O>
struct Eigen::NumTraits<taut::Jet<N, O>> : Eigen::NumTraits<double> {
  using Real = taut::Jet<N, O>;
  using NonInteger = taut::Jet<N, O>;
  using Nested = taut::Jet<N, O>;
  using Literal = taut::Jet<N, O>;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = N,
    MulCost = N
  };
};
template <class BinaryOp, int N, int O>
struct Eigen::ScalarBinaryOpTraits<taut::Jet<N, O>, double, BinaryOp> {
  using ReturnType = taut::Jet<N, O>;
};
template <class BinaryOp, int N, int O>
struct Eigen::ScalarBinaryOpTraits<double, taut::Jet<N, O>, BinaryOp> {
  using ReturnType = taut::Jet<N, O>;
};
