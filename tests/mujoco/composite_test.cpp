// Composites, which MuJoCo writes out as bodies, beside MuJoCo's own library.
#include "mujoco/beside_mujoco.hpp"

namespace taut::io {
namespace {

// Defaults of the model do not reach into composites.
const std::string defaults =
    "<default><geom density='70' size='.3'/><joint damping='3' armature='5'/></default>";

TEST(Composites, Particles) {
  expect_agreement(mjcf_text("<body name='a' pos='.1 .2 2' euler='.1 .2 .3'><joint/>" + solid_box +
                                 "<composite type='particle' count='2 3 2' spacing='.3' prefix='p' "
                                 "offset='1 2 3'><geom size='.1'/><joint "
                                 "kind='main' damping='.1'/></composite></body>",
                             defaults),
                   13);
}

TEST(Composites, Grids) {
  expect_agreement(
      mjcf_text("<composite type='grid' count='4 3 1' spacing='.3' prefix='x' offset='1 2 3'>"
                "<geom size='.1'/><pin coord='0 0'/><pin coord='3 0'/><joint kind='main' "
                "stiffness='3' damping='.1'/></composite>"
                "<body name='beside'><joint axis='1 2 3'/>" +
                    solid_box + "</body>",
                defaults + "<option><flag passive='disable'/></option>"),
      13);
}

TEST(Composites, Ropes) {
  for (const char* root : {"rB3", "rB0", "rB6_root"})
    expect_agreement(mjcf_text("<body name='" + std::string(root) +
                                   "' pos='.1 .2 2'><freejoint/><composite type='rope' prefix='r' "
                                   "count='7 1 1' spacing='.2'><geom type='capsule' size='.05 .07' "
                                   "density='500'/><joint kind='main' damping='.05' "
                                   "stiffness='2'/></composite></body>",
                               defaults),
                     7);
}

// What closes it is switched off, as in the other tests; tests of equalities are elsewhere.
TEST(Composites, Loops) {
  expect_agreement(
      mjcf_text("<body name='B2' pos='.1 .2 2'><freejoint/><composite type='loop' count='9 1 1' "
                "spacing='.2'><geom type='ellipsoid' size='.05 .06 .07'/></composite></body>",
                defaults),
      9);
}

// A grid between two pins sags by its own weight as in MuJoCo, whose constraints of grids yield.
TEST(Composites, GridsYieldAsMuch) {
  const std::string text = mjcf_text(
      "<composite type='grid' count='5 1 1' spacing='.25'><geom size='.1' density='2000'/>"
      "<pin coord='0 0'/><pin coord='4 0'/></composite>");
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) /
                                     ("taut_grid_" + std::to_string(::getpid()) + ".xml");
  std::ofstream(path) << text;
  const MujocoModel mujoco(path.string());
  std::filesystem::remove(path);
  mju_zero(mujoco.data->qvel, mujoco.model->nv);
  while (mujoco.data->time < 20) mj_step(mujoco.model, mujoco.data);

  const Robot robot = parse_mjcf(text, "grid.xml", "");
  System system;
  const AddedRobot added = add_robot(system, robot);
  apply(system, Gravity{*robot.gravity});
  const RunReport report = testing::run(system, "icd2", 0.01, 20);
  ASSERT_EQ(report.status, RunStatus::ok) << report.reason;
  const Pose pose(system, report.final_state.q);
  const int middle = mj_name2id(mujoco.model, mjOBJ_BODY, "B2_0");
  const LinkPlace& place = added.links.at("B2_0");
  const double sag = -pose.at(Point(place.body, place.frame.translation())).z();
  const double wanted = -mujoco.data->xpos[3 * middle + 2];
  EXPECT_GT(wanted, 0.005);
  EXPECT_NEAR(sag, wanted, 0.05 * wanted);
  std::printf("  sags by %.4g m, in MuJoCo by %.4g m\n", sag, wanted);
}

// Those that Debian's package libmujoco-samples has. Where dampers are stiff steps are small.
struct Own {
  const char* path;
  int links;
  double step = 0.002;
  const char* with = "";
};
void PrintTo(const Own& own, std::ostream* out) { *out << own.path; }

class MujocosOwn : public ::testing::TestWithParam<Own> {};

TEST_P(MujocosOwn, MovesFreelyAsThere) {
  const Own& own = GetParam();
  const std::filesystem::path path = std::filesystem::path("/usr/share/mujoco/model") / own.path;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no package libmujoco-samples";
  // With the files that it includes.
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("taut_own_" + std::to_string(::getpid()));
  std::filesystem::copy(path.parent_path(), folder, std::filesystem::copy_options::recursive);
  std::string text = text_of(path);
  text.insert(text.rfind("</mujoco>"), own.with);
  expect_agreement(text, folder, own.links, false, own.step);
  std::filesystem::remove_all(folder);
}
INSTANTIATE_TEST_SUITE_P(
    Models, MujocosOwn,
    ::testing::Values(Own{"humanoid/humanoid.xml", 16}, Own{"humanoid100/humanoid100.xml", 116},
                      Own{"tendon_arm/arm26.xml", 2}, Own{"slider_crank/slider_crank.xml", 3},
                      Own{"mug/mug.xml", 2, 0.002, "<compiler exactmeshinertia='true'/>"},
                      Own{"composite/rope.xml", 22, 0.0002}, Own{"composite/loop.xml", 21, 0.0002},
                      Own{"adhesion/active_adhesion.xml", 71, 0.0002, "<option viscosity='0'/>"}));

}  // namespace
}  // namespace taut::io
