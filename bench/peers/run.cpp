#include "run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace peers {

double cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<WindowResult> run(const Setup& setup, const Scene& scene, const RunOptions& options) {
  const auto engine = setup.make(scene);
  Measure measure(scene);
  std::vector<BodyState> states;
  std::vector<WindowResult> results(scene.windows.size());
  double spent = 0;
  long done = 0;
  const long between = std::max(1L, std::lround(options.between_looks / scene.step));
  const auto advance = [&](long count) {
    const double begin = cpu_time();
    for (long i = 0; i < count; ++i) engine->step();
    done += count;
    const double took = cpu_time() - begin;
    spent += took;
    return took;
  };
  for (std::size_t w = 0; w < scene.windows.size(); ++w) {
    const Window& window = scene.windows[w];
    WindowResult& result = results[w];
    const long first = std::lround(window.begin / scene.step);
    const long last = std::lround(window.end / scene.step);
    while (done < first && spent < options.budget) advance(std::min(between, first - done));
    if (options.measures) {
      engine->states(states);
      measure.begin(states);
    }
    double time = 0;
    const double solves = engine->linear_solves();
    while (done < last && spent < options.budget) {
      const long count = std::min(between, last - done);
      time += advance(count);
      result.steps += count;
      if (!options.measures) continue;
      engine->states(states);
      measure.look(static_cast<double>(done) * scene.step, states);
    }
    result.is_complete = result.steps == last - first;
    const auto steps = static_cast<double>(std::max(1L, result.steps));
    result.time = 1e3 * time / (steps * scene.step);
    result.linear_solves = (engine->linear_solves() - solves) / steps;
    if (!options.measures) continue;
    result.errors = measure.errors();
    result.note = engine->complaint();
    if (!result.is_complete)
      result.note += fmt::format(" stopped after {} of {} steps", result.steps, last - first);
  }
  return results;
}

}  // namespace peers
