// Which bodies may be displaced at the same time when the derivatives of forces and rows are taken
// by differences: those that have no row and no force in common (Curtis, Powell and Reid 1974). So
// a chain of any length needs as many evaluations as a chain of a few bodies.
#pragma once

#include <vector>

#include "taut/model/rows.hpp"
#include "taut/model/system.hpp"

namespace taut::detail {

struct BodyColours {
  /// `forces_count`: whether forces are among what is looked at, and not rows alone.
  BodyColours(const System& system, const RowPattern& pattern, bool forces_count);

  std::vector<std::vector<int>> classes;     ///< bodies of one colour
  std::vector<std::vector<int>> neighbours;  ///< per body: whose forces depend on it, itself too
  std::vector<std::vector<int>> rows;        ///< per body
};

/// Whether a batch exerts the same generalised forces wherever the bodies are and however they
/// move, as gravity does.
bool is_uniform(const ForceBatch& batch);

}  // namespace taut::detail
