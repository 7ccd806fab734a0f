// What an error message must say, whatever its words: the place, what was found there, what was
// expected instead, and the nearest known name.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "taut/base/error.hpp"

namespace taut::testing {

/// The message of the Error that `action` throws, or "no error". It must be one printable line.
template <class Action>
std::string message_of(Action&& action);

/// Whether the message reads "<place>: found <found>, expected <expected>", where the place is
/// given in full and of the other two the pieces that matter, separated by "|". A message that
/// suggests a name must suggest `nearest`; without one it must not suggest any.
::testing::AssertionResult says(std::string_view message, std::string_view place,
                                std::string_view found, std::string_view expected,
                                std::string_view nearest = "");

/// Whether the message begins with the place and contains all the pieces: for messages that are not
/// about something that was found.
::testing::AssertionResult mentions(std::string_view message, std::string_view place,
                                    std::string_view pieces);

/// Whether the text contains all the pieces, separated by "|".
::testing::AssertionResult has_all(std::string_view text, std::string_view pieces);

/// One mistake in an otherwise good text, where `from` is replaced by `to`, and what must be said
/// of it: a row of a table.
struct Mistake {
  const char *from, *to, *place, *found, *expected, *nearest = "";

  /// The good text with the mistake in it. Throws where `from` is missing.
  std::string in(std::string text) const;
  /// Whether the message says so; the place is in `file`.
  ::testing::AssertionResult is_named_by(std::string_view message, const std::string& file) const;
};

/// The name of a row among the tests: its place and what was written there.
std::string mistake_name(const ::testing::TestParamInfo<Mistake>& row);
void PrintTo(const Mistake& mistake, std::ostream* out);

namespace detail {
void expect_printable_line(const std::string& message);
}

template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    detail::expect_printable_line(error.what());
    return error.what();
  }
  return "no error";
}

}  // namespace taut::testing
