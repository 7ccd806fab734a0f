// Robots as scenes and in scenes: bodies, joints and what acts in them move as mechanics says.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "io/error_messages.hpp"
#include "support/builders.hpp"
#include "support/objects.hpp"
#include "taut/analysis/diagnosis.hpp"
#include "taut/analysis/method_choice.hpp"
#include "taut/base/error.hpp"
#include "taut/robot/robot_builder.hpp"
#include "taut/robot/urdf.hpp"
#include "taut/scene/scene.hpp"

namespace taut::io {
namespace {

/// A mass of 2 kg on a joint of the world along or about `axis`, at 1 m from it.
System on_joint(const std::string& type, const std::string& axis, const std::string& inside,
                double position = 0) {
  const Robot robot = parse_urdf(
      "<robot name='r'><link name='world'/><link name='b'><inertial><origin xyz='1 0 0'/>"
      "<mass value='2'/><inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial></link>"
      "<joint name='j' type='" +
          type + "'><parent link='world'/><child link='b'/><axis xyz='" + axis + "'/>" + inside +
          "</joint></robot>",
      "r.urdf");
  System system;
  RobotOptions options;
  options.positions = {position};
  add_robot(system, robot, options);
  apply(system, Gravity{Vec3(0, 0, -9.81)});
  return system;
}

/// The method of `auto`.
RunReport run(const System& system, double duration, double step = 0.001) {
  const MethodChoice choice = choose_method(system, system.initial_state(), step, duration);
  return taut::testing::run(system, choice.method, step, duration, choice.options);
}

double position_of(const System& system, const State& state, std::string_view joint) {
  const Coordinate& coordinate = system.joint_coordinate(joint);
  const Pose pose(system, state.q);
  Coordinate::Places x;
  for (int k = 0; k < 3; ++k) x.col(k) = pose.at(coordinate.anchors[static_cast<std::size_t>(k)]);
  return coordinate.value(x);
}

TEST(RobotBuilder, BodiesStandWhereTheJointsPutThem) {
  const System system = on_joint("continuous", "0 -1 0", "<origin xyz='0 0 3'/>", 0.5);
  ASSERT_EQ(system.body_count(), 1);
  EXPECT_EQ(system.body_name({0}), "b");
  const Vec3 place = system.initial_place(Point(BodyId{0}));
  EXPECT_TRUE(place.isApprox(Vec3(std::cos(0.5), 0, 3 + std::sin(0.5)), 1e-12)) << place;
  EXPECT_NEAR(position_of(system, system.initial_state(), "j"), 0.5, 1e-12);
}

// An axis is given in the frame of its joint.
TEST(RobotBuilder, AxesTurnWithTheOriginOfTheJoint) {
  const System system = on_joint("continuous", "1 0 0", "<origin rpy='0 0 1.5707963267948966'/>");
  const Hinge& hinge = testing::constraints_of<Hinge>(system)[0];
  const Vec3 axis = system.initial_place(hinge.axis).normalized();
  EXPECT_TRUE(axis.isApprox(Vec3::UnitY(), 1e-12)) << axis;
}

// A link's visuals are given in its frame, a body's are seen from its centre of mass.
TEST(RobotBuilder, VisualsStayWithTheLink) {
  const Robot robot = parse_urdf(R"(<robot name="r"><link name="l">
    <inertial><origin xyz="1 0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <visual><origin xyz="0 0 2"/><geometry><sphere radius="0.1"/></geometry></visual></link>
    </robot>)",
                                 "r.urdf");
  System system;
  RobotOptions options;
  options.base = RobotBase::floating;
  const AddedRobot added = add_robot(system, robot, options);
  ASSERT_EQ(added.visuals.size(), 1u);
  EXPECT_TRUE(added.visuals[0].position.isApprox(Vec3(-1, 0, 2), 1e-12))
      << added.visuals[0].position;
}

TEST(RobotBuilder, ACompoundPendulumSwings) {
  // From 0.1 rad beside the lowest point: I θ̈ = −m g l sin θ with I = 2.1 kg·m².
  const double pi = 3.14159265358979323846, start = -pi / 2 + 0.1;
  const double omega = std::sqrt(2 * 9.81 / 2.1);
  const double period = 2 * pi / omega * (1 + 0.01 / 16);  // of a swing of 0.1 rad
  const System system = on_joint("continuous", "0 -1 0", "", start);
  const RunReport report = run(system, period);
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_NEAR(position_of(system, report.final_state, "j"), start, 1e-5);
}

TEST(RobotBuilder, SlidersFallAgainstTheirDamping) {
  // m v̇ = m g − d v: v = (m g/d)(1 − e^(−d t/m)), and the way its integral.
  const System system =
      on_joint("prismatic", "0 0 -1", "<limit lower='-1' upper='10'/><dynamics damping='4'/>");
  const RunReport report = run(system, 1);
  const double m = 2, d = 4, speed = m * 9.81 / d;
  const double way = speed * (1 - m / d * (1 - std::exp(-d / m)));
  EXPECT_NEAR(position_of(system, report.final_state, "j"), way, 1e-3 * way);
}

TEST(RobotBuilder, LimitsStop) {
  const System system =
      on_joint("revolute", "0 1 0", "<limit lower='-0.5' upper='0.75'/><dynamics damping='1'/>");
  const RunReport report = run(system, 3);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_NEAR(position_of(system, report.final_state, "j"), 0.75, 1e-6);
}

TEST(RobotBuilder, FrictionHoldsWhatItCan) {
  // The weight's torque at the start is 2·9.81·1 = 19.62 N·m.
  const System held = on_joint("continuous", "0 1 0", "<dynamics friction='20'/>");
  EXPECT_NEAR(position_of(held, run(held, 1).final_state, "j"), 0, 1e-6);
  const System slips = on_joint("continuous", "0 1 0", "<dynamics friction='15'/>");
  EXPECT_GT(position_of(slips, run(slips, 1).final_state, "j"), 0.1);
}

TEST(RobotBuilder, PlanarAndFloatingJointsLeaveTheirFreedom) {
  EXPECT_EQ(
      diagnose(on_joint("planar", "0 0 1", ""), on_joint("planar", "0 0 1", "").initial_state())
          .degrees_of_freedom,
      3);
  const System floating = on_joint("floating", "0 0 1", "");
  EXPECT_EQ(floating.constraint_count(), 0);
  EXPECT_EQ(floating.body_count(), 1);
}

TEST(RobotScene, TheArmHasItsParametersAndFalls) {
  const Scene scene =
      load_scene("arm6.urdf", std::vector<Setting>{{"elbow", "pi/3"}, {"g", "1.62"}});
  EXPECT_EQ(scene.name, "arm6");
  EXPECT_EQ(scene.method, auto_method);
  EXPECT_EQ(scene.duration, 10);
  ASSERT_EQ(scene.parameters.size(), 9u);
  EXPECT_EQ(scene.parameters[0].name, "g");
  EXPECT_EQ(scene.parameters[0].value, 1.62);
  EXPECT_EQ(scene.parameters[4].name, "elbow");
  EXPECT_EQ(scene.parameters[4].unit, "rad");
  EXPECT_NEAR(scene.parameters[4].value, 1.0471975511965976, 1e-15);
  EXPECT_EQ(scene.system.body_count(), 8);
  EXPECT_EQ(scene.visuals.size(), 10u);
  EXPECT_EQ(scene.visuals[0].body, "");  // the base
  EXPECT_EQ(scene.visuals[0].mesh, "package://arm6/meshes/base.stl");
  EXPECT_EQ(scene.ignored.front(), "10 <collision> elements: nothing else has a shape");
  const RunReport report = run(scene.system, 1);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_LT(report.constraint_error.max, 1e-4);
  EXPECT_NEAR(position_of(scene.system, report.final_state, "finger_right"),
              position_of(scene.system, report.final_state, "finger_left"), 1e-6);
}

TEST(RobotScene, TheQuadrupedFallsFreely) {
  const Scene scene = load_scene("quadruped.urdf", std::vector<Setting>{{"floating", "1"}});
  EXPECT_EQ(scene.system.body_count(), 13);
  // Whatever the legs do, the centre of mass falls as a stone does.
  const auto center = [&](const State& state) {
    Vec3 sum = Vec3::Zero();
    double mass = 0;
    for (int i = 0; i < scene.system.body_count(); ++i) {
      sum += scene.system.mass({i}) * state.q.segment<3>(scene.system.slot({i}).q);
      mass += scene.system.mass({i});
    }
    return Vec3(sum / mass);
  };
  const RunReport report = run(scene.system, 0.5);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  const Vec3 fall = center(report.final_state) - center(scene.system.initial_state());
  EXPECT_TRUE(fall.isApprox(Vec3(0, 0, -0.5 * 9.81 * 0.25), 0.01)) << fall;
}

TEST(RobotScene, SettingsThatDoNotFit) {
  EXPECT_TRUE(says(load_message("arm6.urdf", {{"elbow", "3"}}), R"(arm6.urdf: setting "elbow=3")",
                   "3", "-2.6|1.4"));
  EXPECT_TRUE(says(load_message("arm6.urdf", {{"elbo", "1"}}), R"(arm6.urdf: setting "elbo=1")",
                   "unknown", "parameter|method.", "elbow"));
  EXPECT_TRUE(says(load_message("arm6.urdf", {{"finger_right", "0"}}),
                   R"(arm6.urdf: setting "finger_right=0")", R"("finger_left")", ""));
  EXPECT_TRUE(says(load_message("four_bar.urdf", {{"floating", "1"}}),
                   R"(four_bar.urdf: setting "floating=1")", R"("ground")", "0"));
  EXPECT_TRUE(says(load_message("arm6.urdf", {{"floating", "0.5"}}),
                   R"(arm6.urdf: setting "floating=0.5")", "0.5", "0|1"));
  EXPECT_EQ(load_message("arm6.urdf", {{"method.alpha", "7"}, {"wrist_3", "9"}}), "no error");
}

TEST(RobotScene, NamesThatAreNoRobots) {
  EXPECT_TRUE(says(load_message("arm5.urdf"), "arm5.urdf", "no such file",
                   "robot's file|URDF|built-in robot", "arm6.urdf"));
  EXPECT_TRUE(
      says(load_message("arm6"), "arm6", "no such file", "scene file|built-in", "arm6.urdf"));
}

TEST(RobotScene, EveryBuiltinRobotIsListedAndLegal) {
  const std::vector<SceneSummary> robots = list_robots();
  ASSERT_EQ(robots.size(), 11u);
  for (const SceneSummary& robot : robots) {
    const Scene scene = load_scene(robot.name);
    EXPECT_EQ(scene.parameters.size(), robot.parameters.size());
    const Diagnosis diagnosis = diagnose(scene.system, scene.system.initial_state());
    EXPECT_FALSE(diagnosis.has_conflict()) << robot.name;
    EXPECT_TRUE(diagnosis.position_violations.empty()) << robot.name;
  }
}

/// A folder with files, removed at the end.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("taut_robots_" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

const std::string one_link = R"(<robot name="r"><link name="world"/><link name="bar"><inertial>
  <origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.1" izz="0.1"/></inertial>
  <visual><geometry><mesh filename="bar.stl"/></geometry></visual></link>
  <link name="tip"/>
  <joint name="pivot" type="continuous"><parent link="world"/><child link="bar"/><axis xyz="0 1 0"/></joint>
  <joint name="end" type="fixed"><origin xyz="1 0 0"/><parent link="bar"/><child link="tip"/></joint>
</robot>)";

TEST(RobotScene, FilesAreFoundBesideTheScene) {
  const Folder folder;
  const std::string urdf = folder.write("arm6.urdf", one_link);  // before the built-in one
  EXPECT_EQ(load_scene(urdf).system.body_count(), 1);
  EXPECT_EQ(load_scene(urdf).visuals[0].folder, folder.path.string());
  const Scene scene = load_scene(folder.write("s.json", R"({"taut": 1,
    "robots": [{"urdf": "arm6.urdf", "name": "a"},
               {"repeat": {"count": 2}, "items": [{"urdf": "arm6.urdf", "name": "b{i}",
                "position": ["=i", 5, 0], "orientation": {"axis": [0, 0, 1], "angle": "=pi/2"},
                "joints": {"pivot": "=-pi/2"}}]}],
    "bodies": [{"type": "particle", "name": "p", "mass": 1, "position": [1, 0, -1]}],
    "constraints": [{"type": "distance", "name": "rope", "a": {"link": "a/tip"}, "b": "p"}],
    "forces": [{"type": "joint_spring", "joint": "b1/pivot", "damping": 1}]})"));
  EXPECT_EQ(scene.system.body_names(),
            (std::vector<std::string>{"a/bar", "b0/bar", "b1/bar", "p"}));
  EXPECT_TRUE(scene.system.initial_place(Point(BodyId{2})).isApprox(Vec3(1, 5, 0.5), 1e-12));
  const Diagnosis diagnosis = diagnose(scene.system, scene.system.initial_state());
  EXPECT_EQ(diagnosis.degrees_of_freedom, 3 + 3 - 1);
  EXPECT_TRUE(diagnosis.position_violations.empty());
}

TEST(RobotScene, LoopsAreClosedByAConstraint) {
  const Scene scene = load_scene("four_bar_urdf");
  const Diagnosis diagnosis = diagnose(scene.system, scene.system.initial_state());
  EXPECT_EQ(diagnosis.degrees_of_freedom, 1);
  EXPECT_FALSE(diagnosis.has_conflict());
  EXPECT_TRUE(diagnosis.position_violations.empty());
  const RunReport report = run(scene.system, 2);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_LT(report.constraint_error.max, 1e-6);
}

TEST(RobotScene, MistakesInAScene) {
  const auto robots = [](const std::string& text, const std::string& more = "") {
    return parse_message(R"({"taut": 1, "robots": [)" + text + "]" + more + "}");
  };
  EXPECT_EQ(robots(R"({"urdf": "arm6.urdf"})"), "no error");
  EXPECT_EQ(robots(R"({"urdf": "arm6.urdf", "name": ""})"), "no error");
  EXPECT_TRUE(says(robots(R"({"name": "x"})"), "f.json: /robots/0", R"(no "file")", "file"));
  EXPECT_TRUE(says(robots(R"({"urdf": "arm7.urdf"})"), "f.json: /robots/0/urdf: arm7.urdf",
                   "no such file", "robot's file|URDF|built-in robot", "arm6.urdf"));
  EXPECT_TRUE(says(robots(R"({"urdf": "arm6.urdf", "joints": {"elbo": 1}})"),
                   "f.json: /robots/0/joints/elbo", "unknown", "known", "elbow"));
  EXPECT_TRUE(says(robots(R"({"urdf": "arm6.urdf", "joints": {"elbow": 3}})"),
                   "f.json: /robots/0/joints/elbow", "3", "-2.6|1.4"));
  EXPECT_TRUE(says(robots(R"({"urdf": "arm6.urdf", "joints": {"finger_right": 0}})"),
                   "f.json: /robots/0/joints/finger_right", R"("finger_left")", ""));
  EXPECT_TRUE(says(robots(R"({"urdf": "four_bar.urdf", "base": "floating"})"),
                   "f.json: /robots/0/base", R"("ground")", "fixed"));
  EXPECT_EQ(robots(R"({"urdf": "arm6.urdf"}, {"urdf": "arm6.urdf"})"),
            "f.json: /robots/1: two bodies are named \"shoulder\"");
  EXPECT_TRUE(says(robots(R"({"urdf": "arm6.urdf"})",
                          R"(, "constraints": [{"type": "pin", "point": {"link": "gripp"}}])"),
                   "f.json: /constraints/0/point/link", R"("gripp")", "link", "gripper"));
  EXPECT_TRUE(says(parse_message(R"({"taut": 1, "robots": []})"), "f.json: /robots", "no body",
                   "at least one"));
}

}  // namespace
}  // namespace taut::io
