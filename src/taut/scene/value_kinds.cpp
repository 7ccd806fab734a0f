// One row for each kind of value a field can have: what it is called in lists, what is expected
// where something else was found, its JSON Schema, its default, and how it is read.
#include <fmt/core.h>

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/base/join.hpp"
#include "taut/scene/field_reader_internal.hpp"
#include "taut/scene/parameters.hpp"
#include "taut/scene/value_kinds_internal.hpp"

namespace taut::io::detail {
namespace {

template <class T>
T& as(void* value) {
  return *static_cast<T*>(value);
}
template <class T>
const T& as(const void* value) {
  return *static_cast<const T*>(value);
}

struct KindRow {
  ValueKind kind;
  std::string_view word;      ///< in `taut list`
  std::string_view expected;  ///< in messages; "" where it depends on more
  std::string_view schema;    ///< the definition; "" where it depends on more
  /// The default as JSON, null where there is none worth showing.
  Json (*shown)(const ValueType&, const void*);
  void (*read)(FieldReader&, const At&, const ValueType&, Range, void*);
};

Json nothing(const ValueType&, const void*) { return {}; }
Json shown_vector(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }
Json value_of(const ValueType& type, const void* value);

using R = FieldReader&;
using A = const At&;
using V = const ValueType&;

void read_choice(R, A at, V type, Range, void* out) {
  const std::string* text = at->text();
  for (std::size_t i = 0; text && i < type.choices.size(); ++i)
    if (*text == type.choices[i]) {
      as<int>(out) = static_cast<int>(i);
      return;
    }
  const std::string_view near = text ? nearest_name(*text, type.choices) : "";
  fail_found(at, expectation(type),
             near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near));
}

void read_list(R reader, A at, V type, Range range, void* out) {
  if (!at->items()) fail_found(at, expectation(type, range));
  std::size_t size = 0;
  reader.each_item(at, [&](const At& item) {
    type.resize(out, size + 1);
    reader.read(item, *type.inner, range, type.item(out, size++));
  });
}

// In the order of ValueKind.
const KindRow rows[] = {
    {ValueKind::number, "number", "", "",
     [](V, const void* x) { return Json::number_or_null(as<double>(x)); },
     [](R r, A at, V, Range range, void* out) { as<double>(out) = r.scope().number(at, range); }},
    {ValueKind::integer, "whole number", "a whole number", "",
     [](V, const void* x) { return Json(as<int>(x)); },
     [](R r, A at, V, Range range, void* out) { r.read_int(at, range, as<int>(out)); }},
    {ValueKind::long_integer, "whole number", "a whole number", "",
     [](V, const void* x) { return Json(as<long>(x)); },
     [](R r, A at, V, Range range, void* out) { r.read_long(at, range, as<long>(out)); }},
    {ValueKind::flag, "true or false", "true or false", "",
     [](V, const void* x) { return Json(as<bool>(x)); },
     [](R, A at, V type, Range, void* out) {
       if (!at->boolean()) fail_found(at, expectation(type));
       as<bool>(out) = *at->boolean();
     }},
    {ValueKind::text, "text", "a string", "",
     [](V, const void* x) {
       return as<std::string>(x).empty() ? Json() : Json(as<std::string>(x));
     },
     [](R, A at, V type, Range, void* out) {
       if (!at->text()) fail_found(at, expectation(type));
       as<std::string>(out) = *at->text();
     }},
    {ValueKind::choice, "", "", "",
     [](V type, const void* x) { return Json(type.choices[static_cast<std::size_t>(as<int>(x))]); },
     read_choice},
    {ValueKind::vector, "vector", "[x, y, z]", "vector",
     [](V, const void* x) { return shown_vector(as<Vec3>(x)); },
     [](R r, A at, V, Range range, void* out) { r.read_vector(at, range, as<Vec3>(out)); }},
    {ValueKind::point, "point",
     "a body's name, {\"body\": …, \"at\": [x, y, z]}, or a place in the world [x, y, z]", "point",
     nothing, [](R r, A at, V, Range, void* out) { r.read_point(at, as<Point>(out)); }},
    {ValueKind::direction, "direction", "[x, y, z] or {\"body\": …, \"axis\": [x, y, z]}",
     "direction", nothing,
     [](R r, A at, V, Range, void* out) { r.read_direction(at, as<Direction>(out)); }},
    {ValueKind::particle_group, "3 or 4 particles",
     "the names of three or four particles [a, b, c, …]", "particles", nothing,
     [](R r, A at, V, Range, void* out) { r.read_particles(at, as<ParticleGroup>(out)); }},
    {ValueKind::body, "body", "the name of a rigid body", "name", nothing,
     [](R r, A at, V, Range, void* out) { r.read_rigid_body(at, as<BodyId>(out)); }},
    {ValueKind::body_name, "body", "the name of a body", "name", nothing,
     [](R r, A at, V, Range, void* out) { r.read_body_name(at, as<BodyName>(out)); }},
    {ValueKind::joint, "joint", "the name of a joint", "name", nothing,
     [](R r, A at, V, Range, void* out) { r.read_joint(at, as<Coordinate>(out)); }},
    {ValueKind::number_function, "formula", "a formula \"=…\" in the time t", "number", nothing,
     [](R r, A at, V, Range, void* out) {
       as<TimeFunction<double>>(out) = r.scope().time_function(at);
     }},
    {ValueKind::vector_function, "formula",
     "[x, y, z], each a number or a formula \"=…\" in the time t", "vector", nothing,
     [](R r, A at, V, Range, void* out) { r.read_function(at, as<TimeFunction<Vec3>>(out)); }},
    {ValueKind::number_motion, "number or motion", "", "",
     [](V, const void* x) {
       const auto& motion = as<Motion<double>>(x);
       return motion.is_given() ? Json::number_or_null(motion.value(0)) : Json();
     },
     [](R r, A at, V, Range range, void* out) {
       r.read_motion(at, range, as<Motion<double>>(out));
     }},
    {ValueKind::vector_motion, "vector or motion", "[x, y, z] or a motion {\"type\": …}",
     "moving_vector",
     [](V, const void* x) {
       const auto& motion = as<Motion<Vec3>>(x);
       return motion.is_given() ? shown_vector(motion.value(0)) : Json();
     },
     [](R r, A at, V, Range range, void* out) { r.read_motion(at, range, as<Motion<Vec3>>(out)); }},
    {ValueKind::curve, "curve",
     "a curve {\"points\": [[x, y, z], …]} or {\"formula\": [x, y, z], \"from\": …, \"to\": …}",
     "curve", nothing, [](R r, A at, V, Range, void* out) { r.read_curve(at, as<Curve>(out)); }},
    {ValueKind::inertia, "inertia", "three moments or a 3×3 matrix of rows", "inertia", nothing,
     [](R r, A at, V, Range, void* out) { r.read_inertia(at, as<Inertia>(out)); }},
    {ValueKind::orientation, "orientation",
     "{\"axis\": [x, y, z], \"angle\": …} or a quaternion [w, x, y, z]", "orientation",
     [](V, const void*) {
       return Json::array({1, 0, 0, 0});
     },
     [](R r, A at, V, Range, void* out) { r.read_orientation(at, as<Orientation>(out)); }},
    {ValueKind::object, "object", "an object {…}", "", nothing,
     [](R r, A at, V type, Range, void* out) { r.read_fields(at, type.object(), out); }},
    {ValueKind::optional, "", "", "",
     [](V type, const void* x) {
       const void* held = type.get(x);
       return held ? value_of(*type.inner, held) : Json();
     },
     [](R r, A at, V type, Range range, void* out) {
       r.read(at, *type.inner, range, type.emplace(out));
     }},
    {ValueKind::list, "", "", "", nothing, read_list},
};
static_assert(std::size(rows) == value_kinds);

const KindRow& row(ValueKind kind) {
  const KindRow& found = rows[static_cast<std::size_t>(kind)];
  TAUT_CHECK(found.kind == kind);
  return found;
}

Json value_of(const ValueType& type, const void* value) {
  return row(type.kind).shown(type, value);
}

std::string word(const ValueType& type) {
  if (type.kind == ValueKind::choice) return join(type.choices, " | ");
  if (type.kind == ValueKind::optional) return word(*type.inner);
  if (type.kind == ValueKind::list) return "list, each " + word(*type.inner);
  return std::string(row(type.kind).word);
}

/// The default as people write it; "" where there is none worth showing.
std::string default_text(const ValueType& type, const void* value) {
  const auto number = [](double x) { return std::isfinite(x) ? fmt::format("{}", x) : ""; };
  const auto vector = [](const Vec3& v) { return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]); };
  switch (type.kind) {
    case ValueKind::number:
      return number(as<double>(value));
    case ValueKind::vector:
      return vector(as<Vec3>(value));
    case ValueKind::choice:
      return std::string(type.choices[static_cast<std::size_t>(as<int>(value))]);
    case ValueKind::number_motion:
      return as<Motion<double>>(value).is_given() ? number(as<Motion<double>>(value).value(0)) : "";
    case ValueKind::vector_motion:
      return as<Motion<Vec3>>(value).is_given() ? vector(as<Motion<Vec3>>(value).value(0)) : "";
    case ValueKind::optional:
      return type.get(value) ? default_text(*type.inner, type.get(value)) : "";
    case ValueKind::integer:
    case ValueKind::long_integer:
    case ValueKind::flag:
      return value_of(type, value).dump();
    default:
      return "";
  }
}

std::string_view range_suffix(Range range) {
  if (range == Range::positive) return " > 0";
  if (range == Range::non_negative) return " ≥ 0";
  return "";
}

}  // namespace

void FieldReader::read(const At& at, const ValueType& type, Range range, void* out) {
  row(type.kind).read(*this, at, type, range, out);
}

std::string expectation(const ValueType& type, Range range) {
  switch (type.kind) {
    case ValueKind::number:
      return std::string(range_text(range));
    case ValueKind::number_motion:
      return std::string(range_text(range)) + " or a motion {\"type\": …}";
    case ValueKind::choice: {
      std::string text = "one of";
      for (const std::string_view name : type.choices) text += fmt::format(" \"{}\"", name);
      return text;
    }
    case ValueKind::optional:
      return expectation(*type.inner, range);
    case ValueKind::list:
      return "an array, each " + expectation(*type.inner, range);
    default:
      return std::string(row(type.kind).expected);
  }
}

Json reference_to(std::string_view definition) {
  return {{"$ref", fmt::format("#/$defs/{}", definition)}};
}

std::string definition(std::string_view kind, Range range) {
  if (range == Range::positive) return fmt::format("positive_{}", kind);
  if (range == Range::non_negative) return fmt::format("non_negative_{}", kind);
  return std::string(kind);
}

Json schema_of(const ValueType& type, Range range) {
  switch (type.kind) {
    case ValueKind::number:
      return reference_to(definition("number", range));
    case ValueKind::integer:
    case ValueKind::long_integer:
      return reference_to(definition("integer", range));
    case ValueKind::flag:
      return {{"type", "boolean"}};
    case ValueKind::text:
      return {{"type", "string"}};
    case ValueKind::choice:
      return {{"enum", type.choices}};
    case ValueKind::number_motion:
      return {{"anyOf", Json::array({reference_to(definition("number", range)),
                                     reference_to("number_motion")})}};
    case ValueKind::object:
      return schema_of_fields(type.object());
    case ValueKind::optional:
      return schema_of(*type.inner, range);
    case ValueKind::list:
      return {{"type", "array"},
              {"items",
               {{"anyOf", Json::array({schema_of(*type.inner, range), reference_to("repeat")})}}}};
    default:
      return reference_to(row(type.kind).schema);
  }
}

std::string description(std::string_view doc, std::string_view unit) {
  if (unit.empty()) return std::string(doc);
  return doc.empty() ? fmt::format("in {}", unit) : fmt::format("{}, in {}", doc, unit);
}

void add_fields(Json& object, const TypeInfo& info) {
  for (const FieldInfo& field : info.fields) {
    Json schema = schema_of(*field.type, field.range);
    if (const std::string text = description(field.doc, field.unit); !text.empty())
      schema["description"] = text;
    if (field.required) {
      object["required"].push_back(field.name);
    } else if (Json value = value_of(*field.type, field.in(info.defaults)); !value.is_null()) {
      schema["default"] = std::move(value);
    }
    object["properties"][field.name] = std::move(schema);
  }
}

Json empty_object() {
  return {{"type", "object"},
          {"properties", Json::object()},
          {"required", Json::array()},
          {"additionalProperties", false}};
}

Json schema_of_fields(const TypeInfo& info) {
  Json object = empty_object();
  add_fields(object, info);
  return object;
}

Json schema_of_type(const TypeInfo& info) {
  Json object = empty_object();
  object["description"] = info.summary;
  object["properties"]["type"] = {{"const", info.type}};
  object["required"].push_back("type");
  add_fields(object, info);
  return object;
}

}  // namespace taut::io::detail

namespace taut::io {

Parameter parameter_of(const FieldInfo& field, const void* defaults) {
  Parameter parameter{std::string(field.name),
                      detail::word(*field.type) + std::string(detail::range_suffix(field.range)),
                      std::string(field.unit),
                      field.required,
                      "",
                      std::string(field.doc)};
  if (field.required) return parameter;
  parameter.default_value = detail::default_text(*field.type, field.in(defaults));
  return parameter;
}

std::vector<Parameter> parameters_of(const std::vector<FieldInfo>& fields, const void* defaults) {
  std::vector<Parameter> parameters;
  for (const FieldInfo& field : fields) parameters.push_back(parameter_of(field, defaults));
  return parameters;
}

}  // namespace taut::io
