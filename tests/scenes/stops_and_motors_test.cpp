// Stops, motors with a bound, and dry friction, under every method that suits them.
#include "support/mechanisms.hpp"

namespace taut {
namespace {

using namespace testing;

std::vector<std::string> suited_methods() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    // Springs and sweeps have no multipliers to be bounded, and those that drift do not keep a
    // hinge.
    if (!testing::gives_way(method.name) && method.name != "lagrange" &&
        method.name != "baumgarte" && method.name != "post")
      names.emplace_back(method.name);
  return names;
}

class EverySuitedMethod : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, EverySuitedMethod, ::testing::ValuesIn(suited_methods()),
                         [](const auto& name) { return name.param; });

// A thin rod on a hinge, its angle from straight down; it falls from level on to a stop.
constexpr double mass = 2, length = 0.8, level = pi / 2, stop = 0.3;
constexpr double inertia = mass * length * length / 3;
const double natural = std::sqrt(1.5 * 9.81 / length);  // ω of small swings

System falling_rod(double restitution) {
  System system;
  apply(system, Gravity{{0, -9.81, 0}});
  RigidBody rod;
  rod.mass = mass;
  rod.inertia = Vec3(mass * length * length / 12, 1e-3, mass * length * length / 12).asDiagonal();
  rod.orientation = Quat(Eigen::AngleAxisd(level, Vec3::UnitZ()));
  rod.position = {0.5 * length, 0, 0};
  const BodyId id = system.add(rod, "rod");
  Hinge joint = hinge(id, Vec3::Zero(), Vec3::UnitZ());
  joint.turn_at_start = level;
  constrain(system, joint, "hinge");
  Limit limit;
  limit.joint = system.joint_coordinate("hinge");
  limit.lower = stop;
  limit.restitution = restitution;
  constrain(system, limit, "stop");
  return system;
}

// From rest at `high` to `low`: with sin(θ/2) = sin(high/2) sin φ an elliptic integral.
double time_between(double high, double low) {
  const double k = std::sin(high / 2);
  return (std::comp_ellint_1(k) - std::ellint_1(k, std::asin(std::sin(low / 2) / k))) / natural;
}

// It hits the stop, rises again to where its speed is spent, and stands there: angle and time tell
// the time of the impact and the speed after it.
TEST_P(EverySuitedMethod, ARodBouncesOffAStop) {
  const std::map<std::string, std::pair<int, double>> accuracy{{"implicit1", {4000, 2e-2}},
                                                               {"implicit2", {2000, 1e-4}},
                                                               {"shake", {4000, 1e-2}},
                                                               {"rattle", {2000, 1e-4}},
                                                               {"rk4_projected", {400, 1e-7}},
                                                               {"dop853", {200, 1e-9}},
                                                               {"sap", {4000, 2e-2}},
                                                               {"fast_projection", {4000, 2e-2}},
                                                               {"icd", {4000, 2e-2}},
                                                               {"icd2", {2000, 1e-3}},
                                                               {"energy_momentum", {2000, 1e-4}},
                                                               {"generalized_alpha", {2000, 1e-3}},
                                                               {"gear_stabilised", {2000, 1e-3}}};
  ASSERT_TRUE(accuracy.contains(GetParam())) << "say how accurate it is";
  const auto [steps, tolerance] = accuracy.at(GetParam());
  const double e = 0.6, speed = 2 * natural * std::sqrt((std::cos(stop) - std::cos(level)) / 2);
  const double apex = std::acos(std::cos(stop) - std::pow(e * speed / (2 * natural), 2) * 2);
  const double duration = time_between(level, stop) + time_between(apex, stop);
  const System system = falling_rod(e);
  const Watched end = watch(system, GetParam(), steps, duration);
  EXPECT_EQ(end.report.impacts.count, 1);
  EXPECT_NEAR(end.joint("hinge").value, apex, tolerance);
  EXPECT_NEAR(end.joint("hinge").rate, 0, 10 * tolerance);
  EXPECT_NEAR(end.report.impacts.energy_change, -0.5 * inertia * speed * speed * (1 - e * e),
              20 * tolerance);
  // What the impact takes is no error of the energy.
  if (GetParam() == "energy_momentum") {
    EXPECT_LT(end.report.energy.max_abs_error, 1e-9);
  }
}

TEST_P(EverySuitedMethod, ARodComesToRestOnAStop) {
  const System system = falling_rod(0);
  const Watched end = watch(system, GetParam(), 1000, 2);
  EXPECT_NEAR(end.joint("hinge").value, stop, 1e-9);
  EXPECT_NEAR(end.joint("hinge").rate, 0, 1e-9);
  EXPECT_NEAR(-end.lambda[row_of(system, "stop")], mass * 9.81 * 0.5 * length * std::sin(stop),
              1e-6);
}

// It bounces lower and lower, infinitely often in a finite time, and then lies still.
TEST_P(EverySuitedMethod, ABouncingRodComesToRest) {
  const System system = falling_rod(0.5);
  const Watched end = watch(system, GetParam(), 4000, 4);
  EXPECT_GT(end.report.impacts.count, 5);
  EXPECT_NEAR(end.joint("hinge").value, stop, 1e-6);
  EXPECT_NEAR(end.joint("hinge").rate, 0, 1e-3);
}

System rotor(double speed, double most, double torque) {
  System system;
  RigidBody disc;
  disc.inertia = Vec3(0.3, 0.3, 0.5).asDiagonal();
  const BodyId id = system.add(disc, "disc");
  constrain(system, hinge(id, Vec3::Zero(), Vec3::UnitZ()), "axle");
  Motor motor;
  motor.joint = system.joint_coordinate("axle");
  motor.speed = speed;
  motor.max = most;
  constrain(system, motor, "motor");
  JointTorque load;
  load.joint = motor.joint;
  load.torque = torque;
  apply(system, load);
  return system;
}

/// Constant accelerations are followed exactly; but the angle of Cayley's map, by which
/// energy_momentum turns and with which torques do their work, is off by (h ω)²/12.
double speed_tolerance(const std::string& method, double speed, double h = 0.01) {
  return method == "energy_momentum" ? 2 * std::abs(speed) * std::pow(h * speed, 2) / 12 + 1e-9
                                     : 1e-9;
}

// τ/I until the speed is reached, here after 1.2 s, a whole number of steps; then the speed.
TEST_P(EverySuitedMethod, AMotorDoesItsMostAndThenKeepsItsSpeed) {
  const double most = 2, load = -0.5, I = 0.5, speed = 3.6, reached = speed * I / (most + load);
  const System system = rotor(speed, most, load);
  const int row = row_of(system, "motor");
  const Watched early = watch(system, GetParam(), 60, 0.6);
  EXPECT_NEAR(early.joint("axle").rate, (most + load) / I * 0.6, speed_tolerance(GetParam(), 1.8));
  EXPECT_NEAR(-early.lambda[row], most, 1e-9);
  const Watched late = watch(system, GetParam(), 300, 3);
  EXPECT_NEAR(late.joint("axle").rate, speed, speed_tolerance(GetParam(), speed));
  EXPECT_NEAR(late.joint("axle").value, speed * (3 - 0.5 * reached), 0.03);  // first order: v h
  EXPECT_NEAR(-late.lambda[row], -load, 1e-7);                               // what the load takes
}

TEST_P(EverySuitedMethod, DryFrictionHoldsBelowItsBoundAndSlidesAbove) {
  const double bound = 1, I = 0.5;
  for (const double torque : {0.6, -0.999, 1.4, -2.5}) {
    SCOPED_TRACE(torque);
    const System system = rotor(0, bound, torque);
    const Watched end = watch(system, GetParam(), 200, 2);
    const double excess = std::max(std::abs(torque) - bound, 0.0) * (torque > 0 ? 1 : -1);
    EXPECT_NEAR(end.joint("axle").rate, excess / I * 2,
                speed_tolerance(GetParam(), excess / I * 2));
    EXPECT_NEAR(-end.lambda[row_of(system, "motor")],
                std::abs(torque) < bound ? -torque : -std::copysign(bound, torque), 1e-8);
  }
}

// A disc that is braked by friction alone stops after I ω/τ, and stays.
TEST_P(EverySuitedMethod, DryFrictionBrakesToAStandstill) {
  System system = rotor(0, 0.5, 0);
  State start = system.initial_state();
  start.v[5] = 2;
  RunOptions options;
  options.step = 0.01;
  options.duration = 1;
  const auto method = make_method(GetParam());
  const RunReport half = simulate(system, start, *method, options);
  EXPECT_NEAR(half.final_state.v[5], 1, speed_tolerance(GetParam(), 2));
  options.duration = 3;
  const auto again = make_method(GetParam());
  const RunReport end = simulate(system, start, *again, options);
  EXPECT_NEAR(end.final_state.v[5], 0, speed_tolerance(GetParam(), 2));
  const double turned =
      2 * std::atan2(end.final_state.q[6], end.final_state.q[3]);  // ½ ω² I/τ = 2 rad
  EXPECT_NEAR(turned, 2, 0.011);                                   // first order: ω h/2
}

}  // namespace
}  // namespace taut
