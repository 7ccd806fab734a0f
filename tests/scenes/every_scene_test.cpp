// Every method on every built-in scene: it runs, or it diverges where the table says so.
#include <gtest/gtest.h>

#include <sstream>

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
/// Where steps take so long that a few must do.
bool is_large_mechanism(const io::Scene& scene) {
  const bool is_chain = scene.system.rigid_count() == 0 && scene.surfaces.empty();
  return scene.system.row_count() >= (is_chain ? 500 : 50);
}
bool has_contacts(const io::Scene& scene) { return !scene.system.contact_sources().empty(); }
/// How many steps of each method.
int steps_of(const io::Scene& scene) {
  if (is_large_mechanism(scene)) return has_contacts(scene) ? 3 : 20;
  return !has_contacts(scene) ? 200 : scene.system.body_count() > 1 ? 20 : 60;
}

class EveryScene : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenes, EveryScene, ::testing::ValuesIn(scene_names()),
                         [](const auto& name) { return name.param; });

/// The methods that diverge on a scene at a step so many times its own, in the order of methods().
struct Divergence {
  std::string_view scene;
  double times_step;
  std::string_view methods;
};

// Why they do, as a rule (the single runs say where and how):
//   penalty                     its springs are stiffer than an explicit step resolves
//   lagrange                    nothing brings an error back; it grows with long steps
//   baumgarte                   its feedback is explicit: unstable for h above about 2/α, and where
//                               light parts swing faster than the step resolves
//   post, implicit2, shake, rattle, rk4_projected, dop853
//                               forces along the constraints are taken from the start of the step
//                               or from stages in it, which light links under load do not forgive
//   implicit1, sap, energy_momentum
//                               only at twenty times the step, where one step is a large part of a
//                               turn or of a swing, and Newton's method or the projection fails
//   icd, icd2, sap, fast_projection
//                               on what rolls by more than a radian in a step: Newton's matrix has
//                               only the symmetric part of what rows on velocities add to it
//   rattle                      couplings of hands are stiffer than its explicit forces resolve
//   generalized_alpha           on what turns far in a step: C holds at its end, but nothing damps
//   what
//                               that does to the velocity, and Newton's method fails
//   gear_stabilised             on what rolls by more than a radian in a step, as icd
//   soft_convex                 the direction of its forces is that of the start of the step, and
//                               errors grow with the square of the step
//   projective_dynamics         on long chains of rigid bodies that turn far in a step
//   all                         on a sheet that is wrung by half a turn in a step
//   sequential_impulse, tgs_soft
//                               a fixed number of sweeps does not hold long steps together
//   pbd, xpbd, avbd             on the same sheet
//   strain_limit_…, implicit_springs
//                               made for sheets of edges; sweeps over one row after the other do
//                               not come to an end on joints, loops, and constraints that conflict
constexpr Divergence divergences[] = {
    {"andrews", 20, "penalty"},
    {"arm", 1, "penalty strain_limit_jacobi"},
    {"arm", 20, "penalty strain_limit_jacobi soft_convex"},
    {"bead_on_curve", 20, "penalty lagrange"},
    {"bead", 20, "penalty baumgarte"},
    {"car_axis", 1, "penalty"},
    {"car_axis", 20, "penalty baumgarte"},
    {"chain", 1, "penalty"},
    {"chain", 20,
     "penalty baumgarte post implicit2 rk4_projected dop853 strain_limit_jacobi "
     "strain_limit_gauss_seidel soft_convex"},
    {"cloth_four_corners", 1,
     "penalty baumgarte shake rattle rk4_projected dop853 strain_limit_jacobi "
     "strain_limit_gauss_seidel"},
    {"cloth_four_corners", 20,
     "penalty lagrange baumgarte post implicit1 implicit2 shake rattle rk4_projected dop853 "
     "strain_limit_jacobi strain_limit_gauss_seidel soft_convex"},
    {"cloth_with_weight", 1,
     "penalty baumgarte shake rattle rk4_projected dop853 strain_limit_jacobi "
     "strain_limit_gauss_seidel"},
    {"cloth_with_weight", 20,
     "penalty lagrange baumgarte post implicit1 implicit2 shake rattle rk4_projected dop853 "
     "strain_limit_jacobi strain_limit_gauss_seidel soft_convex"},
    {"cloth", 1,
     "penalty baumgarte shake rk4_projected dop853 strain_limit_jacobi strain_limit_gauss_seidel"},
    {"cloth", 20,
     "penalty lagrange baumgarte post implicit1 implicit2 shake rattle rk4_projected dop853 "
     "strain_limit_jacobi strain_limit_gauss_seidel soft_convex"},
    {"conflict_pins", 1, "strain_limit_jacobi strain_limit_gauss_seidel"},
    {"conflict_pins", 20, "strain_limit_jacobi strain_limit_gauss_seidel"},
    {"conflict_walls", 1, "strain_limit_jacobi strain_limit_gauss_seidel"},
    {"conflict_walls", 20, "strain_limit_jacobi strain_limit_gauss_seidel"},
    {"curtain", 1,
     "penalty baumgarte post shake rattle rk4_projected dop853 strain_limit_jacobi "
     "strain_limit_gauss_seidel"},
    {"curtain", 20,
     "penalty lagrange baumgarte post implicit1 implicit2 shake rattle rk4_projected dop853 "
     "energy_momentum sap strain_limit_jacobi strain_limit_gauss_seidel generalized_alpha "
     "soft_convex"},
    {"curtain_pile", 1, "strain_limit_jacobi"},
    {"differential", 1, "penalty"},
    {"differential", 20, "penalty lagrange post"},
    {"double_rod", 20, "penalty baumgarte post generalized_alpha soft_convex"},
    {"drape", 1,
     "penalty rattle rk4_projected dop853 strain_limit_jacobi strain_limit_gauss_seidel"},
    {"drape", 20,
     "penalty lagrange baumgarte post implicit1 implicit2 shake rattle rk4_projected dop853 "
     "strain_limit_jacobi strain_limit_gauss_seidel soft_convex"},
    {"driven_double_rod", 1, "penalty"},
    {"driven_double_rod", 20, "penalty strain_limit_jacobi"},
    {"driven_pin", 20, "penalty"},
    {"elastic_cloth", 1, "penalty"},
    {"elastic_cloth", 20,
     "penalty lagrange baumgarte post implicit1 implicit2 rattle rk4_projected dop853 "
     "strain_limit_jacobi soft_convex"},
    {"flag_on_hinged_pole", 1, "penalty strain_limit_jacobi"},
    {"flag_on_hinged_pole", 20, "penalty baumgarte post rk4_projected strain_limit_jacobi"},
    {"flag_on_pole", 1, "strain_limit_jacobi"},
    {"flag", 1,
     "penalty baumgarte post implicit2 dop853 strain_limit_jacobi generalized_alpha soft_convex"},
    {"flag", 20,
     "penalty lagrange baumgarte post implicit1 implicit2 shake rattle dop853 strain_limit_jacobi "
     "generalized_alpha soft_convex"},
    {"four_bar_urdf", 20, "penalty"},
    {"four_bar", 20, "penalty lagrange baumgarte post dop853"},
    {"grasp_box", 1, "rattle"},
    {"gyroscope", 1, "penalty lagrange baumgarte"},
    {"gyroscope", 20,
     "penalty lagrange baumgarte post implicit1 implicit2 rk4_projected generalized_alpha "
     "soft_convex"},
    {"hammock", 1, "strain_limit_jacobi strain_limit_gauss_seidel"},
    {"heavy_chain", 1, "penalty baumgarte rk4_projected"},
    {"heavy_chain", 20,
     "penalty baumgarte shake rattle rk4_projected dop853 strain_limit_jacobi "
     "strain_limit_gauss_seidel soft_convex"},
    {"hinge_chain", 1,
     "penalty baumgarte rk4_projected dop853 strain_limit_jacobi strain_limit_gauss_seidel"},
    {"hinge_chain", 20,
     "penalty lagrange baumgarte post implicit2 shake rattle rk4_projected dop853 energy_momentum "
     "strain_limit_jacobi strain_limit_gauss_seidel generalized_alpha gear_stabilised soft_convex"},
    {"iftomm_a01", 20, "penalty"},
    {"n_four_bar_hinges", 1, "penalty"},
    {"n_four_bar_hinges", 20, "penalty lagrange baumgarte post shake rattle soft_convex"},
    {"n_four_bar", 20, "penalty"},
    {"newtons_cradle_contacts", 20, "penalty"},
    {"newtons_cradle", 1, "penalty"},
    {"newtons_cradle", 20, "penalty baumgarte"},
    {"pendulum", 20, "penalty baumgarte"},
    {"quadruped", 1, "penalty"},
    {"quadruped", 20,
     "penalty strain_limit_jacobi strain_limit_gauss_seidel sequential_impulse tgs_soft "
     "soft_convex"},
    {"rigid_chain", 1,
     "penalty baumgarte rk4_projected dop853 strain_limit_jacobi strain_limit_gauss_seidel"},
    {"rigid_chain", 20,
     "penalty lagrange baumgarte post implicit2 shake rattle rk4_projected dop853 energy_momentum "
     "strain_limit_jacobi strain_limit_gauss_seidel generalized_alpha soft_convex "
     "projective_dynamics"},
    {"rigid_pendulum", 20, "penalty"},
    {"rolling_disc", 20,
     "penalty lagrange baumgarte post implicit2 icd icd2 sap fast_projection generalized_alpha "
     "gear_stabilised soft_convex"},
    {"rope_bridge", 1, "strain_limit_jacobi"},
    {"rope_bridge", 20,
     "penalty lagrange baumgarte post rk4_projected dop853 strain_limit_jacobi "
     "strain_limit_gauss_seidel soft_convex"},
    {"scissor_lift", 1, "penalty strain_limit_jacobi strain_limit_gauss_seidel"},
    {"scissor_lift", 20, "penalty strain_limit_jacobi strain_limit_gauss_seidel soft_convex"},
    {"servo_arm", 20, "penalty"},
    {"slider_crank", 20, "penalty lagrange baumgarte dop853 generalized_alpha"},
    {"spinning_top", 20, "penalty lagrange baumgarte post implicit2 generalized_alpha soft_convex"},
    {"ten_link", 20, "penalty baumgarte"},
    {"triple_rod", 20, "penalty lagrange baumgarte post rattle generalized_alpha soft_convex"},
    {"turntable", 20, "penalty icd icd2 sap fast_projection implicit_springs"},
    {"twist", 1, "baumgarte shake rattle strain_limit_jacobi strain_limit_gauss_seidel"},
    {"twist", 20,
     "baumgarte strain_limit_jacobi strain_limit_gauss_seidel sequential_impulse soft_convex pbd "
     "xpbd avbd"},
    {"two_link", 20, "penalty baumgarte"},
    {"two_vertices", 20, "penalty"},
    {"wrecking_ball", 1, "penalty baumgarte strain_limit_jacobi strain_limit_gauss_seidel"},
    {"wrecking_ball", 20,
     "penalty baumgarte rk4_projected strain_limit_jacobi strain_limit_gauss_seidel"},
};

std::string expected_to_diverge(const std::string& scene, double times_step) {
  for (const Divergence& row : divergences)
    if (row.scene == scene && row.times_step == times_step) return std::string(row.methods);
  return "";
}

TEST(Divergences, AreOfScenesAndMethodsThatExist) {
  const std::vector<std::string> names = scene_names();
  for (const Divergence& row : divergences) {
    EXPECT_NE(std::find(names.begin(), names.end(), row.scene), names.end()) << row.scene;
    std::istringstream words{std::string(row.methods)};
    for (std::string word; words >> word;) EXPECT_NO_THROW(find_method(word)) << row.scene;
  }
}

// Both ways: a method that survives where it should not is a failure, too. (Correct the table, when
// a method has become better.)
TEST_P(EveryScene, RunsOrDivergesAsTheTableSays) {
  const io::Scene scene = small_scene(GetParam());
  for (const double times_step : {1.0, 20.0}) {
    const double h = times_step * scene.step;
    // Long steps with contacts are done in many parts.
    const double steps =
        has_contacts(scene) ? std::max(2.0, steps_of(scene) / times_step) : steps_of(scene);
    std::string diverged;
    for (const MethodInfo& method : methods()) {
      const RunReport report =
          testing::run(scene.system, method.name, h, std::min(scene.duration, steps * h));
      if (report.status == RunStatus::ok) {
        EXPECT_TRUE(report.final_state.q.allFinite()) << method.name;
        EXPECT_TRUE(std::isfinite(report.constraint_error.accumulated)) << method.name;
      } else {
        ASSERT_EQ(report.status, RunStatus::diverged) << method.name;
        EXPECT_NE(report.reason, "") << method.name;
        EXPECT_GT(report.diverged_at_step, 0) << method.name;
        diverged += (diverged.empty() ? "" : " ") + std::string(method.name);
      }
    }
    EXPECT_EQ(diverged, expected_to_diverge(GetParam(), times_step))
        << "at " << times_step << " times the scene's step";
  }
}

TEST_P(EveryScene, ItsOwnMethodRunsIt) {
  const io::Scene scene = small_scene(GetParam());
  MethodChoice choice{scene.method, scene.method_options, ""};
  if (scene.method == auto_method)
    choice = choose_method(scene.system, scene.system.initial_state(), scene.step, scene.duration);
  const double steps = has_contacts(scene) ? 10 : 200;
  const double most = has_contacts(scene) ? std::min(2.0, 1000 * scene.step) : 2.0;
  const double duration = is_large_mechanism(scene) ? steps * scene.step : most;
  const RunReport report = testing::run(scene.system, choice.method, scene.step,
                                        std::min(scene.duration, duration), choice.options);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  // Where constraints contradict each other, something must be wrong.
  const bool is_suspect = GetParam().starts_with("conflict_");
  EXPECT_EQ(report.is_trusted(), !is_suspect)
      << (report.doubts.empty() ? "" : report.doubts.front());
}

}  // namespace
}  // namespace taut
