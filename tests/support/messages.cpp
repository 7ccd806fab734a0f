#include "support/messages.hpp"

#include <algorithm>
#include <cctype>
#include <ostream>
#include <vector>

namespace taut::testing {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('|'), text.size());
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

AssertionResult has_pieces(std::string_view message, std::string_view what, std::string_view part,
                           std::string_view pieces) {
  if (part.empty())
    return AssertionFailure() << "it does not say what was " << what << ": " << message;
  for (const std::string_view piece : pieces_of(pieces))
    if (part.find(piece) == std::string_view::npos)
      return AssertionFailure() << what << " does not mention " << piece << ": " << message;
  return AssertionSuccess();
}

/// Takes the place off the front of the message.
AssertionResult take_place(std::string_view& message, std::string_view place) {
  const std::string_view rest =
      message.starts_with(place) ? message.substr(place.size()) : std::string_view();
  if (!rest.starts_with(": "))
    return AssertionFailure() << "the place is not \"" << place << "\": " << message;
  message = rest.substr(2);
  return AssertionSuccess();
}

/// The X of `… (did you mean "X"?)` at the end, which is taken off; "" where nothing is suggested.
std::string_view take_suggestion(std::string_view& message) {
  constexpr std::string_view close = "\"?)";
  const std::size_t open = message.rfind(" (");
  if (!message.ends_with(close) || open == std::string_view::npos) return "";
  std::string_view name = message.substr(open, message.size() - open - close.size());
  message = message.substr(0, open);
  return name.substr(name.find('"') + 1);
}

}  // namespace

AssertionResult says(std::string_view message, std::string_view place, std::string_view found,
                     std::string_view expected, std::string_view nearest) {
  constexpr std::string_view first = "found ", second = " expected ";  // after "," or ";"
  std::string_view rest = message;
  if (AssertionResult at_place = take_place(rest, place); !at_place) return at_place;
  const std::string_view suggested = take_suggestion(rest);
  if (suggested != nearest)
    return AssertionFailure() << "it suggests \"" << suggested << "\" and not \"" << nearest
                              << "\": " << message;
  const std::size_t middle = rest.find(second);
  if (!rest.starts_with(first) || middle == std::string_view::npos)
    return AssertionFailure() << "it does not say what was found and expected: " << message;
  const std::string_view what_was_found = rest.substr(0, middle).substr(first.size());
  if (AssertionResult result = has_pieces(message, "found", what_was_found, found); !result)
    return result;
  return has_pieces(message, "expected", rest.substr(middle + second.size()), expected);
}

AssertionResult mentions(std::string_view message, std::string_view place,
                         std::string_view pieces) {
  std::string_view rest = message;
  if (AssertionResult at_place = take_place(rest, place); !at_place) return at_place;
  return has_pieces(message, "wrong", rest, pieces);
}

AssertionResult has_all(std::string_view text, std::string_view pieces) {
  return has_pieces(text, "wrong", text, pieces);
}

std::string Mistake::in(std::string text) const {
  const std::size_t at = text.find(from);
  if (at == std::string::npos)
    throw std::logic_error("the text to replace is missing: " + std::string(from));
  return text.replace(at, std::string_view(from).size(), to);
}

AssertionResult Mistake::is_named_by(std::string_view message, const std::string& file) const {
  return says(message, *place == '\0' ? file : file + ": " + place, found, expected, nearest);
}

std::string mistake_name(const ::testing::TestParamInfo<Mistake>& row) {
  std::string name = std::to_string(row.index + 1) + "_";  // signs alone may tell two rows apart
  const auto add_words = [&](std::string_view text) {
    for (const char c : text) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0)
        name += c;
      else if (name.back() != '_')
        name += '_';
    }
    if (name.back() != '_') name += '_';
  };
  add_words(row.param.place);
  add_words(*row.param.to == '\0' ? "nothing" : row.param.to);
  name.resize(std::min<std::size_t>(name.size(), 80));
  while (name.ends_with('_')) name.pop_back();
  return name;
}

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.to; }

namespace detail {

void expect_printable_line(const std::string& message) {
  EXPECT_LT(message.size(), 1000u) << message;
  EXPECT_TRUE(std::none_of(message.begin(), message.end(), [](char c) { return c >= 0 && c < 32; }))
      << message;
}

}  // namespace detail

}  // namespace taut::testing
