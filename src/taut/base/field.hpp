// Field lists: each constraint, force and method names its parameters once, with unit, meaning and
// range. That one list drives the JSON reader, the schema, `taut list` and `--set`.
//
//   struct Spring {
//     double stiffness = 0;
//     static constexpr auto fields() {
//       return std::tuple{required("stiffness", &Spring::stiffness, "N/m", "…", Range::positive)};
//     }
//   };
//
// The default of an optional field is what a default-constructed struct holds.
#pragma once

#include <array>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

namespace taut {

enum class Range { any, positive, non_negative };

/// Whether `value` lies in `range`. NaN and infinity never do.
inline bool in_range(double value, Range range) {
  if (!std::isfinite(value)) return false;
  if (range == Range::positive) return value > 0;
  if (range == Range::non_negative) return value >= 0;
  return true;
}

constexpr std::string_view range_text(Range range) {
  if (range == Range::positive) return "a number > 0";
  if (range == Range::non_negative) return "a number ≥ 0";
  return "a finite number";
}

template <class Owner, class Member>
struct Field {
  std::string_view name;
  Member Owner::*member;
  std::string_view unit;  ///< "" where there is none
  std::string_view doc;
  Range range;
  bool required;
};

template <class Owner, class Member>
constexpr Field<Owner, Member> required(std::string_view name, Member Owner::*member,
                                        std::string_view unit, std::string_view doc,
                                        Range range = Range::any) {
  return {name, member, unit, doc, range, true};
}

template <class Owner, class Member>
constexpr Field<Owner, Member> optional(std::string_view name, Member Owner::*member,
                                        std::string_view unit, std::string_view doc,
                                        Range range = Range::any) {
  return {name, member, unit, doc, range, false};
}

/// Calls `visit(field)` for every field of T, in order.
template <class T, class Visit>
constexpr void for_each_field(Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, T::fields());
}

/// Names of an enumeration's values, in order, for input and output: specialise for each enum that
/// is a field.
template <class Enum>
struct Choices;  // static constexpr std::array<std::string_view, N> names;

template <class Enum>
constexpr std::string_view choice_name(Enum value) {
  return Choices<Enum>::names[static_cast<std::size_t>(value)];
}

/// A compile-time list of types: the explicit registers of constraints and forces.
template <class... Ts>
struct TypeList {
  static constexpr std::size_t size = sizeof...(Ts);

  /// Calls `visit.template operator()<T>()` for every T.
  template <class Visit>
  static constexpr void for_each(Visit&& visit) {
    (visit.template operator()<Ts>(), ...);
  }

  static constexpr std::array<std::string_view, sizeof...(Ts)> names{Ts::type...};
};

/// TypeList<Ts...> without its first entry: lets a list be written by a macro that puts a comma in
/// front of each name.
template <class, class... Ts>
struct TypeListAfter {
  using type = TypeList<Ts...>;
};

}  // namespace taut
