// A weighted sum of points held at a place, or led along a prescribed motion: C = Σ w_i x_i − p(t).
// With weights ½, ½ it is the middle of two points, with 1, 1, −1 the corner that completes a
// parallelogram, with 1, −1 the way from one point to another.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taut/model/motion.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

struct HeldSum {
  static constexpr std::string_view type = "held_sum";
  static constexpr std::string_view summary =
      "a weighted sum of points is held in place or follows a motion";

  std::vector<Point> points;
  std::vector<double> weights;
  Motion<Vec3> at;
  std::optional<double> until{};
};
/// At most six points. Throws Error where points and weights are not as many.
void constrain(System& system, HeldSum constraint, std::string name = "");

}  // namespace taut
