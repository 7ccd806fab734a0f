// What the preconditioner does with yarns that lead from one process to another.
#pragma once

#include <array>
#include <string_view>

#include "taut/base/type_info.hpp"

namespace taut {

namespace distributed {

enum class YarnEnds {
  cut,      ///< they end there
  overlap,  ///< each process goes on a row further, and what they find is added
};

}  // namespace distributed

template <>
struct Choices<distributed::YarnEnds> {
  static constexpr std::array<std::string_view, 2> names{"cut", "overlap"};
};

}  // namespace taut
