// Which bodies the world holds by constraints, directly or through other bodies. What lies on such
// a body presses on it, though free both would fall alike.
#pragma once

#include <vector>

#include "taut/model/rows.hpp"

namespace taut {

class HeldBodies {
 public:
  /// Must be called first, whenever the system may have changed. Strings, stops and motors hold
  /// nothing.
  void adapt(const System& system, const RowPattern& pattern);
  /// Of a body, by its first velocity.
  bool holds(int dof) const { return held_[static_cast<std::size_t>(dof)] != 0; }
  bool any() const { return any_; }

 private:
  long topology_ = -1;
  bool any_ = false;
  std::vector<char> held_;     // per velocity
  std::vector<char> bounded_;  // per row: it is no equation
};

}  // namespace taut
