// Which way is up, for formats that have a direction of their own for it.
#pragma once

#include "taut/base/types.hpp"

namespace taut::io::detail {

/// The axis of the world, or its opposite, that points up most.
inline Vec3 up_of(const Vec3& gravity) {
  if (gravity.isZero(0) || !gravity.allFinite()) return Vec3::UnitY();
  int axis = 0;
  gravity.cwiseAbs().maxCoeff(&axis);
  return gravity[axis] > 0 ? Vec3(-Vec3::Unit(axis)) : Vec3(Vec3::Unit(axis));
}

/// Turns what is up into `axis`.
inline Quat upright(const Vec3& gravity, const Vec3& axis) {
  return Quat::FromTwoVectors(up_of(gravity), axis);
}

}  // namespace taut::io::detail
