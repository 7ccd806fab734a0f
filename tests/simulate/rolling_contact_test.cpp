// Bodies that roll on what they touch are followed with second order, and keep their energy.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "taut/scene/scene.hpp"

namespace taut {
namespace {

// An ellipsoid with its centre of mass below its middle rolls on a plane without sliding. In its
// own frame, with n the vertical, p the place of contact from the centre of mass, and v = p × ω:
//   n' = n × ω,   (I + m (p² − p pᵀ)) ω' = −ω × Iω + m p × (p' × ω + ω × v + g n).
struct RollingStone {
  double mass = 1, g = 9.81;
  Mat3 inertia = (Mat3() << 2e-4, -2e-5, 0, -2e-5, 1.6e-3, 0, 0, 0, 1.7e-3).finished();
  Vec3 square = Vec3(0.04, 9e-4, 4e-4);  // of the radii
  Vec3 middle = Vec3(0, 0, 0.01);

  struct Motion {
    Vec3 n, w;
  };

  Vec3 place(const Vec3& n) const {
    const Vec3 a = square.cwiseProduct(n);
    return middle - a / std::sqrt(n.dot(a));
  }
  Mat3 about(const Vec3& p) const {
    return inertia + mass * (p.squaredNorm() * Mat3::Identity() - p * p.transpose());
  }
  Motion rate(const Motion& at) const {
    const Vec3 p = place(at.n), turn = at.n.cross(at.w), a = square.cwiseProduct(at.n);
    const double s = std::sqrt(at.n.dot(a));
    const Vec3 moves = -square.cwiseProduct(turn) / s + a * a.dot(turn) / (s * s * s);
    const Vec3 torque = -at.w.cross(inertia * at.w) +
                        mass * p.cross(moves.cross(at.w) + at.w.cross(p.cross(at.w)) + g * at.n);
    return {turn, about(p).inverse() * torque};
  }
  /// The spin about the vertical at a time, by Runge and Kutta's method.
  double spin(Motion at, double time) const {
    const int steps = 20000;
    const double h = time / steps;
    const auto moved = [](const Motion& from, const Motion& by, double length) {
      return Motion{from.n + length * by.n, from.w + length * by.w};
    };
    for (int i = 0; i < steps; ++i) {
      const Motion a = rate(at), b = rate(moved(at, a, h / 2)), c = rate(moved(at, b, h / 2)),
                   d = rate(moved(at, c, h));
      at = moved(at, {(a.n + 2 * b.n + 2 * c.n + d.n) / 6, (a.w + 2 * b.w + 2 * c.w + d.w) / 6}, h);
    }
    return at.n.dot(at.w);
  }
};

/// What the scene rattleback begins with, after friction has stopped the slip.
double rolled_spin(double time) {
  const RollingStone stone;
  const Vec3 n(0, std::sin(0.01), std::cos(0.01));
  const Vec3 w = stone.about(stone.place(n)).inverse() * (stone.inertia * (-5 * n));
  return stone.spin({n, w}, time);
}

RunReport rattleback(const char* method, double step, double duration) {
  const io::Scene scene = io::load_scene("rattleback", {});
  RunOptions options;
  options.step = step;
  options.duration = duration;
  return simulate(scene.system, scene.system.initial_state(), *make_method(method), options);
}

/// About the vertical.
double spin_of(const State& state) {
  const Quat turn(state.q[3], state.q[4], state.q[5], state.q[6]);
  return (turn * Vec3(state.v.segment<3>(3))).z();
}

TEST(RollingContact, ARattlebackMovesAsABodyThatRolls) {
  const double exact = rolled_spin(1.5);
  for (const char* method : {"dop853", "energy_momentum"}) {
    std::array<double, 2> errors;
    for (const int k : {0, 1}) {
      const RunReport report = rattleback(method, k == 0 ? 0.001 : 0.0005, 1.5);
      EXPECT_TRUE(report.is_trusted()) << method;
      errors[static_cast<std::size_t>(k)] = std::abs(spin_of(report.final_state) - exact);
    }
    EXPECT_LT(errors[1], 2e-3) << method;
    EXPECT_LT(errors[1], 0.35 * errors[0]) << method;  // second order: a quarter
  }
}

TEST(RollingContact, RollingKeepsTheEnergy) {
  for (const char* method : {"dop853", "energy_momentum"}) {
    const double early = rattleback(method, 0.001, 0.01).energy.final;
    const double late = rattleback(method, 0.001, 2).energy.final;
    EXPECT_NEAR(late, early, 1e-12) << method;  // of 0.12 J
  }
}

}  // namespace
}  // namespace taut
