#include "taut/report/number_text.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

namespace taut::report {
namespace {

std::string superscript(int exponent) {
  constexpr std::string_view digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent))) text += digits[digit - '0'];
  return text;
}

}  // namespace

std::string number_text(double value) {
  if (!std::isfinite(value)) return "not a number";
  const std::string sign = value < 0 ? "−" : "";
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 1e-3 && size < 1e5) {
    const std::string text = fmt::format("{:.4g}", size);
    return sign + (text.find('e') == std::string::npos ? text : fmt::format("{:.0f}", size));
  }
  const std::string text = fmt::format("{:.3e}", size);  // "1.230e-07"
  const std::size_t e = text.find('e');
  std::string factor = text.substr(0, e);
  factor.erase(factor.find_last_not_of('0') + 1);
  if (factor.back() == '.') factor.pop_back();
  const std::string power = "10" + superscript(std::atoi(text.c_str() + e + 1));
  return sign + (factor == "1" ? power : factor + "×" + power);
}

}  // namespace taut::report
