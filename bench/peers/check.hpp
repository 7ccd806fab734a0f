// A wrong set-up of a peer is a fault of ours: before anything is compared, each set-up does what
// it should get right.
#pragma once

#include "engine.hpp"

namespace peers {

struct Check {
  std::string what;
  double found = 0, expected = 0, tolerance = 0;
  bool passed() const;
};

/// A box falls by g t²/2, and a block that slides stops after v²/(2 μ g). Of mechanisms: a pendulum
/// swings as it should, and a top that is free keeps its energy. Cloth of one square is a pendulum.
std::vector<Check> check(const Setup& engine);

}  // namespace peers
