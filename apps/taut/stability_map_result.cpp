#include "stability_map_result.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "progress_bar.hpp"
#include "taut/base/version.hpp"
#include "taut/text/json.hpp"
#include "text_table.hpp"

namespace taut::cli {
namespace {

using io::Json;

/// The largest step up to which no run diverges; 0 when the smallest does.
double measured_limit(const StabilityMap& map, std::size_t value) {
  double limit = 0;
  for (std::size_t s = 0; s < map.steps.size(); ++s) {
    const Behaviour behaviour = map.at(s, value).behaviour;
    if (behaviour == Behaviour::divergent || behaviour == Behaviour::not_run) break;
    limit = map.steps[s];
  }
  return limit;
}

struct Agreement {
  long agree = 0, all = 0;
};
Agreement agreement(const MapResult& result) {
  Agreement count;
  for (std::size_t i = 0; i < result.map.cells.size() && !result.limits.empty(); ++i) {
    const StabilityCell& cell = result.map.cells[i];
    if (cell.behaviour == Behaviour::not_run) continue;
    const StepLimits& limits = result.limits[i / result.map.steps.size()];
    ++count.all;
    count.agree += (cell.step >= limits.stable) == (cell.behaviour == Behaviour::divergent);
  }
  return count;
}

std::string limit_text(double step) {
  if (std::isinf(step)) return "no limit";
  return step > 0 ? fmt::format("{:.4g}", step) : "none";
}

}  // namespace

void print_map_summary(const MapResult& result) {
  const StabilityMap& map = result.map;
  fmt::print("{} with {}: {} runs of {:g} s or {} steps, whichever is longer, in {}\n",
             result.scene.name, result.request.method, map.cells.size(), result.request.duration,
             result.request.least_steps, duration_text(result.seconds));
  fmt::print("steps from {:g} to {:g} s", map.steps.front(), map.steps.back());
  if (!map.values.empty())
    fmt::print(", {} from {:g} to {:g} {}", result.parameter.label, map.values.front(),
               map.values.back(), result.parameter.unit);
  fmt::print("\n\n");

  TextTable counts;
  counts.left("").right("").right("");
  for (int kind = 0; kind <= static_cast<int>(Behaviour::not_run); ++kind) {
    const auto behaviour = static_cast<Behaviour>(kind);
    const auto n = std::count_if(map.cells.begin(), map.cells.end(),
                                 [&](const StabilityCell& c) { return c.behaviour == behaviour; });
    if (n > 0)
      counts.row({std::string(behaviour_text(behaviour)), fmt::format("{}", n),
                  fmt::format("{:.0f} %", 100. * static_cast<double>(n) /
                                              static_cast<double>(map.cells.size()))});
  }
  fmt::print("{}\n", counts.text("  "));

  TextTable table;
  if (!map.values.empty())
    table.right(fmt::format("{} ({})", result.parameter.label, result.parameter.unit));
  table.right("no divergence up to (s)");
  if (!result.limits.empty()) table.right("predicted limit (s)").right("oscillates from (s)");
  const std::size_t rows = std::max<std::size_t>(1, map.values.size());
  const std::size_t shown = std::min<std::size_t>(7, rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t v = shown == 1 ? 0 : i * (rows - 1) / (shown - 1);
    std::vector<std::string> cells;
    if (!map.values.empty()) cells.push_back(fmt::format("{:.4g}", map.values[v]));
    const double measured = measured_limit(map, v);
    cells.push_back(measured == map.steps.back() ? "all" : limit_text(measured));
    if (!result.limits.empty()) {
      cells.push_back(limit_text(result.limits[v].stable));
      const double monotone = result.limits[v].monotone;
      cells.push_back(monotone > 0 ? limit_text(monotone) : "every step");
    }
    table.row(std::move(cells));
  }
  fmt::print("{}", table.text("  "));
  if (const Agreement count = agreement(result); count.all > 0)
    fmt::print("\nthe predicted limit agrees with {} of {} runs\n", count.agree, count.all);
}

std::string map_json(const MapResult& result) {
  const auto finite = [](double x) { return std::isfinite(x) ? Json(x) : Json(); };
  Json json{{"taut", version}, {"scene", result.scene.name}, {"method", result.request.method}};
  json["options"] = Json::object();
  for (const OptionValue& option : result.request.options)
    json["options"][option.name] = option.value;
  json["parameters"] = result.parameter.names;
  json["duration"] = result.request.duration;
  json["least_steps"] = result.request.least_steps;
  json["steps"] = result.map.steps;
  json["values"] = result.map.values;
  json["predicted"] = Json::array();
  for (const StepLimits& limits : result.limits)
    json["predicted"].push_back(
        {{"stable_step", finite(limits.stable)}, {"monotone_step", finite(limits.monotone)}});
  const Agreement count = agreement(result);
  json["agreement"] = {{"runs", count.all}, {"agree", count.agree}};
  json["cells"] = Json::array();
  for (const StabilityCell& cell : result.map.cells)
    json["cells"].push_back({{"step", cell.step},
                             {"value", result.map.values.empty() ? Json() : Json(cell.value)},
                             {"behaviour", behaviour_text(cell.behaviour)},
                             {"largest_error", finite(cell.largest_error)},
                             {"final_error", finite(cell.final_error)},
                             {"sign_changes", cell.sign_changes}});
  return json.dump(2);
}

}  // namespace taut::cli
