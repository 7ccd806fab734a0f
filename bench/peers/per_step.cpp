#include <fmt/format.h>

#include <algorithm>

#include "run.hpp"
#include "side_by_side.hpp"

namespace peers {

TextTable costs_per_step(const std::vector<Setup>& setups, int repetitions) {
  TextTable table;
  table.title = "A step with few constraints, h = 0.01 s";
  table.about =
      "us of CPU per step, and in brackets how far rods got longer or shorter within 5 s, in m: "
      "chains of 2 to 10 rods of 1 m that swing down, and ten_link. The median of several runs, "
      "all "
      "set-ups in turn.";
  std::vector<Scene> scenes;
  for (const int rods : {2, 4, 6, 8, 10}) scenes.push_back(heavy_chain(rods, 1));
  for (Scene& chain : scenes) {
    chain.name = fmt::format("{} rods", chain.bodies.size());
    for (Body& body : chain.bodies) body.position *= 10;
    chain.size = 1;
  }
  scenes.push_back(ten_link());
  table.columns = {""};
  for (Scene& scene : scenes) {
    table.columns.push_back(scene.name);
    scene.step = 0.01;
    scene.windows.front().end = 5;
  }
  const auto runs = [](const Setup& setup, const Scene& scene) {
    return setup.is_for(scene) && setup.cannot(scene).empty();
  };
  // times[set-up][scene]: of all repetitions, which take turns.
  std::vector<std::vector<std::vector<double>>> times(
      setups.size(), std::vector<std::vector<double>>(scenes.size()));
  std::vector<std::vector<double>> errors(setups.size(), std::vector<double>(scenes.size()));
  for (int repetition = 0; repetition < std::max(5, repetitions); ++repetition)
    for (std::size_t i = 0; i < scenes.size(); ++i)
      for (std::size_t s = 0; s < setups.size(); ++s) {
        if (!runs(setups[s], scenes[i])) continue;
        const bool is_first = repetition == 0;
        const WindowResult result = run(setups[s], scenes[i], {20, is_first, 0.05}).front();
        times[s][i].push_back(1e3 * result.time * scenes[i].step);
        if (is_first) errors[s][i] = result.errors.joints;
      }
  for (std::size_t s = 0; s < setups.size(); ++s) {
    if (setups[s].use != Kind::mechanism) continue;
    std::vector<std::string> row{setups[s].engine + " " + setups[s].settings};
    for (std::size_t i = 0; i < scenes.size(); ++i) {
      std::vector<double>& all = times[s][i];
      std::sort(all.begin(), all.end());
      row.push_back(
          all.empty() ? "-" : fmt::format("{:.3g} ({:.0e})", all[all.size() / 2], errors[s][i]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace peers
