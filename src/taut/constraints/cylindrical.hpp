// b turns about an axis of a and slides along it.
#pragma once

#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/joint_frame.hpp"

namespace taut {

struct Cylindrical : JointFrame, BilinearRows<Cylindrical, 4, 7> {
  static constexpr std::string_view type = "cylindrical";
  static constexpr std::string_view summary =
      "a body turns about an axis of another and slides along it";

  double turn_at_start = 0;
  std::optional<double> slide_at_start;

  static constexpr auto fields() {
    return std::tuple_cat(
        joint_fields<Cylindrical>(
            "what it turns about and slides along, at the start; z if not given"),
        std::tuple{
            optional("turn", &Cylindrical::turn_at_start, "rad",
                     "what its angle is called at the start"),
            optional("slide", &Cylindrical::slide_at_start, "m",
                     "what its way is called at the start; the way from a to b if not given")});
  }

  std::array<Anchor, 7> anchors() const { return {*a, b, ua, va, wa, vb, wb}; }
  static constexpr std::array equations{across(3, 0, 1), across(4, 0, 1), square(2, 5),
                                        square(2, 6)};

  void prepare(const System& system) { complete(system, type); }
  std::vector<JointCoordinate> coordinates(const System& system) const {
    return {{"turn", turn(turn_at_start)}, {"slide", slide(system, ua, slide_at_start)}};
  }
};

}  // namespace taut
