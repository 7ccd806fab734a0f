// The adjoint: the same derivatives as forwards, for the cost of a few runs, from few states.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>

#include "families.hpp"
#include "taut/derivatives/gradient.hpp"

namespace taut::testing {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

TEST(Explore, Adjoint) {
  struct Case { std::string scene; std::vector<std::string> names; std::string sensor; double h; };
  for (const Case& c : {Case{"two_link", {"g"}, "node2.y", 0.002}, Case{"ten_link", {"g"}, "node9.y", 0.002}, Case{"four_bar", {"g"}, "coupler.y", 0.002}})
    if (!getenv("CASE") || c.scene == getenv("CASE")) for (const char* method : {"icd", "icd2", "energy_momentum"}) {
      ModelFamily family = text_family(c.scene, c.names);
      auto make = family.make;
      family.make = [make, c](const VecX& v) {
        Model m = make(v);
        m.sensors.add(m.system, {"x", c.sensor});
        return m;
      };
      RunOptions options;
      options.step = c.h;
      options.duration = 1000 * c.h;
      options.record_every = 100000;
      const Model model = family.make(family.values());
      auto begin = Clock::now();
      for (int i = 0; i < 3; ++i)
        simulate(model.system, model.start, *derived(method).make(), options);
      const double run = seconds_since(begin) / 3;
      const int sensor = model.sensors.find("x");
      begin = Clock::now();
      Gradient g;
      const int n = getenv("N") ? atoi(getenv("N")) : 3; for (int i = 0; i < n; ++i) g = gradient(family, derived(method), options, final_value(sensor));
      const double adjoint = seconds_since(begin) / n;
      begin = Clock::now();
      const Sensitivities s = sensitivities(family, derived(method), options);
      const double forward = seconds_since(begin);
      fflush(stdout); fmt::print("{} {}: run {:.4f} adjoint {:.4f} ({:.2f}), forward {:.2f}; adjoint {} states {} value {} {} {}\n", c.scene, method,
                 run, adjoint, adjoint / run, forward / run, g.is_adjoint, g.most_states, g.value, g.parameters[0], s.slopes.back()(sensor, 0));
    }
}

}  // namespace
}  // namespace taut::testing
