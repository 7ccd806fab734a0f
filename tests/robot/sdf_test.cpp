// SDF: frames, models in models, joints as a tree with loops, what is reported.
#include "taut/robot/sdf.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "io/scratch_folder.hpp"
#include "support/builders.hpp"
#include "support/messages.hpp"
#include "taut/analysis/diagnosis.hpp"
#include "taut/base/error.hpp"
#include "taut/base/join.hpp"
#include "taut/collision/shape_contacts.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/robot/robot_builder.hpp"
#include "taut/scene/scene.hpp"

namespace taut::io {
namespace {

Robot sdf(const std::string& inside, const std::string& version = "1.9") {
  return parse_sdf("<sdf version='" + version + "'>" + inside + "</sdf>", "m.sdf", "");
}
Robot sdf_model(const std::string& inside, const std::string& version = "1.9") {
  return sdf("<model name='m'>" + inside + "</model>", version);
}
System sdf_system(const Robot& robot) {
  System system;
  add_robot(system, robot);
  return system;
}
Vec3 sdf_place(const System& system, const std::string& body) {
  return system.initial_place(Point(*system.find_body(body)));
}
std::string sdf_hinge(const std::string& name, const std::string& parent, const std::string& child,
                      const std::string& more = "<axis><xyz>0 1 0</xyz></axis>") {
  return "<joint name='" + name + "' type='revolute'><parent>" + parent + "</parent><child>" +
         child + "</child>" + more + "</joint>";
}

TEST(Sdf, LimitsOfDrivesAreThoseOfServos) {
  const auto joint = [](const std::string& limit) {
    return sdf_model("<link name='a'/><link name='b'/>" +
                     sdf_hinge("j", "a", "b",
                               "<axis><xyz>0 1 0</xyz><limit>" + limit + "</limit></axis>"))
        .joints.back();
  };
  EXPECT_EQ(joint("<effort>3</effort><velocity>2</velocity>").effort, 3);
  EXPECT_EQ(joint("<effort>3</effort><velocity>2</velocity>").velocity, 2);
  EXPECT_EQ(joint("<effort>-1</effort><velocity>-1</velocity>").effort, RobotJoint::infinity);
  EXPECT_EQ(joint("<effort>-1</effort><velocity>-1</velocity>").velocity, RobotJoint::infinity);
  EXPECT_EQ(joint("<lower>-1</lower>").effort, RobotJoint::infinity);
}

class SdfMeshes : public ScratchFolder {};

// A hollow block: what does not move touches as it is, what moves as its hull.
TEST_F(SdfMeshes, AreExactWhereTheyDoNotMove) {
  const std::filesystem::path folder(folder_);
  std::ofstream(folder / "corner.obj") << "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\n"
                                          "f 1 2 3 4\nf 1 5 6 2\n";
  const auto shape = [&](const char* is_static) {
    std::ofstream(folder / "m.sdf")
        << "<sdf version='1.9'><model name='m'><static>" << is_static
        << "</static><link name='l'><collision name='c'><geometry><mesh><uri>corner.obj</uri>"
           "</mesh></geometry></collision></link></model></sdf>";
    std::ofstream(folder / "scene.json")
        << R"({"taut": 1, "name": "s", "bodies": [{"type": "particle", "name": "p", "mass": 1, "position": [9, 9, 9]}], "shapes": [{"type": "sphere", "radius": 0.1, "at": [5, 5, 5]}],
               "robots": [{"file": "m.sdf"}]})";
    const Scene scene = load_scene((folder / "scene.json").string());
    const auto& contacts =
        dynamic_cast<const collision::ShapeContacts&>(*scene.system.contact_sources()[0]);
    for (const collision::BodyShape& each : contacts.shapes())
      if (each.shape.type != collision::ShapeType::sphere) return each.shape.type;
    return collision::ShapeType::sphere;
  };
  EXPECT_EQ(shape("true"), collision::ShapeType::mesh);
  EXPECT_EQ(shape("false"), collision::ShapeType::hull);
}

TEST(Sdf, PosesAreRelativeToWhatTheySay) {
  const System system = sdf_system(
      sdf_model("<link name='a'><pose relative_to='f'>1 0 0 0 0 0</pose></link>"
                "<link name='b'><pose degrees='true' relative_to='a'>0 0 1 0 0 90</pose></link>"
                "<link name='c'><pose relative_to='b'>1 0 0 0 0 0</pose></link>"
                "<frame name='f' attached_to='g'><pose>0 2 0 0 0 0</pose></frame>"
                "<frame name='g'><pose rotation_format='quat_xyzw'>0 0 0 0 0 1 0</pose></frame>"));
  EXPECT_TRUE(sdf_place(system, "a").isApprox(Vec3(-1, -2, 0), 1e-12)) << sdf_place(system, "a");
  EXPECT_TRUE(sdf_place(system, "b").isApprox(Vec3(-1, -2, 1), 1e-12));
  EXPECT_TRUE(sdf_place(system, "c").isApprox(Vec3(-1, -3, 1), 1e-12)) << sdf_place(system, "c");
}

TEST(Sdf, ModelsStandInModels) {
  const System system = sdf_system(
      sdf("<world name='w'><model name='m'><pose>1 0 0 0 0 0</pose><model name='n' "
          "placement_frame='p'><pose>0 1 0 0 0 0</pose><link name='l'/><frame name='p'><pose>0 0 3 "
          "0 0 0</pose></frame></model><link name='l'><pose relative_to='n::p'>0 0 0 0 0 0</pose>"
          "</link>" +
          sdf_hinge("j", "l", "n::l") + "</model></world>"));
  EXPECT_TRUE(sdf_place(system, "m::n::l").isApprox(Vec3(1, 1, -3), 1e-12))
      << sdf_place(system, "m::n::l");
  EXPECT_TRUE(sdf_place(system, "m::l").isApprox(Vec3(1, 1, 0), 1e-12));
  EXPECT_EQ(system.joints().size(), 1u);
}

TEST(Sdf, AxesAreExpressedInFrames) {
  const auto axis = [](const std::string& xyz, const std::string& version) {
    const Robot robot = sdf(
        "<world name='w'><model name='m'><pose>0 0 0 0 0 1.5707963267948966</pose><link name='l'>"
        "<pose>0 0 0 0 0 1.5707963267948966</pose></link>" +
            sdf_hinge("j", "world", "l", "<axis>" + xyz + "</axis>") + "</model></world>",
        version);
    const System system = sdf_system(robot);
    return Vec3(system.initial_place(system.joint_coordinate("m::j").anchors[0])
                    .cross(system.initial_place(system.joint_coordinate("m::j").anchors[1])));
  };
  const std::string x = "<xyz>1 0 0</xyz>";
  EXPECT_TRUE(axis(x, "1.9").isApprox(-Vec3::UnitX(), 1e-12));
  EXPECT_TRUE(
      axis("<xyz expressed_in='__model__'>1 0 0</xyz>", "1.9").isApprox(Vec3::UnitY(), 1e-12));
  EXPECT_TRUE(axis(x + "<use_parent_model_frame>1</use_parent_model_frame>", "1.5")
                  .isApprox(Vec3::UnitY(), 1e-12));
  EXPECT_TRUE(axis(x, "1.5").isApprox(-Vec3::UnitX(), 1e-12));
  EXPECT_TRUE(axis(x, "1.4").isApprox(Vec3::UnitY(), 1e-12));
}

TEST(Sdf, LoopsAreClosed) {
  const Scene scene = load_scene("crank_rocker.sdf");
  const Diagnosis diagnosis = diagnose(scene.system, scene.system.initial_state());
  EXPECT_EQ(scene.system.body_count(), 3);
  EXPECT_EQ(diagnosis.degrees_of_freedom, 1);
  for (const Violation& violation : diagnosis.position_violations)
    EXPECT_LT(violation.error, 1e-9) << violation.constraint;
}

// A joint that is walked from its child to its parent turns the same way.
TEST(Sdf, ADirectionOfWalkDoesNotMatter) {
  const std::string links =
      "<link name='a'><inertial><mass>2</mass><pose>.1 .2 .3 0 0 0</pose></inertial></link>"
      "<link name='b'><pose>1 0 0 0 0 0</pose></link>";
  const std::string axis =
      "<axis><xyz>0 1 1</xyz><limit><lower>-0.1</lower><upper>3</upper></limit><dynamics>"
      "<spring_stiffness>9</spring_stiffness><spring_reference>.4</spring_reference></dynamics></"
      "axis>";
  // Held by a, or by b: the tree begins at what is joined to the world.
  const auto run = [&](const std::string& parent, const std::string& child, const char* sign) {
    std::string turned = axis;
    if (*sign) turned.replace(turned.find("0 1 1"), 5, "0 -1 -1");
    System system = sdf_system(
        sdf_model(links + sdf_hinge("w", "world", "a") +
                  "<joint name='j' type='revolute'><pose relative_to='b'>0 0 0 0 0 0"
                  "</pose><parent>" +
                  parent + "</parent><child>" + child + "</child>" + turned + "</joint>"));
    apply(system, Gravity{Vec3(0, 0, -9.8)});
    return testing::run(system, "dop853", 0.002, 0.5).final_state.q;
  };
  const VecX forwards = run("a", "b", ""), backwards = run("b", "a", "-");
  EXPECT_LT((forwards.head(14) - backwards.head(14)).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Sdf, UniversalJointsAreOneJointWithTwoAngles) {
  const System system = sdf_system(
      sdf_model("<link name='a'/><link name='b'><pose>1 0 0 0 0 0</pose></link>" +
                sdf_hinge("w", "world", "a") +
                "<joint name='u' type='universal'><parent>a</parent><child>b</child><axis><xyz>1 0 "
                "0</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>"));
  EXPECT_EQ(system.body_count(), 2);
  EXPECT_EQ(system.row_count(), 9);
  EXPECT_TRUE(system.joint_coordinate("u.axis").is_turn());
  EXPECT_TRUE(system.joint_coordinate("u.axis2").is_turn());
}

TEST(Sdf, ScrewsAndGearboxes) {
  const Robot robot = sdf_model(
      "<link name='base'/><link name='a'/><link name='b'/>" + sdf_hinge("w", "world", "base") +
      sdf_hinge("ja", "base", "a") +
      sdf_hinge("jb", "base", "b", "<axis><xyz>0 -1 0</xyz></axis>") +
      "<joint name='g' type='gearbox'><parent>a</parent><child>b</child><gearbox_ratio>3"
      "</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body><axis><xyz>0 1 0</xyz>"
      "</axis><axis2><xyz>0 1 0</xyz></axis2></joint><link name='nut'/>"
      "<joint name='s' type='screw'><parent>base</parent><child>nut</child><axis><xyz>0 0 1</xyz>"
      "</axis><screw_thread_pitch>0.02</screw_thread_pitch></joint>");
  const auto jb = std::find_if(robot.joints.begin(), robot.joints.end(),
                               [](const RobotJoint& joint) { return joint.name == "jb"; });
  EXPECT_EQ(jb->multiplier, 3);  // θ₂ = −3 θ₁, and its own axis the other way
  const System system = sdf_system(robot);
  EXPECT_TRUE(system.joint_coordinate("s.turn").is_turn());
}

TEST(Sdf, StaticModelsAreTheWorld) {
  const Scene scene = load_scene("cart.sdf");
  EXPECT_EQ(scene.system.body_count(), 5);
  EXPECT_TRUE(testing::has_all(join(scene.ignored, "\n"), "<plugin>|<light>"))
      << join(scene.ignored, "\n");
  EXPECT_EQ(scene.system.contact_sources().size(), 1u);
}

class SdfFiles : public ScratchFolder {
 protected:
  std::string put(const std::string& name, const std::string& text) const {
    const auto path = std::filesystem::path(folder_) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
};

TEST_F(SdfFiles, IncludeModelsOfFoldersAbove) {
  put("models/ball/model.sdf",
      "<sdf version='1.9'><model name='ball'><link name='l'/></model></sdf>");
  const std::string include = "<include><uri>model://ball</uri><name>";
  const std::string path =
      put("models/worlds/w.sdf", "<sdf version='1.9'><world name='w'>" + include +
                                     "one</name><pose>0 0 1 0 0 0</pose></include>" + include +
                                     "two</name></include></world></sdf>");
  const Scene scene = load_scene(path);
  EXPECT_EQ(scene.system.body_names(), (std::vector<std::string>{"one::l", "two::l"}));
  EXPECT_EQ(sdf_place(scene.system, "one::l").z(), 1);
  put("models/ball/model.sdf",
      "<sdf version='1.9'><model name='ball'><include><uri>model://ball</uri>"
      "</include></model></sdf>");
  EXPECT_TRUE(testing::has_all(testing::message_of([&] { load_scene(path); }),
                               "model.sdf: line 1: <uri>|model://ball|does not include itself"));
}

struct SdfMistake {
  const char *name, *text, *pieces;
};
class BadSdf : public ::testing::TestWithParam<SdfMistake> {};

TEST_P(BadSdf, IsOneMessage) {
  const std::string message = testing::message_of([&] {
    System system;
    add_robot(system, parse_sdf(GetParam().text, "f.sdf", ""));
  });
  EXPECT_TRUE(testing::has_all(message, GetParam().pieces)) << message;
}
INSTANTIATE_TEST_SUITE_P(
    Files, BadSdf,
    ::testing::Values(
        SdfMistake{"empty", "", "f.sdf: |empty|a world or model, <sdf>"},
        SdfMistake{"nothing", "<sdf version='1.9'/>", "f.sdf: line 1: <sdf>: found no <world>"},
        SdfMistake{"mass",
                   "<sdf version='1.9'><model name='m'>\n<link name='l'><inertial><mass>-1</mass>"
                   "</inertial></link></model></sdf>",
                   "f.sdf: line 2: <mass>: found \"-1\", expected a"},
        SdfMistake{"pose",
                   "<sdf version='1.9'><model name='m'><link name='l'><pose>1 2 3</pose></link>"
                   "</model></sdf>",
                   "<pose>: found \"1 2 3\", expected six finite numbers"},
        SdfMistake{"circle",
                   "<sdf version='1.9'><model name='m'><link name='a'><pose relative_to='b'/>"
                   "</link><link name='b'><pose relative_to='a'/></link></model></sdf>",
                   "line 1|relative to itself|frames without a circle"},
        SdfMistake{
            "child",
            "<sdf version='1.9'><model name='m'><link name='wheel'/><joint name='j' "
            "type='revolute'><parent>world</parent><child>whel</child></joint></model></sdf>",
            "found \"whel\", expected the name of a link|did you mean \"wheel\"?"},
        SdfMistake{"type",
                   "<sdf version='1.9'><model name='m'><link name='l'/><joint name='j' "
                   "type='revolut'><parent>world</parent><child>l</child></joint></model></sdf>",
                   "joint \"j\": found type=\"revolut\"|did you mean \"revolute\"?"},
        SdfMistake{"again",
                   "<sdf version='1.9'><model name='m'><link name='l'/><frame name='l'/></model>"
                   "</sdf>",
                   "frame \"l\": found the name \"l\" again"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace taut::io
