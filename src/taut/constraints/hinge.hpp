// b turns about an axis of a: two points coincide, and the axis of a stays square to two directions
// of b.
#pragma once

#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/joint_frame.hpp"

namespace taut {

struct Hinge : JointFrame, BilinearRows<Hinge, 5, 5> {
  static constexpr std::string_view type = "hinge";
  static constexpr std::string_view summary = "two bodies turn against each other about an axis";

  double turn_at_start = 0;

  static constexpr auto fields() {
    return std::tuple_cat(joint_fields<Hinge>("what it turns about, at the start; z if not given"),
                          std::tuple{optional("turn", &Hinge::turn_at_start, "rad",
                                              "what its angle is called at the start")});
  }

  std::array<Anchor, 5> anchors() const { return {*a, b, ua, vb, wb}; }
  static constexpr std::array equations{coincide(0, 1, 0), coincide(0, 1, 1), coincide(0, 1, 2),
                                        square(2, 3), square(2, 4)};

  void prepare(const System& system) { complete(system, type); }
  std::vector<JointCoordinate> coordinates(const System&) const {
    return {{"turn", turn(turn_at_start)}};
  }
};

}  // namespace taut
