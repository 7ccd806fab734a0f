#include "taut/cloth/cloth_material.hpp"

namespace taut {

FieldList<ClothMaterial> cloth_material_fields() {
  return FieldList<ClothMaterial>()
      .optional(
          "elements", &ClothMaterial::elements, "",
          "what keeps its shape: the yarns along edges; triangles, which hang together in the "
          "middles of their edges; or springs, and no triangle is stretched by more than "
          "stretch_limit along warp or weft")
      .optional("warp", &ClothMaterial::warp, "",
                "of strain_limited: the direction of the warp at the start; if not given, the axis "
                "along which the mesh is longest")
      .optional("density", &ClothMaterial::density, "kg/m²", "mass per area", Range::positive)
      .optional("stretch", &ClothMaterial::stretch, "",
                "whether edges keep their length exactly, are springs, or are springs that become "
                "constraints when stretched by stretch_limit")
      .optional("stretch_stiffness", &ClothMaterial::stretch_stiffness, "N/m",
                "of springs: force per width and strain", Range::non_negative)
      .optional("stretch_damping", &ClothMaterial::stretch_damping, "N·s/m",
                "of springs: force per width and strain rate", Range::non_negative)
      .optional("stretch_limit", &ClothMaterial::stretch_limit, "",
                "of limited springs: the largest strain", Range::non_negative)
      .optional("constrain_diagonals", &ClothMaterial::constrain_diagonals, "",
                "of triangle meshes: constrain every edge; the sheet then hardly bends")
      .optional("shear_stiffness", &ClothMaterial::shear_stiffness, "N/m",
                "force per width and shear angle", Range::non_negative)
      .optional("shear_damping", &ClothMaterial::shear_damping, "N·s/m",
                "force per width and rate of the shear angle", Range::non_negative)
      .optional("bending", &ClothMaterial::bending, "",
                "an energy quadratic in the curvature, or springs between vertices two apart")
      .optional("bending_stiffness", &ClothMaterial::bending_stiffness, "N·m",
                "B in the energy ½ B κ² per area; cotton has 1e-5", Range::non_negative)
      .optional("bending_damping", &ClothMaterial::bending_damping, "N·m·s",
                "resists changes of curvature", Range::non_negative)
      .optional("bending_spring", &ClothMaterial::bending_spring, "N/m",
                "stiffness of each spring, if bending is by springs", Range::non_negative)
      .optional("wind", &ClothMaterial::wind, "m/s",
                "velocity of the air, constant or a motion; if not given there is no air")
      .optional("air_density", &ClothMaterial::air_density, "kg/m³", "", Range::non_negative)
      .optional("normal_drag", &ClothMaterial::normal_drag, "",
                "coefficient for flow perpendicular to the cloth", Range::non_negative)
      .optional("tangential_drag", &ClothMaterial::tangential_drag, "",
                "coefficient for flow along the cloth", Range::non_negative);
}

}  // namespace taut
