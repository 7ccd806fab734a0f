// Models in MJCF against MuJoCo's own library: the motion of a tree, free or with actuators, over a
// second. Contacts, limits, equality constraints and friction are switched off by <flag>, and so are
// actuators where none are wanted; MuJoCo takes tiny steps of
// its Runge-Kutta method, taut its method of highest order. Links are where MuJoCo has its bodies.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "support/builders.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/methods/method.hpp"
#include "taut/robot/mjcf.hpp"
#include "taut/robot/robot_builder.hpp"

namespace taut::io {
namespace {

const std::string flags =
    "<option integrator='RK4' timestep='0.0002'><flag contact='disable' limit='disable' "
    "equality='disable' frictionloss='disable' actuation='disable'/></option>";

/// A model with those flags: MuJoCo takes the last of each.
std::string with_flags(std::string text, bool actuated) {
  const std::size_t end = text.rfind("</mujoco>");
  text.insert(end, flags);
  const std::string off = "actuation='disable'";
  if (actuated) text.replace(text.rfind(off), off.size(), "actuation='enable'");
  return text;
}

struct MujocoModel {
  explicit MujocoModel(const std::string& path) {
    char error[1000] = "";
    model = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
    if (!model) throw std::runtime_error(error);
    data = mj_makeData(model);
    if (model->nkey > 0) mj_resetDataKeyframe(model, data, 0);
    for (int j = 0; j < model->njnt; ++j)  // some speed everywhere
      for (int k = model->jnt_dofadr[j]; k < model->nv; ++k)
        data->qvel[k] = std::sin(1.0 + k + 0.1 * model->nv);
    mj_forward(model, data);
  }
  ~MujocoModel() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }
  mjModel* model = nullptr;
  mjData* data = nullptr;
};

/// MuJoCo's speeds, by the names of joints.
void set_speeds(Robot& robot, const MujocoModel& mujoco) {
  int number = 0;
  for (RobotJoint& joint : robot.joints) {
    if (joint.type == JointType::fixed) continue;
    const int j = number++;  // in MuJoCo's order
    const double* v = mujoco.data->qvel + mujoco.model->jnt_dofadr[j];
    if (joint.type == JointType::floating) {
      joint.start_velocity = joint.origin.linear().transpose() * Vec3(v);
      joint.start_spin = Vec3(v + 3);
    } else if (joint.type == JointType::ball) {
      joint.start_spin = Vec3(v);
    } else {
      joint.start_rate = *v;
    }
  }
  ASSERT_EQ(number, mujoco.model->njnt);
}

/// The largest distance of the origins of links, and of points 0.1 m from them, after a second.
struct Difference {
  double at_start = 0, at_end = 0, way = 0;
  int links = 0;
};

Difference compare_with_mujoco(const std::string& text, const std::string& folder, bool actuated) {
  const std::filesystem::path path =
      std::filesystem::path(folder) / ("taut_free_" + std::to_string(::getpid()) + ".xml");
  const std::string with = with_flags(text, actuated);
  std::ofstream(path) << with;
  MujocoModel mujoco(path.string());
  std::filesystem::remove(path);

  Robot robot = parse_mjcf(with, path.string(), folder);
  set_speeds(robot, mujoco);
  System system;
  const AddedRobot added = add_robot(system, robot);
  apply(system, Gravity{*robot.gravity});

  const auto largest = [&](const State& state, const std::vector<Vec3>* before) {
    const Pose pose(system, state.q);
    double error = 0;
    std::vector<Vec3> places;
    for (int b = 1; b < mujoco.model->nbody; ++b) {
      const char* name = mj_id2name(mujoco.model, mjOBJ_BODY, b);
      const auto found = added.links.find(name ? name : fmt::format("body{}", b));
      if (found == added.links.end()) continue;
      const LinkPlace& place = found->second;
      const Eigen::Matrix3d R =
          Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(mujoco.data->xmat + 9 * b);
      for (int k = 0; k < 4; ++k) {
        const Vec3 arm = k == 0 ? Vec3(Vec3::Zero()) : Vec3(0.1 * Vec3::Unit(k - 1));
        const Vec3 wanted = Vec3(mujoco.data->xpos + 3 * b) + R * arm;
        const Vec3 is = pose.at(Point(place.body, place.frame * arm));
        error = std::max(error, is.allFinite() ? (is - wanted).norm() : 1e9);
        places.push_back(wanted);
      }
    }
    double way = 0;
    if (before)
      for (std::size_t i = 0; i < places.size(); ++i)
        way = std::max(way, (places[i] - (*before)[i]).norm());
    return std::make_tuple(error, places, way);
  };

  Difference difference;
  const auto [start, places, none] = largest(system.initial_state(), nullptr);
  difference.at_start = start;
  difference.links = static_cast<int>(places.size() / 4);
  while (mujoco.data->time < 1 - 1e-9) mj_step(mujoco.model, mujoco.data);
  mj_forward(mujoco.model, mujoco.data);
  // Forces that come to a bound within a step are no smooth motion.
  const RunReport report = testing::run(system, "dop853", actuated ? 0.0002 : 0.002, 1);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  const auto [end, after, way] = largest(report.final_state, &places);
  difference.at_end = end;
  difference.way = way;
  return difference;
}

std::string text_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void expect_agreement(const std::string& text, const std::string& folder, int links,
                      bool actuated = false) {
  const Difference difference = compare_with_mujoco(text, folder, actuated);
  EXPECT_EQ(difference.links, links);
  EXPECT_LT(difference.at_start, 1e-12);
  EXPECT_LT(difference.at_end, 1e-6);
  EXPECT_GT(difference.way, 0.02);  // it does move
  std::printf("  %d links moved up to %.3g m, agree to %.2g m (%.2g m at the start)\n",
              difference.links, difference.way, difference.at_end, difference.at_start);
}

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

std::string mjcf_text(const std::string& world, const std::string& before = "",
                      const std::string& behind = "") {
  return "<mujoco><compiler angle='radian'/>" + before + "<worldbody>" + world + "</worldbody>" +
         behind + "</mujoco>";
}
const std::string solid_box = "<geom type='box' size='.1 .2 .3' pos='.2 .1 -.3' euler='.3 .2 .1'/>";

void expect_agreement(const std::string& text, int links) {
  expect_agreement(text, ::testing::TempDir(), links);
}

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
  expect_agreement(
      mjcf_text(world, "<compiler autolimits='true'/>",
                drives + "<keyframe><key name='k' ctrl='1 -.7 .4 2 6'/></keyframe>"),
      ::testing::TempDir(), 5, true);
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

// Those that Debian's package libmujoco-samples has.
TEST(FreeMotionOf, MujocosOwnHumanoid) {
  const std::filesystem::path folder = "/usr/share/mujoco/model/humanoid";
  if (!std::filesystem::exists(folder / "humanoid.xml"))
    GTEST_SKIP() << "no package libmujoco-samples";
  expect_agreement(text_of(folder / "humanoid.xml"), ::testing::TempDir(), 16);
}

}  // namespace
}  // namespace taut::io
