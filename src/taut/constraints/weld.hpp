// Two bodies do not move against each other.
#pragma once

#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/joint_frame.hpp"

namespace taut {

struct Weld : JointFrame, BilinearRows<Weld, 6, 6> {
  static constexpr std::string_view type = "weld";
  static constexpr std::string_view summary = "two bodies do not move against each other";

  static constexpr auto fields() {
    const auto [a, b, at, axis] = joint_fields<Weld>("");
    return std::tuple{a, b, at};  // no axis is better than another
  }

  std::array<Anchor, 6> anchors() const { return {*a, b, ua, va, vb, wb}; }
  static constexpr std::array equations{coincide(0, 1, 0), coincide(0, 1, 1), coincide(0, 1, 2),
                                        square(2, 4),      square(2, 5),      square(3, 5)};

  void prepare(const System& system) { complete(system, type); }
  std::vector<JointCoordinate> coordinates(const System&) const { return {}; }
};

}  // namespace taut
