// random_contacts: distances and contacts of random and adversarial pairs of convex shapes against
// an independent judge; lists what is wrong.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <map>

#include "support/contact_reference.hpp"
#include "support/random_shapes.hpp"

int main(int argc, char** argv) {
  using namespace taut;
  using namespace taut::testing;
  CLI::App app("Random pairs of shapes against a reference: which distances are wrong?");
  unsigned first = 0, count = 10000, shown = 20;
  int largest_hull = 12;
  double tolerance = 1e-9;
  app.add_option("first", first, "first seed");
  app.add_option("count", count, "how many seeds");
  app.add_option("--tolerance", tolerance, "relative to the larger shape");
  app.add_option("--largest-hull", largest_hull, "points of which hulls are made");
  app.add_option("--shown", shown, "how many faults are printed");
  CLI11_PARSE(app, argc, argv);

  std::map<std::string, int> wrong;
  unsigned faults = 0, overlapping = 0;
  double longest = 0, largest_error = 0;
  for (unsigned seed = first; seed < first + count; ++seed) {
    const ShapePair p = random_pair(seed, largest_hull);
    const std::clock_t start = std::clock();
    const collision::Distance d = collision::distance(p.a, p.at_a, p.b, p.at_b);
    const double took = 1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    longest = std::max(longest, took);
    largest_error = std::max(largest_error, d.error / p.size);
    if (d.gap < 0) ++overlapping;
    const std::string fault = wrong_distance(p.a, p.at_a, p.b, p.at_b, d, tolerance * p.size);
    if (fault.empty()) continue;
    const std::string names = fmt::format("{}–{}", name(p.a.type), name(p.b.type));
    ++wrong[names];
    if (faults++ < shown)
      fmt::print("seed {}: {} ({}, size {:.3g}): {}\n", seed, names, p.kind, p.size, fault);
  }
  for (const auto& [names, times] : wrong) fmt::print("{:>6} × {}\n", times, names);
  fmt::print("{} pairs, {} of them overlapping: {} wrong by more than {:g} of the size\n", count,
             overlapping, faults, tolerance);
  fmt::print(
      "longest query {:.0f} µs of CPU time, largest bound of its own error {:.2g} of the size\n",
      longest, largest_error);
  return faults ? 1 : 0;
}
