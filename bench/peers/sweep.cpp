#include "sweep.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>

namespace peers {
namespace {

/// All engines are looked at at the same moments.
RunOptions run_options(const Scene& scene, const SweepOptions& options, bool measures) {
  return {scene.effort * options.most, measures, scene.longest_step};
}

/// What is printed comes from the median of several runs, all of which take turns.
void time_again(Sweep& sweep, const std::vector<Setup>& setups, const SweepOptions& options) {
  std::set<std::size_t> chosen;
  std::set<std::string> engines;
  for (const Setup& setup : setups) engines.insert(setup.engine);
  for (std::size_t w = 0; w < sweep.scene.windows.size(); ++w)
    for (const std::string& engine : engines)
      for (const double error : error_levels())
        if (const Sample* sample = sweep.cheapest(w, setups, engine, error))
          chosen.insert(static_cast<std::size_t>(sample - sweep.samples.data()));
  std::vector<std::vector<std::vector<double>>> times(sweep.samples.size());
  for (int repetition = 1; repetition < options.repetitions; ++repetition)
    for (const std::size_t i : chosen) {
      Sample& sample = sweep.samples[i];
      Scene scene = sweep.scene;
      scene.step = sample.step;
      const auto again = run(setups[sample.setup], scene, run_options(scene, options, false));
      times[i].resize(again.size());
      for (std::size_t w = 0; w < again.size(); ++w) times[i][w].push_back(again[w].time);
    }
  for (const std::size_t i : chosen)
    for (std::size_t w = 0; w < times[i].size(); ++w) {
      std::vector<double>& all = times[i][w];
      all.push_back(sweep.samples[i].windows[w].time);
      std::sort(all.begin(), all.end());
      sweep.samples[i].windows[w].time = all[all.size() / 2];
    }
}

}  // namespace

const std::vector<double>& error_levels() {
  static const std::vector<double> levels{1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8};
  return levels;
}

const Sample* Sweep::cheapest(std::size_t window, const std::vector<Setup>& setups,
                              const std::string& engine, double error) const {
  const Sample* found = nullptr;
  for (const Sample& sample : samples) {
    const bool counts = setups[sample.setup].engine == engine &&
                        sample.windows[window].is_complete && sample.worst[window] <= error;
    if (counts && (!found || sample.windows[window].time < found->windows[window].time))
      found = &sample;
  }
  return found;
}

const Sample* Sweep::at_step(std::size_t setup, double step) const {
  for (const Sample& sample : samples)
    if (sample.setup == setup && std::abs(sample.step - step) < 1e-9 * step) return &sample;
  return nullptr;
}

Sweep sweep(const Scene& scene, const std::vector<Setup>& setups, const SweepOptions& options) {
  Sweep result;
  result.scene = scene;
  result.failures.resize(setups.size());
  if (scene.reference) {  // made when it is first asked for: no engine should pay for it
    std::vector<Vec3> places;
    scene.reference(0, places);
  }
  std::vector<bool> is_done(setups.size());
  for (std::size_t s = 0; s < setups.size(); ++s)
    is_done[s] = scene.bodies.size() > setups[s].most_bodies || !setups[s].is_for(scene) ||
                 !setups[s].cannot(scene).empty();
  double step = scene.longest_step;
  for (int halvings = 0; halvings <= options.most_halvings; ++halvings, step /= 2)
    for (std::size_t s = 0; s < setups.size(); ++s) {
      if (is_done[s]) continue;
      Sample sample{s, step, {}, {}};
      Scene of_step = scene;
      of_step.step = step;
      const double begin = cpu_time();
      try {
        sample.windows = run(setups[s], of_step, run_options(scene, options, true));
      } catch (const std::exception& problem) {  // such as too little memory
        result.failures[s] = problem.what();
        std::replace(result.failures[s].begin(), result.failures[s].end(), '\n', ' ');
        is_done[s] = true;
        continue;
      }
      const double took = cpu_time() - begin;
      double worst = 0;
      for (std::size_t w = 0; w < scene.windows.size(); ++w) {
        sample.worst.push_back(sample.windows[w].errors.worst(scene, scene.windows[w]));
        worst = std::max(worst, sample.worst.back());
      }
      const bool is_asked_for =
          std::any_of(scene.equal_steps.begin(), scene.equal_steps.end(),
                      [&](double equal) { return equal < (1 - 1e-9) * step; });
      const double most = scene.effort * (is_asked_for ? options.most : options.budget);
      // Nobody asks for less than the last level.
      is_done[s] = 2 * took > most || (!is_asked_for && worst <= error_levels().back());
      result.samples.push_back(std::move(sample));
    }
  time_again(result, setups, options);
  return result;
}

}  // namespace peers
