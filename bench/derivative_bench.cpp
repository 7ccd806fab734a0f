// What the adjoint of a run costs: 1,000 steps, beside the run itself, in turns.
//
//   derivative_bench [SCENE[@PARAMETER=VALUE] …]
#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "taut/base/error.hpp"
#include "taut/derivatives/gradient.hpp"
#include "taut/derivatives/scene_family.hpp"

namespace {

/// Of this thread: the machine may be busy.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double seconds(const Work& work) {
  const double begin = cpu_seconds();
  work();
  return cpu_seconds() - begin;
}

void measure(const std::string& text) {
  const std::size_t first = text.find('@');
  const std::string settings_of = first == std::string::npos ? "" : text.substr(first + 1);
  const std::string scene = text.substr(0, first);
  std::vector<taut::io::Setting> given;
  if (const std::size_t equals = settings_of.find('='); equals != std::string::npos)
    given.push_back({settings_of.substr(0, equals), settings_of.substr(equals + 1)});
  const std::vector<std::string> names{"g"};
  taut::ModelFamily family = taut::io::scene_family(
      [&](std::span<const taut::io::Setting> settings) {
        std::vector<taut::io::Setting> all = given;
        all.insert(all.end(), settings.begin(), settings.end());
        return taut::io::load_scene(scene, all);
      },
      names);
  family.make = [make = family.make](const taut::VecX& values) {
    taut::Model model = make(values);
    model.sensors.add(model.system,
                      {"seen", model.system.body_name({model.system.body_count() - 1}) + ".x"});
    return model;
  };
  for (const char* name : {"icd", "icd2", "energy_momentum", "implicit1", "shake", "rattle"}) {
    const taut::DerivedMethod method{&taut::find_method(name)};
    taut::RunOptions options;
    options.step = taut::io::load_scene(scene, given).step;
    options.duration = 1000 * options.step;
    options.record_every = 1'000'000;
    const taut::Model model = family.make(family.values());
    std::vector<double> runs, adjoints;
    taut::Gradient found;
    const double once =
        seconds([&] { simulate(model.system, model.start, *method.make(), options); });
    for (int i = 0; i < (once < 0.01 ? 25 : 5); ++i) {
      runs.push_back(
          seconds([&] { simulate(model.system, model.start, *method.make(), options); }));
      adjoints.push_back(seconds([&] {
        found = gradient(family, method, options, taut::final_value(model.sensors.size() - 1));
      }));
    }
    const double run = *std::min_element(runs.begin(), runs.end()),
                 adjoint = *std::min_element(adjoints.begin(), adjoints.end());
    fmt::print("{:24} {:16} run {:8.2f} ms, adjoint {:8.2f} ms: {:.2f} runs, {} states{}\n", text,
               name, 1e3 * run, 1e3 * adjoint, adjoint / run, found.most_states,
               found.is_adjoint ? "" : " (found forwards)");
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> scenes(argv + 1, argv + argc);
  if (scenes.empty())
    scenes = {"two_link", "ten_link", "chain@N=100", "chain@N=1000", "rigid_pendulum", "four_bar"};
  for (const std::string& scene : scenes) {
    try {
      measure(scene);
    } catch (const taut::Error& error) {
      fmt::print("{}: {}\n", scene, error.what());
    }
  }
}
