// Materials: how dense they are, and how much friction there is between two of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taut::collision {

struct Material {
  std::string name;
  std::optional<double> density;  ///< kg/m³
  double friction = 0.5;          ///< on itself, and on what no pair names
  std::optional<double> restitution;
};

/// Friction of one material on another.
struct MaterialPair {
  std::string_view a, b;
  double friction;
};

/// Those that are built in, with coefficients of dry sliding (docs/contact.md names the sources).
std::span<const Material> materials();
std::span<const MaterialPair> material_pairs();

/// How a surface behaves where it touches another. Of two, friction is the geometric mean and
/// restitution the larger, unless a pair of their materials says otherwise.
struct Surface {
  double friction = 0.5;
  double restitution = 0;
  int friction_of = -1;     ///< the material whose pairs count; −1: none
  int restitution_of = -1;  ///< the same for restitution
};

/// What two surfaces do to each other.
struct SurfaceLaw {
  double friction = 0, restitution = 0;
};

/// What is known of pairs of materials, which are numbers here.
class SurfacePairs {
 public:
  void set_friction(int a, int b, double friction);
  void set_restitution(int a, int b, double restitution);
  SurfaceLaw between(const Surface& a, const Surface& b) const;

 private:
  struct Known {
    int a, b;  // a ≤ b
    double value;
  };
  using Table = std::vector<Known>;  // in order
  static void set(Table& table, int a, int b, double value);
  static const Known* find(const Table& table, int a, int b);

  Table friction_, restitution_;
};

}  // namespace taut::collision
