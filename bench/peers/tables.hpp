// What was measured, as text, JSON and pictures.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "sweep.hpp"
#include "taut/report/document.hpp"

namespace peers {

/// A table that goes both to the terminal and to the report.
struct TextTable {
  std::string title, about;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< the first cell is a name
};
void print(const TextTable& table);

/// All set-ups with the steps at which the scene wants them side by side; no rows if it does not.
TextTable at_equal_steps(const Sweep& sweep, const std::vector<Setup>& setups);
/// Where another engine is cheaper than taut, or at an equal step more exact: a line each.
std::vector<std::string> behind(const Sweep& sweep, const std::vector<Setup>& setups);

/// Those that have set-ups, in their order.
std::vector<std::string> engines_of(const std::vector<Setup>& setups);
/// "angles, RK4, 1/60 s"
std::string name_of(const Sample& sample, const std::vector<Setup>& setups);
std::string three_digits(double value);
/// "46 contacts", or what else makes the scene large.
std::string size_of(const Sweep& sweep, std::size_t window);
/// Why an engine does not run a scene at all; empty if it does.
std::string why_not(const Sweep& sweep, const std::vector<Setup>& setups,
                    const std::string& engine);
/// Cost over error: the least for an error of at most x, a staircase for each engine.
taut::report::Plot work_precision(const Sweep& sweep, const std::vector<Setup>& setups,
                                  std::size_t window);

/// For each window the cheapest of every engine at each level of error; with `is_complete` all
/// runs.
void print(const Sweep& sweep, const std::vector<Setup>& setups, bool is_complete);
/// One step length for all: how cost grows.
void print_growth(const Scene& scene, const std::vector<Setup>& setups,
                  const std::vector<std::vector<WindowResult>>& results);
nlohmann::json to_json(const Sweep& sweep, const std::vector<Setup>& setups);
/// One SVG for each window: cost over error.
void draw(const Sweep& sweep, const std::vector<Setup>& setups,
          const std::filesystem::path& folder);

}  // namespace peers
