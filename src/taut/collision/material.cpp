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

const SurfacePairs::Known* SurfacePairs::find(const Table& table, int a, int b) {
  const auto [least, most] = std::minmax(a, b);
  const auto found = std::lower_bound(
      table.begin(), table.end(), std::tie(least, most),
      [](const Known& known, const auto& pair) { return std::tie(known.a, known.b) < pair; });
  return found != table.end() && found->a == least && found->b == most ? &*found : nullptr;
}

void SurfacePairs::set(Table& table, int a, int b, double value) {
  const auto [least, most] = std::minmax(a, b);
  std::erase_if(table, [&](const Known& known) { return known.a == least && known.b == most; });
  const auto place = std::find_if(table.begin(), table.end(), [&](const Known& known) {
    return std::tie(least, most) < std::tie(known.a, known.b);
  });
  table.insert(place, {least, most, value});
}

void SurfacePairs::set_friction(int a, int b, double friction) { set(friction_, a, b, friction); }

void SurfacePairs::set_restitution(int a, int b, double restitution) {
  set(restitution_, a, b, restitution);
}

SurfaceLaw SurfacePairs::between(const Surface& a, const Surface& b) const {
  const Known* friction = find(friction_, a.friction_of, b.friction_of);
  const Known* restitution = find(restitution_, a.restitution_of, b.restitution_of);
  return {friction ? friction->value : std::sqrt(a.friction * b.friction),
          restitution ? restitution->value : std::max(a.restitution, b.restitution)};
}

}  // namespace taut::collision
