// Joint controllers against closed forms, under every method that integrates a hinge.
#include "taut/forces/servo.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/messages.hpp"
#include "support/servo_rod.hpp"
#include "taut/methods/method.hpp"
#include "taut/scene/scene.hpp"
#include "taut/sensor/sensor_set.hpp"
#include "taut/simulate/simulation.hpp"
#include "taut/simulate/stepping.hpp"

namespace taut {
namespace {

using testing::follow;
using testing::has_all;
using testing::message_of;
using testing::rod;
using testing::Track;

/// How well a method integrates the oscillator below with steps of 1 ms.
const std::map<std::string, double> accuracy{{"implicit1", 3e-2},
                                             {"implicit2", 1e-2},
                                             {"icd", 3e-2},
                                             {"icd2", 3e-4},
                                             {"energy_momentum", 1e-4},
                                             {"shake", 1e-2},
                                             {"rattle", 1e-2},
                                             {"lagrange", 2e-2},
                                             {"baumgarte", 2e-2},
                                             {"post", 3e-2},
                                             {"rk4_projected", 1e-8},
                                             {"dop853", 1e-10},
                                             {"fast_projection", 3e-2},
                                             {"sap", 3e-2},
                                             {"generalized_alpha", 1e-3},
                                             {"gear_stabilised", 1e-3}};

class EveryServoMethod : public ::testing::TestWithParam<std::string> {};
std::vector<std::string> methods_tested() {
  std::vector<std::string> names;
  for (const auto& [name, error] : accuracy) names.push_back(name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Methods, EveryServoMethod, ::testing::ValuesIn(methods_tested()),
                         [](const auto& name) { return name.param; });

// θ'' = kp (1 − θ) − kd θ': ω² = kp, δ = kd/2.
TEST_P(EveryServoMethod, IsADampedOscillator) {
  const double kp = 40, kd = 2, damp = kd / 2, w = std::sqrt(kp - damp * damp);
  const Track track =
      follow(rod(R"("target": 1, "stiffness": 40, "damping": 2)"), GetParam(), 1e-3, 1.5, 100);
  ASSERT_EQ(track.time.size(), 16u);
  for (std::size_t i = 0; i < track.time.size(); ++i) {
    const double t = track.time[i], fade = std::exp(-damp * t);
    const double angle = 1 - fade * (std::cos(w * t) + damp / w * std::sin(w * t));
    EXPECT_NEAR(track.angle[i], angle, accuracy.at(GetParam())) << t;
    EXPECT_NEAR(track.torque[i], kp * (1 - track.angle[i]) - kd * track.rate[i], 1e-9);
  }
}

// Between its bounds it is a spring and a damper, to the last bit.
TEST_P(EveryServoMethod, IsASpringAndADamper) {
  const Track servo =
      follow(rod(R"("target": 0.5, "stiffness": 40, "damping": 2)", 9.81), GetParam(), 1e-2, 1);
  const Track spring = follow(rod(R"("max": 0},
      {"type": "joint_spring", "joint": "joint", "stiffness": 40, "damping": 2, "rest": 0.5)",
                                  9.81),
                              GetParam(), 1e-2, 1);
  for (std::size_t i = 0; i < servo.time.size(); ++i)
    EXPECT_NEAR(servo.angle[i], spring.angle[i], 1e-9);
}

// It comes to rest where kp times the error bears the weight.
TEST_P(EveryServoMethod, SagsUnderWeight) {
  const Track track =
      follow(rod(R"("stiffness": 60, "damping": 15)", 9.81), GetParam(), 2e-3, 8, 4000);
  const double angle = track.angle.back();
  const bool creeps = GetParam() == "fast_projection" || GetParam() == "post";
  EXPECT_NEAR(-60 * angle, 14.715 * std::cos(angle), creeps ? 1e-3 : 1e-6);
  EXPECT_NEAR(track.torque.back(), 14.715 * std::cos(angle), creeps ? 1e-3 : 1e-6);
  EXPECT_NEAR(track.rate.back(), 0, creeps ? 1e-4 : 1e-7);
}

// Far from the target the torque is the bound itself: θ = ½ max t², and back as slowly with min.
TEST_P(EveryServoMethod, ExertsItsBoundExactly) {
  const Track track = follow(rod(R"("target": 100, "stiffness": 50, "max": 2, "min": -0.5)"),
                             GetParam(), 1e-3, 1, 100);
  for (std::size_t i = 0; i < track.time.size(); ++i) {
    EXPECT_EQ(track.torque[i], 2);
    EXPECT_EQ(track.saturation[i], 1);
    EXPECT_NEAR(track.angle[i], track.time[i] * track.time[i], 3e-3);
    EXPECT_NEAR(track.rate[i], 2 * track.time[i], 3e-3);
  }
  const Track back = follow(rod(R"("target": -100, "stiffness": 50, "max": 2, "min": -0.5)"),
                            GetParam(), 1e-3, 1, 1000);
  EXPECT_EQ(back.torque.back(), -0.5);
  EXPECT_EQ(back.saturation.back(), -1);
  EXPECT_NEAR(back.rate.back(), -0.5, 1e-4);
}

// At full torque up to the largest speed, and no faster: 4 rad/s² up to 2 rad/s.
TEST_P(EveryServoMethod, DrivesNoFasterThanItsLargestSpeed) {
  const Track track = follow(rod(R"("target": 100, "stiffness": 50, "max": 4, "max_speed": 2)"),
                             GetParam(), 1e-3, 2, 1);
  ASSERT_EQ(track.time.size(), 2001u);
  for (std::size_t i = 0; i < track.time.size(); ++i)
    EXPECT_LE(track.rate[i], GetParam() == "baumgarte" ? 2.02 : 2.002);
  EXPECT_NEAR(track.rate[400], 1.6, 1e-2);
  EXPECT_NEAR(track.rate.back(), 2, 1e-2);
  EXPECT_NEAR(track.angle.back(), 2 * 2 - 0.5, 3e-2);
  EXPECT_LT(track.torque.back(), 0.1);
}

TEST(Servo, WithoutGainsDoesNothing) {
  const Track with = follow(rod(R"("target": 5)", 9.81), "rattle", 1e-3, 1, 1000);
  const Track without =
      follow(rod(R"("target": 5, "stiffness": 7, "max": 0)", 9.81), "rattle", 1e-3, 1, 1000);
  io::Scene plain = io::parse_scene(
      R"({"taut": 1, "bodies": [{"type": "rigid", "name": "rod", "mass": 3,
            "inertia": [0.01, 0.25, 0.25], "position": [0.5, 0, 0]}],
          "constraints": [{"type": "hinge", "name": "joint", "b": "rod", "at": [0, 0, 0],
            "axis": [0, 0, 1]}],
          "forces": [{"type": "gravity"},
            {"type": "joint_torque", "name": "servo", "joint": "joint", "torque": 0}]})",
      "rod");
  SensorSet sensors;
  sensors.add(plain.system, {"angle", "joint.turn"});
  RunOptions options;
  options.step = 1e-3;
  const auto method = make_method("rattle");
  Stepping stepping(plain.system, plain.system.initial_state(), *method, options);
  for (int i = 0; i < 1000; ++i) stepping.step();
  EXPECT_EQ(with.angle.back(), sensors.read(stepping)[0]);
  EXPECT_EQ(without.angle.back(), with.angle.back());
  EXPECT_EQ(without.torque.back(), 0);
}

// Feedforward alone: a torque with bounds.
TEST(Servo, IsASourceOfTorque) {
  const Track track = follow(
      rod(R"("feedforward": {"type": "formula", "value": "=10*t"}, "max": 3)"), "dop853", 1e-3, 1);
  for (std::size_t i = 0; i < track.time.size(); ++i)
    EXPECT_NEAR(track.torque[i], std::min(10 * track.time[i], 3.0), 1e-12);
  // ∫∫: 5/3 t³ up to 0.3 s, then 1.5 t².
  EXPECT_NEAR(track.angle.back(), 0.045 + 0.45 * 0.7 + 1.5 * 0.49, 1e-6);
}

// A speed is kept, against the weight with the droop of a damper.
TEST(Servo, KeepsASpeed) {
  const Track free = follow(rod(R"("speed": 1.5, "damping": 20)"), "icd2", 1e-3, 2, 2000);
  EXPECT_NEAR(free.rate.back(), 1.5, 1e-9);
  const Track moving =
      follow(rod(R"("target": {"type": "line", "from": 0, "velocity": 1.5}, "damping": 20)"),
             "icd2", 1e-3, 2, 2000);
  EXPECT_NEAR(moving.rate.back(), 1.5, 1e-9);
  const Track still = follow(rod(R"("target": {"type": "line", "from": 0, "velocity": 1.5},
                                    "speed": 0, "stiffness": 100, "damping": 20)"),
                             "icd2", 1e-3, 4, 4000);
  EXPECT_NEAR(still.rate.back(), 1.5, 1e-6);
  EXPECT_NEAR(still.angle.back(), 1.5 * 4 - 1.5 * 20 / 100, 1e-5);  // it lags behind
}

// Others may turn the joint faster than its drive can; the drive brakes as hard as ever.
TEST(Servo, BrakesBeyondItsLargestSpeed) {
  const Track pushed =
      follow(rod(R"("target": -100, "stiffness": 50, "max": 5, "max_speed": 1)", 9.81), "dop853",
             1e-3, 0.5, 500);
  EXPECT_LT(pushed.rate.back(), -2);  // the weight alone
  EXPECT_EQ(pushed.torque.back(), 0);
  const Track braked =
      follow(rod(R"("target": 100, "stiffness": 50, "max": 5, "max_speed": 1)", 9.81), "dop853",
             1e-3, 0.5, 500);
  EXPECT_LT(braked.rate.back(), -1);
  EXPECT_EQ(braked.torque.back(), 5);
}

// Whole turns count, however often it has turned.
TEST(Servo, CountsTurns) {
  const Track track =
      follow(rod(R"("target": 40, "stiffness": 30, "damping": 12)"), "icd2", 1e-3, 8, 8000);
  EXPECT_NEAR(track.angle.back(), 40, 1e-3);
}

// On every coordinate that a joint may have.
TEST(Servo, ActsOnEveryCoordinate) {
  const char* joints[][3] = {
      {R"("slider", "axis": [1, 0, 0])", "joint", "joint.slide"},
      {R"("cylindrical", "axis": [1, 0, 0])", "joint.slide", "joint.slide"},
      {R"("cylindrical", "axis": [1, 0, 0])", "joint.turn", "joint.turn"},
      {R"("universal", "axis": [1, 0, 0], "second_axis": [0, 1, 0])", "joint.turn", "joint.turn"},
      {R"("universal", "axis": [1, 0, 0], "second_axis": [0, 1, 0])", "joint.second_turn",
       "joint.second_turn"},
      {R"("planar", "axis": [0, 0, 1])", "joint.x", "joint.x"},
      {R"("screw", "axis": [1, 0, 0], "pitch": 0.5)", "joint.turn", "joint.turn"}};
  for (const auto& [joint, coordinate, sensor] : joints) {
    const io::Scene scene = io::parse_scene(
        R"({"taut": 1, "bodies": [{"type": "rigid", "name": "b", "mass": 2,
              "inertia": [0.5, 0.6, 0.7], "position": [0, 0, 0]}],
            "constraints": [{"name": "joint", "b": "b", "at": [0, 0, 0], "type": )" +
            std::string(joint) + R"(}],
            "forces": [{"type": "servo", "name": "servo", "target": 0.3, "stiffness": 40,
                        "damping": 10, "joint": ")" +
            coordinate + "\"}]}",
        "joint");
    SensorSet sensors;
    for (const char* name : {sensor, "servo.error"}) sensors.add(scene.system, {name, name});
    RunOptions options;
    options.step = 2e-3;
    const auto method = make_method("icd2");
    Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
    for (int i = 0; i < 4000; ++i) stepping.step();
    const std::vector<double> end = sensors.read(stepping);
    EXPECT_NEAR(end[0], 0.3, 1e-5) << joint << coordinate;
    EXPECT_NEAR(end[1], 0, 1e-5) << joint << coordinate;
  }
}

TEST(Servo, SensorsTellTargetErrorAndSaturation) {
  const io::Scene scene = rod(R"("target": {"type": "line", "from": 1, "velocity": 2},
                                 "stiffness": 3, "max": 100)");
  SensorSet sensors;
  for (const char* name : {"servo.torque", "servo.target", "servo.error", "servo.saturation"})
    sensors.add(scene.system, {name, name});
  EXPECT_EQ(sensors.sensors()[0].unit, "N·m");
  EXPECT_EQ(sensors.sensors()[1].unit, "rad");
  EXPECT_EQ(sensors.sensors()[3].unit, "");
  RunOptions options;
  options.step = 1e-3;
  const auto method = make_method("dop853");
  Stepping stepping(scene.system, scene.system.initial_state(), *method, options);
  EXPECT_EQ(sensors.read(stepping), (std::vector<double>{3, 1, 1, 0}));
  EXPECT_TRUE(has_all(message_of([&] {
                        sensors.add(scene.system, {"x", "servo.eror"});
                      }),
                      "eror|error"));
}

TEST(Servo, WhatIsWrongIsRefused) {
  EXPECT_TRUE(has_all(message_of([] { rod(R"("max": 1, "min": 2)"); }),
                      "/forces/1|min: 2 is above max: 1"));
  EXPECT_TRUE(has_all(message_of([] { rod(R"("stiffness": -1)"); }), "/forces/1/stiffness"));
  EXPECT_TRUE(has_all(message_of([] { rod(R"("max_speed": 0)"); }), "/forces/1/max_speed"));
  EXPECT_TRUE(has_all(message_of([] { rod(R"("max": -3)"); }), "/forces/1/max"));
  EXPECT_TRUE(has_all(message_of([] { rod(R"("stifness": 1)"); }), "stifness|stiffness"));
  System system;
  Servo servo;
  servo.stiffness = NAN;
  EXPECT_TRUE(has_all(message_of([&] { apply(system, servo); }), "stiffness|nan"));
}

// Two servos in one joint, and one beside a drive that is stronger than any servo.
TEST(Servo, MayActBesideOthers) {
  const Track two = follow(rod(R"("target": 1, "stiffness": 30, "damping": 10},
      {"type": "servo", "name": "other", "joint": "joint", "target": 0, "stiffness": 10)"),
                           "icd2", 2e-3, 8, 4000);
  EXPECT_NEAR(two.angle.back(), 0.75, 1e-6);
  const io::Scene driven = io::parse_scene(
      R"({"taut": 1, "bodies": [{"type": "rigid", "name": "rod", "mass": 3,
            "inertia": [0.01, 0.25, 0.25], "position": [0.5, 0, 0]}],
          "constraints": [{"type": "hinge", "name": "joint", "b": "rod", "at": [0, 0, 0],
              "axis": [0, 0, 1]},
            {"type": "drive", "name": "drive", "joint": "joint", "position": 0}],
          "forces": [{"type": "servo", "name": "servo", "joint": "joint", "target": 1,
            "stiffness": 1e6, "max": 7}]})",
      "rod");
  for (const char* name : {"icd2", "rattle", "dop853", "implicit1"}) {
    RunOptions options;
    options.step = 1e-2;
    const auto method = make_method(name);
    Stepping stepping(driven.system, driven.system.initial_state(), *method, options);
    for (int i = 0; i < 20; ++i) stepping.step();
    SensorSet sensors;
    sensors.add(driven.system, {"drive", "drive.torque"});
    EXPECT_NEAR(std::abs(sensors.read(stepping)[0]), 7, 1e-6) << name;
    EXPECT_EQ(stepping.report().status, RunStatus::ok) << name;
  }
}

// What a robot's file says of its drives holds for servos.
TEST(Servo, KeepsToTheLimitsOfARobotsJoint) {
  const auto scene = [](const std::string& more) {
    return io::parse_scene(R"({"taut": 1, "robots": [{"urdf": "arm6.urdf"}],
        "forces": [{"type": "servo", "name": "servo", "joint": "shoulder_pan", "target": 2,
                    "stiffness": 1e5, "damping": 1e3)" +
                               more + "}]}",
                           "arm");
  };
  const io::Scene plain = scene(""), weaker = scene(R"(, "max": 1)"),
                  wild = scene(R"(, "max": 1e9)");
  const Coordinate& joint = plain.system.joint_coordinate("shoulder_pan");
  ASSERT_TRUE(std::isfinite(joint.largest_effort));
  ASSERT_TRUE(std::isfinite(joint.largest_speed));
  const auto most = [&](const io::Scene& of) {
    SensorSet sensors;
    sensors.add(of.system, {"torque", "servo.torque"});
    sensors.add(of.system, {"speed", "shoulder_pan.turn_rate"});
    RunOptions options;
    options.step = 2e-3;
    const auto method = make_method("icd2");
    Stepping stepping(of.system, of.system.initial_state(), *method, options);
    std::pair<double, double> found{0, 0};
    for (int i = 0; i < 500; ++i) {
      const std::vector<double> now = sensors.read(stepping);
      found = {std::max(found.first, std::abs(now[0])), std::max(found.second, std::abs(now[1]))};
      stepping.step();
    }
    EXPECT_EQ(stepping.report().status, RunStatus::ok);
    return found;
  };
  EXPECT_EQ(most(plain).first, joint.largest_effort);
  EXPECT_LE(most(plain).second, 1.01 * joint.largest_speed);  // the rest of the arm drags it
  EXPECT_GT(most(plain).second, 0.9 * joint.largest_speed);
  EXPECT_EQ(most(weaker).first, 1);
  EXPECT_EQ(most(wild).first, joint.largest_effort);
}

}  // namespace
}  // namespace taut
