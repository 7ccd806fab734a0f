// Bodies that spin, against the textbook: without torque, and on a tip in gravity.
#include "support/mechanisms.hpp"

namespace taut {
namespace {

using namespace testing;

System free_body(const Vec3& inertia, const Vec3& spin) {
  System system;
  RigidBody body;
  body.mass = 2;
  body.inertia = inertia.asDiagonal();
  body.orientation = Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()));
  body.angular_velocity = spin;
  system.add(body, "body");
  return system;
}

Vec3 angular_momentum(const System& system, const State& state) {
  return orientation(system, state, "body") * Vec3(system.inertia({0}) * Vec3(state.v.tail<3>()));
}

// I1 = I2: ω goes round the axis in the body with ω3 (I3 − I1)/I1, the axis round L with L/I1.
TEST(FreeTop, PrecessesInBodyAndSpace) {
  const double I1 = 0.8, I3 = 1.3, across = 1.5, along = 4;
  const System system = free_body({I1, I1, I3}, {across, 0, along});
  const State start = system.initial_state();
  const Vec3 L = angular_momentum(system, start);
  const Vec3 axis = orientation(system, start, "body") * Vec3::UnitZ();
  for (const auto& [method, order, steps, tolerance] :
       {std::tuple{"dop853", "", 500, 1e-10}, {"energy_momentum", "6", 1000, 1e-7}}) {
    std::vector<OptionValue> options;
    if (*order) options.push_back({"order", order});
    const double t = 10;
    const State end = watch(system, method, steps, t, options).report.final_state;
    const double in_body = along * (I3 - I1) / I1 * t, in_space = L.norm() / I1 * t;
    const Vec3 spin(across * std::cos(in_body), across * std::sin(in_body), along);
    EXPECT_LT((end.v.tail<3>() - spin).norm(), tolerance * spin.norm()) << method;
    const Vec3 turned = Eigen::AngleAxisd(in_space, L.normalized()) * axis;
    EXPECT_LT((orientation(system, end, "body") * Vec3::UnitZ() - turned).norm(), tolerance)
        << method;
  }
}

// No symmetry, about the middle axis, where it tumbles: nothing but round-off in 2,000 long steps.
TEST(FreeTop, EnergyMomentumKeepsBothExactly) {
  const System system = free_body({1, 2, 2.8}, {0.02, 3, 0.01});
  const State start = system.initial_state();
  const Vec3 L = angular_momentum(system, start);
  const double energy = system.energy(start);
  double momentum_error = 0, energy_error = 0;
  run(system, "energy_momentum", 0.05, 100, {}, [&](const State& state, const VecX&) {
    momentum_error = std::max(momentum_error, (angular_momentum(system, state) - L).norm());
    energy_error = std::max(energy_error, std::abs(system.energy(state) - energy));
  });
  EXPECT_LT(momentum_error, 1e-12 * L.norm());
  EXPECT_LT(energy_error, 1e-12 * energy);
}

// The heavy top, let go without precession. With u the cosine of how far it leans,
//   u̇² = (u0 − u) (β (1 − u²) − a² (u0 − u)) = β (u0 − u)(u − u1)(u2 − u),   φ̇ = a (u0 − u)/(1 −
//   u²),
// a = I3 ω3/I1, β = 2 m g l/I1, I1 about the tip. It leans between u0 and u1.
struct HeavyTop {
  explicit HeavyTop(const io::Scene& scene) {
    const auto value = [&](std::string_view name) {
      for (const io::SceneParameter& parameter : scene.parameters)
        if (parameter.name == name) return parameter.value;
      ADD_FAILURE() << name;
      return 0.0;
    };
    const double m = value("m"), l = value("l");
    const double I1 = value("Ic") + m * l * l;
    const double a = value("I3") * value("spin") / I1, beta = 2 * m * value("g") * l / I1;
    u0 = std::cos(value("lean"));
    const double root = std::sqrt(a * a * a * a - 4 * beta * (a * a * u0 - beta));
    u1 = (a * a - root) / (2 * beta);
    const double u2 = (a * a + root) / (2 * beta);
    // u = (u0 + u1)/2 + (u0 − u1)/2 cos s takes the square roots of u0 − u and u − u1 away.
    const auto at = [&](double s) { return 0.5 * (u0 + u1) + 0.5 * (u0 - u1) * std::cos(s); };
    const auto dt = [&](double s) { return 1 / std::sqrt(beta * (u2 - at(s))); };
    period = 2 * integral_over_half_a_turn(dt);
    precession = 2 * integral_over_half_a_turn(
                         [&](double s) { return a * (u0 - at(s)) / (1 - at(s) * at(s)) * dt(s); });
  }
  double u0, u1, period, precession;
};

Vec3 axis_of(const io::Scene& scene, const State& state) {
  return orientation(scene.system, state, "top") * Vec3::UnitY();
}
double azimuth(const Vec3& axis) { return std::atan2(-axis.z(), axis.x()); }

TEST(HeavyTop, NutatesAndPrecesses) {
  for (const char* spin : {"150", "60", "40"}) {
    const io::Scene scene =
        io::load_scene("spinning_top", std::vector<io::Setting>{{"spin", spin}});
    const HeavyTop top(scene);
    ASSERT_GT(top.u1, -1);
    for (const auto& [method, order, steps] :
         {std::tuple{"dop853", "", 200}, {"energy_momentum", "6", 200}}) {
      SCOPED_TRACE(std::string(method) + ", spin " + spin);
      std::vector<OptionValue> options;
      if (*order) options.push_back({"order", order});
      const State half =
          watch(scene.system, method, steps / 2, top.period / 2, options).report.final_state;
      EXPECT_NEAR(axis_of(scene, half).y(), top.u1, 1e-8);
      EXPECT_NEAR(azimuth(axis_of(scene, half)), top.precession / 2, 1e-8);
      const State end = watch(scene.system, method, steps, top.period, options).report.final_state;
      EXPECT_NEAR(axis_of(scene, end).y(), top.u0, 1e-8);
      EXPECT_NEAR(std::remainder(azimuth(axis_of(scene, end)) - top.precession, 2 * pi), 0, 1e-8);
      // In the cusp it stands still: the time is right, too.
      EXPECT_LT(velocity(scene.system, end, "top").norm(), 1e-7);
    }
  }
}

TEST(HeavyTop, EnergyMomentumIsOfSecondOrder) {
  const io::Scene scene = io::load_scene("spinning_top");
  const HeavyTop top(scene);
  double before = 0;
  for (const int steps : {50, 100, 200, 400}) {
    const State end = watch(scene.system, "energy_momentum", steps, top.period).report.final_state;
    const double error = std::abs(azimuth(axis_of(scene, end)) - top.precession);
    if (steps > 50) EXPECT_NEAR(std::log2(before / error), 2, 0.1) << steps;
    before = error;
  }
}

// A level axle: I ω Ω = weight·arm, with the nutation averaged.
TEST(Gyroscope, GoesRoundWhereItIsPulledDown) {
  const io::Scene scene = io::load_scene("gyroscope");
  const double expected = 2 * 0.12 / (0.5 * 1 * 0.1 * 0.1 * 200);
  const Watched end = watch(scene.system, "dop853", 4000, 4);
  EXPECT_NEAR(end.joint("vertical").value / 4, expected, 0.005 * expected);
  EXPECT_NEAR(end.joint("axle").rate, 200, 0.1);
  EXPECT_LT(std::abs(end.joint("level").value), 0.01);
}

}  // namespace
}  // namespace taut
