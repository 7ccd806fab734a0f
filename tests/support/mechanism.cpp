#include "support/mechanism.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace taut::testing {
namespace {

using Json = nlohmann::ordered_json;

Json list(const Vec3& v) { return {v[0], v[1], v[2]}; }

class SceneText {
 public:
  explicit SceneText(const Mechanism& mechanism) : m_(mechanism), s_(mechanism.scale) {}

  Json scene(const std::string& name, double step) const {
    Json scene;
    scene["taut"] = 1;
    scene["name"] = name;
    scene["title"] = "Random mechanism: " + m_.family;
    for (std::size_t i = 0; i < m_.bodies.size(); ++i)
      scene["bodies"].push_back(body(m_.bodies[i], i));
    scene["forces"] = forces();
    scene["constraints"] = constraints();
    scene["simulation"] = {{"step", step * s_.time}, {"duration", m_.duration * s_.time}};
    return scene;
  }

 private:
  double speed() const { return s_.length / s_.time; }
  double force() const { return s_.mass * s_.length / (s_.time * s_.time); }
  bool slides(int joint) const {
    return m_.joints[static_cast<std::size_t>(joint)].type == Mechanism::JointType::slider;
  }
  static std::string body_name(int i) { return "b" + std::to_string(i); }
  static std::string joint_name(int i) { return "j" + std::to_string(i); }
  /// A screw has two coordinates.
  std::string turn_of(int i) const {
    const bool is_screw =
        m_.joints[static_cast<std::size_t>(i)].type == Mechanism::JointType::screw;
    return joint_name(i) + (is_screw ? ".turn" : "");
  }

  Json body(const Mechanism::Body& body, std::size_t i) const {
    Json json;
    json["type"] = body.rigid ? "rigid" : "particle";
    json["name"] = body_name(static_cast<int>(i));
    json["mass"] = body.mass * s_.mass;
    json["position"] = list(body.place * s_.length);
    json["velocity"] = list(body.velocity * speed());
    if (!body.rigid) return json;
    const Mat3 inertia = body.inertia * (s_.mass * s_.length * s_.length);
    for (int row = 0; row < 3; ++row) json["inertia"].push_back(list(inertia.row(row).transpose()));
    const Quat& q = body.orientation;
    json["orientation"] = {q.w(), q.x(), q.y(), q.z()};
    json["angular_velocity"] = list(body.spin / s_.time);
    return json;
  }
  Json point(const Mechanism::Place& place) const {
    if (place.body == Mechanism::world) return list(place.at * s_.length);
    const Mechanism::Body& body = m_.bodies[static_cast<std::size_t>(place.body)];
    if (!body.rigid) return body_name(place.body);
    const Vec3 local = body.orientation.conjugate() * (place.at - body.place);
    return {{"body", body_name(place.body)}, {"at", list(local * s_.length)}};
  }
  Json forces() const {
    Json all = Json::array();
    all.push_back({{"type", "gravity"},
                   {"acceleration", list(m_.gravity * (s_.length / (s_.time * s_.time)))}});
    for (const Mechanism::Spring& spring : m_.springs)
      all.push_back({{"type", "spring"},
                     {"a", point(spring.a)},
                     {"b", point(spring.b)},
                     {"stiffness", spring.stiffness * (force() / s_.length)},
                     {"damping", spring.damping * (force() / speed())},
                     {"length", spring.length * s_.length}});
    for (const Mechanism::JointSpring& spring : m_.joint_springs) {
      const bool slide = slides(spring.joint);
      const double stiffness = slide ? force() / s_.length : force() * s_.length;
      all.push_back({{"type", "joint_spring"},
                     {"joint", joint_name(spring.joint)},
                     {"stiffness", spring.stiffness * stiffness},
                     {"damping", spring.damping * stiffness * s_.time},
                     {"rest", spring.rest * (slide ? s_.length : 1)}});
    }
    return all;
  }
  Json joint(const Mechanism::Joint& joint, int number) const {
    static const char* const names[] = {"hinge",  "slider", "cylindrical", "universal",
                                        "planar", "screw",  "ball",        "weld"};
    using Type = Mechanism::JointType;
    Json json;
    json["type"] = names[static_cast<int>(joint.type)];
    json["name"] = joint_name(number);
    if (joint.type == Type::ball) {
      json["a"] = point({joint.a, joint.at});
      json["b"] = point({joint.b, joint.at});
      return json;
    }
    if (joint.a != Mechanism::world) json["a"] = body_name(joint.a);
    json["b"] = body_name(joint.b);
    json["at"] = list(joint.at * s_.length);
    if (joint.type != Type::weld) json["axis"] = list(joint.axis);
    if (joint.type == Type::universal) json["second_axis"] = list(joint.second);
    if (joint.type == Type::screw) json["pitch"] = joint.pitch * s_.length;
    return json;
  }
  Json constraints() const {
    Json all = Json::array();
    for (std::size_t i = 0; i < m_.joints.size(); ++i)
      all.push_back(joint(m_.joints[i], static_cast<int>(i)));
    for (std::size_t i = 0; i < m_.rods.size(); ++i) {
      const Mechanism::Rod& rod = m_.rods[i];
      Json json{{"type", "distance"},
                {"name", (rod.is_string ? "string" : "rod") + std::to_string(i)},
                {"a", point(rod.a)},
                {"b", point(rod.b)}};
      const double length = rod.length > 0 ? rod.length : (rod.a.at - rod.b.at).norm();
      json["length"] = length * s_.length;
      if (rod.is_string) json["slack"] = true;
      all.push_back(json);
    }
    for (std::size_t i = 0; i < m_.stops.size(); ++i) {
      const Mechanism::Stop& stop = m_.stops[i];
      const double unit = slides(stop.joint) ? s_.length : 1;
      Json json{{"type", "limit"},
                {"name", "stop" + std::to_string(i)},
                {"joint", joint_name(stop.joint)}};
      if (stop.lower > -1e299) json["lower"] = stop.lower * unit;
      if (stop.upper < 1e299) json["upper"] = stop.upper * unit;
      json["restitution"] = stop.restitution;
      all.push_back(json);
    }
    for (std::size_t i = 0; i < m_.gears.size(); ++i) {
      const Mechanism::Gear& gear = m_.gears[i];
      const auto unit = [&](int joint) { return slides(joint) ? s_.length : 1; };
      all.push_back({{"type", "gear"},
                     {"name", "gear" + std::to_string(i)},
                     {"first", turn_of(gear.first)},
                     {"second", turn_of(gear.second)},
                     {"ratio", gear.ratio * unit(gear.first) / unit(gear.second)}});
    }
    for (std::size_t i = 0; i < m_.skates.size(); ++i) {
      const Mechanism::Skate& skate = m_.skates[i];
      all.push_back({{"type", "knife_edge"},
                     {"name", "skate" + std::to_string(i)},
                     {"point", point(skate.at)},
                     {"edge", list(skate.edge)},
                     {"normal", list(skate.normal)}});
    }
    for (std::size_t i = 0; i < m_.motors.size(); ++i) {
      const Mechanism::Motor& motor = m_.motors[i];
      const double unit = slides(motor.joint) ? s_.length : 1;
      all.push_back({{"type", "motor"},
                     {"name", "motor" + std::to_string(i)},
                     {"joint", joint_name(motor.joint)},
                     {"speed", motor.speed * unit / s_.time},
                     {"max", motor.max * force() * (slides(motor.joint) ? 1 : s_.length)}});
    }
    return all;
  }

  const Mechanism& m_;
  const Scale& s_;
};

}  // namespace

bool Mechanism::is_smooth() const { return stops.empty() && !has_unlocated(); }

bool Mechanism::has_unlocated() const {
  return !motors.empty() ||
         std::any_of(rods.begin(), rods.end(), [](const Rod& rod) { return rod.is_string; });
}

double Mechanism::mass_ratio() const {
  const auto [least, most] = std::minmax_element(
      bodies.begin(), bodies.end(), [](const Body& a, const Body& b) { return a.mass < b.mass; });
  return most->mass / least->mass;
}

double Mechanism::extent() const {
  std::vector<Vec3> places;
  for (const Body& body : bodies) places.push_back(body.place);
  for (const Joint& joint : joints) places.push_back(joint.at);
  for (const Rod& rod : rods) {
    places.push_back(rod.a.at);
    places.push_back(rod.b.at);
  }
  for (const Spring& spring : springs) {
    places.push_back(spring.a.at);
    places.push_back(spring.b.at);
  }
  Vec3 centre = Vec3::Zero();
  for (const Vec3& place : places) centre += place / static_cast<double>(places.size());
  double extent = 0;
  for (const Vec3& place : places) extent = std::max(extent, (place - centre).norm());
  return extent;
}

std::string scene_text(const Mechanism& mechanism, const std::string& name, double step) {
  return SceneText(mechanism).scene(name, step).dump(1) + "\n";
}

}  // namespace taut::testing
