// taut beside other engines, on the same scenes:
//
//   ./run bench peers                          everything: about ten minutes
//   ./run bench peers pile                     scenes with "pile" in their names
//   ./run bench peers --engine taut --repeat 1 --json results/peers.json
//   ./run bench peers --growth --engine taut   how cost grows, to 10,000 contacts
//
// CPU time of one core; repetitions are interleaved, so that a noisy machine hurts all alike, and
// the median counts. A time stands beside the errors that go with it.
#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "check.hpp"
#include "measure.hpp"
#include "taut/machine.hpp"

namespace {

using namespace peers;

struct Result {
  std::string engine, scene, window;
  double step = 0;
  std::vector<double> times;  // µs of CPU per step, one for each repetition
  Errors errors;
  bool rests = false;
  std::string note;
  double linear_solves = 0;  // per step; 0: not counted

  double median() const {
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? NAN : sorted[sorted.size() / 2];
  }
};

double cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The windows of a scene, one result for each. Errors are those of the first repetition: engines
/// do the same in each.
void run(const EngineInfo& info, const Scene& scene, double budget, bool measures,
         std::vector<Result*>& results) {
  const auto engine = info.make(scene);
  Measure measure(scene);
  std::vector<BodyState> states;
  double spent = 0;
  long done = 0;
  for (std::size_t w = 0; w < scene.windows.size(); ++w) {
    const Window& window = scene.windows[w];
    const long first = std::lround(window.begin / scene.step);
    const long last = std::lround(window.end / scene.step);
    for (; done < first && spent < budget; ++done) {
      const double begin = cpu_time();
      engine->step();
      spent += cpu_time() - begin;
    }
    if (measures) {
      engine->states(states);
      measure.begin(states);
    }
    double time = 0;
    long steps = 0;
    const double solves = engine->linear_solves();
    const long between_looks = std::max(1L, (last - first) / 100);
    while (done < last && spent < budget) {
      const long count = std::min(between_looks, last - done);
      const double begin = cpu_time();
      for (long i = 0; i < count; ++i) engine->step();
      const double took = cpu_time() - begin;
      time += took;
      spent += took;
      done += count;
      steps += count;
      if (!measures) continue;
      engine->states(states);
      measure.look(states);
    }
    if (steps > 0) results[w]->times.push_back(1e6 * time / static_cast<double>(steps));
    if (!measures) continue;
    results[w]->errors = measure.errors();
    results[w]->note = engine->complaint();
    if (steps > 0 && engine->linear_solves() > 0)
      results[w]->linear_solves = (engine->linear_solves() - solves) / static_cast<double>(steps);
    if (done < last)
      results[w]->note += fmt::format(" stopped after {} of {} steps", steps, last - first);
  }
}

void print(const std::vector<Result>& results) {
  const Result* before = nullptr;
  for (const Result& result : results) {
    if (!before || before->scene != result.scene || before->step != result.step ||
        before->window != result.window)
      fmt::print("\n{} {}, h = 1/{:.0f} s\n  {:<14}{:>12}{:>10}{:>12}{:>12}{:>12}{:>12}{:>9}\n",
                 result.scene, result.window, 1 / result.step, "", "us/step", "contacts",
                 "overlap m", "drift m", "energy +", "momentum", "solves");
    before = &result;
    const Errors& errors = result.errors;
    if (result.times.empty()) {
      fmt::print("  {:<14}{:>12} {}\n", result.engine, "not run", result.note);
      continue;
    }
    const auto number = [](bool is_given, double value) {
      return is_given ? fmt::format("{:.1e}", value) : "";
    };
    const std::string solves =
        result.linear_solves > 0 ? fmt::format("{:.1f}", result.linear_solves) : "";
    fmt::print("  {:<14}{:>12.1f}{:>10.0f}{:>12.1e}{:>12}{:>12.1e}{:>12}{:>9}  {}\n", result.engine,
               result.median(), errors.contacts, errors.overlap, number(result.rests, errors.drift),
               errors.gain, number(errors.momentum > 0, errors.momentum), solves, result.note);
  }
}

nlohmann::json to_json(const std::vector<Result>& results) {
  auto list = nlohmann::json::array();
  for (const Result& result : results) {
    const Errors& errors = result.errors;
    nlohmann::json entry{{"engine", result.engine},
                         {"scene", result.scene},
                         {"window", result.window},
                         {"step", result.step},
                         {"cpu_us", result.times},
                         {"contacts", errors.contacts},
                         {"overlap", errors.overlap},
                         {"energy_gain", errors.gain},
                         {"momentum", errors.momentum},
                         {"note", result.note},
                         {"linear_solves", result.linear_solves}};
    if (result.rests) entry["drift"] = errors.drift;
    list.push_back(entry);
  }
  return list;
}

bool check_all(const std::vector<EngineInfo>& engines) {
  bool all_passed = true;
  for (const EngineInfo& engine : engines) {
    fmt::print("{} {}: {}\n", engine.name, engine.version, engine.settings);
    for (const Check& check : peers::check(engine)) {
      fmt::print("  {} {:.4f} m, expected {:.4f} ± {:.4f} m{}\n", check.what, check.found,
                 check.expected, check.tolerance, check.passed() ? "" : "  WRONG");
      all_passed = all_passed && check.passed();
    }
  }
  return all_passed;
}

void stay_on_one_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app("taut beside other engines");
  std::string name, only, json;
  int repetitions = 3;
  bool is_growth = false;
  double budget = 20;
  app.add_option("scene", name, "Part of the name of scenes; all without it");
  app.add_option("--engine", only, "Part of the name of engines");
  app.add_option("--repeat", repetitions, "Runs of each")->check(CLI::PositiveNumber);
  app.add_option("--budget", budget, "s of CPU after which a run ends");
  app.add_flag("--growth", is_growth, "Cubes and heaps that grow, rather than the usual scenes");
  app.add_option("--json", json, "Results as JSON, too");
  CLI11_PARSE(app, count, arguments);
  stay_on_one_core();

  std::vector<EngineInfo> engines{taut_engine(), ode_step(), ode_quick_step(),
                                  bullet(),      mujoco(),   mujoco_stiff()};
  std::erase_if(engines, [&](const EngineInfo& engine) {
    return engine.name.find(only) == std::string::npos;
  });
  std::vector<Scene> scenes = is_growth ? growing_scenes() : all_scenes();
  std::erase_if(scenes,
                [&](const Scene& scene) { return scene.name.find(name) == std::string::npos; });

  fmt::print("{}, {}\n", taut::cli::processor_name(), taut::cli::compiler_name());
  if (!check_all(engines)) {
    fmt::print(stderr, "An engine is set up wrongly: see above. Nothing is compared.\n");
    return 1;
  }

  std::vector<Result> all;
  for (const Scene& scene : scenes) {
    // By window, then by engine, as they are printed.
    std::vector<Result> results;
    for (const Window& window : scene.windows)
      for (const EngineInfo& engine : engines)
        results.push_back(
            {engine.name, scene.name, window.name, scene.step, {}, {}, window.rests, "", 0});
    for (int repetition = 0; repetition < repetitions; ++repetition)
      for (std::size_t e = 0; e < engines.size(); ++e) {
        std::vector<Result*> of_engine;
        const bool is_too_large = scene.bodies.size() > engines[e].most_bodies;
        for (std::size_t w = 0; w < scene.windows.size(); ++w)
          of_engine.push_back(&results[w * engines.size() + e]);
        if (is_too_large) {
          for (Result* result : of_engine) result->note = "a step takes minutes";
          continue;
        }
        try {
          run(engines[e], scene, budget, repetition == 0, of_engine);
        } catch (const std::exception& error) {  // such as too little memory
          for (Result* result : of_engine) result->note = error.what();
        }
      }
    print(results);
    std::fflush(stdout);
    all.insert(all.end(), results.begin(), results.end());
  }
  if (!json.empty())
    std::ofstream(json) << nlohmann::json{{"processor", taut::cli::processor_name()},
                                          {"compiler", taut::cli::compiler_name()},
                                          {"results", to_json(all)}}
                               .dump(2)
                        << '\n';
}
