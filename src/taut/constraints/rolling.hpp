// A ball or a disc that rolls on a plane without slipping. With the centre c, radius r, the plane's
// normal n and a point o of the plane, m points from the place of contact to the centre: n for a
// ball, and for a disc with the axis u the unit vector along n − (n·u)u.
//
//   height     n·(c − o) − r n·m = 0                                        a row on positions
//   no slip    t_i·(ċ − r ω × m − ȯ − Ω × (c − r m − o)) = 0,  i = 1, 2     rows on velocities
//
// ω is the angular velocity of what rolls, Ω that of the body the plane belongs to, and t₁, t₂ span
// the plane.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "taut/base/type_info.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

struct Rolling {
  static constexpr std::string_view type = "rolling";
  static constexpr std::string_view summary = "a ball or a disc rolls on a plane without slipping";

  Point center;
  double radius = 1;
  Point through;
  Direction normal;               ///< at the start; it turns with the body of `through`
  std::optional<Direction> axis;  ///< of a disc, at the start; it turns with the body of the centre
};
void constrain(System& system, Rolling constraint, std::string name = "");

}  // namespace taut
