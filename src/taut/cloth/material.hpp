// What a cloth is made of. All stiffnesses are of the material, per width or per area, and do not
// depend on the mesh; docs/cloth.md has the energies.
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "taut/base/field.hpp"
#include "taut/model/motion.hpp"

namespace taut {

enum class StretchModel { constraints, springs, limited };
template <>
struct Choices<StretchModel> {
  static constexpr std::array<std::string_view, 3> names{"constraints", "springs", "limited"};
};

enum class BendingModel { quadratic, springs };
template <>
struct Choices<BendingModel> {
  static constexpr std::array<std::string_view, 2> names{"quadratic", "springs"};
};

struct ClothMaterial {
  double density = 0.15;
  StretchModel stretch = StretchModel::constraints;
  double stretch_stiffness = 1000, stretch_damping = 0;
  double stretch_limit = 0.1;
  bool constrain_diagonals = false;
  double shear_stiffness = 5, shear_damping = 0;
  BendingModel bending = BendingModel::quadratic;
  double bending_stiffness = 1e-5, bending_damping = 0;
  double bending_spring = 1;
  Motion<Vec3> wind{};  // not given: no air
  double air_density = 1.2, normal_drag = 1.2, tangential_drag = 0.05;

  static constexpr auto fields() {
    using M = ClothMaterial;
    return std::tuple{
        optional("density", &M::density, "kg/m²", "mass per area", Range::positive),
        optional("stretch", &M::stretch, "",
                 "whether edges keep their length exactly, are springs, or springs that become "
                 "constraints where they are stretched by stretch_limit"),
        optional("stretch_stiffness", &M::stretch_stiffness, "N/m",
                 "of springs: force per width and strain", Range::non_negative),
        optional("stretch_damping", &M::stretch_damping, "N·s/m",
                 "of springs: force per width and strain rate", Range::non_negative),
        optional("stretch_limit", &M::stretch_limit, "", "of limited springs: the largest strain",
                 Range::non_negative),
        optional("constrain_diagonals", &M::constrain_diagonals, "",
                 "of triangle meshes: treat every edge alike; the sheet then hardly bends"),
        optional("shear_stiffness", &M::shear_stiffness, "N/m", "force per width and shear angle",
                 Range::non_negative),
        optional("shear_damping", &M::shear_damping, "N·s/m",
                 "force per width and rate of the shear angle", Range::non_negative),
        optional("bending", &M::bending, "",
                 "an energy quadratic in the curvature, or springs between vertices two apart"),
        optional("bending_stiffness", &M::bending_stiffness, "N·m",
                 "B in the energy ½ B κ² per area; cotton has 1e-5", Range::non_negative),
        optional("bending_damping", &M::bending_damping, "N·m·s", "resists changes of curvature",
                 Range::non_negative),
        optional("bending_spring", &M::bending_spring, "N/m", "of each spring, if bent by springs",
                 Range::non_negative),
        optional("wind", &M::wind, "m/s",
                 "velocity of the air, constant or a motion; if not given there is no air"),
        optional("air_density", &M::air_density, "kg/m³", "", Range::non_negative),
        optional("normal_drag", &M::normal_drag, "", "coefficient for air that hits the cloth",
                 Range::non_negative),
        optional("tangential_drag", &M::tangential_drag, "", "coefficient for air along the cloth",
                 Range::non_negative)};
  }
};

}  // namespace taut
