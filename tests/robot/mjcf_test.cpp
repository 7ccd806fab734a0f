// MJCF: what is read, how it becomes bodies and joints, what is reported. (That it moves as MuJoCo
// moves it: tests/mujoco.)
#include "taut/robot/mjcf.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "io/scratch_folder.hpp"
#include "support/messages.hpp"
#include "taut/analysis/diagnosis.hpp"
#include "taut/base/error.hpp"
#include "taut/base/join.hpp"
#include "taut/robot/robot_builder.hpp"
#include "taut/scene/scene.hpp"

namespace taut::io {
namespace {

constexpr double half_turn = 3.14159265358979323846;

Robot mjcf(const std::string& inside) {
  return parse_mjcf("<mujoco model='m'>" + inside + "</mujoco>", "m.xml", "");
}
Robot mjcf_bodies(const std::string& inside) {
  return mjcf("<worldbody>" + inside + "</worldbody>");
}

const RobotJoint& joint_named(const Robot& robot, const std::string& name) {
  return *std::find_if(robot.joints.begin(), robot.joints.end(),
                       [&](const RobotJoint& each) { return each.name == name; });
}
const RobotLink& link_named(const Robot& robot, const std::string& name) {
  return *std::find_if(robot.links.begin(), robot.links.end(),
                       [&](const RobotLink& each) { return each.name == name; });
}

TEST(Mjcf, AnglesAreInDegreesUnlessItSaysRadian) {
  const std::string body =
      "<body><joint name='j' range='-90 45' ref='30'/><joint name='s' type='slide' range='-2 3'/>"
      "<geom size='1'/></body>";
  const Robot robot = mjcf_bodies(body);
  EXPECT_DOUBLE_EQ(joint_named(robot, "j").lower, -half_turn / 2);
  EXPECT_DOUBLE_EQ(joint_named(robot, "j").reference, half_turn / 6);
  EXPECT_DOUBLE_EQ(joint_named(robot, "s").upper, 3);
  const Robot radian = mjcf("<compiler angle='radian'/><worldbody>" + body + "</worldbody>");
  EXPECT_DOUBLE_EQ(joint_named(radian, "j").lower, -90);
}

TEST(Mjcf, LimitsAreThoseWithARangeUnlessItSaysOtherwise) {
  const auto upper = [](const std::string& compiler, const std::string& attributes) {
    const Robot robot = mjcf(compiler + "<worldbody><body><joint name='j' " + attributes +
                             "/><geom size='1'/></body></worldbody>");
    return joint_named(robot, "j").is_limited();
  };
  EXPECT_TRUE(upper("", "range='0 1'"));
  EXPECT_FALSE(upper("", "range='0 1' limited='false'"));
  EXPECT_FALSE(upper("<compiler autolimits='false'/>", "range='0 1'"));
  EXPECT_TRUE(upper("<compiler autolimits='false'/>", "range='0 1' limited='true'"));
  EXPECT_FALSE(upper("<option><flag limit='disable'/></option>", "range='0 1'"));
}

TEST(Mjcf, ClassesInherit) {
  const Robot robot = mjcf(
      "<default><joint damping='1' armature='2'/><default class='a'><joint damping='3'/>"
      "<default class='b'><joint stiffness='4'/></default></default></default>"
      "<worldbody><body childclass='a'><joint name='of_a'/><geom size='1'/><body>"
      "<joint name='of_b' class='b'/><geom size='1'/><body childclass='main'><joint name='of_main' "
      "damping='7'/><geom size='1'/></body></body></body></worldbody>");
  EXPECT_EQ(joint_named(robot, "of_a").damping, 3);
  EXPECT_EQ(joint_named(robot, "of_a").armature, 2);
  EXPECT_EQ(joint_named(robot, "of_b").damping, 3);
  EXPECT_EQ(joint_named(robot, "of_b").stiffness, 4);
  EXPECT_EQ(joint_named(robot, "of_main").damping, 7);
  EXPECT_EQ(joint_named(robot, "of_main").stiffness, 0);
}

TEST(Mjcf, MassesFollowFromGeoms) {
  const Robot robot = mjcf_bodies(
      "<body name='b'><geom type='box' size='.1 .2 .3'/><geom size='.1' pos='1 0 0' mass='48'/>"
      "</body>");
  EXPECT_NEAR(link_named(robot, "b").mass, 1000 * 0.048 + 48, 1e-9);
  EXPECT_NEAR(link_named(robot, "b").center.x(), 0.5, 1e-12);
  EXPECT_NEAR(link_named(robot, "b").inertia(0, 0), 48 * (0.04 + 0.09) / 3 + 0.4 * 48 * 0.01, 1e-9);
}

TEST(Mjcf, ThreeHingesAreABallWithThreeAngles) {
  System system;
  const Robot robot = mjcf_bodies(
      "<body name='b'><joint name='x' axis='1 0 0'/><joint name='y' axis='0 1 0'/>"
      "<joint name='z' axis='0 0 1'/><geom size='.1' pos='.5 0 0'/></body>");
  RobotOptions options;
  options.positions = {0.3, -0.4, 0.5};
  add_robot(system, robot, options);
  EXPECT_EQ(system.body_count(), 1);
  EXPECT_EQ(system.row_count(), 4);  // a ball, and the range of the middle angle
  const Pose pose(system, system.initial_state().q);
  for (int i = 0; i < 3; ++i) {
    const Coordinate& c = system.joint_coordinate(std::string(1, "xyz"[i]));
    Coordinate::Places x;
    for (int k = 0; k < 3; ++k) x.col(k) = pose.at(c.anchors[static_cast<std::size_t>(k)]);
    EXPECT_NEAR(c.value(x), options.positions[static_cast<std::size_t>(i)], 1e-12);
  }
  const Vec3 expected = Eigen::AngleAxisd(0.3, Vec3::UnitX()) *
                        (Eigen::AngleAxisd(-0.4, Vec3::UnitY()) *
                         (Eigen::AngleAxisd(0.5, Vec3::UnitZ()) * Vec3(0.5, 0, 0)));
  EXPECT_TRUE(system.initial_place(Point(BodyId{0})).isApprox(expected, 1e-12));
}

// The middle one of three angles: its derivatives against differences.
TEST(Mjcf, ATiltHasItsDerivatives) {
  Coordinate tilt;
  tilt.kind = Coordinate::Kind::tilt;
  Coordinate::Places x = Coordinate::Places::Zero(), way;
  x.col(0) = Vec3(0.6, 0, 0.8);
  x.col(2) = Vec3(0, 0.8, 0.6);
  way << 0.1, 0.2, -0.3, 0.4, -0.1, 0.3, 0.2, 0.1, -0.2;
  const auto value = [&](double t) { return tilt.value(x + t * way); };
  EXPECT_NEAR(value(0), std::asin(0.48), 1e-15);
  const double h = 1e-4;
  const double rate = (value(h) - value(-h)) / (2 * h);
  const double second = (value(h) - 2 * value(0) + value(-h)) / (h * h);
  EXPECT_NEAR(tilt.gradient(x).cwiseProduct(way).sum(), rate, 1e-8);
  EXPECT_NEAR(tilt.bias(x, way), second, 1e-6);
  const Eigen::Map<const Eigen::Matrix<double, 9, 1>> w(way.data());
  EXPECT_NEAR(w.dot(tilt.curvature(x) * w), second, 1e-6);
  for (const double t : {1e-12, 0.3}) {
    const Coordinate::Places to = x + t * way, mean = x + 0.5 * t * way;
    EXPECT_NEAR(tilt.gradient_between(x, to, mean).cwiseProduct(t * way).sum(), value(t) - value(0),
                1e-15);
  }
}

TEST(Mjcf, LoopsClose) {
  const Scene scene = load_scene("pantograph.xml");
  const Diagnosis diagnosis = diagnose(scene.system, scene.system.initial_state());
  EXPECT_TRUE(diagnosis.position_violations.empty());
  EXPECT_FALSE(diagnosis.has_conflict());
  EXPECT_EQ(diagnosis.degrees_of_freedom, 2);
}

TEST(Mjcf, ActuatorsAreInputs) {
  const Scene scene = load_scene("crane.xml");
  Inputs inputs = scene.system.inputs();
  EXPECT_EQ(inputs["drive"], 40);  // as the keyframe says
  EXPECT_EQ(inputs["lift"], -0.2);
  EXPECT_THROW(inputs["drive"] = 101, Error);
  EXPECT_EQ(inputs.size(), 3);
}

TEST(Mjcf, WeldsThatWouldTurnBodiesAreTold) {
  const auto warnings = [](const std::string& weld) {
    const Robot robot = mjcf(
        "<worldbody><body name='a'><joint/><geom size='1'/></body><body name='b' euler='0 0 30'>"
        "<freejoint/><geom size='1'/></body></worldbody><equality><weld name='w' body1='a' "
        "body2='b' " +
        weld + "/></equality>");
    System system;
    return join(add_robot(system, robot).warnings, "\n");
  };
  EXPECT_EQ(warnings(""), "");
  EXPECT_EQ(warnings("relpose='0 0 0 0.9659258262890683 0 0 0.25881904510252074'"), "");
  EXPECT_TRUE(
      testing::has_all(warnings("relpose='0 0 0 1 0 0 0'"), "joint \"w\"|0.524 rad|not simulated"))
      << warnings("relpose='0 0 0 1 0 0 0'");
}

TEST(Mjcf, TheFirstKeyframeIsTheStartIfItHasAName) {
  const auto start = [](const std::string& key) {
    return joint_named(mjcf("<worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>"
                            "<keyframe>" +
                            key + "</keyframe>"),
                       "j")
        .start;
  };
  EXPECT_EQ(start("<key name='a' qpos='0.5'/><key name='b' qpos='1'/>"), 0.5);
  EXPECT_EQ(start("<key qpos='0.5'/>"), 0);
}

// Of texture's seams: a vertex is there twice. Inside out, it weighs as much.
TEST(Mjcf, MeshesWithSeamsAreClosed) {
  const auto mass = [](const std::string& faces) {
    const Robot robot =
        mjcf("<asset><mesh name='m' vertex='0 0 0  1 0 0  0 1 0  0 0 1  .1 .1 .1  0 0 0' face='" +
             faces +
             "'/></asset><worldbody><body><joint/><geom type='mesh' mesh='m' density='6'/></body>"
             "</worldbody>");
    return std::pair(robot.links[1].mass, join(robot.warnings, ""));
  };
  // A tetrahedron with a dent, of which the hull knows nothing.
  EXPECT_NEAR(mass("0 2 1  0 1 3  5 3 2  1 2 4  2 3 4  3 1 4").first, 0.3, 1e-12);
  EXPECT_NEAR(mass("0 1 2  0 3 1  5 2 3  1 4 2  2 4 3  3 4 1").first, 0.3, 1e-12);
  const auto [open, warning] = mass("0 2 1  0 1 3  1 2 4  2 3 4  3 1 4");
  EXPECT_NEAR(open, 1, 1e-12);
  EXPECT_TRUE(testing::has_all(warning, "1 <mesh> element whose surface is not closed")) << warning;
}

TEST(Mjcf, TendonsAreHeldByEqualities) {
  const std::string world =
      "<worldbody><site name='s'/><body pos='1 0 0'><joint/><geom size='.1'/><site "
      "name='t'/></body>"
      "</worldbody><tendon><spatial name='held'><site site='s'/><site site='t'/></spatial>"
      "<fixed name='two'><joint joint='body1_joint' coef='1'/></fixed></tendon>";
  const Robot robot = mjcf(world + "<equality><tendon tendon1='held'/></equality>");
  ASSERT_EQ(robot.tendons.size(), 1U);
  EXPECT_TRUE(robot.tendons[0].is_rod);
  EXPECT_TRUE(robot.warnings.empty()) << join(robot.warnings, "");
  for (const char* other :
       {"tendon1='two'", "tendon1='held' polycoef='.1'", "tendon1='held' tendon2='two'"})
    EXPECT_TRUE(testing::has_all(
        join(mjcf(world + "<equality><tendon " + other + "/></equality>").warnings, ""),
        "1 <tendon> element of <equality>: not simulated"));
}

TEST(Mjcf, WhatIsLeftOutIsCounted) {
  const Robot robot = mjcf(
      "<visual/><worldbody><light/><body><joint name='j' solreflimit='1 1' dampng='3'/><geom "
      "size='1' "
      "solref='1 1'/><geom size='1' solref='1 1'/><composite type='cloth'/></body></worldbody>"
      "<actuator><muscle joint='j'/></actuator><sensor><gyro/></sensor>");
  EXPECT_TRUE(
      testing::has_all(join(robot.ignored, "\n"),
                       "1 <light> element|2 \"solref\" attributes of <geom>|1 <visual>|1 <gyro>"))
      << join(robot.ignored, "\n");
  const std::string warnings = join(robot.warnings, "\n");
  EXPECT_TRUE(
      testing::has_all(warnings,
                       "1 <composite> element of type cloth: not simulated|1 <muscle>|"
                       "\"dampng\" attribute of <joint>: unknown (did you mean \"damping\"?)"))
      << warnings;
}

class MjcfFiles : public ScratchFolder {
 protected:
  std::string put(const std::string& name, const std::string& text) const {
    const auto path = std::filesystem::path(folder_) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
};

TEST_F(MjcfFiles, IncludeOthers) {
  put("parts/leg.xml",
      "<mujocoinclude><body name='leg'><joint/><geom size='1'/></body></mujocoinclude>");
  const std::string path =
      put("m.xml", "<mujoco><worldbody><include file='parts/leg.xml'/></worldbody></mujoco>");
  EXPECT_EQ(load_scene(path).system.body_names(), std::vector<std::string>{"leg"});
  put("parts/leg.xml", "<mujocoinclude><include file='m.xml'/></mujocoinclude>");
  EXPECT_TRUE(testing::has_all(testing::message_of([&] { load_scene(path); }),
                               "leg.xml: line 1: |m.xml|not included elsewhere"));
  put("m.xml", "<mujoco><include file='/etc/passwd'/></mujoco>");
  EXPECT_TRUE(testing::has_all(testing::message_of([&] { load_scene(path); }),
                               "line 1|/etc/passwd|relative to the model's folder"));
}

TEST_F(MjcfFiles, StandInScenes) {
  put("m.xml",
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='ball' pos='0 0 1'>"
      "<freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  const std::string path = put("scene.json",
                               R"({"taut": 1, "robots": [{"file": "m.xml", "name": "r"}],
      "forces": [{"type": "gravity", "acceleration": [0, 0, -9.81]}]})");
  const Scene scene = load_scene(path);
  EXPECT_EQ(scene.system.body_names(), std::vector<std::string>{"r/ball"});
  EXPECT_EQ(scene.system.contact_sources().size(), 1u);  // its own ground
}

struct MjcfMistake {
  const char *name, *text, *place, *found, *expected;
};
class BadMjcf : public ::testing::TestWithParam<MjcfMistake> {};

TEST_P(BadMjcf, IsOneMessage) {
  const MjcfMistake& mistake = GetParam();
  const std::string message = testing::message_of([&] {
    System system;
    add_robot(system, parse_mjcf(mistake.text, "f.xml", ""));
  });
  for (const char* pieces : {mistake.place, mistake.found, mistake.expected})
    EXPECT_TRUE(testing::has_all(message, pieces)) << message;
  EXPECT_TRUE(message.starts_with("f.xml: ") || message.starts_with("link \"b")) << message;
}
INSTANTIATE_TEST_SUITE_P(
    Files, BadMjcf,
    ::testing::Values(
        MjcfMistake{"empty", "", "f.xml", "empty", "a model, <mujoco>"},
        MjcfMistake{"cut", "<mujoco><worldbody>", "f.xml: line 1", "end of the file",
                    "</worldbody>"},
        MjcfMistake{"other", "<robot/>", "f.xml: line 1", "<robot>", "<mujoco>"},
        MjcfMistake{"size",
                    "<mujoco><worldbody>\n<body><geom size='-1'/></body></worldbody></mujoco>",
                    "line 2: <geom>", "size=\"-1\"", "one finite number > 0"},
        MjcfMistake{"nan", "<mujoco><worldbody><body pos='nan 0 0'/></worldbody></mujoco>",
                    "line 1", "pos=\"nan 0 0\"", "three finite numbers"},
        MjcfMistake{"type",
                    "<mujoco><worldbody><body><joint name='j' type='hige'/></body></worldbody>"
                    "</mujoco>",
                    "joint \"j\"", "type=\"hige\"", "did you mean \"hinge\"?"},
        MjcfMistake{"class",
                    "<mujoco><default class='main'><default class='leg'/></default>"
                    "<worldbody><body><geom class='lek' size='1'/></body></worldbody></mujoco>",
                    "<geom>", "the class \"lek\"", "did you mean \"leg\"?"},
        MjcfMistake{"joint",
                    "<mujoco><worldbody><body><joint name='knee'/><geom size='1'/></body>"
                    "</worldbody><actuator><motor name='m' joint='kne'/></actuator></mujoco>",
                    "motor \"m\"", "joint=\"kne\"", "did you mean \"knee\"?"},
        MjcfMistake{"twice",
                    "<mujoco><worldbody><body name='b'/><body name='b'/></worldbody></mujoco>",
                    "body \"b\"", "the name \"b\" again", "no other body has"},
        MjcfMistake{"massless",
                    "<mujoco><worldbody><body name='b'><joint/></body></worldbody></mujoco>",
                    "link \"b\"", "no mass", "a mass > 0"},
        MjcfMistake{"chain",
                    "<mujoco><worldbody><body name='b'><joint name='p'/><joint name='q' pos='1 "
                    "0 0'/><geom size='1'/></body></worldbody></mujoco>",
                    "link \"b", "no mass", "the joints \"p\", \"q\" cannot be one joint"},
        MjcfMistake{"key",
                    "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody>"
                    "<keyframe><key name='k' qpos='1 2'/></keyframe></mujoco>",
                    "key \"k\"", "qpos=\"1 2\"", "one finite number"},
        MjcfMistake{"held",
                    "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>"
                    "<tendon><fixed name='line'><joint joint='j' coef='1'/></fixed></tendon>"
                    "<equality><tendon tendon1='lime'/></equality></mujoco>",
                    "<tendon>", "tendon1=\"lime\"", "did you mean \"line\"?"},
        MjcfMistake{"composite", "<mujoco><worldbody><composite type='rop'/></worldbody></mujoco>",
                    "<composite>", "type=\"rop\"", "did you mean \"rope\"?"},
        MjcfMistake{"rope",
                    "<mujoco><worldbody><body name='b'><composite type='rope' count='3 1 1' "
                    "spacing='.1'><geom size='.1'/></composite></body></worldbody></mujoco>",
                    "body \"b\"", "the name \"b\"", "B0 to B2"},
        MjcfMistake{"count",
                    "<mujoco><worldbody><composite type='particle' count='1e5 1e5 1' spacing='1'>"
                    "<geom size='.1'/></composite></worldbody></mujoco>",
                    "<composite>", "count=\"1e5 1e5 1\"", "whole numbers"},
        MjcfMistake{"coordinate", "<mujoco><compiler coordinate='global'/></mujoco>", "<compiler>",
                    "coordinate=\"global\"", "\"local\""}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace taut::io
