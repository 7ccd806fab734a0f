// What was measured, as text, JSON and pictures.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "sweep.hpp"

namespace peers {

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
