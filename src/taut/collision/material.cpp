#include "taut/collision/material.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace taut::collision {

// Friction: coefficients of sliding on dry surfaces. "O": OpenStax, College Physics, table 5.1.
// "S": Serway and Jewett, Physics for Scientists and Engineers, table 5.1. Without a letter: a
// round value of our own, for a material that the tables do not list on itself.
std::span<const Material> materials() {
  static const Material all[] = {
      {"aluminium", 2700, 0.5, {}}, {"brick", 1900, 0.6, {}},   {"concrete", 2400, 0.6, {}},
      {"copper", 8960, 0.4, {}},    {"glass", 2500, 0.4, {}},    // S
      {"ice", 917, 0.03, {}},                                    // O, S
      {"rubber", 1100, 0.8, {}},    {"steel", 7850, 0.3, {}},    // O
      {"stone", 2700, 0.6, {}},     {"teflon", 2200, 0.04, {}},  // S
      {"wood", 600, 0.3, {}},                                    // O
  };
  return all;
}

std::span<const MaterialPair> material_pairs() {
  static constexpr MaterialPair all[] = {
      {"aluminium", "steel", 0.47},  // S
      {"aluminium", "wood", 0.3},    // O: metal on wood
      {"copper", "steel", 0.36},     // S
      {"copper", "wood", 0.3},       // O: metal on wood
      {"ice", "steel", 0.02},        // O
      {"rubber", "concrete", 0.7},   // O
      {"steel", "wood", 0.3},        // O: metal on wood
      {"teflon", "steel", 0.04},     // O
  };
  return all;
}

namespace {

/// Of springs, or dampers, one behind the other.
double in_series(double a, double b) { return a > 0 && b > 0 ? a * b / (a + b) : 0; }

double unevenness(const Surface& surface) {
  if (!surface.has_grain()) return 0;
  const auto [least, most] = std::minmax(surface.friction, surface.friction_across);
  return most > 0 ? most / std::max(least, 1e-9 * most) : 1;
}

}  // namespace

const double* SurfacePairs::find(SurfaceProperty property, int a, int b) const {
  const Table& table = tables_[static_cast<std::size_t>(property)];
  const auto [least, most] = std::minmax(a, b);
  const auto found = std::lower_bound(
      table.begin(), table.end(), std::tie(least, most),
      [](const Known& known, const auto& pair) { return std::tie(known.a, known.b) < pair; });
  return found != table.end() && found->a == least && found->b == most ? &found->value : nullptr;
}

void SurfacePairs::set(SurfaceProperty property, int a, int b, double value) {
  Table& table = tables_[static_cast<std::size_t>(property)];
  const auto [least, most] = std::minmax(a, b);
  std::erase_if(table, [&](const Known& known) { return known.a == least && known.b == most; });
  const auto place = std::find_if(table.begin(), table.end(), [&](const Known& known) {
    return std::tie(least, most) < std::tie(known.a, known.b);
  });
  table.insert(place, {least, most, value});
}

// What is rigid does not count.
Compliance SurfacePairs::compliance_between(const Surface& a, const Surface& b) const {
  const int of_a = a.compliance_of, of_b = b.compliance_of;
  if (const double* stiffness = find(SurfaceProperty::stiffness, of_a, of_b)) {
    const double* damping = find(SurfaceProperty::damping, of_a, of_b);
    return {*stiffness, damping ? *damping : 0};
  }
  const Compliance &x = a.compliance, &y = b.compliance;
  if (x.stiffness == 0) return y;
  if (y.stiffness == 0) return x;
  return {in_series(x.stiffness, y.stiffness), in_series(x.damping, y.damping)};
}

SurfaceLaw SurfacePairs::between(const Surface& a, const Surface& b) const {
  using enum SurfaceProperty;
  const auto larger = [&](SurfaceProperty property, int of_a, int of_b, double x, double y) {
    const double* known = find(property, of_a, of_b);
    return known ? *known : std::max(x, y);
  };
  SurfaceLaw law;
  law.restitution =
      larger(restitution, a.restitution_of, b.restitution_of, a.restitution, b.restitution);
  law.rolling_friction =
      larger(rolling_friction, a.rolling_of, b.rolling_of, a.rolling_friction, b.rolling_friction);
  law.spinning_friction = larger(spinning_friction, a.spinning_of, b.spinning_of,
                                 a.spinning_friction, b.spinning_friction);
  law.compliance = compliance_between(a, b);
  if (const double* known = find(friction, a.friction_of, b.friction_of)) {
    law.friction = *known;
    return law;
  }
  if (!a.has_grain() && !b.has_grain()) {
    law.friction = std::sqrt(a.friction * b.friction);
    return law;
  }
  // Where both have a grain, that which matters more counts.
  const bool is_of_a = unevenness(a) >= unevenness(b);
  const Surface &with = is_of_a ? a : b, &other = is_of_a ? b : a;
  const double opposite =
      other.has_grain() ? std::sqrt(other.friction * other.friction_across) : other.friction;
  law.grain = is_of_a ? SurfaceLaw::Grain::of_a : SurfaceLaw::Grain::of_b;
  law.friction = std::sqrt(with.friction * opposite);
  law.friction_across = std::sqrt(with.friction_across * opposite);
  return law;
}

}  // namespace taut::collision
