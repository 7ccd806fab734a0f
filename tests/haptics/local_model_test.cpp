// A device that is quicker than the simulation: its forces come from the planes of the last step.
#include "taut/haptics/local_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "taut/haptics/grasp_session.hpp"
#include "taut/scene/scene.hpp"

namespace taut::haptics {
namespace local_tests {

constexpr double turn = 0.001;  // s, of the device

/// A flat hand above a table.
GraspSession flat_hand(double step) {
  io::Scene scene = io::parse_scene(
      R"({"taut": 1, "name": "table", "title": "t", "description": "d",
          "shapes": [{"type": "plane", "friction": 0.5}],
          "hands": [{"name": "right", "position": [0, 0, 0.03]}],
          "simulation": {"method": "icd", "step": 0.001, "duration": 1}})",
      "table", {});
  SessionOptions options;
  options.step = step;
  options.feedback.ramp = 0.05;
  return {std::move(scene.system), 0, options};
}

/// It comes down, presses, lets go and slides to and fro.
devices::HandSample sample(double time) {
  devices::HandSample out;
  out.time = time;
  const double phase = 2 * std::numbers::pi * 3 * time;
  out.pose.position = Vec3(0.002 * std::sin(0.7 * phase), 0, 0.0095 + 0.004 * std::cos(phase));
  return out;
}

struct Course {
  std::vector<double> force;  // N, per turn, on the middle finger
  double least_energy = 0;    // J, of all fingers
  double largest_jump(std::size_t from) const {
    double most = 0;
    for (std::size_t i = from + 1; i < force.size(); ++i)
      most = std::max(most, std::abs(force[i] - force[i - 1]));
    return most;
  }
  double error(const Course& truth, std::size_t from) const {
    double sum = 0;
    for (std::size_t i = from; i < force.size(); ++i) sum += std::pow(force[i] - truth.force[i], 2);
    return std::sqrt(sum / static_cast<double>(force.size() - from));
  }
};

/// Of a simulation with steps of so many turns, each of which takes as long as it simulates.
Course course(int turns_per_step, bool has_model) {
  GraspSession session = flat_hand(turns_per_step * turn);
  LocalForces local = session.local_forces();
  LocalModel model;
  devices::HandForces held;
  Course out;
  for (int i = 0; i < 1000; ++i) {
    const devices::HandSample now = sample(i * turn);
    if (i % turns_per_step == 0) {  // what the last step has found comes; the next one begins
      if (i > 0) {
        session.look_around(model);
        local.take(model);
        held = session.forces();
      }
      EXPECT_TRUE(session.step(now)) << session.report().reason;
    }
    const devices::HandForces& forces = has_model ? local.step(now, turn) : held;
    out.force.push_back(forces.fingers[2]);
    for (int finger = 0; finger < hand::finger_count; ++finger)
      out.least_energy =
          std::min(out.least_energy, has_model ? local.energy(finger) : session.energy(finger));
  }
  return out;
}

TEST(LocalModel, MakesForcesOfASlowSimulationContinuous) {
  const Course truth = course(1, false), held = course(5, false), local = course(5, true);
  const std::size_t from = 100;  // ramped up
  const double most = *std::max_element(truth.force.begin(), truth.force.end());
  ASSERT_GT(most, 1);
  EXPECT_LT(local.largest_jump(from), 0.4 * held.largest_jump(from));
  EXPECT_LT(local.error(truth, from), 0.4 * held.error(truth, from));
  EXPECT_GT(local.least_energy, -12 * 0.1 * turn);  // J: one turn at 0.1 m/s
}

}  // namespace local_tests
}  // namespace taut::haptics
