#include "taut/text/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace taut::io {
namespace {

/// How many bytes the UTF-8 character at `at` has; 0 where there is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 && first <= 0xF4   ? 4
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xC2 && first <= 0xDF ? 2
                                                              : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xC0u) != 0x80u) return 0;
  const unsigned second = byte(at + 1);
  // Overlong forms, surrogates, and what is beyond Unicode.
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
      continue;
    }
    const char c = text[i];
    if (length == 1 && (c == '"' || c == '\\')) {
      out += '\\';
      out += c;
    } else if (length == 1 && static_cast<unsigned char>(c) < 0x20) {
      constexpr std::string_view short_forms = "btn_fr";  // from 8 on
      if (c >= 8 && c <= 13 && c != 11) {
        out += '\\';
        out += short_forms[static_cast<std::size_t>(c - 8)];
      } else {
        constexpr std::string_view digits = "0123456789abcdef";
        out += "\\u00";
        out += digits[static_cast<std::size_t>(c) >> 4];
        out += digits[static_cast<std::size_t>(c) & 15];
      }
    } else {
      out += text.substr(i, length);
    }
    i += length;
  }
  out += '"';
}

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  const std::string_view digits(text, static_cast<std::size_t>(end - text));
  out += digits;
  if (digits.find_first_of(".e") == digits.npos) out += ".0";
}

}  // namespace

Json::Json() = default;
Json::Json(std::nullptr_t) {}
Json::Json(bool value) : kind_(Kind::boolean), boolean_(value) {}
Json::Json(double value) : kind_(Kind::number), number_(value) {}
Json::Json(int value) : Json(static_cast<long long>(value)) {}
Json::Json(long value) : Json(static_cast<long long>(value)) {}
Json::Json(long long value) : kind_(Kind::whole), whole_(value) {}
Json::Json(unsigned value) : Json(static_cast<long long>(value)) {}
Json::Json(unsigned long value) : Json(static_cast<long long>(value)) {}
Json::Json(const char* text) : Json(std::string(text)) {}
Json::Json(std::string_view text) : Json(std::string(text)) {}
Json::Json(std::string text) : kind_(Kind::text), text_(std::move(text)) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;
Json::Json(std::span<const std::string_view> texts) : kind_(Kind::array) {
  for (const std::string_view text : texts) items_.emplace_back(text);
}
Json::Json(const std::vector<std::string>& texts) : kind_(Kind::array) {
  for (const std::string& text : texts) items_.emplace_back(text);
}
Json::Json(const std::vector<double>& numbers) : kind_(Kind::array) {
  for (const double number : numbers) items_.emplace_back(number);
}

Json::Json(std::initializer_list<Json> items) {
  const bool is_object = std::all_of(items.begin(), items.end(), [](const Json& item) {
    return item.kind_ == Kind::array && item.items_.size() == 2 &&
           item.items_[0].kind_ == Kind::text;
  });
  kind_ = is_object ? Kind::object : Kind::array;
  if (is_object) {
    for (const Json& item : items) (*this)[item.items_[0].text_] = item.items_[1];
  } else {
    items_.assign(items.begin(), items.end());
  }
}

Json Json::array(std::initializer_list<Json> items) {
  Json json;
  json.kind_ = Kind::array;
  json.items_.assign(items.begin(), items.end());
  return json;
}

Json Json::object() {
  Json json;
  json.kind_ = Kind::object;
  return json;
}

Json Json::number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json& Json::operator[](std::string_view key) {
  if (kind_ == Kind::null) kind_ = Kind::object;
  for (auto& [name, value] : members_)
    if (name == key) return value;
  return members_.emplace_back(std::string(key), Json()).second;
}

void Json::push_back(Json item) {
  if (kind_ == Kind::null) kind_ = Kind::array;
  items_.push_back(std::move(item));
}

void Json::update(const Json& other) {
  for (const auto& [name, value] : other.members_) (*this)[name] = value;
}

void Json::write(std::string& out, int indent, int level) const {
  const auto new_line = [&](int at) {
    if (indent >= 0) out.append(1, '\n').append(static_cast<std::size_t>(indent * at), ' ');
  };
  switch (kind_) {
    case Kind::null:
      out += "null";
      return;
    case Kind::boolean:
      out += boolean_ ? "true" : "false";
      return;
    case Kind::number:
      append_number(out, number_);
      return;
    case Kind::whole:
      out += std::to_string(whole_);
      return;
    case Kind::text:
      append_quoted(out, text_);
      return;
    case Kind::array: {
      out += '[';
      for (std::size_t i = 0; i < items_.size(); ++i) {
        if (i > 0) out += ',';
        new_line(level + 1);
        items_[i].write(out, indent, level + 1);
      }
      if (!items_.empty()) new_line(level);
      out += ']';
      return;
    }
    case Kind::object: {
      out += '{';
      for (std::size_t i = 0; i < members_.size(); ++i) {
        if (i > 0) out += ',';
        new_line(level + 1);
        append_quoted(out, members_[i].first);
        out += indent >= 0 ? ": " : ":";
        members_[i].second.write(out, indent, level + 1);
      }
      if (!members_.empty()) new_line(level);
      out += '}';
      return;
    }
  }
}

std::string Json::dump(int indent) const {
  std::string out;
  write(out, indent, 0);
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    out += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(i, length);
    i += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string json_quoted(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

}  // namespace taut::io
