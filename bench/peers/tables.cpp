#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "taut/report/svg.hpp"

namespace peers {

std::vector<std::string> engines_of(const std::vector<Setup>& setups) {
  std::vector<std::string> engines;
  for (const Setup& setup : setups)
    if (engines.empty() || engines.back() != setup.engine) engines.push_back(setup.engine);
  return engines;
}

std::string name_of(const Sample& sample, const std::vector<Setup>& setups) {
  return fmt::format("{}, 1/{:.0f} s", setups[sample.setup].settings, 1 / sample.step);
}

std::string three_digits(double value) {
  return value < 999.5 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

namespace {
constexpr double largest_shown = 0.1, least_shown = 1e-12;  // m, of errors in plots
}  // namespace

std::string size_of(const Sweep& sweep, std::size_t window) {
  if (sweep.scene.kind == Kind::cloth)
    return fmt::format("{} vertices, {} edges", sweep.scene.bodies.size(),
                       sweep.scene.joints.size());
  if (!sweep.scene.has_contacts()) return fmt::format("{} joints", sweep.scene.joints.size());
  // As the run sees it that goes through the bodies least.
  const Sample* best = nullptr;
  for (const Sample& sample : sweep.samples)
    if (sample.windows[window].is_complete && (!best || sample.worst[window] < best->worst[window]))
      best = &sample;
  const double contacts = best ? best->windows[window].errors.contacts : 0;
  return fmt::format("{:.0f} contacts", contacts);
}

std::string why_not(const Sweep& sweep, const std::vector<Setup>& setups,
                    const std::string& engine) {
  const Scene& scene = sweep.scene;
  for (const Sample& sample : sweep.samples)
    if (setups[sample.setup].engine == engine) return "";
  for (std::size_t s = 0; s < setups.size(); ++s)
    if (setups[s].engine == engine && !sweep.failures[s].empty()) return sweep.failures[s];
  std::string reason = "not set up for this";
  if (engine == "Simbody" && scene.has_contacts())
    reason = "its contacts are springs, of spheres and meshes on half-spaces";
  if (engine == "Simbody" && scene.kind == Kind::cloth)
    reason = "its constraints make a dense matrix: of 3000 rods, a step takes minutes";
  if (engine == "DART" && scene.kind == Kind::cloth)
    reason = "its soft bodies are skins of rigid ones; it has neither cloth nor rods";
  for (const Setup& setup : setups) {
    if (setup.engine != engine || !setup.is_for(scene)) continue;
    const std::string cannot = setup.cannot(scene);
    reason = cannot.empty() ? "a step would take minutes" : cannot;
  }
  return reason;
}

namespace {
void print_runs(const Sweep& sweep, const std::vector<Setup>& setups, std::size_t w) {
  fmt::print("  {:<8}{:<34}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>8}\n", "", "", "us/ms", "error m",
             sweep.scene.has_contacts() ? "overlap m" : "joints m",
             sweep.scene.has_contacts() ? "drift m" : "motion m", "energy +", "momentum", "solves");
  for (const Sample& sample : sweep.samples) {
    const WindowResult& result = sample.windows[w];
    const Errors& errors = result.errors;
    fmt::print("  {:<8}{:<34}{:>10}{:>10.1e}{:>10.1e}{:>10.1e}{:>10.1e}{:>10.1e}{:>8.1f}  {}\n",
               setups[sample.setup].engine, name_of(sample, setups), three_digits(result.time),
               sample.worst[w], std::max(errors.overlap, errors.joints),
               sweep.scene.has_contacts() ? errors.drift : errors.deviation, errors.gain,
               errors.momentum, result.linear_solves, result.note);
  }
}

}  // namespace

void print(const Sweep& sweep, const std::vector<Setup>& setups, bool is_complete) {
  for (std::size_t w = 0; w < sweep.scene.windows.size(); ++w) {
    fmt::print("\n{} {}, {}: us of CPU per simulated ms, at errors up to\n  {:<8}",
               sweep.scene.name, sweep.scene.windows[w].name, size_of(sweep, w), "");
    for (const double error : error_levels()) fmt::print("{:>9.0e} m", error);
    fmt::print("\n");
    for (const std::string& engine : engines_of(setups)) {
      std::string how = why_not(sweep, setups, engine);
      const Sample* before = nullptr;
      fmt::print("  {:<8}", engine);
      for (const double error : error_levels()) {
        const Sample* sample = sweep.cheapest(w, setups, engine, error);
        fmt::print("{:>11}", sample ? three_digits(sample->windows[w].time) : "-");
        if (sample && sample != before)
          how +=
              fmt::format("{}{:.0e}: {}", how.empty() ? "" : "; ", error, name_of(*sample, setups));
        before = sample;
      }
      fmt::print("   {}\n", how);
    }
    if (is_complete) print_runs(sweep, setups, w);
  }
}

void print_growth(const Scene& scene, const std::vector<Setup>& setups,
                  const std::vector<std::vector<WindowResult>>& results) {
  for (std::size_t w = 0; w < scene.windows.size(); ++w) {
    fmt::print("\n{} {}, h = 1/{:.0f} s\n  {:<28}{:>12}{:>10}{:>12}{:>12}{:>12}{:>9}\n", scene.name,
               scene.windows[w].name, 1 / scene.step, "", "us/step", "contacts", "overlap m",
               "drift m", "energy +", "solves");
    for (std::size_t s = 0; s < setups.size(); ++s) {
      const std::string name = setups[s].engine + " " + setups[s].settings;
      if (results[s].empty() || results[s][w].steps == 0) {
        fmt::print("  {:<28}{:>12}\n", name, "not run");
        continue;
      }
      const WindowResult& result = results[s][w];
      fmt::print("  {:<28}{:>12.1f}{:>10.0f}{:>12.1e}{:>12.1e}{:>12.1e}{:>9.1f}  {}\n", name,
                 1e3 * result.time * scene.step, result.errors.contacts, result.errors.overlap,
                 result.errors.drift, result.errors.gain, result.linear_solves, result.note);
    }
  }
}

nlohmann::json to_json(const Sweep& sweep, const std::vector<Setup>& setups) {
  auto list = nlohmann::json::array();
  for (const Sample& sample : sweep.samples)
    for (std::size_t w = 0; w < sweep.scene.windows.size(); ++w) {
      const WindowResult& result = sample.windows[w];
      list.push_back({{"engine", setups[sample.setup].engine},
                      {"settings", setups[sample.setup].settings},
                      {"scene", sweep.scene.name},
                      {"window", sweep.scene.windows[w].name},
                      {"step", sample.step},
                      {"us_per_ms", result.time},
                      {"error", sample.worst[w]},
                      {"contacts", result.errors.contacts},
                      {"overlap", result.errors.overlap},
                      {"joints", result.errors.joints},
                      {"drift", result.errors.drift},
                      {"energy_gain", result.errors.gain},
                      {"energy_loss", result.errors.loss},
                      {"momentum", result.errors.momentum},
                      {"deviation", result.errors.deviation},
                      {"is_complete", result.is_complete},
                      {"linear_solves", result.linear_solves},
                      {"note", result.note}});
    }
  return list;
}

taut::report::Plot work_precision(const Sweep& sweep, const std::vector<Setup>& setups,
                                  std::size_t w) {
  taut::report::Plot plot;
  plot.title = sweep.scene.name + " " + sweep.scene.windows[w].name;
  plot.x_label = "error (m)";
  plot.y_label = "CPU time per simulated ms (µs)";
  plot.log_x = plot.log_y = true;
  int number = 1;  // the first colour is grey
  for (const std::string& engine : engines_of(setups)) {
    taut::report::Series series;
    series.label = engine;
    series.method = number++;  // for a colour of its own
    std::vector<const Sample*> sorted;
    for (const Sample& sample : sweep.samples)
      if (setups[sample.setup].engine == engine && sample.windows[w].is_complete)
        sorted.push_back(&sample);
    std::sort(sorted.begin(), sorted.end(), [&](const Sample* a, const Sample* b) {
      return a->windows[w].time < b->windows[w].time;
    });
    double reached = largest_shown;
    for (const Sample* sample : sorted) {
      if (!(sample->worst[w] < reached)) continue;
      const double time = sample->windows[w].time;
      const double error = std::max(sample->worst[w], least_shown);
      series.x.insert(series.x.end(), {reached, error});
      series.y.insert(series.y.end(), {time, time});
      reached = error;
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

void draw(const Sweep& sweep, const std::vector<Setup>& setups,
          const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (std::size_t w = 0; w < sweep.scene.windows.size(); ++w) {
    const taut::report::Plot plot = work_precision(sweep, setups, w);
    std::string name = plot.title;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    std::ofstream(folder / (name + ".svg")) << taut::report::svg(plot);
  }
}

}  // namespace peers
