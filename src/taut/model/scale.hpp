// What counts as large or small in a scene. Lengths are compared with the size of the scene, turns
// with 1 rad, so that a scene is treated alike in metres, millimetres or light years.
#pragma once

#include "taut/base/types.hpp"

namespace taut {

class System;
struct RowPattern;

/// The larger of the scene's own size and the largest coordinate: round-off of positions is
/// relative to that. Never 0.
double length_scale(const System& system, const RowPattern& pattern, const VecX& q);

/// The largest |C|, of lengths relative to `length`.
double relative_error(const RowPattern& pattern, const VecX& C, double length);

/// The largest displacement (like v), of positions relative to `length`.
double relative_displacement(const System& system, const VecX& displacement, double length);

/// When it is as if nothing had moved: no point of a body, up to `lever` from its centre, by more
/// than about `distance`.
struct Stillness {
  double distance = 0, lever = 1;  ///< m

  bool of_places(const System& system, const VecX& q, const VecX& other) const;
  /// Of velocities that act for a time.
  bool of_ways(const System& system, const VecX& v, const VecX& other, double time) const;
};

}  // namespace taut
