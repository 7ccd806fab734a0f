// What rows with a law are in a step of a run, put into another system of the family: that one's
// laws may have other bounds.
#pragma once

#include <vector>

#include "taut/model/row_modes.hpp"

namespace taut::detail {

inline void put_modes(const std::vector<RowModes::Mode>& recorded, const RowPattern& pattern,
                      RowModes& modes) {
  modes.restore(recorded);
  for (std::size_t i = 0; i < modes.modes().size(); ++i) {
    RowModes::Mode& mode = modes.modes()[i];
    const RowLaw was = mode.law, own = pattern.bounded[i].law;
    const auto moved = [&](double bound) {
      return bound == was.lower ? own.lower : bound == was.upper ? own.upper : bound;
    };
    if (mode.is_limit()) mode.target = moved(mode.target);
    if (was.kind == RowLaw::Kind::rate && !mode.is_equation) mode.held = moved(mode.held);
    mode.law = own;
  }
}

}  // namespace taut::detail
