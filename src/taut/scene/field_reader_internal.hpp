// Reads the members of an object into the fields of a struct, as its field list says: one reader
// for each type that a field can have, and none for single constraints or forces.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "taut/base/field.hpp"
#include "taut/model/curve.hpp"
#include "taut/model/motion.hpp"
#include "taut/model/system.hpp"
#include "taut/robot/robot_builder.hpp"
#include "taut/scene/scope_internal.hpp"

namespace taut::io::detail {

/// The inertia of a rigid body in a scene: three principal moments, or the rows of a matrix.
struct Inertia {
  Mat3 matrix = Mat3::Identity();
};
/// An orientation in a scene: axis and angle, or a quaternion w x y z.
struct Orientation {
  Quat rotation = Quat::Identity();
};
/// The name of a body that must exist.
struct BodyName {
  std::string text;
};

/// What a field of type T takes, in words.
template <class T>
std::string expectation(Range range) {
  if constexpr (std::is_same_v<T, double>)
    return std::string(range_text(range));
  else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return "a whole number";
  else if constexpr (std::is_same_v<T, bool>)
    return "true or false";
  else if constexpr (std::is_same_v<T, std::string>)
    return "a string";
  else if constexpr (std::is_same_v<T, Vec3>)
    return "[x, y, z]";
  else if constexpr (std::is_same_v<T, Point>)
    return "a body's name, {\"body\": …, \"at\": [x, y, z]}, or a place in the world [x, y, z]";
  else if constexpr (std::is_same_v<T, ParticleGroup>)
    return "the names of three or four particles [a, b, c, …]";
  else if constexpr (std::is_same_v<T, Direction>)
    return "[x, y, z] or {\"body\": …, \"axis\": [x, y, z]}";
  else if constexpr (std::is_same_v<T, BodyId>)
    return "the name of a rigid body";
  else if constexpr (std::is_same_v<T, BodyName>)
    return "the name of a body";
  else if constexpr (std::is_same_v<T, Coordinate>)
    return "the name of a joint";
  else if constexpr (std::is_same_v<T, Motion<double>>)
    return std::string(range_text(range)) + " or a motion {\"type\": …}";
  else if constexpr (std::is_same_v<T, Motion<Vec3>>)
    return "[x, y, z] or a motion {\"type\": …}";
  else if constexpr (std::is_same_v<T, TimeFunction<double>>)
    return "a formula \"=…\" in the time t";
  else if constexpr (std::is_same_v<T, TimeFunction<Vec3>>)
    return "[x, y, z], each a number or a formula \"=…\" in the time t";
  else if constexpr (std::is_same_v<T, Curve>)
    return "a curve {\"points\": [[x, y, z], …], \"closed\": …}";
  else if constexpr (std::is_same_v<T, Inertia>)
    return "three moments or a 3×3 matrix of rows";
  else if constexpr (std::is_same_v<T, Orientation>)
    return "{\"axis\": [x, y, z], \"angle\": …} or a quaternion [w, x, y, z]";
  else if constexpr (std::is_enum_v<T>) {
    std::string text = "one of";
    for (const std::string_view name : Choices<T>::names) text += fmt::format(" \"{}\"", name);
    return text;
  } else if constexpr (requires { T::fields(); }) {
    return "an object {…}";
  } else if constexpr (requires { typename T::value_type; }) {  // optional and vector
    if constexpr (requires(T t) { t.size(); })
      return "an array, each " + expectation<typename T::value_type>(range);
    else
      return expectation<typename T::value_type>(range);
  }
}

using LinkPlaces = std::unordered_map<std::string, LinkPlace>;

class FieldReader {
 public:
  /// `system` has the bodies that may be named, `links` the links of robots; both may grow
  /// meanwhile.
  FieldReader(Scope& scope, const System& system, const LinkPlaces& links)
      : scope_(scope), system_(system), links_(links) {}

  Scope& scope() { return scope_; }
  /// Motions must stay in their range that long.
  void set_duration(double duration) { duration_ = duration; }

  void read(const At& at, Range range, double& out) { out = scope_.number(at, range); }
  void read(const At& at, Range range, int& out);
  void read(const At& at, Range range, long& out);
  void read(const At& at, Range range, bool& out);
  void read(const At& at, Range range, std::string& out);
  void read(const At& at, Range range, Vec3& out);
  void read(const At& at, Range range, Point& out);
  void read(const At& at, Range range, ParticleGroup& out);
  void read(const At& at, Range range, Direction& out);
  void read(const At& at, Range range, BodyId& out);
  void read(const At& at, Range range, BodyName& out);
  void read(const At& at, Range range, Coordinate& out);
  void read(const At& at, Range range, TimeFunction<double>& out);
  void read(const At& at, Range range, TimeFunction<Vec3>& out);
  void read(const At& at, Range range, Curve& out);
  void read(const At& at, Range range, Inertia& out);
  void read(const At& at, Range range, Orientation& out);

  template <class Enum>
  requires std::is_enum_v<Enum>
  void read(const At& at, Range, Enum& out) {
    constexpr auto& names = Choices<Enum>::names;
    const std::string* text = at->text();
    for (std::size_t i = 0; text && i < names.size(); ++i)
      if (*text == names[i]) {
        out = static_cast<Enum>(i);
        return;
      }
    const std::string_view near = text ? nearest_name(*text, names) : "";
    fail_found(at, expectation<Enum>(Range::any),
               near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near));
  }

  template <class T>
  requires requires { T::fields(); }
  void read(const At& at, Range, T& out) { read_fields(at, out); }

  template <class T>
  void read(const At& at, Range range, std::optional<T>& out) {
    read(at, range, out.emplace());
  }

  template <class T>
  void read(const At& at, Range range, std::vector<T>& out) {
    if (!at->items()) fail_found(at, expectation<std::vector<T>>(range));
    out.resize(at->items()->size());
    for (std::size_t i = 0; i < out.size(); ++i) read(at.item(i), range, out[i]);
  }

  template <class V>
  void read(const At& at, Range range, Motion<V>& out) {
    if (!at->members()) {
      if (!at->number() && !at->text() && !at->items())
        fail_found(at, expectation<Motion<V>>(range));
      V constant{};
      read(at, range, constant);
      out = constant;
      return;
    }
    visit_type<typename Motion<V>::Kinds>(at, "motion", [&]<class Kind>() {
      Kind kind;
      read_fields(at, kind, {"type"});
      check_keyframes(at, kind);
      if constexpr (std::is_same_v<Kind, FormulaMotion<V>>)
        check_finite(at.member("value"), kind.value);
      out = Motion<V>(kind);
    });
    if constexpr (std::is_same_v<V, double>) check_range(at, range, out);
  }

  /// All fields of `out`; other keys than those and `also` are refused.
  template <class T>
  void read_fields(const At& at, T& out, std::initializer_list<std::string_view> also = {}) {
    require_object(at);
    std::vector<std::string_view>& known = known_keys_;
    known.assign(also);
    for_each_field<T>([&](const auto& field) { known.push_back(field.name); });
    refuse_unknown_keys(at, known);
    for_each_field<T>([&](const auto& field) {
      auto& member = out.*(field.member);
      if (at.has(field.name))
        read(at.member(field.name), field.range, member);
      else if (field.required)
        fail(at, fmt::format("found no {}, expected {}", quoted(field.name),
                             expectation<std::remove_reference_t<decltype(member)>>(field.range)));
    });
  }

  /// Calls `visit.template operator()<T>()` for the T of `Types` that the member "type" names.
  template <class Types, class Visit>
  void visit_type(const At& at, std::string_view what, Visit&& visit) {
    const std::string& type = type_of(at, what, Types::names);
    bool found = false;
    Types::for_each([&]<class T>() {
      if (found || type != T::type) return;
      found = true;
      visit.template operator()<T>();
    });
    if (!found) unknown_type(at, what, Types::names);
  }

  /// A body of the system by name, for members that name one.
  BodyId body(const At& at);
  /// The same for a robot's link.
  const LinkPlace& link(const At& at);

  void require_object(const At& at);
  void refuse_unknown_keys(const At& at, std::span<const std::string_view> known);

 private:
  const std::string& type_of(const At& at, std::string_view what,
                             std::span<const std::string_view> types);
  [[noreturn]] void unknown_type(const At& at, std::string_view what,
                                 std::span<const std::string_view> types);
  void check_range(const At& at, Range range, const Motion<double>& motion) const;
  void check_finite(const At& at, const TimeFunction<double>& function) const;
  void check_finite(const At& at, const TimeFunction<Vec3>& function) const;

  template <class Kind>
  void check_keyframes(const At& at, const Kind& kind) {
    if constexpr (requires { kind.times; }) {
      if (kind.times.size() != kind.values.size() || kind.times.size() < 2)
        fail(at, fmt::format("found {} times and {} values, expected as many values as times, at "
                             "least 2",
                             kind.times.size(), kind.values.size()));
      for (std::size_t i = 1; i < kind.times.size(); ++i)
        if (const double gap = kind.times[i] - kind.times[i - 1]; !(gap > 0 && std::isfinite(gap)))
          fail(at.member("times"),
               fmt::format("found {} after {}, expected strictly increasing times", kind.times[i],
                           kind.times[i - 1]));
    }
  }

  Scope& scope_;
  const System& system_;
  const LinkPlaces& links_;
  double duration_ = 0;
  std::vector<std::string_view> known_keys_;  // kept to save an allocation per object
};

}  // namespace taut::io::detail
