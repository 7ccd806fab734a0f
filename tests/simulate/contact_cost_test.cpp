// What contacts may cost, counted in linear solves: the same on every machine.
#include <gtest/gtest.h>

#include "taut/scene/scene.hpp"

namespace taut {
namespace {

// It slides, hits one wall with an edge, turns, hits the other one, and comes to rest.
TEST(ContactCost, ABoxThatSlidesIntoACorner) {
  const io::Scene scene = io::parse_scene(R"({"taut": 1,
    "shapes": [{"type": "plane", "friction": 0.2},
               {"type": "plane", "at": [1, 0, 0], "friction": 0.2,
                "orientation": [0.7071067811865476, 0, -0.7071067811865476, 0]},
               {"type": "plane", "at": [0, 0.6, 0], "friction": 0.2,
                "orientation": [0.7071067811865476, 0.7071067811865476, 0, 0]}],
    "bodies": [{"type": "rigid", "name": "box", "position": [0, 0, 0.1], "velocity": [3, 1.5, 0],
                "orientation": [0.9848, 0, 0, 0.1736],
                "shapes": [{"type": "box", "size": [0.3, 0.2, 0.2], "density": 500,
                            "friction": 0.2}]}],
    "forces": [{"type": "gravity", "acceleration": [0, 0, -9.81]}]})",
                                          "corner");
  struct Bound {
    const char* method;
    int solves;  ///< per step, a third more than were seen
  };
  for (const Bound& bound : {Bound{"implicit1", 7}, Bound{"icd2", 13}, Bound{"rattle", 8},
                             Bound{"energy_momentum", 7}, Bound{"dop853", 21}}) {
    RunOptions options;
    options.step = 0.004;
    options.duration = 0.8;
    const RunReport report =
        simulate(scene.system, scene.system.initial_state(), *make_method(bound.method), options);
    EXPECT_TRUE(report.is_trusted()) << bound.method;
    EXPECT_LE(report.cost.linear_solves, 200 * bound.solves) << bound.method;
    EXPECT_NEAR(report.final_state.v.norm(), 0, 1e-9) << bound.method << ": does it rest?";
    EXPECT_GT(report.final_state.q[0], 0.5) << bound.method << ": did it reach the wall?";
  }
}

}  // namespace
}  // namespace taut
