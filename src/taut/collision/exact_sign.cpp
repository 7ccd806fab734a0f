#include "taut/collision/exact_sign.hpp"

#include <array>
#include <cmath>
#include <cstddef>

// First in double, with a bound of the error (Shewchuk, Adaptive Precision Floating-Point
// Arithmetic and Fast Robust Geometric Predicates, 1997). Where the bound is larger than the value,
// exactly: the determinant is a sum of products of coordinates, each product is a sum of a few
// doubles without error, and all of them are added up without error as an *expansion*, a list of
// doubles that do not overlap, the smallest first. The sign is that of its last.

namespace taut::collision {
namespace {

class Expansion {
 public:
  void add(double value) {
    // Shewchuk's Grow-Expansion, without zeros.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const double sum = value + part_[i], virtual_part = sum - value;
      const double rest = (value - (sum - virtual_part)) + (part_[i] - virtual_part);
      value = sum;
      if (rest != 0) part_[kept++] = rest;
    }
    if (value != 0) part_[kept++] = value;
    count_ = kept;
  }
  void add_product(double a, double b) {
    const double product = a * b;
    add(std::fma(a, b, -product));
    add(product);
  }
  void add_product(double a, double b, double c) {
    const double product = a * b;
    add_product(std::fma(a, b, -product), c);
    add_product(product, c);
  }
  int sign() const { return count_ == 0 ? 0 : part_[count_ - 1] > 0 ? 1 : -1; }

 private:
  std::array<double, 112> part_{};  // 24 products of three: 96 parts at most
  std::size_t count_ = 0;
};

constexpr double half_ulp = 0x1p-53;

int sign_of(double x) { return (x > 0) - (x < 0); }

}  // namespace

int side_of_plane(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = b - a, v = c - a, w = d - a;
  double value = 0, size = 0;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double p = u[i] * v[j], q = u[j] * v[i];
    value += (p - q) * w[k];
    size += (std::abs(p) + std::abs(q)) * std::abs(w[k]);
  }
  if (std::abs(value) > (7 + 56 * half_ulp) * half_ulp * size) return sign_of(value);
  // (b − a)×(c − a)·(d − a) = [b c d] − [a c d] + [a b d] − [a b c], with triple products [ ].
  Expansion sum;
  const auto triple = [&](double sign, const Vec3& x, const Vec3& y, const Vec3& z) {
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      sum.add_product(sign * x[i], y[j], z[k]);
      sum.add_product(-sign * x[j], y[i], z[k]);
    }
  };
  triple(1, b, c, d);
  triple(-1, a, c, d);
  triple(1, a, b, d);
  triple(-1, a, b, c);
  return sum.sign();
}

int side_of_line(const Vec3& a, const Vec3& b, const Vec3& c, int axis) {
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  const double p = (b[i] - a[i]) * (c[j] - a[j]), q = (b[j] - a[j]) * (c[i] - a[i]);
  const double value = p - q;
  if (std::abs(value) > (3 + 16 * half_ulp) * half_ulp * (std::abs(p) + std::abs(q)))
    return sign_of(value);
  Expansion sum;
  const auto cross = [&](double sign, const Vec3& x, const Vec3& y) {
    sum.add_product(sign * x[i], y[j]);
    sum.add_product(-sign * x[j], y[i]);
  };
  cross(1, a, b);
  cross(1, b, c);
  cross(1, c, a);
  return sum.sign();
}

}  // namespace taut::collision
