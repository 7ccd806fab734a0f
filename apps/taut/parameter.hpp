// Parameters of constraints and forces as text, from their field lists.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "taut/base/field.hpp"
#include "taut/model/curve.hpp"
#include "taut/model/motion.hpp"
#include "taut/model/point.hpp"

namespace taut::cli {

struct Parameter {
  std::string name, type, unit;
  bool required = false;
  std::string default_value;  ///< "" where there is none
  std::string doc;
};

/// What is written in a scene for a field of type T.
template <class T>
struct FieldText;

template <>
struct FieldText<double> {
  static std::string type() { return "number"; }
  static std::string value(double x) { return std::isfinite(x) ? fmt::format("{}", x) : ""; }
};
template <>
struct FieldText<int> {
  static std::string type() { return "whole number"; }
  static std::string value(int x) { return fmt::format("{}", x); }
};
template <>
struct FieldText<bool> {
  static std::string type() { return "true or false"; }
  static std::string value(bool x) { return x ? "true" : "false"; }
};
template <>
struct FieldText<Vec3> {
  static std::string type() { return "vector"; }
  static std::string value(const Vec3& x) { return fmt::format("[{}, {}, {}]", x[0], x[1], x[2]); }
};
/// Things that have no default worth showing.
template <class T>
struct NamedOnly {
  static std::string value(const T&) { return ""; }
};
template <>
struct FieldText<Point> : NamedOnly<Point> {
  static std::string type() { return "point"; }
};
template <>
struct FieldText<ParticleGroup> : NamedOnly<ParticleGroup> {
  static std::string type() { return "3 or 4 particles"; }
};
template <class T>
struct FieldText<std::vector<T>> : NamedOnly<std::vector<T>> {
  static std::string type() { return "list, each " + FieldText<T>::type(); }
};
template <>
struct FieldText<BodyId> : NamedOnly<BodyId> {
  static std::string type() { return "body"; }
};
template <>
struct FieldText<Coordinate> : NamedOnly<Coordinate> {
  static std::string type() { return "joint"; }
};
template <>
struct FieldText<Direction> : NamedOnly<Direction> {
  static std::string type() { return "direction"; }
};
template <>
struct FieldText<Curve> : NamedOnly<Curve> {
  static std::string type() { return "curve"; }
};
template <class V>
struct FieldText<Motion<V>> {
  static std::string type() { return FieldText<V>::type() + " or motion"; }
  static std::string value(const Motion<V>& motion) {
    return motion.is_given() ? FieldText<V>::value(motion.value(0)) : "";
  }
};
template <class T>
struct FieldText<std::optional<T>> {
  static std::string type() { return FieldText<T>::type(); }
  static std::string value(const std::optional<T>& x) { return x ? FieldText<T>::value(*x) : ""; }
};
template <class T>
requires std::is_enum_v<T>
struct FieldText<T> {
  static std::string type() { return fmt::format("{}", fmt::join(Choices<T>::names, " | ")); }
  static std::string value(T x) { return std::string(choice_name(x)); }
};

inline std::string_view range_suffix(Range range) {
  if (range == Range::positive) return " > 0";
  if (range == Range::non_negative) return " ≥ 0";
  return "";
}

/// The parameters of a constraint or force type.
template <class T>
std::vector<Parameter> parameters_of() {
  std::vector<Parameter> parameters;
  const T defaults{};
  for_each_field<T>([&](const auto& field) {
    using Member = std::remove_cvref_t<decltype(defaults.*field.member)>;
    Parameter parameter{std::string(field.name),
                        FieldText<Member>::type(),
                        std::string(field.unit),
                        field.required,
                        "",
                        std::string(field.doc)};
    parameter.type += range_suffix(field.range);
    if (!field.required) parameter.default_value = FieldText<Member>::value(defaults.*field.member);
    parameters.push_back(std::move(parameter));
  });
  return parameters;
}

}  // namespace taut::cli
