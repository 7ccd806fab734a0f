// What can be chosen of fast projection: for others that do the same step in another way.
#pragma once

#include "taut/methods/free_step.hpp"

namespace taut {

enum class Fallback { newton, none };
template <>
struct Choices<Fallback> {
  static constexpr std::array<std::string_view, 2> names{"newton", "none"};
};

struct FastProjectionOptions : FilterMethod {
  FastProjectionOptions() : FilterMethod(1e-3, 100) {}

  double solve_tolerance = 0.05;
  Fallback fallback = Fallback::newton;
};

}  // namespace taut
