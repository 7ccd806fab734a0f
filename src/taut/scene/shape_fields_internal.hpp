// Shapes in a scene: the list "shapes" of a body, or of the scene for what does not move.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taut/collision/shape.hpp"
#include "taut/scene/field_reader_internal.hpp"
#include "taut/scene/materials_internal.hpp"

namespace taut::io::detail {

/// What all shapes have.
struct ShapeFields : ContactFields {
  Vec3 at = Vec3::Zero();
  Orientation orientation;
  std::string material;  // empty: none
  std::optional<double> friction, restitution, friction_across;
  std::optional<Vec3> grain;
  std::optional<double> density;
  int group = 0;
  double rounding = 0;
  bool centred = false;
};

/// Where a shape is read.
struct ShapePlace {
  const std::optional<std::string>& folder;  ///< where meshes are looked for
  bool is_moving;                            ///< on a body
  std::vector<std::string>& remarks;
};

struct ShapeInfo : TypeInfo {
  /// Of an object that make() made and a reader filled; it has ShapeFields first.
  collision::Shape (*shape)(const void* object, ShapePlace& place) = nullptr;
};

const std::vector<ShapeInfo>& shape_types();

}  // namespace taut::io::detail
