// What readers of robots' files have in common: what they ignore, how they name elements, numbers.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "taut/text/at.hpp"
#include "taut/text/xml_text.hpp"

namespace taut::io::detail {

/// What a file says in vain: lines such as "12 <collision> elements: contact is not simulated yet".
class Ignored {
 public:
  /// One more of a kind, "<limit> element" and " with effort", with an "s" between for many.
  void count(const std::string& kind, const std::string& detail, std::string_view reason);
  /// A line of its own.
  void note(std::string line) { notes_.push_back(std::move(line)); }
  std::vector<std::string> lines() const;

 private:
  struct Kind {
    std::string name, detail, reason;
    long count = 0;
  };
  std::vector<Kind> kinds_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> notes_;
};

/// `link "arm"`: whose element it is.
inline std::string owner_text(const XmlElement& element) {
  const std::string* name = element.attribute("name");
  return name ? fmt::format("{} {}", printable(element.name), in_quotes(*name))
              : fmt::format("<{}>", printable(element.name));
}

/// A number without white space around it, and finite.
bool read_number(std::string_view text, double& out);
/// Numbers with white space between them; empty when there is anything else, or more than `most`.
std::vector<double> read_numbers(std::string_view text, std::size_t most);

}  // namespace taut::io::detail
