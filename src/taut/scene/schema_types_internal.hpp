// The JSON Schema of one field, by its type. The counterpart of the field reader.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "taut/base/field.hpp"
#include "taut/model/curve.hpp"
#include "taut/model/motion.hpp"
#include "taut/model/point.hpp"
#include "taut/scene/scene_fields_internal.hpp"

namespace taut::io::detail {

using Json = nlohmann::ordered_json;

inline Json reference_to(std::string_view definition) {
  return {{"$ref", fmt::format("#/$defs/{}", definition)}};
}

/// The name of the definition of numbers in a range: "positive_number", "integer", …
inline std::string definition(std::string_view kind, Range range) {
  if (range == Range::positive) return fmt::format("positive_{}", kind);
  if (range == Range::non_negative) return fmt::format("non_negative_{}", kind);
  return std::string(kind);
}

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
Json schema_of_fields();

template <class T>
Json schema_of(Range range) {
  if constexpr (std::is_same_v<T, bool>)
    return {{"type", "boolean"}};
  else if constexpr (std::is_same_v<T, double>)
    return reference_to(definition("number", range));
  else if constexpr (std::is_integral_v<T>)
    return reference_to(definition("integer", range));
  else if constexpr (std::is_same_v<T, std::string>)
    return {{"type", "string"}};
  else if constexpr (std::is_same_v<T, Vec3> || std::is_same_v<T, TimeFunction<Vec3>>)
    return reference_to("vector");
  else if constexpr (std::is_same_v<T, TimeFunction<double>>)
    return reference_to("number");
  else if constexpr (std::is_same_v<T, Point>)
    return reference_to("point");
  else if constexpr (std::is_same_v<T, ParticleGroup>)
    return reference_to("particles");
  else if constexpr (std::is_same_v<T, Direction>)
    return reference_to("direction");
  else if constexpr (std::is_same_v<T, BodyId> || std::is_same_v<T, BodyName> ||
                     std::is_same_v<T, Coordinate>)
    return reference_to("name");
  else if constexpr (std::is_same_v<T, Curve>)
    return reference_to("curve");
  else if constexpr (std::is_same_v<T, Inertia>)
    return reference_to("inertia");
  else if constexpr (std::is_same_v<T, Orientation>)
    return reference_to("orientation");
  else if constexpr (std::is_same_v<T, Motion<Vec3>>)
    return reference_to("moving_vector");
  else if constexpr (std::is_same_v<T, Motion<double>>)
    return {{"anyOf", {reference_to(definition("number", range)), reference_to("number_motion")}}};
  else if constexpr (std::is_enum_v<T>)
    return {{"enum", Choices<T>::names}};
  else if constexpr (requires { T::fields(); })
    return schema_of_fields<T>();
  else if constexpr (IsVector<T>::value)
    return {{"type", "array"}, {"items", schema_of<typename T::value_type>(range)}};
  else {
    static_assert(IsOptional<T>::value, "a field type without a schema");
    return schema_of<typename T::value_type>(range);
  }
}

/// The default of a field, or null where there is nothing to write.
template <class T>
Json default_of(const T& value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isfinite(value) ? Json(value) : Json();  // without bound: nothing to write
  else if constexpr (std::is_arithmetic_v<T>)
    return value;
  else if constexpr (std::is_same_v<T, std::string>)
    return value.empty() ? Json() : Json(value);
  else if constexpr (std::is_same_v<T, Vec3>)
    return {value.x(), value.y(), value.z()};
  else if constexpr (std::is_enum_v<T>)
    return choice_name(value);
  else if constexpr (std::is_same_v<T, Orientation>)
    return {1, 0, 0, 0};
  else
    return nullptr;
}

/// "rest length, m", or whichever of the two there is.
inline std::string description(std::string_view doc, std::string_view unit) {
  if (unit.empty()) return std::string(doc);
  return doc.empty() ? fmt::format("in {}", unit) : fmt::format("{}, in {}", doc, unit);
}

/// An object with the fields of T, and nothing else but what `object` lists already.
template <class T>
void add_fields(Json& object) {
  const T defaults{};
  for_each_field<T>([&](const auto& field) {
    using Member = std::remove_cvref_t<decltype(defaults.*(field.member))>;
    Json schema = schema_of<Member>(field.range);
    if (const std::string text = description(field.doc, field.unit); !text.empty())
      schema["description"] = text;
    if (field.required) {
      object["required"].push_back(field.name);
    } else if (const Json value = default_of(defaults.*(field.member)); !value.is_null()) {
      schema["default"] = value;
    }
    object["properties"][std::string(field.name)] = std::move(schema);
  });
}

inline Json empty_object() {
  return {{"type", "object"},
          {"properties", Json::object()},
          {"required", Json::array()},
          {"additionalProperties", false}};
}

template <class T>
Json schema_of_fields() {
  Json object = empty_object();
  add_fields<T>(object);
  return object;
}

/// An object {"type": T::type, …} with the fields of T.
template <class T>
Json schema_of_type() {
  Json object = empty_object();
  object["description"] = T::summary;
  object["properties"]["type"] = {{"const", T::type}};
  object["required"].push_back("type");
  add_fields<T>(object);
  return object;
}

}  // namespace taut::io::detail
