// A cross between two forks: two points coincide, and an axis of a stays square to one of b.
#pragma once

#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/joint_frame.hpp"

namespace taut {

struct Universal : JointFrame, BilinearRows<Universal, 4, 4> {
  static constexpr std::string_view type = "universal";
  static constexpr std::string_view summary =
      "Cardan's joint: two axes, one in each body, stay square";

  Direction second{world_body, Vec3::UnitX()};
  double turn_at_start = 0, second_turn_at_start = 0;

  static constexpr auto fields() {
    return std::tuple_cat(
        joint_fields<Universal>("the axis in a, at the start; z if not given"),
        std::tuple{optional("second_axis", &Universal::second, "",
                            "the axis in b, at the start; x if not given"),
                   optional("turn", &Universal::turn_at_start, "rad",
                            "what the angle about the axis is called at the start"),
                   optional("second_turn", &Universal::second_turn_at_start, "rad",
                            "what the angle about the second axis is called at the start")});
  }

  std::array<Anchor, 4> anchors() const { return {*a, b, ua, vb}; }
  static constexpr std::array equations{coincide(0, 1, 0), coincide(0, 1, 1), coincide(0, 1, 2),
                                        square(2, 3)};

  void prepare(const System& system) {
    locate(system, type);
    const Vec3 u = unit_along(system.initial_place(axis), "axis");
    const Vec3 v = unit_along(system.initial_place(second), "second_axis");
    if (std::abs(u.dot(v)) > 1e-6)
      throw Error("second_axis: it must be square to the axis; the cosine between them is " +
                  std::to_string(u.dot(v)));
    set_directions(system, u, (v - u * u.dot(v)).normalized());
  }
  // About u of a goes the direction v of b; about v of b, backwards, the direction u of a.
  std::vector<JointCoordinate> coordinates(const System&) const {
    return {{"turn", turn(turn_at_start)},
            {"second_turn",
             {Coordinate::Kind::turn, {ub, wb, ua}, second_turn_at_start, second_turn_at_start}}};
  }
};

}  // namespace taut
