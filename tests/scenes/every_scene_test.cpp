// Every method on every built-in scene either runs or is reported as diverged.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "taut/analysis/method_choice.hpp"
#include "taut/scene/scene.hpp"

namespace taut {
namespace {

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const io::SceneSummary& scene : io::list_scenes()) names.push_back(scene.name);
  return names;
}

/// Chains of rigid bodies with few links, cloths with few vertices: what a method does shows on
/// them, too.
io::Scene small_scene(const std::string& name) {
  io::Scene scene = io::load_scene(name);
  if (!scene.surfaces.empty()) {
    const io::Setting few{"n", "6"};
    return io::load_scene(name, {&few, 1});
  }
  const bool is_long = std::any_of(scene.parameters.begin(), scene.parameters.end(),
                                   [](const auto& p) { return p.name == "N" && p.value > 20; });
  if (scene.system.rigid_count() == 0 || !is_long) return scene;
  const io::Setting few{"N", "20"};
  return io::load_scene(name, {&few, 1});
}
bool is_large_mechanism(const io::Scene& scene) {
  return (scene.system.rigid_count() > 0 || !scene.surfaces.empty()) &&
         scene.system.row_count() >= 50;
}

class EveryScene : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenes, EveryScene, ::testing::ValuesIn(scene_names()),
                         [](const auto& name) { return name.param; });

TEST_P(EveryScene, RunsOrIsReportedWithEveryMethod) {
  const io::Scene scene = small_scene(GetParam());
  const double steps = is_large_mechanism(scene) ? 20 : 200;
  for (const MethodInfo& method : methods()) {
    for (const double h : {scene.step, 20 * scene.step}) {
      const RunReport report =
          testing::run(scene.system, method.name, h, std::min(scene.duration, steps * h));
      EXPECT_TRUE(report.status == RunStatus::ok || report.status == RunStatus::diverged);
      if (report.status == RunStatus::ok) {
        EXPECT_TRUE(report.final_state.q.allFinite()) << method.name;
        EXPECT_TRUE(std::isfinite(report.constraint_error.accumulated)) << method.name;
      } else {
        EXPECT_NE(report.reason, "") << method.name;
        EXPECT_GT(report.diverged_at_step, 0) << method.name;
      }
    }
  }
}

TEST_P(EveryScene, ItsOwnMethodRunsIt) {
  const io::Scene scene = small_scene(GetParam());
  MethodChoice choice{scene.method, scene.method_options, ""};
  if (scene.method == auto_method)
    choice = choose_method(scene.system, scene.system.initial_state(), scene.step, scene.duration);
  const double duration = is_large_mechanism(scene) ? 200 * scene.step : 2.0;
  const RunReport report = testing::run(scene.system, choice.method, scene.step,
                                        std::min(scene.duration, duration), choice.options);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
}

}  // namespace
}  // namespace taut
