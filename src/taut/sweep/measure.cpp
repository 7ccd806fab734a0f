#include "taut/sweep/measure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "taut/base/error.hpp"

namespace taut::sweep {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(' ');
  return from == text.npos ? "" : text.substr(from, text.find_last_not_of(' ') - from + 1);
}

std::string name_of(const io::Node& entry) {
  for (const std::string_view key : {"name", "constraint"})
    if (const io::Node* named = entry.find(key); named && named->text()) return *named->text();
  return "";
}

std::string cell(const io::Node& value, const std::string& way) {
  if (value.number()) return fmt::format("{}", *value.number());
  if (value.boolean()) return *value.boolean() ? "true" : "false";
  if (value.text()) return *value.text();
  if (value.items() || value.members())
    throw Error(fmt::format("--measure {}: found {}, expected a way that ends at a single value",
                            way, value.items() ? "a list" : "a group"));
  return "";
}

}  // namespace

Measure parse_measure(const std::string& given, const std::vector<std::string>& sensors) {
  Measure measure;
  std::string text = trimmed(given);
  measure.label = text;
  if (const std::size_t equals = text.find('='); equals != text.npos) {
    measure.label = trimmed(text.substr(0, equals));
    text = trimmed(text.substr(equals + 1));
  }
  if (text.empty() || measure.label.empty())
    throw Error(
        fmt::format("--measure: found \"{}\", expected a value of the report or a sensor, "
                    "such as energy.max_abs_error or peak=max(height)",
                    given));
  const auto is_sensor = [&](const std::string& name) {
    return std::find(sensors.begin(), sensors.end(), name) != sensors.end();
  };
  const std::size_t open = text.find('(');
  if (open == text.npos || !text.ends_with(')')) {
    measure.name = text;
    measure.kind = is_sensor(text) ? Measure::Kind::last : Measure::Kind::report;
    return measure;
  }
  const std::string function = trimmed(text.substr(0, open));
  std::string inside = trimmed(text.substr(open + 1, text.size() - open - 2));
  static constexpr std::pair<std::string_view, Measure::Kind> known[] = {
      {"min", Measure::Kind::least},
      {"max", Measure::Kind::largest},
      {"last", Measure::Kind::last},
      {"at", Measure::Kind::at}};
  const auto found = std::find_if(std::begin(known), std::end(known),
                                  [&](const auto& each) { return each.first == function; });
  if (found == std::end(known))
    throw Error(
        fmt::format("--measure {}: found \"{}\", expected min, max, last or at", given, function));
  measure.kind = found->second;
  if (measure.kind == Measure::Kind::at) {
    const std::size_t comma = inside.rfind(',');
    const std::string time = comma == inside.npos ? "" : trimmed(inside.substr(comma + 1));
    const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), measure.time);
    if (time.empty() || error != std::errc{} || end != time.data() + time.size() ||
        !std::isfinite(measure.time))
      throw Error(fmt::format("--measure {}: expected at(SENSOR, TIME)", given));
    inside = trimmed(inside.substr(0, comma));
  }
  if (!is_sensor(inside)) {
    const std::vector<std::string_view> names(sensors.begin(), sensors.end());
    throw Error(fmt::format(
        "--measure {}: there is no sensor \"{}\"{}", given, inside,
        names.empty() ? " (--sensor NAME=FORMULA adds one)" : suggestion(inside, names)));
  }
  measure.name = inside;
  return measure;
}

std::vector<std::string> usual_measures(const std::vector<std::string>& sensors) {
  std::vector<std::string> usual{"steps", "time", "constraint_error.max", "energy.max_abs_error"};
  usual.insert(usual.end(), sensors.begin(), sensors.end());
  return usual;
}

std::string value_at(const io::Node& report, const std::string& way) {
  const io::Node* node = &report;
  std::string rest = way;
  while (!rest.empty()) {
    // Names may have dots: the longest that fits.
    std::vector<std::string> names;
    const io::Node* next = nullptr;
    std::size_t taken = 0;
    const auto look = [&](const std::string& name, const io::Node& value) {
      names.push_back(name);
      const bool fits = !name.empty() && rest.starts_with(name) &&
                        (rest.size() == name.size() || rest[name.size()] == '.');
      if (!fits || (next && name.size() <= taken)) return;
      next = &value;
      taken = name.size();
    };
    if (const io::Node::Members* members = node->members())
      for (const io::Node::Member& member : *members) look(member.first, member.second);
    if (const io::Node::Items* items = node->items())
      for (std::size_t i = 0; i < items->size(); ++i) {
        look(std::to_string(i), (*items)[i]);
        look(name_of((*items)[i]), (*items)[i]);
      }
    if (!next) {
      const std::string wanted = rest.substr(0, rest.find('.'));
      const std::vector<std::string_view> known(names.begin(), names.end());
      throw Error(fmt::format("--measure {}: the report has no \"{}\"{}{}", way, wanted,
                              rest == way ? "" : " there", suggestion(wanted, known)));
    }
    node = next;
    rest.erase(0, std::min(rest.size(), taken + 1));
  }
  return cell(*node, way);
}

}  // namespace taut::sweep
