// Two kinds of trouble, kept apart: bad input throws taut::Error at the loading boundary and says
// what to mend; a bug in taut stops the program at once with TAUT_CHECK.
// Numerical trouble is neither: it is reported in a StepReport.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace taut {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The entry of `known` that is most like `word` (edit distance), or "" when none is close.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> known);

/// ` (did you mean "distance"?)` where a known name is close, else the list ` (known: a, b, c)`.
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace taut

/// An invariant of taut itself. Not for input.
#define TAUT_CHECK(condition) \
  ((condition) ? void(0) : ::taut::check_failed(#condition, __FILE__, __LINE__))
