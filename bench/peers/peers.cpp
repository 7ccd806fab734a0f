// taut beside other engines, on the same scenes:
//
//   ./run bench peers                          everything: a few minutes
//   ./run bench peers pile                     scenes with "pile" in their names
//   ./run bench peers --all --json results/peers.json --plots results/peers
//   ./run bench peers --large                  more bodies
//   ./run bench peers --mechanisms             links, joints and chains
//   ./run bench peers --growth --engine taut   how cost grows, to 10,000 contacts
//
// A time means nothing without its error. So each engine runs each scene with several set-ups and
// shorter and shorter steps, and what is printed is the least cost for an error. CPU time of one
// core; what is printed was run three times, all engines in turn, and is the median.
#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "check.hpp"
#include "tables.hpp"
#include "taut/base/version.hpp"
#include "taut/machine.hpp"

namespace {

using namespace peers;

std::vector<Setup> all_setups() {
  std::vector<Setup> all;
  for (const auto& of_engine : {taut_setups(), ode_setups(), bullet_setups(), mujoco_setups(),
                                simbody_setups(), dart_setups()})
    all.insert(all.end(), of_engine.begin(), of_engine.end());
  return all;
}

bool check_all(const std::vector<Setup>& setups) {
  bool all_passed = true;
  for (const Setup& setup : setups)
    for (const Check& check : peers::check(setup)) {
      if (check.passed()) continue;
      fmt::print(stderr, "{} {}: {} {:.4f}, expected {:.4f} ± {:.4f}\n", setup.engine,
                 setup.settings, check.what, check.found, check.expected, check.tolerance);
      all_passed = false;
    }
  return all_passed;
}

void stay_on_one_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}

/// The same step for all set-ups.
void show_growth(const std::vector<Scene>& scenes, const std::vector<Setup>& setups,
                 double budget) {
  for (const Scene& scene : scenes) {
    std::vector<std::vector<WindowResult>> results(setups.size());
    for (std::size_t s = 0; s < setups.size(); ++s)
      if (setups[s].is_for(scene) && scene.bodies.size() <= setups[s].most_bodies)
        results[s] = run(setups[s], scene, {budget, true, 0});
    print_growth(scene, setups, results);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app("taut beside other engines");
  std::string name, engine, setting, json, plots;
  bool is_growth = false, is_large = false, is_complete = false, is_mechanical = false;
  SweepOptions options;
  app.add_option("scene", name, "Part of the name of scenes; all without it");
  app.add_option("--engine", engine, "Part of the name of engines");
  app.add_option("--setup", setting, "Part of the settings of an engine");
  app.add_option("--repeat", options.repetitions, "Runs of what is cheapest")
      ->check(CLI::PositiveNumber);
  app.add_option("--budget", options.budget,
                 "s of CPU: steps are halved as long as a run is expected to take less");
  app.add_flag("--growth", is_growth, "Cubes and heaps that grow, with one step for all");
  app.add_flag("--large", is_large, "Walls and piles of more bodies");
  app.add_flag("--mechanisms", is_mechanical, "Links, joints and chains instead of contacts");
  app.add_flag("--all", is_complete, "Every run, not only the cheapest");
  app.add_option("--json", json, "Every run as JSON");
  app.add_option("--plots", plots, "Folder for plots");
  CLI11_PARSE(app, count, arguments);
  stay_on_one_core();

  std::vector<Setup> setups = all_setups();
  std::erase_if(setups, [&](const Setup& setup) {
    return setup.engine.find(engine) == std::string::npos ||
           setup.settings.find(setting) == std::string::npos;
  });
  std::vector<Scene> scenes = is_growth       ? growing_scenes()
                              : is_large      ? large_scenes()
                              : is_mechanical ? mechanisms()
                                              : all_scenes();
  std::erase_if(scenes,
                [&](const Scene& scene) { return scene.name.find(name) == std::string::npos; });

  fmt::print("taut {}, ODE {}, Bullet {}, MuJoCo {}, Simbody {}, DART {}\n{}, {}\n", taut::version,
             ode_version(), bullet_version(), mujoco_version(), simbody_version(), dart_version(),
             taut::cli::processor_name(), taut::cli::compiler_name());
  if (!check_all(setups)) {
    fmt::print(stderr, "An engine is set up wrongly: see above. Nothing is compared.\n");
    return 1;
  }
  if (is_growth) {
    show_growth(scenes, setups, 20);
    return 0;
  }

  nlohmann::json all = nlohmann::json::array();
  for (const Scene& scene : scenes) {
    const Sweep swept = sweep(scene, setups, options);
    print(swept, setups, is_complete);
    std::fflush(stdout);
    if (!plots.empty()) draw(swept, setups, plots);
    for (const nlohmann::json& each : to_json(swept, setups)) all.push_back(each);
  }
  if (!json.empty())
    std::ofstream(json) << nlohmann::json{{"processor", taut::cli::processor_name()},
                                          {"compiler", taut::cli::compiler_name()},
                                          {"results", all}}
                               .dump(2)
                        << '\n';
}
