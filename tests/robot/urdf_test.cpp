// Robots from URDF: what is read, what is merged, what is reported as ignored.
#include "taut/robot/urdf.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "taut/base/error.hpp"
#include "taut/robot/builtin_robots.hpp"
#include "taut/robot/robot_bodies.hpp"

namespace taut::io {
namespace {

constexpr double pi = 3.14159265358979323846;

/// A robot with these elements in it.
Robot robot_of(const std::string& elements) {
  return parse_urdf("<robot name='r'>" + elements + "</robot>", "r.urdf");
}

std::string_view builtin(std::string_view name) {
  for (const EmbeddedText& robot : builtin_robots())
    if (robot.name == name) return robot.text;
  return "";
}

const RobotLink& link(const Robot& robot, const std::string& name) {
  return *std::find_if(robot.links.begin(), robot.links.end(),
                       [&](const RobotLink& each) { return each.name == name; });
}
const RobotJoint& joint(const Robot& robot, const std::string& name) {
  return *std::find_if(robot.joints.begin(), robot.joints.end(),
                       [&](const RobotJoint& each) { return each.name == name; });
}

const std::string solid =
    "<inertial><mass value='2'/><inertia ixx='1' iyy='1.1' izz='1.2'/></inertial>";

/// "a" carries "b" by a joint with this inside.
Robot pair(const std::string& type, const std::string& inside) {
  return robot_of("<link name='a'>" + solid + "</link><link name='b'>" + solid +
                  "</link><joint name='j' type='" + type + "'><parent link='a'/><child link='b'/>" +
                  inside + "</joint>");
}

TEST(Urdf, InertiaIsTurnedIntoTheLinksAxes) {
  const Robot robot = robot_of(
      "<link name='a'><inertial><origin xyz='0.1 0.2 0.3' rpy='0 0 1.5707963267948966'/>"
      "<mass value=' 3 '/><inertia ixx='1' ixy='0.1' ixz='0' iyy='2' iyz='0' izz='2.5'/></inertial>"
      "</link>");
  const RobotLink& a = robot.links[0];
  EXPECT_EQ(a.mass, 3);
  EXPECT_TRUE(a.center.isApprox(Vec3(0.1, 0.2, 0.3)));
  Mat3 expected;  // x becomes y, y becomes −x
  expected << 2, -0.1, 0, -0.1, 1, 0, 0, 0, 2.5;
  EXPECT_TRUE(a.inertia.isApprox(expected, 1e-12)) << a.inertia;
}

TEST(Urdf, JointsHaveTypeOriginAxisLimitsAndDynamics) {
  const Robot robot = pair("revolute",
                           "<origin xyz='1 2\t3' rpy='0.1 0.2 0.3'/><axis xyz='0 3 4'/>"
                           "<limit lower='-1' upper='2' effort='1' velocity='1'/>"
                           "<dynamics damping='0.5' friction='0.25'/>");
  const RobotJoint& j = robot.joints[0];
  EXPECT_EQ(j.type, JointType::revolute);
  EXPECT_EQ(robot.links[static_cast<std::size_t>(j.parent)].name, "a");
  EXPECT_EQ(robot.links[static_cast<std::size_t>(j.child)].name, "b");
  EXPECT_TRUE(j.axis.isApprox(Vec3(0, 0.6, 0.8)));
  EXPECT_EQ(j.lower, -1);
  EXPECT_EQ(j.upper, 2);
  EXPECT_EQ(j.damping, 0.5);
  EXPECT_EQ(j.friction, 0.25);
  const Mat3 rpy = (Eigen::AngleAxisd(0.3, Vec3::UnitZ()) * Eigen::AngleAxisd(0.2, Vec3::UnitY()) *
                    Eigen::AngleAxisd(0.1, Vec3::UnitX()))
                       .toRotationMatrix();
  EXPECT_TRUE(j.origin.linear().isApprox(rpy, 1e-12));
  EXPECT_TRUE(j.origin.translation().isApprox(Vec3(1, 2, 3)));
}

TEST(Urdf, DefaultsAreThoseOfTheFormat) {
  const Robot robot = pair("continuous", "");
  EXPECT_TRUE(robot.joints[0].axis.isApprox(Vec3::UnitX()));
  EXPECT_TRUE(robot.joints[0].origin.isApprox(Frame::Identity()));
  EXPECT_EQ(robot.joints[0].upper, RobotJoint::infinity);
  EXPECT_TRUE(robot.ignored.empty());
  EXPECT_EQ(pair("floating", "").joints[0].type, JointType::floating);
  EXPECT_EQ(pair("planar", "").joints[0].type, JointType::planar);
  EXPECT_EQ(pair("fixed", "").joints[0].type, JointType::fixed);
  EXPECT_EQ(pair("continuous", "").joints[0].type, JointType::continuous);
  EXPECT_EQ(pair("prismatic", "<limit lower='0' upper='1'/>").joints[0].type, JointType::prismatic);
}

TEST(Urdf, ParentsComeBeforeChildrenInTheOrderOfTheFile) {
  const auto j = [](const std::string& from, const std::string& to) {
    return "<joint name='" + from + to + "' type='continuous'><parent link='" + from +
           "'/><child link='" + to + "'/></joint>";
  };
  std::string links;
  for (const char* name : {"z", "y", "x", "w"})
    links += "<link name='" + std::string(name) + "'>" + solid + "</link>";
  const Robot robot = robot_of(links + j("y", "z") + j("w", "y") + j("w", "x"));
  EXPECT_EQ(robot.root, 3);
  ASSERT_EQ(robot.joints.size(), 3u);
  EXPECT_EQ(robot.joints[0].name, "wy");
  EXPECT_EQ(robot.joints[1].name, "yz");
  EXPECT_EQ(robot.joints[2].name, "wx");
}

TEST(Urdf, NamesMayBeAnything) {
  const Robot robot =
      robot_of("<link name='%n%s &amp; &lt;&#xe4;/&quot;'>" + solid +
               "<visual><geometry><mesh filename='%s%n.stl'/></geometry>"
               "<material name='%n'><color rgba='1 0 0 1'/></material></visual></link>");
  EXPECT_EQ(robot.links[0].name, "%n%s & <ä/\"");
  EXPECT_EQ(robot.visuals[0].visual.mesh, "%s%n.stl");
  EXPECT_EQ(robot.visuals[0].visual.color[0], 1);
}

TEST(Urdf, MimicsFollowTheLastOfAChain) {
  const auto j = [](const std::string& name, const std::string& child, const std::string& mimic) {
    return "<joint name='" + name + "' type='revolute'><parent link='a'/><child link='" + child +
           "'/><limit lower='-1' upper='1' effort='1' velocity='1'/>" + mimic + "</joint>";
  };
  std::string links;
  for (const char* name : {"a", "b", "c", "d"})
    links += "<link name='" + std::string(name) + "'>" + solid + "</link>";
  const Robot robot =
      robot_of(links + j("first", "b", "<mimic joint='second' multiplier='2' offset='0.5'/>") +
               j("second", "c", "<mimic joint='third' multiplier='-3' offset='0.25'/>") +
               j("third", "d", ""));
  const RobotJoint& first = joint(robot, "first");
  EXPECT_EQ(robot.joints[static_cast<std::size_t>(first.mimic)].name, "third");
  EXPECT_EQ(first.multiplier, -6);
  EXPECT_EQ(first.offset, 1);
  EXPECT_EQ(first.upper, RobotJoint::infinity);  // its own limits do not count
  EXPECT_EQ(default_positions(robot), (std::vector<double>{1, 0.25, 0}));
  EXPECT_EQ(robot.ignored,
            (std::vector<std::string>{
                "2 <limit> elements of a mimic joint: the joint it follows has one"}));
}

TEST(Urdf, WhatADriveCanDo) {
  const auto limits = [](const std::string& attributes) {
    return pair("revolute", "<limit lower='-1' upper='1' " + attributes + "/>");
  };
  const Robot given = limits("effort='12.5' velocity='3'");
  EXPECT_EQ(given.joints[0].effort, 12.5);
  EXPECT_EQ(given.joints[0].velocity, 3);
  EXPECT_TRUE(given.ignored.empty());
  const Robot none = limits("");
  EXPECT_EQ(none.joints[0].effort, RobotJoint::infinity);
  EXPECT_EQ(none.joints[0].velocity, RobotJoint::infinity);
  // Many programs write 0 where they know nothing.
  for (const char* nothing : {"0", "-1", "inf", "nan", "much", "", "1 2"}) {
    const Robot robot = limits("effort='" + std::string(nothing) + "' velocity='2'");
    EXPECT_EQ(robot.joints[0].effort, RobotJoint::infinity) << nothing;
    EXPECT_EQ(robot.joints[0].velocity, 2) << nothing;
    ASSERT_EQ(robot.ignored.size(), 1u) << nothing;
    EXPECT_EQ(robot.ignored[0],
              "1 <limit> element with effort=\"" + std::string(nothing) + "\": taken as unlimited");
  }
  const Robot turning = pair("continuous", "<limit effort='4' velocity='5'/>");
  EXPECT_EQ(turning.joints[0].effort, 4);
  EXPECT_EQ(turning.joints[0].velocity, 5);
}

TEST(Urdf, AJointWithoutRoomIsFixed) {
  const Robot robot = pair("revolute", "<axis xyz='0 0 1'/><limit lower='0.5' upper='0.5'/>");
  EXPECT_EQ(robot.joints[0].type, JointType::fixed);
  EXPECT_TRUE(robot.joints[0].origin.linear().isApprox(
      Eigen::AngleAxisd(0.5, Vec3::UnitZ()).toRotationMatrix()));
  EXPECT_EQ(robot.ignored,
            (std::vector<std::string>{"joint \"j\": cannot move from 0.5, taken as fixed"}));
}

TEST(Urdf, VisualsAreKept) {
  const Robot robot = robot_of(
      "<material name='red'><color rgba='1 0 0 0.5'/></material>"
      "<link name='a'><visual><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/>"
      "<geometry><box size='1 2 3'/></geometry><material name='red'/></visual>"
      "<visual><geometry><cylinder radius='0.1' length='2'/></geometry></visual>"
      "<visual><geometry><sphere radius='0.3'/></geometry></visual>"
      "<visual><geometry><mesh filename='package://p/m.stl' scale='1 1 0.5'/></geometry></visual>"
      "<visual><geometry><capsule radius='1' length='1'/></geometry></visual></link>");
  ASSERT_EQ(robot.visuals.size(), 4u);
  const Visual& box = robot.visuals[0].visual;
  EXPECT_EQ(box.shape, Visual::Shape::box);
  EXPECT_TRUE(box.size.isApprox(Vec3(1, 2, 3)));
  EXPECT_TRUE((box.orientation * Vec3::UnitX()).isApprox(Vec3::UnitY()));
  EXPECT_EQ(box.color, (std::array<double, 4>{1, 0, 0, 0.5}));
  EXPECT_TRUE(robot.visuals[1].visual.size.isApprox(Vec3(0.1, 0.1, 2)));
  EXPECT_EQ(robot.visuals[2].visual.shape, Visual::Shape::sphere);
  EXPECT_EQ(robot.visuals[3].visual.mesh, "package://p/m.stl");
  EXPECT_TRUE(robot.visuals[3].visual.size.isApprox(Vec3(1, 1, 0.5)));
  EXPECT_EQ(robot.ignored,
            (std::vector<std::string>{"1 <visual> element without <box>, <cylinder>, <sphere> or "
                                      "<mesh>: cannot be drawn"}));
}

TEST(Urdf, ReportsWhatItIgnores) {
  const Robot robot = robot_of(
      "<link name='a' color='red'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='2'/>"
      "</inertial><collision/><collision><anything/></collision><contact/></link>"
      "<transmission/><gazebo><deep><er/></deep></gazebo><gazebo/>");
  EXPECT_EQ(robot.ignored,
            (std::vector<std::string>{"1 attribute \"color\" of <link>: unknown",
                                      "2 <collision> elements without <geometry>: touches nothing",
                                      "1 <contact> element in <link>: unknown",
                                      "1 <transmission> element: drives are not simulated",
                                      "2 <gazebo> elements: for another simulator"}));
}

TEST(RobotBodies, FixedLinksAreMerged) {
  // Two cubes of 1 kg and edge 1, side by side along x: a box of 2 × 1 × 1.
  const std::string cube =
      "<inertial><mass value='1'/><inertia ixx='0.16666666666666666' iyy='0.16666666666666666' "
      "izz='0.16666666666666666'/></inertial>";
  const Robot robot = robot_of(
      "<link name='world'/><link name='a'>" + cube + "</link><link name='frame'/><link name='b'>" +
      cube +
      "</link>"
      "<joint name='j' type='continuous'><parent link='world'/><child link='a'/></joint>"
      "<joint name='f' type='fixed'><origin rpy='0 0 1.5707963267948966'/><parent link='a'/>"
      "<child link='frame'/></joint>"
      "<joint name='g' type='fixed'><origin xyz='0 -1 0'/><parent link='frame'/><child link='b'/>"
      "</joint>");
  const RobotBodies merged = merge_links(robot, RobotBase::fixed);
  ASSERT_EQ(merged.bodies.size(), 1u);
  const RobotBodies::Body& body = merged.bodies[0];
  EXPECT_EQ(robot.links[static_cast<std::size_t>(body.link)].name, "a");
  EXPECT_EQ(body.mass, 2);
  EXPECT_TRUE(body.center.isApprox(Vec3(0.5, 0, 0), 1e-12));
  EXPECT_TRUE(
      body.inertia.isApprox(Vec3(2. / 6, 5. / 6, 5. / 6).asDiagonal().toDenseMatrix(), 1e-12));
  EXPECT_EQ(merged.links[0].body, -1);
  EXPECT_TRUE(merged.links[1].frame.translation().isApprox(Vec3(-0.5, 0, 0), 1e-12));
  EXPECT_TRUE(merged.links[3].frame.translation().isApprox(Vec3(0.5, 0, 0), 1e-12));
  EXPECT_TRUE((merged.links[3].frame.linear() * Vec3::UnitX()).isApprox(Vec3::UnitY(), 1e-12));
  EXPECT_FALSE(can_float(robot));
}

TEST(RobotBodies, TheRootFloatsWithWhatIsFixedToIt) {
  const Robot robot =
      robot_of("<link name='base'/><link name='hull'>" + solid +
               "</link><joint name='f' type='fixed'><origin xyz='0 0 1'/><parent link='base'/>"
               "<child link='hull'/></joint>");
  EXPECT_TRUE(can_float(robot));
  EXPECT_EQ(merge_links(robot, RobotBase::floating).bodies.size(), 1u);
  EXPECT_EQ(merge_links(robot, RobotBase::fixed).bodies.size(), 0u);
}

TEST(RobotBodies, LinksArePlacedByTheJoints) {
  const Robot robot = robot_of(
      "<link name='a'/><link name='b'/><link name='c'/>"
      "<joint name='turn' type='continuous'><origin xyz='1 0 0'/><axis xyz='0 0 1'/>"
      "<parent link='a'/><child link='b'/></joint>"
      "<joint name='slide' type='prismatic'><origin xyz='0 0 1'/><axis xyz='2 0 0'/>"
      "<limit lower='0.25' upper='1'/><parent link='b'/><child link='c'/></joint>");
  EXPECT_EQ(default_positions(robot), (std::vector<double>{0, 0.25}));
  const auto frames = place_links(robot, Frame::Identity(), {pi / 2, 0.5});
  EXPECT_TRUE(frames[2].translation().isApprox(Vec3(1, 0.5, 1), 1e-12));
  EXPECT_TRUE((frames[2].linear() * Vec3::UnitX()).isApprox(Vec3::UnitY(), 1e-12));
}

TEST(BuiltinRobots, AreRead) {
  const Robot arm = parse_urdf(builtin("arm6.urdf"), "arm6.urdf");
  EXPECT_EQ(arm.joints.size(), 10u);
  const RobotBodies bodies = merge_links(arm, RobotBase::fixed);
  EXPECT_EQ(bodies.bodies.size(), 8u);  // six axes and two fingers
  EXPECT_NEAR(link(arm, "upper_arm").mass, 9, 1e-12);
  EXPECT_GE(joint(arm, "finger_right").mimic, 0);
  EXPECT_TRUE(can_float(arm));
  const auto frames = place_links(arm, Frame::Identity(), default_positions(arm));
  EXPECT_TRUE(frames.back().translation().isApprox(Vec3(0.64, 0.135, 0.6), 1e-8))
      << frames.back().translation();

  const Robot quadruped = parse_urdf(builtin("quadruped.urdf"), "quadruped.urdf");
  EXPECT_EQ(merge_links(quadruped, RobotBase::floating).bodies.size(), 13u);
  EXPECT_NEAR(default_positions(quadruped)[2], -0.6, 1e-12);  // the knee is always bent

  const Robot four_bar = parse_urdf(builtin("four_bar.urdf"), "four_bar.urdf");
  EXPECT_EQ(merge_links(four_bar, RobotBase::fixed).bodies.size(), 3u);
  EXPECT_FALSE(can_float(four_bar));
}

}  // namespace
}  // namespace taut::io
