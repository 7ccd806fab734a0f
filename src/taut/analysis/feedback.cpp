#include "taut/analysis/feedback.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/base/error.hpp"

namespace taut {
namespace {

using Complex = std::complex<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// α² − β², without cancellation for α ≈ β.
double discriminant(const Feedback& f) { return (f.alpha - f.beta) * (f.alpha + f.beta); }

/// What RK4 multiplies a mode e^{st} by in a step, z = hs.
Complex rk4_factor(Complex z) { return 1. + z * (1. + z / 2. * (1. + z / 3. * (1. + z / 4.))); }

// The first r > 0 at which |R(r·e^{iθ})| = 1 on the ray through the pole: from z ≈ −2.785 (real) to
// ±2√2 i. Up to r = 1 a ray in the left half plane is inside; the region ends before r = 3.6.
double rk4_ray(Complex pole) {
  const Complex direction = pole / std::abs(pole);
  const auto outside = [&](double r) { return std::abs(rk4_factor(r * direction)) > 1; };
  double inside = 1;
  while (!outside(inside + 0.01)) inside += 0.01;
  double beyond = inside + 0.01;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (inside + beyond);
    (outside(middle) ? beyond : inside) = middle;
  }
  return inside;
}

template <class Above>
double bisect(double low, double high, const Above& above) {
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (above(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

std::string text(Complex pole) {
  return pole.imag() == 0 ? fmt::format("{}", pole.real())
                          : fmt::format("{}{:+}i", pole.real(), pole.imag());
}

}  // namespace

std::array<Complex, 2> poles(const Feedback& f) {
  const double d = discriminant(f);
  if (d < 0) return {Complex(-f.alpha, std::sqrt(-d)), Complex(-f.alpha, -std::sqrt(-d))};
  const double fast = f.alpha + std::sqrt(d);
  // The product of the poles is β²: −α + √(α²−β²) would lose all digits for β ≪ α.
  return {Complex(fast > 0 ? -f.beta * (f.beta / fast) : 0), Complex(-fast)};
}

double damping_ratio(const Feedback& f) { return f.beta > 0 ? f.alpha / f.beta : infinity; }

double response(const Feedback& f, double t) {
  const double d = discriminant(f);
  if (d < 0) {
    const double w = std::sqrt(-d);
    return std::exp(-f.alpha * t) * (std::cos(w * t) + f.alpha * std::sin(w * t) / w);
  }
  // With the slow pole −s and κ = √d:  e^{−st} (1 + s (1 − e^{−2κt})/(2κ)), at κ = 0 e^{−st} (1 +
  // st).
  const double kappa = std::sqrt(d);
  const double slow = -poles(f)[0].real();
  const double rise = kappa * t > 1e-12 ? -std::expm1(-2 * kappa * t) / (2 * kappa) : t;
  return std::exp(-slow * t) * (1 + slow * rise);
}

std::optional<double> settling_time(const Feedback& f, double fraction) {
  if (f.alpha <= 0 || f.beta <= 0 || !(fraction > 0)) return std::nullopt;
  if (fraction >= 1) return 0.;
  const auto outside = [&](double t) { return std::abs(response(f, t)) > fraction; };
  const double d = discriminant(f);
  if (d < 0) {
    // Ċ ∝ e^{−αt} sin ωt, so the extremes are at kπ/ω with |C| = e^{−αkπ/ω}; between two of them C
    // is monotonic. The last crossing is on the way to the first extreme that is small enough.
    const double half_period = M_PI / std::sqrt(-d);
    const double k = std::ceil(-std::log(fraction) / (f.alpha * half_period));
    const double end = k * half_period;
    return bisect(end - half_period, end, outside);
  }
  double end = 1 / f.beta;
  while (outside(end)) end *= 2;
  return bisect(0, end, outside);
}

Eigen::Matrix2d error_map(const Feedback& f, Base base, double h) {
  const double stiff = f.beta * f.beta, damp = 2 * f.alpha;
  Eigen::Matrix2d A, map;
  A << 0, 1, -stiff, -damp;
  const Eigen::Matrix2d one = Eigen::Matrix2d::Identity(), Z = h * A;
  switch (base) {
    case Base::explicit_euler:
      map = one + Z;
      break;
    case Base::semi_implicit_euler:  // Ċ⁺ = Ċ + hC̈,  C⁺ = C + hĊ⁺
      map << 1 - stiff * h * h, h * (1 - damp * h), -stiff * h, 1 - damp * h;
      break;
    case Base::rk4:
      map = one + Z * (one + Z / 2 * (one + Z / 3 * (one + Z / 4)));
      break;
  }
  return map;
}

double spectral_radius(const Feedback& f, Base base, double h) {
  if (base == Base::semi_implicit_euler) {
    // μ² − (2 − 2αh − β²h²) μ + (1 − 2αh) = 0
    const double det = 1 - 2 * f.alpha * h;
    const double half = 1 - f.alpha * h - 0.5 * f.beta * f.beta * h * h;
    const double d = half * half - det;
    return d < 0 ? std::sqrt(det) : std::abs(half) + std::sqrt(d);
  }
  double radius = 0;
  for (const Complex pole : poles(f)) {
    const Complex z = h * pole;
    radius = std::max(radius, std::abs(base == Base::rk4 ? rk4_factor(z) : 1. + z));
  }
  return radius;
}

double largest_stable_step(const Feedback& f, Base base) {
  // A pole at 0 (β = 0) has the factor 1: that error stays and takes no part. Two of them (α = β =
  // 0) let C grow with t, as they do without integration: nothing the step could change.
  if (f.alpha == 0 && f.beta == 0) return infinity;
  const auto [slow, fast] = poles(f);
  switch (base) {
    case Base::explicit_euler:
      // |1 + hs| < 1 ⟺ h < −2 Re s/|s|²: 2α/β² for a complex pair, 2/|s| for a real pole.
      return slow.imag() != 0 ? 2 * f.alpha / (f.beta * f.beta) : 2 / std::abs(fast);
    case Base::semi_implicit_euler:
      // Jury's criterion on the quadratic above: |det| < 1 and |trace| < 1 + det. It comes to
      // β²h² + 4αh < 4, which implies αh < 1.
      return 2 / (f.alpha + std::hypot(f.alpha, f.beta));
    case Base::rk4:
      return rk4_ray(fast) / std::abs(fast);
  }
  return 0;
}

double largest_monotone_step(const Feedback& f, Base base) {
  if (discriminant(f) < 0) return 0;
  const double fast = -poles(f)[1].real();
  switch (base) {
    case Base::explicit_euler:
      return 1 / fast;  // 1 + hs ≥ 0
    case Base::semi_implicit_euler:
      return 1 / (2 * f.alpha);  // det ≥ 0; the eigenvalues are real for α ≥ β at every step
    case Base::rk4:
      return largest_stable_step(f, base);  // R > 0 on the real axis
  }
  return 0;
}

Feedback place_poles(Complex p1, Complex p2) {
  const double scale = std::max(std::abs(p1), std::abs(p2));
  if (!std::isfinite(scale)) throw Error("the poles must be finite numbers");
  const Complex sum = p1 + p2, product = p1 * p2;
  if (std::abs(sum.imag()) > 1e-12 * scale || std::abs(product.imag()) > 1e-12 * scale * scale)
    throw Error(fmt::format(
        "poles {} and {} need complex gains: expected two real ones or a conjugate pair a±bi",
        text(p1), text(p2)));
  if (!(p1.real() < 0 && p2.real() < 0))
    throw Error(
        fmt::format("poles {} and {} are not stable: expected real parts < 0", text(p1), text(p2)));
  return {-0.5 * sum.real(), std::sqrt(product.real())};
}

}  // namespace taut
