// A sheet of 1 mm, which the default stiffness of bending makes a stiff plate for these steps. What
// r moves each vertex then tells little of what it moves all of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/builders.hpp"
#include "taut/scene/scene.hpp"

namespace taut {
namespace {

RunReport run_sheet(const std::string& pins, double step, double duration) {
  const io::Scene scene = io::parse_scene(
      R"({ "taut": 1, "name": "sheet", "cloths": [{ "name": "c", "density": 0.2, "grid": {
         "columns": 15, "rows": 15, "width": 0.001, "height": 0.001, "along": [0, 0, 1] })" +
          pins + R"( }], "forces": [{ "type": "gravity", "acceleration": [0, -9.81, 0] }] })",
      "sheet.json");
  return testing::run(scene.system, "icd", step, duration);
}

std::vector<double> heights(const RunReport& report) {
  std::vector<double> y;
  for (Eigen::Index i = 1; i < report.final_state.q.size(); i += 3)
    y.push_back(report.final_state.q[i]);
  return y;
}

TEST(StiffSheet, FallsAsItShould) {
  constexpr double h = 2.5e-4;
  constexpr int steps = 40;
  const RunReport report = run_sheet("", h, steps * h);
  const double fallen = 9.81 * h * h * steps * (steps + 1) / 2;  // by backward Euler
  for (const double y : heights(report)) EXPECT_NEAR(y, -fallen, 1e-3 * fallen);
}

// About its edge, as a plate does; the masses of the border are half as heavy.
TEST(StiffSheet, SwingsAsAPlate) {
  const RunReport report = run_sheet(R"(, "pins": [{ "part": "top", "every": 1 }])", 2.5e-5, 0.015);
  const std::vector<double> y = heights(report);
  EXPECT_NEAR(*std::min_element(y.begin(), y.end()), -0.99865e-3, 3e-6);
}

}  // namespace
}  // namespace taut
