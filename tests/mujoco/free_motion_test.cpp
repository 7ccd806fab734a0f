// The free motion of trees, and that with actuators, beside MuJoCo's own library.
#include "mujoco/beside_mujoco.hpp"

namespace taut::io {
namespace {

class FreeMotion : public ::testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(FreeMotion, OfABuiltInModel) {
  const auto [name, links] = GetParam();
  const std::filesystem::path path = std::filesystem::path(TAUT_SOURCE_DIR) / "robots" / name;
  expect_agreement(text_of(path), ::testing::TempDir(), links);
}
INSTANTIATE_TEST_SUITE_P(Robots, FreeMotion,
                         ::testing::Values(std::pair{"desk_arm.xml", 8},
                                           std::pair{"figure.xml", 13}, std::pair{"hound.xml", 13},
                                           std::pair{"pantograph.xml", 6},
                                           std::pair{"crane.xml", 4}));

// Masses and inertias of all shapes, with frames written in all ways.
TEST(FreeMotionOf, Shapes) {
  std::string world;
  int count = 0;
  for (const char* shape :
       {"type='box' size='.1 .2 .3' quat='1 2 3 4'", "type='sphere' size='.2' pos='.1 0 .3'",
        "type='capsule' size='.1 .3' axisangle='1 2 3 .5'",
        "type='capsule' size='.05' fromto='0 0 0 .3 .2 -.4'",
        "type='cylinder' size='.1 .3' euler='.1 .2 .3' density='500'",
        "type='cylinder' size='.1' fromto='.1 0 0 .3 .2 -.4'",
        "type='ellipsoid' size='.1 .2 .3' xyaxes='1 1 0 -1 1 .3'",
        "type='ellipsoid' size='.1' fromto='.1 0 0 .3 .2 -.4'",
        "type='box' size='.1' fromto='.1 0 0 .3 .2 -.4'",
        "type='box' size='.1 .2 .3' zaxis='1 2 3' mass='2'"}) {
    // The balls beside it make the order of axes matter.
    world += fmt::format(
        "<body name='b{0}' pos='{0} 0 0' euler='.4 .5 .6'><joint axis='1 2 3' pos='.1 .2 .3'/>"
        "<geom {1}/><geom size='.1' pos='.3 .4 .2'/></body>",
        count++, shape);
  }
  expect_agreement(mjcf_text(world), count);
}

TEST(FreeMotionOf, JointsWithEverything) {
  const std::string joint = "stiffness='30' springref='.3' damping='.4' armature='.5' ref='.2'";
  const std::string slide = "stiffness='40' springref='.1' damping='2' armature='3' ref='.05'";
  expect_agreement(
      mjcf_text("<body name='a' pos='0 0 1' euler='.1 .2 .3'><joint axis='1 1 0' pos='.1 0 0' " +
                joint + "/>" + solid_box +
                "<body name='b' pos='.3 0 0'><joint type='slide' axis='1 0 1' " + slide + "/>" +
                solid_box + "<body name='c' pos='0 .3 0'><joint type='ball' pos='0 0 .1'/>" +
                solid_box + "<body name='d' pos='0 .3 0'><joint axis='0 1 1' " + joint + "/>" +
                solid_box + "</body></body></body></body>"),
      4);
}

// Feedback and bounds together, gears of both signs, a tendon that drives two joints. The controls
// are those of the keyframe; some of the forces are at their bounds for a while.
TEST(MotionWithActuators, OfAllKinds) {
  const auto link = [](const char* name, const char* joint, const std::string& inside) {
    return "<body name='" + std::string(name) + "' pos='.3 0 .1'><joint name='" + name +
           "' armature='.3' " + joint + "/>" + solid_box + inside + "</body>";
  };
  const std::string world = link(
      "a", "axis='0 0 1' ref='.2'",
      link("b", "type='slide' axis='1 0 1' stiffness='900'",
           link("c", "axis='0 1 1'", link("d", "axis='1 0 0'", link("e", "axis='0 1 0'", "")))));
  const std::string drives =
      "<tendon><fixed name='both'><joint joint='d' coef='1'/><joint joint='e' coef='-.5'/></fixed>"
      "</tendon><actuator>"
      "<position joint='a' kp='900' gear='2' forcerange='-60 40'/>"
      "<position joint='c' kp='500' gear='-1.5' forcerange='-900 25'/>"
      "<velocity joint='b' kv='80' forcerange='-200 150'/>"
      "<general joint='c' gainprm='3' biastype='affine' biasprm='2 -5 -1'/>"
      "<motor tendon='both' gear='-2' ctrlrange='-20 20'/></actuator>";
  expect_agreement(mjcf_text(world, "<compiler autolimits='true'/>",
                             drives + "<keyframe><key name='k' ctrl='1 -.7 .4 2 6'/></keyframe>"),
                   ::testing::TempDir(), 5, true, 0.0002);  // forces come to bounds within steps
}

TEST(FreeMotionOf, BodiesThatFlyAndTurn) {
  expect_agreement(
      mjcf_text("<body name='a' pos='0 0 1' euler='.1 .2 .3'><freejoint/>" + solid_box +
                    "<body name='b' pos='.3 0 0'><joint axis='1 0 1'/>" + solid_box +
                    "</body></body>",
                "",
                "<keyframe><key name='k' qpos='1 2 3 .5 .5 -.5 .4 .3' qvel='1 2 3 4 -5 6 "
                "2'/></keyframe>"),
      2);
}

// Several joints of one body: as one joint, or with a body between that adds nothing.
TEST(FreeMotionOf, HingesOfOneBody) {
  const auto in_row = [](const std::string& joints, const std::string& stiffness = "8") {
    return mjcf_text("<body name='a' pos='0 0 1'><joint axis='0 1 0'/>" + solid_box +
                         "<body name='b' pos='.4 0 .1'>" + joints + solid_box +
                         "<body name='c' pos='0 .4 0'><joint axis='1 0 0' damping='.1'/>" +
                         solid_box + "</body></body></body>",
                     "<default><joint damping='.3' stiffness='" + stiffness +
                         "' springref='.4' armature='.2'/></default>");
  };
  // Two through a point, square and not; two that do not meet; three through a point, whose middle
  // angle stays below a quarter turn.
  expect_agreement(in_row("<joint axis='1 0 0'/><joint axis='0 1 0'/>"), 3);
  expect_agreement(in_row("<joint axis='1 0 0'/><joint axis='1 1 0'/>"), 3);
  expect_agreement(in_row("<joint axis='1 0 0' pos='0 0 .1'/><joint axis='.3 1 0' pos='0 0 -.1'/>"),
                   3);
  expect_agreement(in_row("<joint axis='1 0 0'/><joint axis='0 0 1'/><joint axis='0 1 0'/>", "500"),
                   3);
  expect_agreement(in_row("<joint axis='1 0 0'/><joint axis='0 1 0'/><joint axis='1 0 1'/>", "80"),
                   3);
  // Where it comes to one, the outer ones lose their meaning: such a run ends, and is not wrong.
  const Robot robot = parse_mjcf(
      in_row("<joint axis='1 0 0'/><joint axis='0 0 1'/><joint axis='0 1 0'/>", "80"), "m.xml", "");
  System system;
  add_robot(system, robot);
  apply(system, Gravity{Vec3(0, 0, -9.81)});
  const RunReport report = testing::run(system, "dop853", 0.002, 1);
  EXPECT_EQ(report.status, RunStatus::diverged);
  EXPECT_NE(report.reason.find("quarter turn"), std::string::npos) << report.reason;
}

TEST(FreeMotionOf, SlidesAndHingesOfOneBody) {
  const auto in_row = [](const std::string& joints) {
    return mjcf_text("<body name='a' pos='0 0 1'><joint axis='0 1 0'/>" + solid_box +
                         "<body name='b' pos='.4 0 .1'>" + joints + solid_box + "</body></body>",
                     "<default><joint damping='.3' stiffness='20' armature='.2'/></default>");
  };
  const std::string x = "<joint type='slide' axis='1 0 0'/>",
                    y = "<joint type='slide' axis='0 1 0'/>",
                    z = "<joint type='slide' axis='0 0 1'/>";
  expect_agreement(in_row(x + y), 2);
  expect_agreement(in_row(x + z + "<joint axis='0 1 0' pos='.1 0 0'/>"), 2);
  expect_agreement(in_row(x + y + z), 2);
  expect_agreement(in_row(x + y + z + "<joint axis='1 2 0'/>"), 2);
  expect_agreement(in_row(x + "<joint axis='0 1 0' pos='.1 .2 0'/>"), 2);
  expect_agreement(in_row(x + "<joint axis='1 0 0'/><joint axis='0 0 1'/>"), 2);
  expect_agreement(
      in_row(x + y + z + "<joint type='ball' armature='0' damping='0' stiffness='0'/>"), 2);
  // A telescope: the slide behind the turn.
  expect_agreement(in_row("<joint axis='0 1 0' pos='.1 .2 0'/>" + x), 2);
}

// A ball in the world has its armature about all axes.
TEST(FreeMotionOf, ArmatureInTheWorld) {
  expect_agreement(
      mjcf_text("<body name='a' pos='0 0 1'><joint type='ball' armature='.7'/>" + solid_box +
                "</body><body name='b' pos='3 0 1'><joint axis='1 0 0' armature='.7'/>" +
                solid_box + "</body>"),
      2);
}

TEST(FreeMotionOf, CompilersSettings) {
  expect_agreement(
      "<mujoco><compiler angle='degree' eulerseq='ZyX' inertiafromgeom='true' boundmass='.5' "
      "boundinertia='.01' settotalmass='7'/><default><geom density='2000'/><default class='c'>"
      "<joint axis='1 0 0' ref='20'/><default class='d'><geom "
      "size='.2'/></default></default></default>"
      "<worldbody><body name='a' euler='10 20 30' childclass='c'><inertial pos='1 1 1' mass='9' "
      "diaginertia='1 1 1'/><joint/><geom size='.1' pos='.3 0 0'/><geom class='d' pos='0 .3 0'/>"
      "<body name='e' pos='.2 0 0'><joint axis='0 1 0'/><geom size='.01' pos='0 0 "
      ".2'/></body></body>"
      "<body name='f' pos='2 0 0'><joint/><geom size='.1 .2 .1' type='box' pos='.3 0 0' "
      "euler='10 20 30'/></body></worldbody></mujoco>",
      3);
}

TEST(FreeMotionOf, GivenInertias) {
  expect_agreement(
      mjcf_text(
          "<body name='a'><joint axis='1 2 3'/><inertial pos='.1 .2 .3' mass='2' "
          "fullinertia='.2 .3 .25 .02 -.03 .01'/><body name='b' pos='.4 0 0'><joint axis='0 1 0'/>"
          "<inertial pos='.1 .2 .3' mass='2' diaginertia='.2 .3 .25' quat='1 .3 .2 .1'/></body>"
          "</body>",
          "<option gravity='1 2 -3'/>"),
      2);
}

TEST(FreeMotionOf, Meshes) {
  expect_agreement(
      mjcf_text(
          "<body name='a'><joint axis='1 2 3'/><geom type='mesh' mesh='m' pos='.1 .2 .3' "
          "quat='1 .3 .2 .1'/></body>",
          "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='.5 .6 .7'/></asset>"),
      1);
}

}  // namespace
}  // namespace taut::io
