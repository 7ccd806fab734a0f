// b moves in a plane of a and turns about its normal.
#pragma once

#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/joint_frame.hpp"

namespace taut {

struct Planar : JointFrame, BilinearRows<Planar, 3, 5> {
  static constexpr std::string_view type = "planar";
  static constexpr std::string_view summary = "a body slides on a plane of another and turns in it";

  double turn_at_start = 0;

  static constexpr auto fields() {
    return std::tuple_cat(
        joint_fields<Planar>("what the plane is square to, at the start; z if not given"),
        std::tuple{optional("turn", &Planar::turn_at_start, "rad",
                            "what its angle is called at the start")});
  }

  std::array<Anchor, 5> anchors() const { return {*a, b, ua, vb, wb}; }
  static constexpr std::array equations{across(2, 0, 1), square(2, 3), square(2, 4)};

  void prepare(const System& system) { complete(system, type); }
  std::vector<JointCoordinate> coordinates(const System& system) const {
    return {{"turn", turn(turn_at_start)},
            {"x", slide(system, va, std::nullopt)},
            {"y", slide(system, wa, std::nullopt)}};
  }
};

}  // namespace taut
