// Bad URDF: one line that says file, place, what was found, what was expected. Never a crash, never
// a word on the console.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "taut/base/error.hpp"
#include "taut/robot/builtin_robots.hpp"
#include "taut/robot/robot_bodies.hpp"
#include "taut/robot/urdf.hpp"

namespace taut::io {
namespace {

/// The message, or "no error"; it is one printable line in any case.
std::string message_of(std::string_view text) {
  try {
    merge_links(parse_urdf(text, "f.urdf"), RobotBase::fixed);
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_LT(message.size(), 700u) << message;
    EXPECT_TRUE(std::none_of(message.begin(), message.end(), [](char c) {
      return c >= 0 && c < 32;
    })) << message;
    return message;
  }
  return "no error";
}

const std::string good = R"(<?xml version="1.0"?>
<robot name="r">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <link name="hand">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 1"/><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="wrist" type="prismatic">
    <parent link="arm"/><child link="hand"/><limit lower="0" upper="1"/>
    <mimic joint="shoulder" multiplier="2"/>
  </joint>
</robot>
)";

std::string mistake(const std::string& from, const std::string& to) {
  std::string text = good;
  const auto at = text.find(from);
  if (at == std::string::npos) return "the text to replace is missing: " + from;
  return message_of(text.replace(at, from.size(), to));
}

struct Case {
  const char *from, *to, *message;
};
class UrdfMistake : public testing::TestWithParam<Case> {};
TEST_P(UrdfMistake, IsNamed) {
  EXPECT_EQ(mistake(GetParam().from, GetParam().to), std::string("f.urdf: ") + GetParam().message);
}

TEST(BadUrdf, TheFileWithoutMistakeIsGood) { EXPECT_EQ(message_of(good), "no error"); }

INSTANTIATE_TEST_SUITE_P(
    Xml, UrdfMistake,
    testing::Values(
        Case{"</link>", "",
             "line 22, column 1: found </robot>, expected </link>, opened in line 4"},
        Case{"</robot>", "",
             "line 23, column 1: found the end of the file, expected </robot>, opened in line 2"},
        Case{"<robot", "<robot><robot",
             "line 23, column 1: found the end of the file, expected </robot>, opened in line 2"},
        Case{"</robot>", "</robot><more/>",
             "line 22, column 9: found a second outermost element <more>, expected one"},
        Case{"</robot>", "</robot>more",
             "line 22, column 9: found \"m\" outside of any element, expected the end of the file"},
        Case{"name=\"base\"", "name=base",
             "line 3, column 14: found \"b\", expected a value in quotes"},
        Case{"name=\"base\"", "name=\"base",
             "line 3, column 14: found the value of \"name\" without a closing quote, expected \""},
        Case{"name=\"base\"", "name \"base\"", "line 3, column 14: found \"\"\", expected \"=\""},
        Case{"name=\"base\"", "name=\"base\" name=\"b\"",
             "line 3, column 21: found the attribute \"name\" twice, expected it once"},
        Case{"name=\"base\"", "name=\"ba&se;\"",
             "line 3, column 17: found \"&se;\", expected &amp; &lt; &gt; &quot; &apos; or the "
             "number "
             "of a character, &#…;"},
        Case{"name=\"base\"", "name=\"ba&#0;\"",
             "line 3, column 17: found \"&#0;\", expected &amp; &lt; &gt; &quot; &apos; or the "
             "number "
             "of a character, &#…;"},
        Case{"name=\"base\"", "name=\"ba\xff\"",
             "line 3, column 15: found bytes that are no UTF-8, expected UTF-8 text"},
        Case{"<robot", "<!DOCTYPE r [<!ENTITY a \"aa\">]><robot",
             "line 2, column 1: found a document type or entity declaration (<!…), expected none: "
             "they are refused"},
        Case{"<robot", "<!-- <robot",
             "line 2, column 1: found a comment without an end, expected -->"},
        Case{"<link name=\"base\"/>", "<link name=\"base\"/",
             "line 3, column 20: found \"/\" in <link>, expected a space, \"/>\" or \">\""},
        Case{"<link name=\"base\"/>", "<>",
             "line 3, column 4: found \">\", expected the name of an "
             "element"}));

INSTANTIATE_TEST_SUITE_P(
    Elements, UrdfMistake,
    testing::Values(
        Case{"<robot name=\"r\">", "<robot>",
             "line 2: <robot>: found no attribute \"name\", expected a text that is not empty"},
        Case{"<robot name=\"r\">", "<robot name=\"r\" version=\"2.0\">",
             "line 2: <robot>: found version=\"2.0\", expected 1.0"},
        Case{"name=\"base\"", "", "line 3: <link>: found no name, expected the attribute \"name\""},
        Case{"name=\"base\"", "name=\"a&#10;b\"",
             "line 3: <link>: found the name \"a\\x0ab\", expected one without control characters"},
        Case{"<link name=\"hand\">", "<link name=\"arm\">",
             "line 11: <link>: found the name \"arm\" again, expected another one: line 4 has it"},
        Case{"name=\"wrist\"", "name=\"shoulder\"",
             "line 18: <joint>: found the name \"shoulder\" again, expected another one: line 14 "
             "has "
             "it"},
        Case{"<mass value=\"1\"/>", "",
             "line 5: link \"arm\", <inertial>: found no <mass>, expected one"},
        Case{"<mass value=\"1\"/>", "<mass value=\"1\"/><mass value=\"1\"/>",
             "line 6: link \"arm\", <mass>: found a second <mass>, expected one"},
        Case{"<mass value=\"1\"/>", "<mass/>",
             "line 6: link \"arm\", <mass>: found no attribute \"value\", expected a number ≥ 0"},
        Case{"<mass value=\"1\"/>", "<mass value=\"-1\"/>",
             "line 6: link \"arm\", <mass>: found value=\"-1\", expected a number ≥ 0"},
        Case{"<mass value=\"1\"/>", "<mass value=\"nan\"/>",
             "line 6: link \"arm\", <mass>: found value=\"nan\", expected a number ≥ 0"},
        Case{"<mass value=\"1\"/>", "<mass value=\"1 kg\"/>",
             "line 6: link \"arm\", <mass>: found value=\"1 kg\", expected a number ≥ 0"},
        Case{"ixx=\"1\"", "ixx=\"1e999\"",
             "line 7: link \"arm\", <inertia>: found ixx=\"1e999\", expected a finite number"},
        Case{"ixx=\"1\"", "ixx=\"${m}\"",
             "line 7: link \"arm\", <inertia>: found ixx=\"${m}\", expected a finite number"},
        Case{"ixx=\"1\"", "ixx=\"-1\"",
             "line 7: link \"arm\", <inertia>: found the principal moments -1, 1, 1, expected none "
             "below 0"},
        Case{"ixx=\"1\"", "ixx=\"3\"",
             "line 7: link \"arm\", <inertia>: found the principal moments 1, 1, 3, expected the "
             "largest to be at most the sum of the other two, as in every real body"},
        Case{"ixy=\"0\"", "ixy=\"2\"",
             "line 7: link \"arm\", <inertia>: found the principal moments -1, 1, 3, expected none "
             "below 0"},
        Case{"xyz=\"0 0 1\"/><parent", "xyz=\"0 0\"/><parent",
             "line 15: joint \"shoulder\", <origin>: found xyz=\"0 0\", expected three finite "
             "numbers"},
        Case{"xyz=\"0 0 1\"/><parent", "quat_xyzw=\"0 0 0 1\"/><parent",
             "line 15: joint \"shoulder\", <origin>: found quat_xyzw, expected the orientation as "
             "\"rpy\""},
        Case{"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 -0 0e7\"/>",
             "line 15: joint \"shoulder\", <axis>: found the axis zero, expected a direction"},
        Case{
            "<link name=\"base\"/>", "<link name=\"base\"/><xacro:include filename=\"x\"/>",
            "line 3: <xacro:include>: found a macro, expected a URDF file without: run xacro on it "
            "first"},
        Case{"<geometry><box size=\"1 1 1\"/></geometry>", "",
             "line 9: link \"arm\", <visual>: found no <geometry>, expected one"},
        Case{"<box size=\"1 1 1\"/>", "<box size=\"1 1 1\"/><sphere radius=\"1\"/>",
             "line 9: link \"arm\", <geometry>: found 2 shapes, expected one"}));

INSTANTIATE_TEST_SUITE_P(
    Structure, UrdfMistake,
    testing::Values(
        Case{"<child link=\"hand\"/>", "<child link=\"had\"/>",
             "line 19: joint \"wrist\", <child>: found link=\"had\", expected the name of a link "
             "(did "
             "you mean \"hand\"?)"},
        Case{"<parent link=\"arm\"/>", "",
             "line 18: joint \"wrist\": found no <parent>, expected one"},
        Case{"<child link=\"hand\"/>", "<child link=\"arm\"/>",
             "line 18: joint \"wrist\": found \"arm\" as parent and as child, expected two links"},
        Case{"<parent link=\"arm\"/><child link=\"hand\"/>",
             "<parent link=\"hand\"/><child link=\"arm\"/>",
             "line 18: joint \"wrist\": found the child \"arm\", which the joint \"shoulder\" has "
             "already, expected a tree (a loop is closed by a constraint of a scene)"},
        Case{
            "<link name=\"base\"/>", "<link name=\"base\"/><link name=\"other\"/>",
            "line 3: link \"other\": found a second root beside the link \"base\", expected one: a "
            "joint must have one of them as its child"},
        Case{"<parent link=\"base\"/>", "<parent link=\"hand\"/>",
             "line 4: link \"arm\": found it in a circle of joints, expected a tree (a loop is "
             "closed "
             "by a constraint of a scene)"},
        Case{"type=\"revolute\"", "type=\"revolut\"",
             "line 14: joint \"shoulder\": found the type \"revolut\", expected a type of joint "
             "(did "
             "you mean \"revolute\"?)"},
        Case{"<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>", "",
             "line 14: joint \"shoulder\": found no <limit>, expected one in a revolute joint (one "
             "without limits is \"continuous\")"},
        Case{"lower=\"-1\"", "lower=\"2\"",
             "line 16: joint \"shoulder\", <limit>: found lower=2 and upper=1, expected the lower "
             "one "
             "first (where there is none, 0 is meant)"},
        Case{"joint=\"shoulder\"", "joint=\"sholder\"",
             "line 20: joint \"wrist\", <mimic>: found joint=\"sholder\", expected the name of a "
             "joint "
             "(did you mean \"shoulder\"?)"},
        Case{"joint=\"shoulder\"", "joint=\"wrist\"",
             "line 20: joint \"wrist\", <mimic>: found a joint that follows itself through "
             "\"wrist\", "
             "expected a joint that moves on its own at the end"},
        Case{
            "multiplier=\"2\"", "multiplier=\"0\"",
            "line 20: joint \"wrist\", <mimic>: found the multiplier 0, expected another number (a "
            "joint that does not move is \"fixed\")"},
        Case{"type=\"prismatic\"", "type=\"floating\"",
             "line 20: joint \"wrist\", <mimic>: found joint \"wrist\" of type floating, expected "
             "two "
             "joints that are revolute, continuous or prismatic"}));

TEST(BadUrdf, ACircleWithoutRootIsNamed) {
  const std::string j =
      R"(<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>)"
      R"(<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>)";
  EXPECT_EQ(
      message_of("<robot name='r'><link name='a'/><link name='b'/>" + j + "</robot>"),
      "f.urdf: line 1: <robot>: found joints in a circle and no root, expected a tree: one link "
      "must be no joint's child (a loop is closed by a constraint of a scene)");
}

TEST(BadUrdf, WhatMovesNeedsMassAndInertia) {
  EXPECT_EQ(
      mistake("<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>",
              ""),
      "link \"hand\": found no mass although the joint \"wrist\" moves it, expected a mass > 0 "
      "and an inertia with three moments > 0 (give it an <inertial>, or make the joint fixed)");
  EXPECT_EQ(
      mistake("ixx=\"1\" iyy=\"1\" izz=\"1\"", "ixx=\"0\" iyy=\"0\" izz=\"0\""),
      "link \"hand\": found an inertia that is zero in some direction although the joint "
      "\"wrist\" moves it, expected a mass > 0 and an inertia with three moments > 0 (give it an "
      "<inertial>, or make the joint fixed)");
}

TEST(BadUrdf, NotXmlAtAll) {
  EXPECT_EQ(message_of(""), "f.urdf: found an empty file, expected a robot, <robot>");
  EXPECT_EQ(
      message_of("hello"),
      "f.urdf: line 1, column 1: found \"h\" outside of any element, expected a robot, <robot>");
  EXPECT_EQ(message_of("<?xml version='1.0'?>"),
            "f.urdf: line 1, column 1: found no element, expected a robot, <robot>");
  EXPECT_EQ(message_of("<sdf version='1.6'/>"),
            "f.urdf: line 1: <sdf>: found this element, expected <robot>");
  EXPECT_EQ(message_of("<robot name='r'/>"),
            "f.urdf: line 1: <robot>: found no <link>, expected at least one");
  EXPECT_EQ(message_of(std::string_view("<robot\0/>", 9)),
            "f.urdf: found binary data (byte 0x00 at offset 6), expected XML text");
}

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(BadUrdf, TooMuchOfAnything) {
  EXPECT_EQ(message_of("<robot name='r'>" + repeated("<a>", 200'000)),
            "f.urdf: line 1, column 314: found nesting deeper than 100 levels, expected a robot, "
            "<robot>");
  std::string attributes;
  for (int i = 0; i < 101; ++i) attributes += " a" + std::to_string(i) + "=''";
  EXPECT_NE(message_of("<robot" + attributes + "/>").find("more than 100 attributes"),
            std::string::npos);
  EXPECT_NE(message_of("<robot>" + repeated("<a/>", 1'000'001)).find("more than 1000000 elements"),
            std::string::npos);
  EXPECT_EQ(message_of(std::string((std::size_t{64} << 20) + 1, ' ')),
            "f.urdf: found 64 MiB, expected at most 64 MiB");
}

// urdfdom's links own their children, and so on: nothing of that may recurse.
TEST(BadUrdf, ALongChainIsNoProblem) {
  constexpr int count = 20'000;
  std::string text = "<robot name='r'><link name='l0'/>";
  for (int i = 1; i <= count; ++i)
    text += "<link name='l" + std::to_string(i) + "'><inertial><mass value='1'/><inertia ixx='1' " +
            "iyy='1' izz='1'/></inertial></link><joint name='j" + std::to_string(i) +
            "' type='continuous'><parent link='l" + std::to_string(i - 1) + "'/><child link='l" +
            std::to_string(i) + "'/>" +
            (i > 1 ? "<mimic joint='j" + std::to_string(i - 1) + "'/>" : "") + "</joint>";
  EXPECT_EQ(parse_urdf(text + "</robot>", "f.urdf").joints.size(), std::size_t{count});
}

TEST(BadUrdf, EveryPrefixIsRefusedQuietly) {
  for (const EmbeddedText& robot : builtin_robots()) {
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    const std::size_t end = robot.text.rfind("</robot>") + 8;
    for (std::size_t size = 0; size < end; size += 1 + size / 200)
      EXPECT_NE(message_of(robot.text.substr(0, size)), "no error") << robot.name << " " << size;
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  }
}

TEST(BadUrdf, RandomDamageEndsInAMessageOrARobot) {
  std::mt19937 random(20240607);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  constexpr std::string_view pieces[] = {"<",  ">",   "/",    "\"",   "'",    "=",
                                         "&",  "-",   "e999", "nan",  "%n%s", "<link",
                                         "--", "]]>", "0",    "\xff", "\t"};
  for (const EmbeddedText& robot : builtin_robots()) {
    int refused = 0;
    for (int i = 0; i < 1500; ++i) {
      std::string text(robot.text);
      for (std::size_t k = 0; k <= below(4); ++k) {
        const std::size_t at = below(text.size());
        if (below(3) == 0)
          text[at] = static_cast<char>(below(256));
        else if (below(2) == 0)
          text.insert(at, pieces[below(std::size(pieces))]);
        else
          text.erase(at, 1 + below(30));
      }
      refused += message_of(text) != "no error";
    }
    EXPECT_GT(refused, 100) << robot.name;
  }
}

TEST(BadUrdf, ThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int k = 0; k < 20; ++k) EXPECT_EQ(parse_urdf(good, "f.urdf").links.size(), 3u);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace taut::io
