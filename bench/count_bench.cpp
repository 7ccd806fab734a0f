// Steps to be counted: nothing but a method's steps, of any scene.
//
//   build/release/bin/count_bench two_link icd2 0.01 100 [N=1000 …]
//
// Under callgrind, the difference of two numbers of steps is what steps cost without the start.
// scripts/count_steps.py does this for two checkouts; it needs this file in both.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "taut/scene/scene.hpp"
#include "taut/methods/workspace.hpp"

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: count_bench SCENE METHOD STEP STEPS [PARAMETER=VALUE …]\n");
    return 2;
  }
  std::vector<taut::io::Setting> settings;
  for (int i = 5; i < argc; ++i) {
    const std::string text = argv[i];
    const std::size_t equals = text.find('=');
    settings.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  const taut::io::Scene scene = taut::io::load_scene(argv[1], settings);
  const auto method = taut::make_method(argv[2], scene.method_settings);
  const double h = std::atof(argv[3]);
  taut::Workspace workspace(scene.system);
  taut::State state = scene.system.initial_state();
  long solves = 0, failed = 0;
  for (long i = std::atol(argv[4]); i > 0; --i) {
    const taut::StepReport report = method->step(scene.system, h, state, workspace);
    solves += report.linear_solves;
    failed += report.status != taut::StepStatus::ok;
  }
  std::printf("%ld linear solves, %ld steps failed, |v| = %.12g\n", solves, failed, state.v.norm());
}
