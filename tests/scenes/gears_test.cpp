// Joints that are tied to each other: a differential, a train of gears, a rack, a screw.
#include "support/mechanisms.hpp"

namespace taut {
namespace {

using namespace testing;

// Methods that keep constraints, and follow constant accelerations exactly in the velocity; but the
// angle of Cayley's map, by which energy_momentum turns and with which torques do their work, is
// off by (h ω)²/12.
double tolerance(const std::string& method, double turned_per_step) {
  return method == "energy_momentum" ? turned_per_step * turned_per_step / 8 + 1e-10 : 1e-10;
}
const std::vector<std::string> exact_methods{"implicit1", "implicit2",     "shake",
                                             "rattle",    "rk4_projected", "dop853",
                                             "icd",       "icd2",          "energy_momentum"};

// left = c + e, right = c − e, planet = e·(side teeth)/(planet teeth) against the carrier:
//   (2 I_wheel + I_carrier') ċ = engine − brake,   (2 I_wheel + I_planet k²) ė = brake.
struct Differential {
  double engine = 4, brake = 0.2, wheel = 0.5, k = 1.6;
  double carrier = 0.05 + 0.8 * 0.05 * 0.05 + 0.6 * 0.001, planet = 0.001;
  double mean_acceleration = (engine - brake) / (2 * wheel + carrier);
  double half_difference_acceleration = brake / (2 * wheel + planet * k * k);
  double left(double t) const {
    return 10 + (mean_acceleration + half_difference_acceleration) * t;
  }
  double right(double t) const {
    return 20 + (mean_acceleration - half_difference_acceleration) * t;
  }
};

TEST(Differential, WheelsTurnLikeTheCarrierOnAverage) {
  const io::Scene scene =
      io::load_scene("differential", std::vector<io::Setting>{{"brake", "0.2"}});
  const Differential closed;
  // energy_momentum ties angles exactly, and velocities, as all it does, to (h ω)²/12.
  for (const auto& [method, close, exact] : {std::tuple{"dop853", 1e-9, 1e-12},
                                             {"rattle", 1e-9, 1e-12},
                                             {"energy_momentum", 1e-3, 1e-5}}) {
    SCOPED_TRACE(method);
    double worst = 0, off = 0;
    Watched end;
    RunOptions options;
    options.step = 1e-3;
    options.duration = 5;
    options.record_every = 10;
    options.record = [&](const State& state, const VecX& lambda) {
      const auto spin = [&](const char* body) {
        return angular_velocity(scene.system, state, body).x();
      };
      const double difference = spin("left") + spin("right") - 2 * spin("carrier");
      worst = std::max(worst, std::abs(difference) / spin("carrier"));
      off = std::max({off, std::abs(spin("left") - closed.left(state.time)),
                      std::abs(spin("right") - closed.right(state.time))});
      end.lambda = lambda;
    };
    options.record_joints = [&](double, const std::vector<JointSample>& joints) {
      end.joints = joints;
    };
    end.report =
        simulate(scene.system, scene.system.initial_state(), *make_method(method), options);
    ASSERT_EQ(end.report.status, RunStatus::ok) << end.report.reason;
    EXPECT_LT(worst, exact);
    EXPECT_LT(off, close);

    // Whole turns are counted, and no tooth is skipped in dozens of them.
    EXPECT_GT(std::abs(end.joint("planet_shaft").value), 5 * 2 * pi);
    EXPECT_GT(end.joint("engine_shaft").value, 15 * 2 * pi);
    EXPECT_NEAR(end.joint("left_shaft").value, end.joint("planet_shaft").value / closed.k, 1e-10);
    EXPECT_NEAR(end.joint("right_shaft").value, -end.joint("planet_shaft").value / closed.k, 1e-10);
    const double t = 5;
    EXPECT_NEAR(end.joint("engine_shaft").value, 15 * t + 0.5 * closed.mean_acceleration * t * t,
                1e-2);

    // The engine's torque, less what the carrier itself takes, is split: halves, but for what the
    // planet takes.
    const double to_left = -end.lambda[row_of(scene.system, "left_mesh")],
                 to_right = -end.lambda[row_of(scene.system, "right_mesh")];
    const double left = closed.mean_acceleration + closed.half_difference_acceleration,
                 right = closed.mean_acceleration - closed.half_difference_acceleration;
    EXPECT_NEAR(to_left, closed.wheel * left, 10 * exact + 1e-9);
    EXPECT_NEAR(to_right, closed.wheel * right + closed.brake, 10 * exact + 1e-9);
    EXPECT_NEAR(to_left + to_right, closed.engine - closed.carrier * closed.mean_acceleration,
                10 * exact + 1e-9);
    EXPECT_NEAR(to_right - to_left,
                closed.planet * closed.k * closed.k * closed.half_difference_acceleration,
                10 * exact + 1e-9);
  }
}

BodyId wheel(System& system, double inertia, const Vec3& at, const std::string& name) {
  RigidBody body;
  body.mass = 3;
  body.inertia = Vec3(0.7 * inertia, 0.7 * inertia, inertia).asDiagonal();
  body.position = at;
  const BodyId id = system.add(body, name);
  constrain(system, hinge(id, at, Vec3::UnitZ()), name + "_axle");
  return id;
}
void mesh(System& system, const char* first, const char* second, double ratio) {
  Gear gear;
  gear.first = system.joint_coordinate(first);
  gear.second = system.joint_coordinate(second);
  gear.ratio = ratio;
  constrain(system, gear);
}

// Three wheels with 12, 30 and 45 teeth: τ on the first, ω1 : ω2 : ω3 = 1 : −12/30 : 12/45.
TEST(GearTrain, TurnsAsItsTeethSay) {
  System system;
  const double I1 = 0.02, I2 = 0.3, I3 = 0.9, torque = 0.5;
  wheel(system, I1, {0, 0, 0}, "first");
  wheel(system, I2, {1, 0, 0}, "second");
  wheel(system, I3, {2, 0, 0}, "third");
  mesh(system, "first_axle", "second_axle", -30.0 / 12);
  mesh(system, "second_axle", "third_axle", -45.0 / 30);
  JointTorque motor;
  motor.joint = system.joint_coordinate("first_axle");
  motor.torque = torque;
  apply(system, motor);
  const double acceleration =
      torque / (I1 + I2 * std::pow(12.0 / 30, 2) + I3 * std::pow(12.0 / 45, 2));
  for (const std::string& method : exact_methods) {
    SCOPED_TRACE(method);
    const Watched end = watch(system, method, 2000, 10);
    EXPECT_NEAR(end.joint("first_axle").rate, acceleration * 10,
                acceleration * 10 * tolerance(method, acceleration * 10 * 0.005));
    EXPECT_NEAR(end.joint("second_axle").value, -end.joint("first_axle").value * 12 / 30, 1e-9);
    EXPECT_NEAR(end.joint("third_axle").value, end.joint("first_axle").value * 12 / 45, 1e-9);
    EXPECT_GT(end.joint("first_axle").value, 20 * 2 * pi);
  }
}

// A rack that falls and turns a pinion: a = g/(1 + I/(m r²)).
TEST(RackAndPinion, FallsWithThePinionsInertia) {
  System system;
  const double m = 2, I = 0.05, r = 0.15;
  apply(system, Gravity{{0, -9.81, 0}});
  wheel(system, I, {0, 0, 0}, "pinion");
  RigidBody bar;
  bar.mass = m;
  bar.position = {r, 0, 0};
  const BodyId id = system.add(bar, "bar");
  Slider slider;
  slider.b = Point(id);
  slider.axis = {world_body, Vec3::UnitY()};
  constrain(system, slider, "guide");
  Rack rack;
  rack.first = system.joint_coordinate("guide");
  rack.second = system.joint_coordinate("pinion_axle");
  rack.radius = r;
  constrain(system, rack, "teeth");
  const double a = 9.81 / (1 + I / (m * r * r));
  for (const std::string& method : exact_methods) {
    SCOPED_TRACE(method);
    const Watched end = watch(system, method, 1000, 2);
    EXPECT_NEAR(end.joint("guide").rate, -a * 2, a * 2 * tolerance(method, a * 2 / r * 0.002));
    EXPECT_NEAR(end.joint("guide").value, r * end.joint("pinion_axle").value, 1e-10);
    EXPECT_GT(std::abs(end.joint("pinion_axle").value), 4 * 2 * pi);
    EXPECT_NEAR(end.lambda[row_of(system, "teeth")], -m * (9.81 - a), 1e-8);
  }
}

// A nut that falls on its thread: a = g/(1 + I (2π/p)²/m).
TEST(Screw, ANutFallsAsItsPitchLets) {
  const double m = 1, I = 2e-3;
  for (const double pitch : {0.1, -0.5}) {
    System system;
    apply(system, Gravity{{0, -9.81, 0}});
    RigidBody nut;
    nut.mass = m;
    nut.inertia = Vec3(1e-3, I, 1e-3).asDiagonal();
    const BodyId id = system.add(nut, "nut");
    Screw screw;
    screw.b = Point(id);
    screw.axis = {world_body, Vec3::UnitY()};
    screw.pitch = pitch;
    constrain(system, screw, "thread");
    const double a = 9.81 / (1 + I * std::pow(2 * pi / pitch, 2) / m);
    for (const std::string& method : exact_methods) {
      SCOPED_TRACE(method + ", pitch " + std::to_string(pitch));
      const Watched end = watch(system, method, 1000, 2);
      const State& state = end.report.final_state;
      const double spin = -a * 2 * 2 * pi / pitch, relative = tolerance(method, spin * 0.002);
      EXPECT_NEAR(velocity(system, state, "nut").y(), -a * 2, a * 2 * relative);
      EXPECT_NEAR(angular_velocity(system, state, "nut").y(), spin, std::abs(spin) * relative);
      EXPECT_NEAR(position(system, state, "nut").y(), pitch * end.joint("thread").value / (2 * pi),
                  1e-10);
    }
  }
}

}  // namespace
}  // namespace taut
