// Sensors against closed forms, and what is said of names that mean nothing.
#include "taut/sensor/sensor_set.hpp"

#include <cmath>

#include "support/builders.hpp"
#include "support/messages.hpp"
#include "taut/constraints/hinge.hpp"
#include "taut/forces/joint_forces.hpp"
#include "taut/forces/spring.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/stepping.hpp"

namespace taut {
namespace {

using testing::message_of;
using testing::says;

/// The values of one sensor after each of so many steps.
std::vector<double> follow(const System& system, const std::string& formula, const char* method,
                           double step, int steps, std::string* unit = nullptr) {
  SensorSet sensors;
  sensors.add(system, {"s", formula});
  if (unit) *unit = sensors.sensors()[0].unit;
  RunOptions options;
  options.step = step;
  const auto made = make_method(method);
  Stepping stepping(system, system.initial_state(), *made, options);
  std::vector<double> values;
  for (int i = 0; i < steps; ++i) {
    stepping.step();
    values.push_back(sensors.read(stepping)[0]);
  }
  return values;
}

double at_start(const System& system, const std::string& formula) {
  SensorSet sensors;
  sensors.add(system, {"s", formula});
  std::vector<double> values;
  const State state = system.initial_state();
  sensors.evaluate(system, state, {}, {}, {}, {}, values);
  return values[0];
}

System mass_on_spring() {
  System system;
  const BodyId bob = system.add(Particle{2, {1.5, 0, 0}, {0, 3, 4}}, "bob");
  apply(system, Spring{world_point(0, 0, 0), bob, 40, 0.5, 1.0});
  system.name_force("coil");
  return system;
}

TEST(SensorSet, ForceOfASpringIsStiffnessTimesStretch) {
  const System system = mass_on_spring();
  EXPECT_NEAR(at_start(system, "=coil.tension"), 40 * 0.5, 1e-12);
  EXPECT_NEAR(at_start(system, "coil.tension - 40*(|bob - world(0,0,0)| - 1)"), 0, 1e-12);
  EXPECT_NEAR(at_start(system, "bob.speed"), 5, 1e-12);
  EXPECT_NEAR(at_start(system, "distance_rate(world(0, 0, 0), bob)"), 0, 1e-12);
  EXPECT_NEAR(at_start(system, "angle(world(0,0,0), bob, world(1.5,7,0))"), M_PI / 2, 1e-12);
}

TEST(SensorSet, EnergyIsThatOfTheReport) {
  const System system = testing::arm(3, 0.5);
  const std::vector<double> energy = follow(system, "energy", "rattle", 1e-3, 200);
  const RunReport report = testing::run(system, "rattle", 1e-3, 0.2);
  EXPECT_EQ(energy.back(), report.energy.final);
  EXPECT_NEAR(at_start(system, "kinetic + potential - energy"), 0, 1e-15);
}

TEST(SensorSet, AConstraintsForceIsItsTension) {
  // At the start a pendulum at an angle a from the vertical pulls with m g cos a.
  System system;
  const double a = 0.3;
  const BodyId bob = system.add(Particle{2, {std::sin(a), -std::cos(a), 0}}, "bob");
  apply(system, Gravity{{0, -9.81, 0}});
  constrain(system, Distance{world_point(0, 0, 0), bob, 1.0}, "rod");
  const auto method = make_method("rattle");
  Stepping stepping(system, system.initial_state(), *method, {});
  SensorSet sensors;
  sensors.add(system, {"pull", "rod.tension"});
  sensors.add(system, {"size", "rod.force"});
  EXPECT_TRUE(sensors.needs().forces);
  EXPECT_NEAR(std::abs(sensors.read(stepping)[0]), 2 * 9.81 * std::cos(a), 1e-9);
  EXPECT_NEAR(sensors.read(stepping)[1], 2 * 9.81 * std::cos(a), 1e-9);
  EXPECT_EQ(sensors.sensors()[0].unit, "N");
}

/// A rod of 2 m along x, held at the origin by a hinge about z.
System rod_on_hinge(const Vec3& turning = Vec3::Zero()) {
  System system;
  const double inertia = 3 * 4.0 / 12;
  const BodyId rod = system.add(RigidBody{3,
                                          Vec3(1e-3, inertia, inertia).asDiagonal(),
                                          {1, 0, 0},
                                          Quat::Identity(),
                                          turning.cross(Vec3(1, 0, 0)),
                                          turning},
                                "rod");
  Hinge hinge;
  hinge.a = world_point(0, 0, 0);
  hinge.b = {rod, {-1, 0, 0}};
  hinge.axis = {world_body, {0, 0, 1}};
  constrain(system, hinge, "joint");
  return system;
}

TEST(SensorSet, WhatAHingeTransmitsIsStatics) {
  // A spring in the hinge holds the rod: it bears the whole weight, and no torque about its axis.
  System system = rod_on_hinge();
  apply(system, Gravity{{0, 0, -9.81}});  // along the axis: held by the hinge alone
  const auto method = make_method("lagrange");
  Stepping stepping(system, system.initial_state(), *method, {});
  SensorSet sensors;
  for (const char* part : {"fx", "fy", "fz", "tx", "ty", "tz", "force"})
    sensors.add(system, {part, std::string("joint.") + part});
  const std::vector<double> wrench = sensors.read(stepping);
  const double weight = 3 * 9.81;
  const double expected[] = {0, 0, weight, 0, -weight, 0, weight};
  for (std::size_t i = 0; i < wrench.size(); ++i)
    EXPECT_NEAR(wrench[i], expected[i], 1e-9) << sensors.sensors()[i].name;
}

TEST(SensorSet, TurnsAreCounted) {
  const System system = rod_on_hinge({0, 0, 20});  // rad/s, nothing slows it
  std::string unit;
  const std::vector<double> turn = follow(system, "joint.turn", "dop853", 0.01, 200, &unit);
  EXPECT_EQ(unit, "rad");
  EXPECT_NEAR(turn.back(), 40, 1e-6);
  const std::vector<double> rate = follow(system, "joint.turn_rate", "dop853", 0.01, 3, &unit);
  EXPECT_EQ(unit, "rad/s");
  EXPECT_NEAR(rate.back(), 20, 1e-9);
  EXPECT_NEAR(at_start(system, "rod.wz"), 20, 1e-12);
  EXPECT_NEAR(at_start(system, "rod(1, 0, 0).vy"), 40, 1e-12);
  EXPECT_NEAR(at_start(system, "rod(1, 0.5, 0).x"), 2, 1e-12);
}

TEST(SensorSet, ARestingBoxPressesWithItsWeight) {
  const io::Scene scene = io::parse_scene(R"({"taut": 1,
    "shapes": [{"type": "plane", "name": "ground"}],
    "bodies": [{"type": "rigid", "name": "box", "position": [0, 0, 0.5], "mass": 4,
                "shapes": [{"type": "box", "size": [1, 1, 1], "name": "lid"}]},
               {"type": "rigid", "name": "bird", "position": [5, 0, 3], "mass": 1,
                "shapes": [{"type": "sphere", "radius": 0.1}]}],
    "forces": [{"type": "gravity", "acceleration": [0, 0, -9.81]}],
    "sensors": [{"name": "load", "value": "=contact(box, ground).normal"},
                {"name": "up", "value": "=contact(ground, box).fz"},
                {"name": "lid", "value": "=contact(box/lid).fz"},
                {"name": "air", "value": "=contact(bird).force"}]})",
                                          "test");
  const auto method = make_method("rattle");
  Stepping stepping(scene.system, scene.system.initial_state(), *method, {});
  for (int i = 0; i < 10; ++i) stepping.step();
  SensorSet sensors = scene.sensors;
  EXPECT_TRUE(sensors.needs().contacts);
  EXPECT_EQ(sensors.label(0), "load (N)");
  const std::vector<double> values = sensors.read(stepping);
  EXPECT_NEAR(values[0], 4 * 9.81, 1e-6);
  EXPECT_NEAR(values[1], -4 * 9.81, 1e-6);  // on the ground
  EXPECT_NEAR(values[2], 4 * 9.81, 1e-6);
  EXPECT_EQ(values[3], 0);  // it falls: nothing touches it
}

TEST(SensorSet, NamesThatAreNoIdentifiersAreQuoted) {
  System system;
  system.add(Particle{1, {1, 2, 3}}, "left arm/tip");
  system.add(Particle{1, {4, 2, 3}}, "a.b");
  system.add(Particle{1, {4, 6, 3}}, "min");
  EXPECT_EQ(at_start(system, "'left arm/tip'.y"), 2);
  EXPECT_EQ(at_start(system, "a.b.x + min.x"), 8);
  EXPECT_EQ(at_start(system, "max(min.y, 'a.b'.y) + abs(-1)"), 7);
  EXPECT_EQ(at_start(system, "distance(a.b, 'min')"), 4);
  EXPECT_EQ(at_start(system, "|a.b.x - 6| + 2*|0 - 3|"), 8);  // no points: absolute values
  EXPECT_EQ(at_start(system, "|a.b-min|"), 4);
}

TEST(SensorSet, ParametersAndInputsAreNumbers) {
  System system = mass_on_spring();
  system.inputs().add({.name = "push", .unit = "N", .start = 3});
  SensorSet sensors;
  sensors.add(system, {"a", "2*L + push"}, {{"L"}, {0.25}});
  std::vector<double> values;
  const State state = system.initial_state();
  sensors.evaluate(system, state, {}, {}, {}, {}, values);
  EXPECT_EQ(values[0], 3.5);
  system.inputs()["push"] = 5;
  sensors.evaluate(system, state, {}, {}, {}, {}, values);
  EXPECT_EQ(values[0], 5.5);
}

TEST(SensorSet, WhatIsMisspeltIsTold) {
  System system = rod_on_hinge();
  apply(system, JointSpring{system.joint_coordinate("joint"), 1, 0, 0});
  system.name_force("coil");
  SensorSet sensors;
  const auto message = [&](const char* formula) {
    return "sensor: " + message_of([&] { sensors.add(system, {"s", formula}); });
  };
  EXPECT_TRUE(says(message("rdo.x"), "sensor", "\"rdo.x\"", "quantity", "rod.x"));
  EXPECT_TRUE(says(message("rod.vxx"), "sensor", "\"rod.vxx\"", "body", "vx"));
  EXPECT_TRUE(says(message("joint.trun"), "sensor", "\"joint.trun\"", "hinge", "turn"));
  EXPECT_TRUE(says(message("coil.torqe"), "sensor", "\"coil.torqe\"", "joint_spring", "torque"));
  EXPECT_TRUE(says(message("enrgy"), "sensor", "\"enrgy\"", "quantity", "energy"));
  EXPECT_TRUE(says(message("rod"), "sensor", "\"rod\"", "rod.x"));
  EXPECT_TRUE(says(message("distance(rod, rodd)"), "sensor", "\"rodd\"", "body", "rod"));
  EXPECT_TRUE(says(message("distance(rod)"), "sensor", "\"distance(rod)\"", "two points"));
  EXPECT_TRUE(says(message("rod(1, 2).x"), "sensor", "\"rod(1, 2)", "three numbers"));
  EXPECT_TRUE(says(message("world(1, 2, 3).x"), "sensor", "world", "body"));
  EXPECT_TRUE(says(message("contact(rod).force"), "sensor", "\"rod\"", "shape"));
  EXPECT_TRUE(says(message("rod.x +"), "sensor", "the end", "a number"));
  EXPECT_TRUE(says(message("rod.x 'rod'"), "sensor", "'rod'", "an operator"));
  EXPECT_TRUE(says(message("'rod.x"), "sensor", "'rod.x", "closing"));
  EXPECT_TRUE(says(message("|rod.x"), "sensor", "the end", "|"));
  EXPECT_EQ(sensors.size(), 0);
  sensors.add(system, {"s", "rod.x"});
  EXPECT_NE(message("rod.y").find("two sensors"), std::string::npos);
}

TEST(SensorSet, OneNameForTwoThingsIsNoName) {
  System system;
  const BodyId bob = system.add(Particle{1, {1, 0, 0}}, "bob");
  constrain(system, Pin{bob, Vec3(1, 0, 0)}, "bob");
  SensorSet sensors;
  const std::string message = "sensor: " + message_of([&] { sensors.add(system, {"s", "bob.x"}); });
  EXPECT_TRUE(says(message, "sensor", "\"bob.x\"", "another name"));
  sensors.add(system, {"s", "bob.vx"});
}

TEST(SensorSet, EveryNameThatIsListedIsAQuantity) {
  for (const char* name : {"two_link", "arm6.urdf", "cloth_on_sphere", "differential"}) {
    std::optional<io::Scene> scene;
    try {
      scene = io::load_scene(name);
    } catch (const Error&) {
      continue;
    }
    int count = 0;
    for (const QuantityGroup& group : list_quantities(scene->system))
      for (const QuantityGroup::Part& part : group.parts) {
        if (++count > 500 && count % 97 != 0) continue;  // finding one is linear
        const std::string full = group.name.empty() ? part.name : group.name + "." + part.name;
        EXPECT_EQ(find_quantity(scene->system, {}, full).unit, part.unit) << full;
      }
    EXPECT_GT(count, 10);
  }
}

}  // namespace
}  // namespace taut
