// Reads the members of an object into the fields of a struct, as its TypeInfo says.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "taut/base/type_info.hpp"
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

  /// A value of any type: see the table of scene/value_kinds.cpp.
  void read(const At& at, const ValueType& type, Range range, void* out);
  template <class T>
  void read(const At& at, Range range, T& out) {
    read(at, value_type<T>, range, &out);
  }

  /// All fields of `out`; other keys than those and `also` are refused.
  void read_fields(const At& at, const TypeInfo& info, void* out,
                   std::initializer_list<std::string_view> also = {});
  /// A struct with a static info().
  template <class T>
  T read_object(const At& at, std::initializer_list<std::string_view> also = {}) {
    T object;
    read_fields(at, T::info(), &object, also);
    return object;
  }

  /// The entry of `infos` that the member "type" names. `what` it is a type of, for messages.
  template <class Infos>
  const auto& chosen_type(const At& at, std::string_view what, const Infos& infos) {
    const std::string* type = named_type(at);
    if (type)
      if (const auto* found = find_type(infos, *type)) return *found;
    std::vector<std::string_view> known;
    for (const auto& info : infos) known.push_back(info.type);
    unknown_type(at, what, known);
  }

  /// Calls visit(At) for every item of a list, as often as the repeats around it say.
  using Visit = std::function<void(const At&)>;
  void each_item(const At& list, const Visit& visit);

  // The kinds of values, one by one.
  void read_long(const At& at, Range range, long& out);
  void read_int(const At& at, Range range, int& out);
  void read_vector(const At& at, Range range, Vec3& out);
  void read_point(const At& at, Point& out);
  void read_direction(const At& at, Direction& out);
  void read_particles(const At& at, ParticleGroup& out);
  void read_rigid_body(const At& at, BodyId& out);
  void read_body_name(const At& at, BodyName& out);
  void read_joint(const At& at, Coordinate& out);
  void read_function(const At& at, TimeFunction<Vec3>& out);
  void read_curve(const At& at, Curve& out);
  void read_inertia(const At& at, Inertia& out);
  void read_orientation(const At& at, Orientation& out);
  template <class V>
  void read_motion(const At& at, Range range, Motion<V>& out);

  /// A body of the system by name, for members that name one.
  BodyId body(const At& at);
  /// The same for a robot's link.
  const LinkPlace& link(const At& at);

  void require_object(const At& at);
  void refuse_unknown_keys(const At& at, std::span<const std::string_view> known);

 private:
  /// The member "type", if it is there and a string.
  const std::string* named_type(const At& at);
  [[noreturn]] void unknown_type(const At& at, std::string_view what,
                                 std::span<const std::string_view> known);
  struct CurveForm {
    bool closed = false;
    CurveEnds ends = CurveEnds::finite;
  };
  CurveForm read_curve_ends(const At& at);
  void read_formula_curve(const At& at, Curve& out);
  void each_turn(const At& item, const Visit& visit);
  /// Of an expression, or three, that uses inputs: false for any other.
  bool read_of_inputs(const At& at, Range range, Motion<double>& out);
  bool read_of_inputs(const At& at, Range range, Motion<Vec3>& out);
  void check_range(const At& at, Range range, const Motion<double>& motion) const;
  void check_finite(const At& at, const TimeFunction<double>& function) const;

  Scope& scope_;
  const System& system_;
  const LinkPlaces& links_;
  double duration_ = 0;
  long turns_ = 0;                            // of all repeats so far
  std::vector<std::string_view> known_keys_;  // kept to save an allocation per object
};

}  // namespace taut::io::detail

template <>
inline constexpr taut::ValueType taut::value_type<taut::io::detail::Inertia>{ValueKind::inertia};
template <>
inline constexpr taut::ValueType taut::value_type<taut::io::detail::Orientation>{
    ValueKind::orientation};
template <>
inline constexpr taut::ValueType taut::value_type<taut::io::detail::BodyName>{ValueKind::body_name};
