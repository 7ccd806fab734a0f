#include "support/servo_rod.hpp"

#include <cmath>
#include <memory>

#include "taut/methods/method.hpp"
#include "taut/sensor/sensor_set.hpp"
#include "taut/simulate/stepping.hpp"

namespace taut::testing {

io::Scene held_rod(const std::string& force, double g, const std::string& more) {
  return io::parse_scene(
      R"({"taut": 1, "bodies": [{"type": "rigid", "name": "rod", "mass": 3,
            "inertia": [0.01, 0.25, 0.25], "position": [0.5, 0, 0]}],
          "constraints": [{"type": "hinge", "name": "joint", "b": "rod", "at": [0, 0, 0],
            "axis": [0, 0, 1]}],
          "forces": [{"type": "gravity", "acceleration": [0, )" +
          std::to_string(-g) + ", 0]}, " + force + "]" + more + "}",
      "rod");
}

io::Scene rod(const std::string& servo, double g, const std::string& more) {
  return held_rod(R"({"type": "servo", "name": "servo", "joint": "joint", )" + servo + "}", g,
                  more);
}

Track follow(const io::Scene& scene, const std::string& method, double h, double until, int every,
             bool with_joint) {
  SensorSet sensors;
  const System::NamedForce& force = scene.system.named_forces().front();
  const std::string_view type =
      scene.system.all_forces()[static_cast<std::size_t>(force.batch)]->type();
  sensors.add(scene.system, {"torque", type == "spring" ? "servo.tension" : "servo.torque"});
  sensors.add(scene.system, {"saturation", type == "servo" ? "servo.saturation" : "0"});
  for (const char* name : {"joint.turn", "joint.turn_rate", "energy"})
    sensors.add(scene.system, {name, name});
  if (with_joint)
    for (const char* name : {"joint.fx", "joint.fy", "rod.x", "rod.y", "rod.vx", "rod.vy"})
      sensors.add(scene.system, {name, name});
  RunOptions options;
  options.step = h;
  const std::unique_ptr<Method> made = make_method(method);
  Stepping stepping(scene.system, scene.system.initial_state(), *made, options);
  Track track;
  const auto look = [&] {
    const std::vector<double> now = sensors.read(stepping);
    track.time.push_back(stepping.state().time);
    track.torque.push_back(now[0]);
    track.saturation.push_back(now[1]);
    track.angle.push_back(now[2]);
    track.rate.push_back(now[3]);
    track.energy.push_back(now[4]);
    if (!with_joint) return;
    track.fx.push_back(now[5]);
    track.fy.push_back(now[6]);
    track.x.push_back(now[7]);
    track.y.push_back(now[8]);
    track.vx.push_back(now[9]);
    track.vy.push_back(now[10]);
  };
  look();
  const long steps = std::lround(until / h);
  for (long i = 1; i <= steps && stepping.step(); ++i)
    if (i % every == 0) look();
  track.status = stepping.report().status;
  track.is_trusted = stepping.judged().is_trusted();
  return track;
}

}  // namespace taut::testing
