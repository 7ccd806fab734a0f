#include "taut/sweep/axis.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "taut/base/error.hpp"

namespace taut::sweep {
namespace {

constexpr std::size_t most_values = 1000000;
constexpr double most_exact = 9007199254740992.0;  // beyond, adding 1 changes nothing

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

double bound(std::string_view text, const std::string& where) {
  if (const auto value = number(text)) return *value;
  throw Error(fmt::format("{}: found \"{}\", expected a number", where, text));
}

[[noreturn]] void refuse_spacing(std::string_view found, const std::string& where) {
  throw Error(fmt::format(
      "{}: found \"{}\" after the bounds of a range, expected linN, logN, N or int, such "
      "as 1:10:lin5 or 1:1000:log4",
      where, found));
}

std::vector<std::string> range(const std::vector<std::string_view>& parts,
                               const std::string& where) {
  if (parts.size() != 3)
    throw Error(
        fmt::format("{}: found {} after a \":\", expected FROM:TO:SPACING, such as "
                    "1:10:lin5, 1:1000:log4 or 1:10:int",
                    where, parts.size() == 2 ? "nothing more" : "too much"));
  const double from = bound(parts[0], where), to = bound(parts[1], where);
  std::string_view spacing = parts[2];
  const bool is_log = spacing.starts_with("log"), is_int = spacing.starts_with("int");
  if (is_log || is_int || spacing.starts_with("lin")) spacing.remove_prefix(3);
  std::vector<std::string> values;
  if (is_int) {
    const double step = spacing.empty() ? 1 : number(spacing).value_or(0);
    if (!(step >= 1) || step != std::floor(step)) refuse_spacing(parts[2], where);
    if (from != std::floor(from) || to != std::floor(to) || from > to)
      throw Error(fmt::format("{}: found {}:{}, expected two whole numbers, the smaller first",
                              where, parts[0], parts[1]));
    if (std::max(-from, to) > most_exact)
      throw Error(fmt::format("{}: found {}:{}, expected whole numbers up to 2^53", where, parts[0],
                              parts[1]));
    if ((to - from) / step >= static_cast<double>(most_values))
      throw Error(fmt::format("{}: found more than {} values", where, most_values));
    for (double value = from; value <= to; value += step)
      values.push_back(fmt::format("{}", value));
    return values;
  }
  const double count = number(spacing).value_or(0);
  if (!(count >= 1) || count != std::floor(count) || count > static_cast<double>(most_values))
    refuse_spacing(parts[2], where);
  if (is_log && !(from > 0 && to > 0))
    throw Error(fmt::format("{}: found the bounds {} and {}, expected numbers > 0 for log", where,
                            parts[0], parts[1]));
  if (count == 1 && from != to)
    throw Error(fmt::format("{}: found one value from {} to {}, expected at least 2", where,
                            parts[0], parts[1]));
  const int last = static_cast<int>(count) - 1;
  for (int i = 0; i <= last; ++i) {
    const double part = last > 0 ? static_cast<double>(i) / last : 0;
    const double value = i == last ? to
                         : i == 0  ? from
                         : is_log  ? from * std::pow(to / from, part)
                                   : from + (to - from) * part;
    // 15 digits: 1, 10, 100, and not 9.999999999999998.
    const bool is_end = i == 0 || i == last;
    values.push_back(is_end ? fmt::format("{}", value) : fmt::format("{:.15g}", value));
  }
  return values;
}

std::optional<Axis> distribution(std::string_view text, const std::string& where) {
  static constexpr std::pair<std::string_view, Axis::Kind> known[] = {
      {"uniform", Axis::Kind::uniform},
      {"log_uniform", Axis::Kind::log_uniform},
      {"normal", Axis::Kind::normal},
      {"integer", Axis::Kind::integer}};
  const std::size_t open = text.find('(');
  if (open == text.npos || text.back() != ')') return std::nullopt;
  const std::string_view name = trimmed(text.substr(0, open));
  Axis axis;
  bool is_known = false;
  std::vector<std::string_view> names;
  for (const auto& [each, kind] : known) {
    names.push_back(each);
    if (each != name) continue;
    axis.kind = kind;
    is_known = true;
  }
  if (!is_known)
    throw Error(
        fmt::format("{}: there is no distribution \"{}\"{}", where, name, suggestion(name, names)));
  const auto arguments = split(text.substr(open + 1, text.size() - open - 2), ',');
  if (arguments.size() != 2)
    throw Error(
        fmt::format("{}: found \"{}\", expected two numbers, as in {}(0, 1)", where, text, name));
  axis.a = bound(arguments[0], where);
  axis.b = bound(arguments[1], where);
  const bool is_ok =
      axis.kind == Axis::Kind::normal        ? axis.b >= 0
      : axis.kind == Axis::Kind::log_uniform ? 0 < axis.a && axis.a <= axis.b
      : axis.kind == Axis::Kind::integer
          ? axis.a <= axis.b && axis.a == std::floor(axis.a) && axis.b == std::floor(axis.b)
          : axis.a <= axis.b;
  if (!is_ok)
    throw Error(fmt::format("{}: found \"{}\", expected {}", where, text,
                            axis.kind == Axis::Kind::normal        ? "a deviation ≥ 0"
                            : axis.kind == Axis::Kind::log_uniform ? "bounds > 0, the smaller first"
                            : axis.kind == Axis::Kind::integer ? "whole numbers, the smaller first"
                                                               : "the smaller bound first"));
  return axis;
}

/// The inverse of the normal distribution (Acklam 2003, relative error 1e-9), made exact to
/// round-off by a step of Halley's method.
double normal_quantile(double p) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                          6.680131188771972e+01, -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                          3.754408661907416e+00};
  const auto tail = [&](double q) {
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  };
  double x = 0;
  if (p < 0.02425) {
    x = tail(std::sqrt(-2 * std::log(p)));
  } else if (p > 1 - 0.02425) {
    x = -tail(std::sqrt(-2 * std::log1p(-p)));
  } else {
    const double q = p - 0.5, r = q * q;
    x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
        (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
  }
  const double e = 0.5 * std::erfc(-x / std::sqrt(2.0)) - p;
  const double u = e * std::sqrt(2 * M_PI) * std::exp(0.5 * x * x);
  return x - u / (1 + 0.5 * x * u);
}

}  // namespace

std::string Axis::sample(double rank) const {
  switch (kind) {
    case Kind::uniform:
      return fmt::format("{}", a + (b - a) * rank);
    case Kind::log_uniform:
      return fmt::format("{}", a * std::pow(b / a, rank));
    case Kind::normal:
      return fmt::format("{}", a + b * normal_quantile(rank));
    case Kind::integer:
      return fmt::format("{}", std::min(b, a + std::floor((b - a + 1) * rank)));
    case Kind::values:
      break;
  }
  return "";
}

std::vector<std::string> parse_values(std::string_view text, const std::string& where) {
  text = trimmed(text);
  if (text.empty()) throw Error(fmt::format("{}: found no value", where));
  if (text.find(',') == text.npos)
    if (const auto parts = split(text, ':'); parts.size() > 1 && number(parts[0]))
      return range(parts, where);
  std::vector<std::string> values;
  for (const std::string_view each : split(text, ',')) {
    if (each.empty())
      throw Error(
          fmt::format("{}: found \"{}\", expected a value between all commas", where, text));
    values.emplace_back(each);
  }
  return values;
}

Axis parse_axis(std::string_view text, std::string_view option) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0)
    throw Error(
        fmt::format("{}: found \"{}\", expected NAME=VALUES, such as R=1:100:log5", option, text));
  const std::string name(trimmed(text.substr(0, equals)));
  const std::string where = fmt::format("{} {}", option, name);
  const std::string_view values = trimmed(text.substr(equals + 1));
  if (!values.empty())
    if (auto axis = distribution(values, where)) {
      axis->name = name;
      return *std::move(axis);
    }
  return {.name = name, .values = parse_values(values, where)};
}

// splitmix64 (Steele, Lea and Flood 2014)
std::uint64_t Random::word() {
  std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

double Random::next() { return (static_cast<double>(word() >> 12) + 0.5) * 0x1p-52; }

std::uint64_t Random::next_below(std::uint64_t below) {
  return std::min(below - 1, static_cast<std::uint64_t>(next() * static_cast<double>(below)));
}

std::vector<std::vector<double>> random_points(std::size_t count, std::size_t dimensions,
                                               bool latin, std::uint64_t seed) {
  std::vector<std::vector<double>> points(count, std::vector<double>(dimensions));
  Random random(seed);
  std::vector<std::size_t> place(count);
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::iota(place.begin(), place.end(), 0);
    for (std::size_t i = count; latin && i > 1; --i)
      std::swap(place[i - 1], place[random.next_below(i)]);
    for (std::size_t i = 0; i < count; ++i) {
      const double within = random.next();
      points[i][d] =
          latin ? (static_cast<double>(place[i]) + within) / static_cast<double>(count) : within;
    }
  }
  return points;
}

}  // namespace taut::sweep
