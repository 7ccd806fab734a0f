// Published queries of continuous collision detection (Wang et al. 2021), with their true answers.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "taut/base/types.hpp"

namespace taut::testing {

struct CcdQuery {
  std::array<Vec3, 4> from, to;  ///< in the order of collision/nearest.hpp
  bool is_edges = false;
  bool collides = false;
};

/// All queries of a folder's files; none where there is no such folder. Numbers are rational in the
/// files; all are doubles.
std::vector<CcdQuery> read_ccd_queries(const std::string& folder);

}  // namespace taut::testing
