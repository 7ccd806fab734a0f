// From the field list of a method to its MethodInfo: parameters by name, as text.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <type_traits>

#include "taut/base/error.hpp"
#include "taut/base/field.hpp"
#include "taut/methods/method.hpp"

namespace taut {

namespace detail {

std::string number_text(double value);
/// Throws Error unless all of `text` is a number in `range`.
double parse_number(const std::string& option, const std::string& text, Range range);

template <class Member>
void parse_option(const std::string& name, const std::string& text, Range range, Member& out) {
  if constexpr (std::is_enum_v<Member>) {
    const auto& names = Choices<Member>::names;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == text) {
        out = static_cast<Member>(i);
        return;
      }
    throw Error("option " + name + ": found \"" + text + "\"" +
                suggestion(text, std::span<const std::string_view>(names)));
  } else if constexpr (std::is_integral_v<Member>) {
    const double value = parse_number(name, text, range);
    if (value != std::floor(value) || std::abs(value) > 1e9)
      throw Error("option " + name + ": found " + text + ", expected a whole number");
    out = static_cast<Member>(value);
  } else {
    out = parse_number(name, text, range);
  }
}

}  // namespace detail

/// M is a Method with a field list of numbers and enumerations.
template <class M>
MethodInfo describe_method(std::string_view name, std::string_view summary) {
  MethodInfo info{name, summary, {}, {}};
  const M defaults{};
  for_each_field<M>([&](const auto& field) {
    using Member = std::remove_cvref_t<decltype(defaults.*field.member)>;
    OptionInfo option{std::string(field.name),
                      std::string(field.unit),
                      std::string(field.doc),
                      "",
                      {},
                      field.range,
                      std::is_integral_v<Member>};
    if constexpr (std::is_enum_v<Member>) {
      option.default_value = choice_name(defaults.*field.member);
      for (std::string_view choice : Choices<Member>::names) option.choices.emplace_back(choice);
    } else {
      option.default_value = detail::number_text(static_cast<double>(defaults.*field.member));
    }
    info.options.push_back(std::move(option));
  });
  info.make = [name](std::span<const OptionValue> given) -> std::unique_ptr<Method> {
    auto method = std::make_unique<M>();
    for (const OptionValue& option : given) {
      bool found = false;
      std::vector<std::string_view> known;
      for_each_field<M>([&](const auto& field) {
        known.push_back(field.name);
        if (field.name != option.name) return;
        found = true;
        detail::parse_option(option.name, option.value, field.range, (*method).*field.member);
      });
      if (!found)
        throw Error("method " + std::string(name) + " has no option \"" + option.name + "\"" +
                    (known.empty() ? " (it has none)" : suggestion(option.name, known)));
    }
    return method;
  };
  return info;
}

}  // namespace taut
