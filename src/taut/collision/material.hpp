// Materials: how dense they are, and how much friction there is between two of them.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/model/contact.hpp"

namespace taut::collision {

struct Material {
  std::string name;
  std::optional<double> density;  ///< kg/m³
  double friction = 0.5;          ///< on itself, and on what no pair names
  std::optional<double> restitution;
  double rolling_friction = 0, spinning_friction = 0;  ///< m
  Compliance compliance = {};
};

/// Friction of one material on another.
struct MaterialPair {
  std::string_view a, b;
  double friction;
};

/// Those that are built in, with coefficients of dry sliding (docs/contact.md names the sources).
std::span<const Material> materials();
std::span<const MaterialPair> material_pairs();

/// How a surface behaves where it touches another. Of two, friction is the geometric mean;
/// restitution, rolling and spinning friction are the larger; springs and dampers are one behind
/// the other; unless a pair of their materials says otherwise.
struct Surface {
  double friction = 0.5;
  double restitution = 0;
  int friction_of = -1;     ///< the material whose pairs count; −1: none
  int restitution_of = -1;  ///< the same for restitution, and so on
  double rolling_friction = 0, spinning_friction = 0;
  int rolling_of = -1, spinning_of = -1;
  Compliance compliance = {};
  int compliance_of = -1;
  Vec3 grain = Vec3::Zero();  ///< in the shape's frame; 0: it has none
  double friction_across = 0;

  bool has_grain() const { return !grain.isZero(0); }
};

/// What two surfaces do to each other.
struct SurfaceLaw {
  double friction = 0, restitution = 0;
  double rolling_friction = 0, spinning_friction = 0;
  Compliance compliance = {};
  double friction_across = 0;
  enum class Grain : char { none, of_a, of_b } grain = Grain::none;
};

enum class SurfaceProperty {
  friction,
  restitution,
  rolling_friction,
  spinning_friction,
  stiffness,
  damping
};

/// What is known of pairs of materials, which are numbers here.
class SurfacePairs {
 public:
  void set(SurfaceProperty property, int a, int b, double value);
  bool have_compliance() const {
    return !tables_[static_cast<std::size_t>(SurfaceProperty::stiffness)].empty();
  }
  SurfaceLaw between(const Surface& a, const Surface& b) const;

 private:
  struct Known {
    int a, b;  // a ≤ b
    double value;
  };
  using Table = std::vector<Known>;  // in order
  const double* find(SurfaceProperty property, int a, int b) const;
  Compliance compliance_between(const Surface& a, const Surface& b) const;

  std::array<Table, 6> tables_;  // per property
};

}  // namespace taut::collision
