#include "taut/base/type_info.hpp"

#include <charconv>

#include "taut/base/error.hpp"

namespace taut {
namespace {

/// Throws Error unless all of `text` is a number in `range`.
double parse_number(std::string_view field, const std::string& text, Range range) {
  double value = NAN;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !in_range(value, range))
    throw Error("option " + std::string(field) + ": found \"" + text + "\", expected " +
                std::string(range_text(range)));
  return value;
}

}  // namespace

std::string number_text(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

std::string_view range_text(Range range) {
  if (range == Range::positive) return "a number > 0";
  if (range == Range::non_negative) return "a number ≥ 0";
  return "a finite number";
}

const FieldInfo* TypeInfo::find(std::string_view field) const {
  for (const FieldInfo& each : fields)
    if (each.name == field) return &each;
  return nullptr;
}

void set_from_text(const FieldInfo& field, void* object, const std::string& text) {
  const auto expected = [&](std::string_view what) {
    return Error("option " + std::string(field.name) + ": found " + text + ", expected " +
                 std::string(what));
  };
  void* value = field.in(object);
  switch (field.type->kind) {
    case ValueKind::number:
      *static_cast<double*>(value) = parse_number(field.name, text, field.range);
      return;
    case ValueKind::integer: {
      const double number = parse_number(field.name, text, field.range);
      if (number != std::floor(number) || std::abs(number) > 1e9) throw expected("a whole number");
      *static_cast<int*>(value) = static_cast<int>(number);
      return;
    }
    case ValueKind::flag:
      if (text != "true" && text != "false") throw expected("true or false");
      *static_cast<bool*>(value) = text == "true";
      return;
    case ValueKind::choice: {
      const auto& names = field.type->choices;
      for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == text) {
          *static_cast<int*>(value) = static_cast<int>(i);
          return;
        }
      throw Error("option " + std::string(field.name) + ": found \"" + text + "\"" +
                  suggestion(text, names));
    }
    default:
      TAUT_CHECK(!"a field that cannot be set from text");
  }
}

std::string value_text(const FieldInfo& field, const void* object) {
  const void* value = field.in(object);
  switch (field.type->kind) {
    case ValueKind::number:
      return number_text(*static_cast<const double*>(value));
    case ValueKind::integer:
      return number_text(*static_cast<const int*>(value));
    case ValueKind::flag:
      return *static_cast<const bool*>(value) ? "true" : "false";
    case ValueKind::choice:
      return std::string(
          field.type->choices[static_cast<std::size_t>(*static_cast<const int*>(value))]);
    default:
      TAUT_CHECK(!"a field that has no text");
      return "";
  }
}

}  // namespace taut
