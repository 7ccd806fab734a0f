#include "taut/sensor/quantity.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "taut/base/error.hpp"
#include "taut/sensor/quantity_internal.hpp"
#include "taut/text/at.hpp"
#include "taut/text/expression.hpp"

namespace taut {

using namespace detail;

namespace {

constexpr std::string_view axes = "xyz";

/// The largest error of a constraint.
double worst_error(const Moment& at) {
  std::vector<double> errors;
  double worst = 0;
  for (const auto& batch : at.system.constraints()) {
    errors.resize(static_cast<std::size_t>(batch->size()));
    batch->errors(at.pose, at.state.time, errors);
    for (const double error : errors) worst = std::max(worst, error);
  }
  return worst;
}

const std::vector<std::pair<std::string_view, Quantity>>& of_the_scene() {
  static const std::vector<std::pair<std::string_view, Quantity>> all{
      {"t", {"s", {}, [](const Moment& at) { return at.state.time; }}},
      {"time", {"s", {}, [](const Moment& at) { return at.state.time; }}},
      {"energy",
       {"J",
        {},
        [](const Moment& at) {
          return at.system.kinetic_energy(at.state.v) + at.system.potential_energy(at.pose);
        }}},
      {"kinetic", {"J", {}, [](const Moment& at) { return at.system.kinetic_energy(at.state.v); }}},
      {"potential",
       {"J", {}, [](const Moment& at) { return at.system.potential_energy(at.pose); }}},
      {"error", {"m", {}, worst_error}},
  };
  return all;
}

// Bodies and points of them.

Quantity of_place(const Point& point, int axis) {
  return {"m", {}, [point, axis](const Moment& at) { return at.pose.at(point)[axis]; }};
}
Quantity of_velocity(const Point& point, int axis) {
  return {"m/s", {}, [point, axis](const Moment& at) {
            return at.pose.velocity(point, at.state.v)[axis];
          }};
}
Quantity of_spin(BodyId body, int axis) {
  return {"rad/s", {}, [body, axis](const Moment& at) {
            return at.pose.velocity(Spin{body}, at.state.v)[axis];
          }};
}

struct BodyPart {
  std::string_view name, unit;
  bool is_of_rigid = false, is_of_centre = false;
  Quantity (*make)(const System&, const Point&);
};
template <int Axis>
Quantity place(const System&, const Point& point) {
  return of_place(point, Axis);
}
template <int Axis>
Quantity velocity(const System&, const Point& point) {
  return of_velocity(point, Axis);
}
template <int Axis>
Quantity spin(const System&, const Point& point) {
  return of_spin(point.body, Axis);
}
template <int K>
Quantity quaternion(const System& system, const Point& point) {
  return {
      "", {}, [q = system.slot(point.body).q + 3 + K](const Moment& at) { return at.state.q[q]; }};
}
Quantity speed(const System&, const Point& point) {
  return {
      "m/s", {}, [point](const Moment& at) { return at.pose.velocity(point, at.state.v).norm(); }};
}
Quantity turning(const System&, const Point& point) {
  return {"rad/s", {}, [body = point.body](const Moment& at) {
            return at.pose.velocity(Spin{body}, at.state.v).norm();
          }};
}
constexpr BodyPart body_parts[] = {
    {"x", "m", false, false, place<0>},       {"y", "m", false, false, place<1>},
    {"z", "m", false, false, place<2>},       {"vx", "m/s", false, false, velocity<0>},
    {"vy", "m/s", false, false, velocity<1>}, {"vz", "m/s", false, false, velocity<2>},
    {"speed", "m/s", false, false, speed},    {"wx", "rad/s", true, true, spin<0>},
    {"wy", "rad/s", true, true, spin<1>},     {"wz", "rad/s", true, true, spin<2>},
    {"spin", "rad/s", true, true, turning},   {"qw", "", true, true, quaternion<0>},
    {"qx", "", true, true, quaternion<1>},    {"qy", "", true, true, quaternion<2>},
    {"qz", "", true, true, quaternion<3>},
};

class Finder {
 public:
  Finder(const System& system, const Constants& constants, std::string_view name)
      : system_(system), constants_(constants), name_(name), parts_(parts_of(name)) {}

  Quantity find() {
    const NamePart& first = parts_.front();
    if (first.arguments && !first.is_quoted) {
      if (first.text == "contact") return of_contact();
      if (parts_.size() == 1) return of_points();
    }
    if (first.arguments) return of_body_point();
    if (parts_.size() == 1 && !first.is_quoted) return of_scene(first.text);
    if (parts_.size() == 1) fail(fmt::format("what of it, as in {}.x", name_));
    return of_named();
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw Error(fmt::format("found {}, expected {}", io::in_quotes(name_), expected));
  }
  [[noreturn]] void fail_part(std::string_view part, const std::string& whole,
                              std::string_view what, const std::vector<std::string>& known) const {
    const std::vector<std::string_view> names(known.begin(), known.end());
    throw Error(fmt::format("found {}, expected what can be known of the {} {}{}",
                            io::in_quotes(name_), what, io::in_quotes(whole),
                            suggestion(part, names)));
  }

  double number(std::string_view text) const {
    const double value = io::Expression(text, constants_.names).evaluate(constants_.values);
    if (!std::isfinite(value)) fail("numbers that are finite");
    return value;
  }

  Quantity of_scene(const std::string& name) const {
    for (const auto& [known, quantity] : of_the_scene())
      if (known == name) return quantity;
    const Inputs inputs = system_.inputs();
    for (int i = 0; i < inputs.size(); ++i)
      if (inputs.info(i).name == name)
        return {
            inputs.info(i).unit, {}, [i](const Moment& at) { return at.system.inputs().value(i); }};
    for (std::size_t i = constants_.names.size(); i-- > 0;)
      if (constants_.names[i] == name)
        return {"", {}, [value = constants_.values[i]](const Moment&) { return value; }};
    if (system_.find_body(name)) fail(fmt::format("what of this body, as in {}.x", name));
    for (const QuantityGroup& group : list_quantities(system_))
      if (group.name == as_written(name) && !group.parts.empty())
        fail(fmt::format("what of this {}, as in {}.{}", group.kind, name, group.parts[0].name));
    std::vector<std::string> names = constants_.names;
    for (const auto& [known, quantity] : of_the_scene()) names.emplace_back(known);
    for (int i = 0; i < inputs.size(); ++i) names.push_back(inputs.info(i).name);
    for (const char* function : {"distance", "distance_rate", "angle", "contact"})
      names.emplace_back(function);
    for (const std::string_view function : io::Expression::reserved_names())
      names.emplace_back(function);
    const std::vector<std::string_view> known(names.begin(), names.end());
    throw Error(fmt::format("found the unknown name {}, expected a quantity, parameter or input{}",
                            io::in_quotes(name), suggestion(name, known)));
  }

  // "arm", "arm(0.5, 0, 0)", "world(0, 1, 0)"
  Point point(std::string_view text) const {
    std::vector<NamePart> parts = parts_of(text);
    const auto arguments = parts.back().arguments;
    const std::string name = joined(parts, 0, parts.size());
    const bool is_world = name == "world" && !parts.back().is_quoted && !system_.find_body(name);
    Point point;
    if (!is_world) {
      const std::optional<BodyId> body = system_.find_body(name);
      if (!body) {
        const std::vector<std::string_view> known(system_.body_names().begin(),
                                                  system_.body_names().end());
        throw Error(fmt::format("found {} in {}, expected the name of a body{}",
                                io::in_quotes(name), io::in_quotes(name_),
                                suggestion(name, known)));
      }
      point.body = *body;
    }
    if (!arguments) {
      if (is_world) fail("a place in it, as in world(0, 0, 0)");
      return point;
    }
    if (arguments->size() != 3) fail("three numbers that say where: x, y, z");
    for (std::size_t k = 0; k < 3; ++k)
      point.local[static_cast<Eigen::Index>(k)] = number((*arguments)[k]);
    if (!is_world && !system_.is_rigid(point.body) && !point.local.isZero(0))
      fail("the particle alone: it has no other points");
    return point;
  }

  // distance(a, b), distance_rate(a, b), angle(a, b, c)
  Quantity of_points() const {
    const NamePart& call = parts_.front();
    const auto points = [&](std::size_t count, const char* example) {
      if (call.arguments->size() != count) fail(example);
      std::vector<Point> found;
      for (const std::string_view each : *call.arguments) found.push_back(point(each));
      return found;
    };
    if (call.text == "distance") {
      const auto p = points(2, "two points: distance(a, b)");
      return distance(p[0], p[1]);
    }
    if (call.text == "distance_rate") {
      const auto p = points(2, "two points: distance_rate(a, b)");
      return {"m/s", {}, [a = p[0], b = p[1]](const Moment& at) {
                const Vec3 d = at.pose.at(b) - at.pose.at(a);
                const Vec3 v = at.pose.velocity(b, at.state.v) - at.pose.velocity(a, at.state.v);
                return d.dot(v) / d.norm();
              }};
    }
    if (call.text == "angle") {
      const auto p = points(3, "three points: angle(a, b, c), at b");
      return {"rad", {}, [a = p[0], b = p[1], c = p[2]](const Moment& at) {
                const Vec3 u = at.pose.at(a) - at.pose.at(b), w = at.pose.at(c) - at.pose.at(b);
                return u.isZero(0) || w.isZero(0) ? std::nan("")
                                                  : std::atan2(u.cross(w).norm(), u.dot(w));
              }};
    }
    point(name_);  // if it is one, it is half of a name
    fail(fmt::format("what of it, as in {}.x", name_));
  }

 public:
  static Quantity distance(const Point& a, const Point& b) {
    return {"m", {}, [a, b](const Moment& at) { return (at.pose.at(b) - at.pose.at(a)).norm(); }};
  }
  /// Of "|a - b|", if both are points.
  std::optional<Quantity> between_bars() const {
    std::string_view inside = name_;
    inside.remove_prefix(1);
    inside.remove_suffix(1);
    const std::size_t minus = inside.find('-');
    if (minus == inside.npos) return std::nullopt;
    std::optional<Point> ends[2];
    const std::string_view texts[] = {inside.substr(0, minus), inside.substr(minus + 1)};
    for (int i = 0; i < 2; ++i) {
      const std::vector<NamePart> parts = parts_of(texts[i]);
      const std::string body = joined(parts, 0, parts.size());
      if (!system_.find_body(body) && !(body == "world" && parts.back().arguments))
        return std::nullopt;
      ends[i] = point(texts[i]);
    }
    return distance(*ends[0], *ends[1]);
  }

 private:
  Quantity of_body_point() const {
    if (parts_.size() < 2) fail(fmt::format("what of it, as in {}.x", name_));
    const std::size_t dot = name_.rfind('.');
    return of_body(point(name_.substr(0, dot)), true);
  }

  Quantity of_body(const Point& point, bool is_place) const {
    const std::string& wanted = parts_.back().text;
    if (point.body.is_world()) fail("a point of a body: what is of the world does not move");
    std::vector<std::string> known;
    for (const BodyPart& part : body_parts) {
      if ((part.is_of_rigid && !system_.is_rigid(point.body)) || (part.is_of_centre && is_place))
        continue;
      if (part.name == wanted) return part.make(system_, point);
      known.emplace_back(part.name);
    }
    fail_part(wanted, system_.body_name(point.body), "body", known);
  }

  Quantity of_contact() const {
    if (parts_.size() != 2) fail("what of the contact, as in contact(box, ground).force");
    return contact_quantity(system_, name_, *parts_.front().arguments, parts_.back().text);
  }

  // "arm.y", of whatever has that name.
  Quantity of_named() const {
    const std::string name = joined(parts_, 0, parts_.size() - 1), part = parts_.back().text;
    std::vector<std::string> known;
    std::string kind;
    std::optional<Quantity> of_its_body;
    if (const auto body = system_.find_body(name)) {
      kind = "body";
      for (const BodyPart& each : body_parts) {
        if (each.is_of_rigid && !system_.is_rigid(*body)) continue;
        if (each.name == part) of_its_body = each.make(system_, Point(*body));
        known.emplace_back(each.name);
      }
    }
    std::string other;
    std::optional<Quantity> found = of_mechanism(system_, name, part, other, known);
    if (found && of_its_body)
      fail(fmt::format("another name for the body or the {}: both have a part {}", other,
                       io::in_quotes(part)));
    if (found) return *found;
    if (of_its_body) return *of_its_body;
    if (kind.empty()) kind = other;
    if (!kind.empty()) fail_part(part, name, kind, known);
    std::vector<std::string> names;
    for (const QuantityGroup& group : list_quantities(system_))
      for (const QuantityGroup::Part& each : group.parts)
        if (!group.name.empty()) names.push_back(group.name + "." + each.name);
    const std::string wanted = as_written(name) + "." + part;
    const std::vector<std::string_view> all(names.begin(), names.end());
    throw Error(
        fmt::format("found {}, expected a quantity of a body, joint, constraint or named force{}",
                    io::in_quotes(name_), suggestion(wanted, all)));
  }

  const System& system_;
  const Constants& constants_;
  std::string_view name_;
  std::vector<NamePart> parts_;
};

}  // namespace

Quantity find_quantity(const System& system, const Constants& constants, std::string_view name) {
  return Finder(system, constants, name).find();
}

std::optional<Quantity> find_distance(const System& system, const Constants& constants,
                                      std::string_view name) {
  return Finder(system, constants, name).between_bars();
}

std::vector<QuantityGroup> list_quantities(const System& system) {
  std::vector<QuantityGroup> groups;
  QuantityGroup& scene = groups.emplace_back();
  scene.kind = "the whole scene";
  for (const auto& [name, quantity] : of_the_scene())
    scene.parts.push_back({std::string(name), quantity.unit});
  for (int i = 0; i < system.inputs().size(); ++i)
    scene.parts.push_back({system.inputs().info(i).name, system.inputs().info(i).unit});
  for (int i = 0; i < system.body_count(); ++i) {
    const bool is_rigid = system.is_rigid({i});
    QuantityGroup& body = groups.emplace_back();
    body.name = as_written(system.body_name({i}));
    body.kind = is_rigid ? "rigid body" : "particle";
    for (const BodyPart& part : body_parts)
      if (is_rigid || !part.is_of_rigid)
        body.parts.push_back({std::string(part.name), std::string(part.unit)});
  }
  list_mechanism(system, groups);
  list_contacts(system, groups);
  return groups;
}

}  // namespace taut
