// random_tumbles: simulates random scenes of bodies that tumble and hit, and lists what is wrong
// although the run is trusted: things that went through each other, overlaps, energy from nothing.
#include "support/random_tumbles.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  using namespace taut;
  using namespace taut::testing;
  CLI::App app("Random scenes of tumbling bodies: what is wrong and trusted?");
  unsigned first = 0, count = 100;
  double seconds = 20;
  bool all = false;
  app.add_option("first", first, "first seed");
  app.add_option("count", count, "how many seeds");
  app.add_option("--seconds", seconds, "longest time for a run");
  app.add_flag("--all", all, "print every run, with a fingerprint of its states");
  CLI11_PARSE(app, argc, argv);

  int wrong = 0, suspect = 0, suspect_and_wrong = 0, late = 0;
  double longest = 0, total = 0;
  unsigned slowest = 0;
  for (unsigned seed = first; seed < first + count; ++seed) {
    const Tumble tumble = random_tumble(seed);
    const TumbleResult result = judge_tumble(tumble, seconds);
    const bool is_trusted = result.report.is_trusted();
    const bool is_wrong = !result.faults.empty();
    wrong += is_wrong && is_trusted;
    suspect += !is_trusted;
    suspect_and_wrong += is_wrong && !is_trusted;
    late += result.is_late;
    total += result.seconds;
    if (result.seconds > longest) {
      longest = result.seconds;
      slowest = seed;
    }
    if (!all && !(is_wrong && is_trusted) && !result.is_late) continue;
    fmt::print(
        "seed {} ({}, {}, {} bodies, h {:.2g}, e {:.2g}, µ {:.2g}, {:.3g} m/s, masses "
        "1:{:.2g}) {:.2f} s, overlap {:.1g}, gain {:.1g}{}, states {:016x}\n",
        seed, tumble.kind, tumble.method, tumble.system.body_count(), tumble.step,
        tumble.restitution, tumble.friction, tumble.fastest, tumble.mass_ratio, result.seconds,
        result.overlap, result.gain, result.is_late ? " LATE" : "", result.fingerprint);
    for (const std::string& fault : result.faults)
      fmt::print("  {}: {}\n", is_trusted ? "WRONG" : "wrong", fault);
    if (all)
      for (const std::string& doubt : result.report.doubts) fmt::print("  doubt: {}\n", doubt);
    std::fflush(stdout);
  }
  fmt::print(
      "{} scenes: {} wrong and trusted, {} suspect ({} of them wrong), {} not finished; "
      "{:.1f} s in all, longest {:.1f} s (seed {})\n",
      count, wrong, suspect, suspect_and_wrong, late, total, longest, slowest);
  return wrong > 0 ? 1 : 0;
}
