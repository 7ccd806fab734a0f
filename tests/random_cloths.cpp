// random_cloths: simulates random scenes of cloth that touches, or a given one, and lists what is
// wrong: cloth that goes through itself or through shapes, that stretches, energy from nothing.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>

#include "support/random_cloth.hpp"
#include "support/touching_cloth.hpp"

namespace {

using namespace taut;
using namespace taut::testing;

/// In words; empty: nothing.
std::string faults(const TouchingRun& run, double energy, bool dissipates) {
  std::string out;
  if (run.report.status != RunStatus::ok) out += " NOT OK: " + run.report.reason;
  if (run.crossings > 0) out += fmt::format(" {} CROSSINGS", run.crossings);
  if (run.intrusions > 0) out += fmt::format(" {} INTRUSIONS", run.intrusions);
  if (run.strain > 0.01) out += fmt::format(" STRAIN {:.2g}", run.strain);
  // icd2 and fast_projection gain a little of what whips crack with, touching or not.
  if (dissipates && run.energy_gain > 1e-3 * energy)
    out += fmt::format(" GAIN {:.2g} J", run.energy_gain);
  if (!run.first.empty()) out += " (" + run.first + ")";
  return out;
}

void print(const std::string& what, const TouchingRun& run, double all_seconds,
           const std::string& wrong) {
  const double seconds = all_seconds - run.judging;
  const auto& cost = run.report.cost;
  fmt::print(
      "{}: {} steps, {:.1f} ms of CPU each; Newton {:.1f}, Krylov {:.0f}; halved {}, unconverged "
      "{}; "
      "touches {}, strain {:.1e}, energy {:.4g} to {:.4g} J, gain {:.1e}; {}{}{}\n",
      what, run.report.steps, 1e3 * seconds / static_cast<double>(std::max(1L, run.report.steps)),
      static_cast<double>(cost.iterations) / static_cast<double>(std::max(1L, run.report.steps)),
      static_cast<double>(cost.linear_iterations) /
          static_cast<double>(std::max(1L, cost.linear_solves)),
      cost.halved_steps, cost.unconverged_steps, run.report.contacts.most, run.strain,
      run.report.energy.initial, run.report.energy.final, run.energy_gain, verdict_text(run.report),
      wrong.empty() ? "" : " WRONG:", wrong);
  std::fflush(stdout);
}

double cpu() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Random scenes of cloth that touches: what is wrong?");
  unsigned first = 0, count = 100;
  bool all = false;
  std::string name, method = "icd";
  std::vector<std::string> settings;
  double duration = 0, step = 0;
  long every = 1;
  app.add_option("first", first, "first seed");
  app.add_option("count", count, "how many seeds");
  app.add_flag("--all", all, "print every run");
  app.add_option("--scene", name, "a scene, instead of random ones");
  app.add_option("--set", settings, "its parameters, name=value");
  app.add_option("--method", method, "its method");
  app.add_option("--duration", duration, "of its run, s");
  app.add_option("--step", step, "s");
  app.add_option("--every", every, "look at every n-th step");
  CLI11_PARSE(app, argc, argv);

  if (!name.empty()) {
    std::vector<io::Setting> given;
    for (const std::string& text : settings)
      given.push_back({text.substr(0, text.find('=')), text.substr(text.find('=') + 1)});
    io::Scene scene = io::load_scene(name, given);
    if (step > 0) scene.step = step;
    const double begin = cpu();
    const TouchingRun run =
        run_touching(scene, scene.system.initial_state(), method, duration, every);
    print(name, run, cpu() - begin, faults(run, std::abs(run.report.energy.initial) + 0.1, false));
    for (const std::string& doubt : run.report.doubts) fmt::print("  doubt: {}\n", doubt);
    return 0;
  }
  int wrong = 0;
  double longest = 0;
  unsigned slowest = 0;
  for (unsigned seed = first; seed < first + count; ++seed) {
    const RandomCloth cloth = random_cloth(seed);
    const double begin = cpu();
    const TouchingRun run = run_touching(cloth.scene, cloth.start, cloth.method);
    const double seconds = cpu() - begin;
    if (seconds > longest) {
      longest = seconds;
      slowest = seed;
    }
    const double exchanged = cloth.scene.system.kinetic_energy(cloth.start.v) +
                             std::abs(run.report.energy.initial - run.report.energy.final);
    const std::string found = faults(run, exchanged + 0.1, cloth.method == "icd");
    wrong += !found.empty();
    if (all || !found.empty())
      print(fmt::format("seed {} ({})", seed, cloth.what), run, seconds, found);
  }
  fmt::print("{} scenes: {} wrong; longest {:.1f} s (seed {})\n", count, wrong, longest, slowest);
  return wrong > 0 ? 1 : 0;
}
