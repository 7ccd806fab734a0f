// Derivatives of random mechanisms under every method, against differences of whole runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "families.hpp"
#include "taut/base/error.hpp"

namespace taut::testing {
namespace {

TEST(Explore, All) {
  const char* list = getenv("METHODS");
  std::vector<std::string> methods{"icd", "icd2", "energy_momentum", "implicit1", "implicit2",
      "shake", "rattle", "lagrange", "baumgarte", "post", "rk4_projected", "dop853"};
  if (list) methods = {list};
  const char* n = getenv("SEEDS");
  const char* first = getenv("FIRST");
  const unsigned begin = first ? atoi(first) : 0;
  for (unsigned seed = begin; seed < begin + (n ? atoi(n) : 12); ++seed) {
    const RandomMechanism random = random_mechanism(seed);
    if (random.attempts < 0) continue;
    const ModelFamily family = mechanism_family(random.mechanism);
    for (const std::string& method : methods) {
      RunOptions options;
      options.duration = 0.3 * random.mechanism.duration * random.mechanism.scale.time;
      options.step = options.duration / 30;
      options.record_every = 1000;
      fmt::print("{} {} {}:", seed, random.mechanism.family, method);
      fflush(stdout);
      try {
        const Sensitivities s = sensitivities(family, derived(method), options);
        fmt::print(" th {} st {} str {}", s.report.by_theorem, s.report.by_steps,
                   s.report.by_stretches);
        for (const auto& d : s.report.doubts) fmt::print(" [{}]", d);
        for (std::size_t k = 0; k < family.parameters.size(); ++k) {
          const Perturbation runs = by_runs(family, derived(method), options, k);
          fmt::print("  {} {:.1e}", family.parameters[k].name,
                     relative_difference(runs, s.end_slopes[k]));
        }
      } catch (const Error& error) {
        fmt::print(" {}", error.what());
      }
      fmt::print("\n");
    }
  }
}

}  // namespace
}  // namespace taut::testing
