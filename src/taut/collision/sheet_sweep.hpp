// How far a Sheet and a moving shape can go together before they meet: never too far.
#pragma once

#include <span>

#include "taut/collision/cast.hpp"
#include "taut/collision/sheet_tree.hpp"

namespace taut::collision {

struct SheetSweep {
  const Sheet& sheet;
  const SheetTree& tree;  ///< refitted to these ways, with a margin of at least `separation`
  std::span<const Vec3> from, to;
  /// What begins farther from the shape stays farther than this; what begins nearer may lose a
  /// tenth of its distance.
  double separation = 0;
  /// What begins nearer than this may lose nothing. What begins inside is not looked at: it cannot
  /// be kept outside.
  double least = 0;
  std::span<const char> ignored{};  ///< vertices (not 0) whose elements are not looked at
};

/// 0 to 1, of convex shapes, compounds and planes; of meshes and height fields, which are sheets
/// themselves, 1.
double free_part(const SheetSweep& sweep, const Shape& shape, const Motion3& motion);

}  // namespace taut::collision
