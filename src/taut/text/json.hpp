// JSON that taut writes. Reading is json_text.hpp's; this has no templates, and nothing is inline,
// so that whoever writes a few values does not wait for them to compile.
//
//   Json report{{"scene", name}, {"steps", 10}, {"error", Json::number_or_null(x)}};
//   report["methods"].push_back("rattle");
//   report.dump(2)
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taut::io {

class Json {
 public:
  Json();                                         ///< null
  Json(std::nullptr_t);                           // NOLINT: values mix freely, here and below
  Json(bool value);                               // NOLINT
  Json(double value);                             // NOLINT
  Json(int value);                                // NOLINT
  Json(long value);                               // NOLINT
  Json(long long value);                          // NOLINT
  Json(unsigned value);                           // NOLINT
  Json(unsigned long value);                      // NOLINT
  Json(const char* text);                         // NOLINT
  Json(std::string_view text);                    // NOLINT
  Json(std::string text);                         // NOLINT
  Json(std::span<const std::string_view> texts);  // NOLINT
  Json(const std::vector<std::string>& texts);    // NOLINT
  Json(const std::vector<double>& numbers);       // NOLINT
  /// An object where all are pairs that begin with a string, else an array.
  Json(std::initializer_list<Json> items);  // NOLINT
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  static Json array(std::initializer_list<Json> items = {});
  static Json object();
  /// null for what JSON has no number for.
  static Json number_or_null(double value);

  bool is_null() const { return kind_ == Kind::null; }
  bool is_number() const { return kind_ == Kind::number || kind_ == Kind::whole; }
  bool empty() const { return items_.empty() && members_.empty(); }

  /// The member of an object, made where there is none; null becomes an object.
  Json& operator[](std::string_view key);
  /// null becomes an array.
  void push_back(Json item);
  /// Adds the members of another object, or replaces them.
  void update(const Json& other);

  /// On one line, or with `indent` spaces per level. Bytes that are not UTF-8 become U+FFFD.
  std::string dump(int indent = -1) const;

 private:
  enum class Kind : std::uint8_t { null, boolean, number, whole, text, array, object };
  void write(std::string& out, int indent, int level) const;

  Kind kind_ = Kind::null;
  bool boolean_ = false;
  double number_ = 0;
  long long whole_ = 0;
  std::string text_;
  std::vector<Json> items_;
  std::vector<std::pair<std::string, Json>> members_;
};

/// The text with what is no UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);
/// A string in quotes, escaped. Bytes that are not UTF-8 become U+FFFD.
std::string json_quoted(std::string_view text);

}  // namespace taut::io
