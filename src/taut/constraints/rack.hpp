// A pinion on a rack: the slide moves by radius × angle.
#pragma once

#include <cmath>
#include <tuple>

#include "taut/base/error.hpp"
#include "taut/base/field.hpp"
#include "taut/constraints/coordinate_row.hpp"

namespace taut {

struct Rack : CoordinatePair {
  static constexpr std::string_view type = "rack";
  static constexpr std::string_view summary = "a pinion that turns moves a rack that slides";
  static constexpr std::string_view unit = "m";

  double radius = 1;

  static constexpr auto fields() {
    return std::tuple{
        required("rack", &Rack::first, "", "the joint that slides"),
        required("pinion", &Rack::second, "", "the joint that turns"),
        required("radius", &Rack::radius, "m",
                 "of the pinion; below 0 where the rack moves backwards when the pinion turns on")};
  }

  void prepare(const System&) {
    if (first.is_turn()) throw Error("rack: found a joint that turns, expected one that slides");
    if (!second.is_turn())
      throw Error("pinion: found a joint that slides, expected one that turns");
    if (!std::isfinite(radius) || radius == 0) throw Error("radius: it must not be zero");
    first_weight = 1;
    second_weight = -radius;
    period = second.period() * std::abs(radius);
  }
};

}  // namespace taut
