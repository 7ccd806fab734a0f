// What a cloth is made of. All stiffnesses are of the material, per width or per area, and do not
// depend on the mesh; docs/cloth.md has the energies.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "taut/base/type_info.hpp"
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

/// What keeps its shape in a cloth.
enum class ClothElements {
  automatic,
  yarns,          ///< edges, but for the diagonals of quadrilaterals and of pairs of triangles
  nonconforming,  ///< triangles, which hang together in the middles of their edges
  strain_limited  ///< springs; no triangle is stretched by more than a limit along warp or weft
};
template <>
struct Choices<ClothElements> {
  static constexpr std::array<std::string_view, 4> names{"automatic", "yarns", "nonconforming",
                                                         "strain_limited"};
};

struct ClothMaterial {
  ClothElements elements = ClothElements::automatic;
  double density = 0.15;
  StretchModel stretch = StretchModel::constraints;
  double stretch_stiffness = 1000, stretch_damping = 0;
  double stretch_limit = 0.1;
  std::optional<Vec3> warp;  ///< not given: the axis along which the mesh is longest
  bool constrain_diagonals = false;
  double shear_stiffness = 5, shear_damping = 0;
  BendingModel bending = BendingModel::quadratic;
  double bending_stiffness = 1e-5, bending_damping = 0;
  double bending_spring = 1;
  Motion<Vec3> wind{};  // not given: no air
  double air_density = 1.2, normal_drag = 1.2, tangential_drag = 0.05;
};

/// Its fields.
FieldList<ClothMaterial> cloth_material_fields();

}  // namespace taut
