// random_mechanisms: runs methods on random mechanisms and lists what is wrong although the run
// says "ok". Errors are given for one step size and its halves, as far as they were needed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "support/mechanism_check.hpp"
#include "taut/base/error.hpp"

namespace {

using namespace taut::testing;

struct Count {
  int mechanisms = 0, none = 0;  ///< none: no well-posed one was found
  std::map<std::string, int> wrong, refused;
};

void save(const RandomMechanism& random, const std::string& path) {
  std::ofstream file(path);
  file << scene_text(random.mechanism, fmt::format("{}_{}", random.mechanism.family, random.seed),
                     random.mechanism.duration / static_cast<double>(first_steps(random)));
}

void print_truth(const RandomMechanism& random) {
  const Mechanism& m = random.mechanism;
  fmt::print("  true places at t = {:.9g} s:", m.duration * m.scale.time);
  for (const auto& pose : random.motion.poses.back()) {
    const taut::Vec3 at = pose.place * m.scale.length;
    fmt::print(" [{:.10g}, {:.10g}, {:.10g}]", at[0], at[1], at[2]);
  }
  fmt::print(
      "\n  events {}, sensitivity {:.3g}, energy error of the reference {:.2g}, uncertainty "
      "{:.2g}, attempts {}\n",
      random.motion.events, random.motion.sensitivity, random.motion.energy_error,
      random.motion.uncertainty, random.attempts);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Random mechanisms against references: what is wrong and \"ok\"?");
  unsigned first = 0, count = 100;
  std::vector<std::string> methods = tested_methods();
  std::vector<std::string> only;
  std::string folder;
  double seconds = 3;
  bool all = false, truth = false;
  app.add_option("first", first, "first seed");
  app.add_option("count", count, "how many seeds");
  app.add_option("--methods", methods, "names, or energy_momentum4")->delimiter(',');
  app.add_option("--families", only, "only these")->delimiter(',');
  app.add_option("--save", folder, "write the scenes that went wrong here");
  app.add_option("--seconds", seconds, "longest time for a run; it counts as not finished then");
  app.add_flag("--all", all, "print every run, not only what is wrong");
  app.add_flag("--truth", truth, "print the true end of the motion");
  CLI11_PARSE(app, argc, argv);

  std::map<std::string, Count> counts;
  int wrong_and_ok = 0, runs = 0;
  for (unsigned seed = first; seed < first + count; ++seed) {
    const std::string family(family_of(seed));
    if (!only.empty() && std::find(only.begin(), only.end(), family) == only.end()) continue;
    Count& counted = counts[family];
    const RandomMechanism random = random_mechanism(seed);
    ++counted.mechanisms;
    if (random.attempts < 0) {
      ++counted.none;
      if (all)
        fmt::print("{:<16}{:>7}  no well-posed motion: {}\n", family, seed, random.motion.trouble);
      continue;
    }
    bool is_wrong = false;
    for (const std::string& method : methods) {
      Verdict verdict;
      try {
        verdict = check(random, method, seconds);
      } catch (const taut::Error& error) {
        fmt::print("{:<16}{:>7}  {:<17}refused: {}\n", family, seed, method, error.what());
        break;
      }
      ++runs;
      if (!verdict.is_ok) ++counted.refused[method];
      if (verdict.is_wrong) {
        ++counted.wrong[method];
        ++wrong_and_ok;
        is_wrong = true;
      }
      if (verdict.is_wrong || all) fmt::print("{}\n", verdict_text(random, verdict));
      if (all && !verdict.is_ok) fmt::print("  {}\n", verdict.runs.back().reason);
    }
    if (truth) print_truth(random);
    if (is_wrong && !folder.empty()) {
      std::filesystem::create_directories(folder);
      save(random, fmt::format("{}/{}_{}.json", folder, family, seed));
    }
    std::fflush(stdout);
  }

  fmt::print("\nwrong and ok (not finished) per family:\n{:<16}{:>6}", "", "tried");
  for (const std::string& method : methods) fmt::print("{:>18}", method);
  fmt::print("\n");
  for (auto& [family, counted] : counts) {
    fmt::print("{:<16}{:>6}", family, counted.mechanisms - counted.none);
    for (const std::string& method : methods)
      fmt::print("{:>18}", fmt::format("{} ({})", counted.wrong[method], counted.refused[method]));
    fmt::print("\n");
  }
  fmt::print("{} runs compared, {} wrong and ok\n", runs, wrong_and_ok);
  if (wrong_and_ok > 0)
    fmt::print("one of them again: random_mechanisms SEED 1 --all --truth --save FOLDER\n");
  return wrong_and_ok > 0 ? 1 : 0;
}
