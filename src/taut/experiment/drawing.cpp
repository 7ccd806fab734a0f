// Plots and tables of an experiment, as its file asks for them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/experiment/experiment_internal.hpp"
#include "taut/report/number_text.hpp"

namespace taut::experiment::detail {
namespace {

/// The label with its unit of what is known by name.
std::string label_of(const std::string& name, const std::string& given) {
  static const std::map<std::string, std::string> labels{
      {"time", "time (s)"},
      {"step", "step size (s)"},
      {"error", "largest constraint error (m)"},
      {"accumulated", "accumulated constraint error (m)"},
      {"max_error", "largest constraint error (m)"},
      {"kinetic", "kinetic energy (J)"},
      {"potential", "potential energy (J)"},
      {"energy", "total energy (J)"},
      {"speed", "speed (m/s)"},
      {"deviation", "deviation from the reference (m)"},
      {"us_per_step", "time per step (µs)"},
      {"solves_per_step", "linear solves per step"},
      {"position_error", "relative error of positions at the end"},
      {"velocity_error", "relative error of velocities at the end"},
      {"lambda_error", "relative error of multipliers at the end"},
      {"energy_error", "largest energy error (J)"},
      {"final_error", "final constraint error (m)"},
      {"alpha", "α (1/s)"},
      {"beta", "β (1/s)"},
      {"steps", "steps completed"},
      {"cpu_seconds", "CPU time of the steps (s)"},
      {"reference_error", "error at the end (m, rad)"},
      {"reference_velocity_error", "error of velocities at the end (m/s, rad/s)"},
      {"iterations_per_step", "iterations per step"},
      {"compromise_steps", "steps solved by compromise"},
      {"halved_steps", "halved steps"},
      {"residual_steps", "steps above the tolerance"},
      {"position_difference", "largest difference of a coordinate at the end (m)"},
      {"direction_error", "residual F per vertex (m)"},
      {"free_distance", "distance from the end of the free step, per vertex (m)"},
      {"final_speed", "speed at the end (m/s)"},
  };
  if (!given.empty()) return given;
  const auto found = labels.find(name);
  if (found != labels.end()) return found->second;
  return name.size() > 2 && name[name.size() - 2] == '.' ? name + " (m)" : name;
}

/// The method's place in the list of methods, which gives its colour.
int place_of(const std::string& method) {
  const auto& all = methods();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const MethodInfo& info) { return info.name == method; });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

bool is_drawn(const PlotSpec& spec, const RunData& run) {
  if (spec.runs.empty()) return !run.spec.is_truth;
  return std::any_of(spec.runs.begin(), spec.runs.end(),
                     [&](const std::string& pattern) { return matches(pattern, run.spec.id); });
}

void draw_runs(const PlotSpec& spec, const std::vector<RunData>& runs, Plot& plot) {
  for (const RunData& run : runs) {
    if (!is_drawn(spec, run)) continue;
    if (spec.reference && (plot.series.empty() || !plot.series.front().is_reference)) {
      Series reference{"reference", run.series.at(spec.x), run.series.at("reference")};
      reference.is_reference = true;
      plot.series.insert(plot.series.begin(), std::move(reference));
    }
    Series series{run.spec.label, run.series.at(spec.x), run.series.at(spec.y)};
    series.method = place_of(run.spec.method);
    if (spec.points) series.style = Series::Style::line_and_points;
    plot.series.push_back(series);
    for (const auto& [label, name] : spec.also) {
      series.label = label;
      series.y = run.series.at(name);
      series.style = Series::Style::dashed;
      plot.series.push_back(series);
    }
  }
}

/// A sweep: a point for each run, joined by what the group says, in the order of x.
void draw_sweep(const PlotSpec& spec, const std::vector<RunData>& runs, Plot& plot) {
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::pair<double, double>>> points;
  std::map<std::string, int> method_of;
  for (const RunData& run : runs) {
    if (!is_drawn(spec, run)) continue;
    const std::string group = spec.group == "method" ? run.spec.method : run.spec.label;
    const double x = run.metrics.at(spec.x), y = run.metrics.at(spec.y);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    if (!points.contains(group)) groups.push_back(group);
    points[group].emplace_back(x, y);
    method_of.emplace(group, place_of(run.spec.method));
  }
  for (const std::string& group : groups) {
    std::sort(points[group].begin(), points[group].end());
    Series series;
    series.label = group;
    series.method = method_of.at(group);
    series.style = Series::Style::line_and_points;
    for (const auto& [x, y] : points[group]) {
      series.x.push_back(x);
      series.y.push_back(y);
    }
    plot.series.push_back(std::move(series));
  }
}

void draw_formulas(const PlotSpec& spec, Plot& plot) {
  double from = 0, to = 1;
  if (spec.formula_range) {
    from = spec.formula_range->first;
    to = spec.formula_range->second;
  } else if (!plot.series.empty() && !plot.series.front().x.empty()) {
    from = plot.series.front().x.front();
    to = plot.series.front().x.back();
  }
  for (const auto& [label, expression] : spec.formulas) {
    Series series;
    series.label = label;
    series.is_reference = true;
    constexpr int pieces = 400;
    for (int i = 0; i <= pieces; ++i) {
      const double t = from + (to - from) * i / pieces;
      series.x.push_back(t);
      series.y.push_back(evaluate(expression, {{"t", t}}));
    }
    plot.series.insert(plot.series.begin(), std::move(series));
  }
}

}  // namespace

Plot draw(const PlotSpec& spec, const std::vector<RunData>& runs) {
  Plot plot;
  plot.title = spec.title;
  plot.caption = spec.caption;
  plot.x_label = label_of(spec.x, spec.x_label);
  plot.y_label = label_of(spec.y, spec.y_label);
  plot.log_x = spec.log_x;
  plot.log_y = spec.log_y;
  plot.equal_axes = spec.equal_axes;
  plot.x_range = spec.x_range;
  plot.y_range = spec.y_range;
  try {
    if (spec.group.empty())
      draw_runs(spec, runs, plot);
    else
      draw_sweep(spec, runs, plot);
  } catch (const std::out_of_range&) {
    throw Error("plot \"" + spec.title + "\": a run has no \"" + spec.x + "\" or \"" + spec.y +
                "\"");
  }
  draw_formulas(spec, plot);
  for (const auto& [label, place] : spec.marks)
    plot.series.push_back({label, {place.first}, {place.second}, Series::Style::points});
  return plot;
}

Table tabulate(const TableSpec& spec, const std::vector<RunData>& runs) {
  Table table;
  table.caption = spec.caption;
  table.columns = {"run"};
  for (const std::string& column : spec.columns) {
    const auto given = spec.labels.find(column);
    table.columns.push_back(label_of(column, given == spec.labels.end() ? "" : given->second));
  }
  for (const RunData& run : runs) {
    const bool shown = spec.runs.empty() || std::any_of(spec.runs.begin(), spec.runs.end(),
                                                        [&](const std::string& pattern) {
                                                          return matches(pattern, run.spec.id);
                                                        });
    if (!shown) continue;
    std::vector<std::string> row{run.spec.label};
    for (const std::string& column : spec.columns) {
      if (column == "status") {
        row.push_back(run.report.status == RunStatus::ok
                          ? "ok"
                          : fmt::format("{} at step {}", status_text(run.report.status),
                                        run.report.diverged_at_step));
      } else {
        const auto found = run.metrics.find(column);
        row.push_back(found == run.metrics.end() || !std::isfinite(found->second)
                          ? "—"
                          : report::number_text(found->second));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace taut::experiment::detail
