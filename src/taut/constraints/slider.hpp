// b slides along an axis of a and does not turn.
#pragma once

#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/joint_frame.hpp"

namespace taut {

struct Slider : JointFrame, BilinearRows<Slider, 5, 7> {
  static constexpr std::string_view type = "slider";
  static constexpr std::string_view summary =
      "a body slides along an axis of another and does not turn";

  std::optional<double> slide_at_start;

  static constexpr auto fields() {
    return std::tuple_cat(
        joint_fields<Slider>("what it slides along, at the start; z if not given"),
        std::tuple{
            optional("slide", &Slider::slide_at_start, "m",
                     "what its way is called at the start; the way from a to b if not given")});
  }

  std::array<Anchor, 7> anchors() const { return {*a, b, ua, va, wa, vb, wb}; }
  static constexpr std::array equations{across(3, 0, 1), across(4, 0, 1), square(2, 5),
                                        square(2, 6), square(3, 6)};

  void prepare(const System& system) { complete(system, type); }
  std::vector<JointCoordinate> coordinates(const System& system) const {
    return {{"slide", slide(system, ua, slide_at_start)}};
  }
};

}  // namespace taut
