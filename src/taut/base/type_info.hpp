// The registry: what is known at run time of a type that users can name in a scene (a constraint, a
// force, a body, a method, …) and of its parameters. Each type lists its fields once, in its own
// .cpp; reader, schema, `taut list`, `--set` and the generated tests are plain loops over the list.
//
//   TypeInfo info = describe<Spring>(FieldList<Spring>()
//       .required("stiffness", &Spring::stiffness, "N/m", "force per length", Range::positive)
//       .optional("damping", &Spring::damping, "N·s/m", "force per speed", Range::non_negative));
//
// The default of an optional field is what a default-constructed object holds.
//
// A new kind of value: its name in ValueKind, one line `value_type<T>` beside the C++ type, and its
// row in the table of scene/value_kinds.cpp.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace taut {

enum class Range : std::uint8_t { any, positive, non_negative };

/// Whether `value` lies in `range`. NaN and infinity never do.
inline bool in_range(double value, Range range) {
  if (!std::isfinite(value)) return false;
  if (range == Range::positive) return value > 0;
  if (range == Range::non_negative) return value >= 0;
  return true;
}

std::string_view range_text(Range range);

/// Names of an enumeration's values, in order, for input and output: specialise for each enum that
/// is a field.
template <class Enum>
struct Choices;  // static constexpr std::array<std::string_view, N> names;

template <class Enum>
constexpr std::string_view choice_name(Enum value) {
  return Choices<Enum>::names[static_cast<std::size_t>(value)];
}

enum class ValueKind : std::uint8_t {
  number,  ///< double
  integer,
  long_integer,
  flag,
  text,
  choice,  ///< an enumeration with Choices
  vector,  ///< Vec3
  point,
  direction,
  particle_group,
  body,             ///< BodyId of a rigid body
  body_name,        ///< of any body
  joint,            ///< a Coordinate
  number_function,  ///< of time
  vector_function,
  number_motion,  ///< a constant or a motion
  vector_motion,
  curve,
  inertia,
  orientation,
  object,    ///< a struct with fields of its own
  optional,  ///< std::optional of something
  list,      ///< std::vector of something
};
inline constexpr std::size_t value_kinds = static_cast<std::size_t>(ValueKind::list) + 1;

struct TypeInfo;

/// How to handle a value of some C++ type through a pointer to it.
struct ValueType {
  ValueKind kind;
  std::span<const std::string_view> choices{};      ///< of a choice
  const TypeInfo& (*object)() = nullptr;            ///< of an object: its fields
  const ValueType* inner = nullptr;                 ///< of an optional or a list: what is in it
  void* (*emplace)(void* value) = nullptr;          ///< of an optional: makes a value in it
  const void* (*get)(const void* value) = nullptr;  ///< … which is in it; nullptr: nothing
  void (*resize)(void* list, std::size_t size) = nullptr;  ///< of a list
  void* (*item)(void* list, std::size_t index) = nullptr;
};

/// The ValueType of T. Specialised beside each type that can be a field; enumerations, optionals,
/// vectors and structs with a static info() are covered here.
template <class T>
inline constexpr ValueType value_type = [] {
  if constexpr (std::is_enum_v<T>) {
    static_assert(sizeof(T) == sizeof(int));  // read and written as one
    return ValueType{ValueKind::choice, Choices<T>::names};
  } else {
    return ValueType{ValueKind::object, {}, &T::info};
  }
}();
template <>
inline constexpr ValueType value_type<double>{ValueKind::number};
template <>
inline constexpr ValueType value_type<int>{ValueKind::integer};
template <>
inline constexpr ValueType value_type<long>{ValueKind::long_integer};
template <>
inline constexpr ValueType value_type<bool>{ValueKind::flag};
template <>
inline constexpr ValueType value_type<std::string>{ValueKind::text};
template <class T>
inline constexpr ValueType value_type<std::optional<T>>{
    ValueKind::optional,
    {},
    nullptr,
    &value_type<T>,
    [](void* value) -> void* { return &static_cast<std::optional<T>*>(value)->emplace(); },
    [](const void* value) -> const void* {
      const auto& held = *static_cast<const std::optional<T>*>(value);
      return held ? &*held : nullptr;
    }};
template <class T>
inline constexpr ValueType value_type<std::vector<T>>{
    ValueKind::list,
    {},
    nullptr,
    &value_type<T>,
    nullptr,
    nullptr,
    [](void* list, std::size_t size) { static_cast<std::vector<T>*>(list)->resize(size); },
    [](void* list, std::size_t index) -> void* {
      return &(*static_cast<std::vector<T>*>(list))[index];
    }};

struct FieldInfo {
  std::string_view name;
  const ValueType* type = nullptr;
  std::size_t offset = 0;  ///< of the member in the object
  std::string_view unit;   ///< "" where there is none
  std::string_view doc;
  Range range = Range::any;
  bool required = false;

  void* in(void* object) const { return static_cast<char*>(object) + offset; }
  const void* in(const void* object) const { return static_cast<const char*>(object) + offset; }
  /// Without the std::optional around it.
  const ValueType& value() const {
    return type->kind == ValueKind::optional ? *type->inner : *type;
  }
};

struct TypeInfo {
  std::string_view type;  ///< its name in scenes
  std::string_view summary;
  std::vector<FieldInfo> fields;
  const void* defaults = nullptr;             ///< an object as it is made
  std::shared_ptr<void> (*make)() = nullptr;  ///< such an object
  /// nullptr where there is none of that name.
  const FieldInfo* find(std::string_view field) const;
};

/// The entry of a list of TypeInfos (or of what is derived from it) with that name, or nullptr.
template <class Infos>
auto* find_type(const Infos& infos, std::string_view type) {
  for (const auto& info : infos)
    if (info.type == type) return &info;
  return decltype(&*infos.begin()){nullptr};
}

/// The shortest text that reads back as the same number.
std::string number_text(double value);

/// Sets a field that is a number, a whole number, true or false, or a choice from text. Throws
/// Error with what was found and expected.
void set_from_text(const FieldInfo& field, void* object, const std::string& text);
/// The value of such a field as text, which reads back as the same.
std::string value_text(const FieldInfo& field, const void* object);

/// What objects of type T are like when nothing was set.
template <class T>
const T& default_object() {
  static const T object{};
  return object;
}

/// The fields of T, in order.
template <class T>
class FieldList {
 public:
  template <class Base, class Member>
  FieldList& required(std::string_view name, Member Base::*member, std::string_view unit,
                      std::string_view doc, Range range = Range::any) {
    return add<Member>(name, member, unit, doc, range, true);
  }
  template <class Base, class Member>
  FieldList& optional(std::string_view name, Member Base::*member, std::string_view unit,
                      std::string_view doc, Range range = Range::any) {
    return add<Member>(name, member, unit, doc, range, false);
  }
  /// The fields that T has from one of its bases.
  template <class Base>
  FieldList& inherit(const FieldList<Base>& fields) {
    const T& object = default_object<T>();
    const auto shift = reinterpret_cast<const char*>(static_cast<const Base*>(&object)) -
                       reinterpret_cast<const char*>(&object);
    for (FieldInfo field : fields.all()) {
      field.offset += static_cast<std::size_t>(shift);
      fields_.push_back(field);
    }
    return *this;
  }

  const std::vector<FieldInfo>& all() const { return fields_; }

 private:
  template <class Member>
  FieldList& add(std::string_view name, Member T::*member, std::string_view unit,
                 std::string_view doc, Range range, bool required) {
    const T& object = default_object<T>();
    const auto offset =
        reinterpret_cast<const char*>(&(object.*member)) - reinterpret_cast<const char*>(&object);
    fields_.push_back(
        {name, &value_type<Member>, static_cast<std::size_t>(offset), unit, doc, range, required});
    return *this;
  }

  std::vector<FieldInfo> fields_;
};

/// T::type and T::summary name it, where it has them.
template <class T>
TypeInfo describe(const FieldList<T>& fields) {
  TypeInfo info;
  if constexpr (requires { T::type; }) info.type = T::type;
  if constexpr (requires { T::summary; }) info.summary = T::summary;
  info.fields = fields.all();
  info.defaults = &default_object<T>();
  info.make = []() -> std::shared_ptr<void> { return std::make_shared<T>(); };
  return info;
}

}  // namespace taut
