#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tables.hpp"

namespace peers {
namespace {

std::string step_name(double step) {
  return 1 / step < 25 ? fmt::format("{:g} s", step) : fmt::format("1/{:.0f} s", 1 / step);
}

std::string two_digits(double value) {
  return std::isfinite(value) ? fmt::format("{:.1e}", value) : "lost";
}

/// In joint angles joints cannot come apart.
bool has_angles(const Setup& setup) {
  return setup.settings.find("angles") != std::string::npos || setup.settings == "multibody";
}

}  // namespace

TextTable at_equal_steps(const Sweep& sweep, const std::vector<Setup>& setups) {
  const Scene& scene = sweep.scene;
  const Window& window = scene.windows.back();
  TextTable table;
  if (scene.equal_steps.empty()) return table;
  table.title = scene.name + ", at equal steps" +
                (scene.has_contacts() ? "" : " (energy as a height of the whole)");
  std::string what;
  if (scene.has_contacts())
    what = window.rests ? "creep, mm/s" : "off, mm";
  else
    what = "stretch, %";
  table.columns = {""};
  for (const double step : scene.equal_steps) {
    table.columns.push_back(step_name(step) + ": us/step");
    table.columns.push_back(what);
    if (!scene.has_contacts()) {
      table.columns.push_back("energy +, m");
      table.columns.push_back("energy -, m");
    }
  }
  const std::size_t w = scene.windows.size() - 1;
  for (std::size_t s = 0; s < setups.size(); ++s) {
    if (!setups[s].is_for(scene)) continue;
    std::vector<std::string> row{setups[s].engine + " " + setups[s].settings};
    bool is_run = false;
    for (const double step : scene.equal_steps) {
      const Sample* sample = sweep.at_step(s, step);
      is_run = is_run || sample;
      const std::size_t cells = scene.has_contacts() ? 2 : 4;
      if (!sample || !sample->windows[w].is_complete) {
        row.insert(row.end(), cells, sample ? "too slow" : "-");
        continue;
      }
      const WindowResult& result = sample->windows[w];
      const Errors& errors = result.errors;
      row.push_back(three_digits(1e3 * result.time * step));
      if (scene.has_contacts()) {
        row.push_back(two_digits(window.rests ? 1e3 * errors.drift / (window.end - window.begin)
                                              : 1e3 * errors.deviation));
      } else {
        row.push_back(two_digits(100 * errors.joints / scene.size));
        row.push_back(two_digits(scene.size * errors.gain));  // as a height of the whole
        row.push_back(two_digits(scene.size * errors.loss));
      }
    }
    if (is_run) table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> behind(const Sweep& sweep, const std::vector<Setup>& setups) {
  std::vector<std::string> lines;
  const std::vector<std::string> engines = engines_of(setups);
  if (std::find(engines.begin(), engines.end(), "taut") == engines.end()) return lines;
  for (std::size_t w = 0; w < sweep.scene.windows.size(); ++w) {
    for (const double error : error_levels()) {
      const Sample* ours = sweep.cheapest(w, setups, "taut", error);
      const Sample* best = nullptr;
      for (const std::string& engine : engines) {
        const Sample* theirs =
            engine == "taut" ? nullptr : sweep.cheapest(w, setups, engine, error);
        if (theirs && (!best || theirs->windows[w].time < best->windows[w].time)) best = theirs;
      }
      if (!best || (ours && ours->windows[w].time <= best->windows[w].time)) continue;
      const std::string whose =
          fmt::format("{} {} {} us/ms", setups[best->setup].engine, name_of(*best, setups),
                      three_digits(best->windows[w].time));
      lines.push_back(fmt::format(
          "{} {}, {:.0e} m: {}; taut {}", sweep.scene.name, sweep.scene.windows[w].name, error,
          whose,
          ours ? fmt::format("{} us/ms ({}), {:.1f} times as much",
                             three_digits(ours->windows[w].time), name_of(*ours, setups),
                             ours->windows[w].time / best->windows[w].time)
               : "does not reach it"));
    }
    if (sweep.scene.has_contacts()) continue;
    for (const double step : sweep.scene.equal_steps) {
      const Sample *ours = nullptr, *theirs = nullptr;
      for (std::size_t s = 0; s < setups.size(); ++s) {
        const Sample* sample = sweep.at_step(s, step);
        if (!sample || !sample->windows[w].is_complete || has_angles(setups[s])) continue;
        const Sample*& best = setups[s].engine == "taut" ? ours : theirs;
        if (!best || sample->windows[w].errors.joints < best->windows[w].errors.joints)
          best = sample;
      }
      if (!theirs) continue;
      const double most = ours ? ours->windows[w].errors.joints : INFINITY;
      const double least = theirs->windows[w].errors.joints;
      if (most <= std::max(least, 1e-9 * sweep.scene.size)) continue;
      lines.push_back(
          fmt::format("{}, {}: joints are off by {:.1e} m with {} {}, {:.1e} m with taut",
                      sweep.scene.name, step_name(step), least, setups[theirs->setup].engine,
                      setups[theirs->setup].settings, most));
    }
  }
  return lines;
}

void print(const TextTable& table) {
  if (table.rows.empty()) return;
  fmt::print("\n{}\n", table.title);
  std::vector<std::size_t> widths(table.columns.size());
  const auto fit = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  };
  fit(table.columns);
  for (const auto& row : table.rows) fit(row);
  const auto show = [&](const std::vector<std::string>& row) {
    fmt::print("  {:<{}}", row.front(), widths.front());
    for (std::size_t i = 1; i < row.size(); ++i) fmt::print("  {:>{}}", row[i], widths[i]);
    fmt::print("\n");
  };
  show(table.columns);
  for (const auto& row : table.rows) show(row);
}

}  // namespace peers
