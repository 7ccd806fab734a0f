// taut beside other engines, on the same scenes:
//
//   ./run bench peers                          contacts: a few minutes
//   ./run bench peers pile                     scenes with "pile" in their names
//   ./run bench peers cloth grasp incline      groups of scenes, and tables of their own
//   ./run bench peers everything --report results/peers.html --json results/peers.json
//
// A time means nothing without its error. So each engine runs each scene with several set-ups and
// shorter and shorter steps, and what is printed is the least cost for an error. CPU time of one
// core; what is printed was run three times, all engines in turn, and is the median.
#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "check.hpp"
#include "groups.hpp"
#include "report.hpp"
#include "side_by_side.hpp"
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

/// What was asked for by names.
struct Wanted {
  struct Scenes {
    const Group* group;
    std::vector<Scene> scenes;
  };
  std::vector<Scenes> groups;
  bool inclines = false, steps = false, siconos = false, growth = false;

  bool nothing() const { return groups.empty() && !inclines && !steps && !siconos && !growth; }
};

/// A group, a table, or a part of the names of scenes.
Wanted wanted(const std::vector<std::string>& names) {
  Wanted out;
  const auto is_named = [&](const std::string& what) {
    return std::find(names.begin(), names.end(), what) != names.end();
  };
  const bool all = is_named("everything");
  out.inclines = all || is_named("incline");
  out.steps = all || is_named("steps");
  out.siconos = all || is_named("siconos");
  out.growth = is_named("growth");
  for (const Group& group : groups()) {
    Wanted::Scenes some{&group, group.scenes()};
    if (!all && !is_named(group.name))
      std::erase_if(some.scenes, [&](const Scene& scene) {
        return std::none_of(names.begin(), names.end(), [&](const std::string& name) {
          return scene.name.find(name) != std::string::npos;
        });
      });
    if (!some.scenes.empty()) out.groups.push_back(std::move(some));
  }
  return out;
}

constexpr const char* examples = R"(
Names are groups of scenes: contacts (without any name), large, grasp, mechanisms, cloth;
or tables of their own:
  incline     at which angle a box slips, towards all azimuths
  steps       CPU time of a step with 2 to 10 rods
  siconos     contacts of one step, solved by taut and by the solvers of Siconos
  growth      cubes and heaps that grow, with one step for all
  everything  all of that, but growth: half an hour or more
or parts of the names of scenes.

Examples:
  ./run bench peers                                  contacts: a few minutes
  ./run bench peers heavy_chain --engine MuJoCo --all
  ./run bench peers grasp incline --report results/grasps.html
  ./run bench peers mechanisms --json results/peers.json --plots results/peers
  ./run bench peers growth --engine taut)";

}  // namespace

int main(int count, char** arguments) {
  CLI::App app("taut beside other engines");
  app.footer(examples);
  std::vector<std::string> names;
  std::string engine, setting, json, plots, page;
  bool is_growth = false, is_large = false, is_complete = false, is_mechanical = false;
  bool is_per_step = false;
  SweepOptions options;
  app.add_option("names", names, "Groups, tables, or parts of the names of scenes");
  app.add_option("--engine", engine, "Part of the name of engines");
  app.add_option("--setup", setting, "Part of the settings of an engine");
  app.add_option("--repeat", options.repetitions, "Runs of what is cheapest")
      ->check(CLI::PositiveNumber);
  app.add_option("--budget", options.budget,
                 "s of CPU: steps are halved as long as a run is expected to take less");
  app.add_flag("--growth", is_growth, "The same as the name growth");
  app.add_flag("--large", is_large, "… large");
  app.add_flag("--mechanisms", is_mechanical, "… mechanisms");
  app.add_flag("--per-step", is_per_step, "… steps");
  app.add_flag("--all", is_complete, "Every run, not only the cheapest");
  app.add_option("--json", json, "Every run as JSON");
  app.add_option("--plots", plots, "Folder for plots");
  app.add_option("--report", page, "A page with plots and tables");
  CLI11_PARSE(app, count, arguments);
  stay_on_one_core();
  if (is_growth) names.push_back("growth");
  if (is_large) names.push_back("large");
  if (is_mechanical) names.push_back("mechanisms");
  if (is_per_step) names.push_back("steps");
  if (names.empty()) names.push_back("contacts");
  const Wanted asked = wanted(names);
  if (asked.nothing()) {
    fmt::print(stderr, "No group, table or scene has such a name; --help lists them.\n");
    return 2;
  }

  std::vector<Setup> setups = all_setups();
  std::erase_if(setups, [&](const Setup& setup) {
    return setup.engine.find(engine) == std::string::npos ||
           setup.settings.find(setting) == std::string::npos;
  });
  const std::string versions =
      fmt::format("taut {}, ODE {}, Bullet {}, MuJoCo {}, Simbody {}, DART {}, Siconos {}",
                  taut::version, ode_version(), bullet_version(), mujoco_version(),
                  simbody_version(), dart_version(), siconos_version());
  fmt::print("{}\n{}, {}\n", versions, taut::cli::processor_name(), taut::cli::compiler_name());
  if (!check_all(setups)) {
    fmt::print(stderr, "An engine is set up wrongly: see above. Nothing is compared.\n");
    return 1;
  }
  if (asked.growth) show_growth(growing_scenes(), setups, 20);

  Report report(setups, versions);
  auto all = nlohmann::json::array(), tables = nlohmann::json::array();
  std::vector<std::string> lines;
  for (const Wanted::Scenes& some : asked.groups)
    for (const Scene& scene : some.scenes) {
      const double from = cpu_time();
      const Sweep swept = sweep(scene, setups, options);
      print(swept, setups, is_complete);
      print(at_equal_steps(swept, setups));
      std::fflush(stdout);
      report.add(*some.group, swept, cpu_time() - from);
      if (!plots.empty()) draw(swept, setups, plots);
      for (const nlohmann::json& each : to_json(swept, setups)) all.push_back(each);
      for (std::string& line : behind(swept, setups)) lines.push_back(std::move(line));
    }
  const auto show = [&](auto&& measure) {
    const double from = cpu_time();
    const TextTable table = measure();
    print(table);
    std::fflush(stdout);
    report.add(table, cpu_time() - from);
    tables.push_back({{"title", table.title}, {"columns", table.columns}, {"rows", table.rows}});
  };
  if (asked.inclines) show([&] { return inclines(setups); });
  if (asked.steps) show([&] { return costs_per_step(setups, options.repetitions); });
  if (asked.siconos) show(contact_problems);
  const std::vector<std::string> engines = engines_of(setups);
  if (!asked.groups.empty() && std::find(engines.begin(), engines.end(), "taut") != engines.end()) {
    fmt::print("\nWhere taut is not ahead: {}\n", lines.empty() ? "nowhere" : "");
    for (const std::string& line : lines) fmt::print("  {}\n", line);
  }
  if (!page.empty()) report.write(page);
  if (!json.empty())
    std::ofstream(json) << nlohmann::json{{"versions", versions},
                                          {"processor", taut::cli::processor_name()},
                                          {"compiler", taut::cli::compiler_name()},
                                          {"results", all},
                                          {"tables", tables}}
                               .dump(2)
                        << '\n';
}
