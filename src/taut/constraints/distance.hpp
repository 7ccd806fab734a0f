// Two points at a given distance: a massless rod, a link of a chain, an edge of a cloth. Or, with
// slack, at most at that distance: a string, which pulls (λ ≥ 0) and does not push.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "taut/base/type_info.hpp"
#include "taut/model/motion.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

enum class DistanceForm { length, squared };
template <>
struct Choices<DistanceForm> {
  static constexpr std::array<std::string_view, 2> names{"length", "squared"};
};

struct Distance {
  static constexpr std::string_view type = "distance";
  static constexpr std::string_view summary = "two points keep a distance, fixed or prescribed";

  Point a, b;
  Motion<double> length;
  DistanceForm form = DistanceForm::length;
  bool slack = false;
  bool is_thread = false;  ///< of a cloth: RowLaw::is_thread
};
void constrain(System& system, Distance constraint, std::string name = "");
/// Many at once, with lengths that are given: the edges of a cloth.
void constrain(System& system, std::vector<Distance> constraints, std::vector<std::string> names);

}  // namespace taut
