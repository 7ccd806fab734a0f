// Bad URDF: one line that says file, place, what was found, what was expected. Never a crash, never
// a word on the console.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "support/messages.hpp"
#include "taut/robot/builtin_robots.hpp"
#include "taut/robot/robot_bodies.hpp"
#include "taut/robot/urdf.hpp"

namespace taut::io {
namespace {

using testing::Mistake;
using testing::mistake_name;
using testing::says;

std::string message_of(std::string_view text) {
  return testing::message_of([&] { merge_links(parse_urdf(text, "f.urdf"), RobotBase::fixed); });
}

const std::string good_urdf = R"(<?xml version="1.0"?>
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

class UrdfMistake : public ::testing::TestWithParam<Mistake> {};
TEST_P(UrdfMistake, IsNamed) {
  EXPECT_TRUE(GetParam().is_named_by(message_of(GetParam().in(good_urdf)), "f.urdf"));
}

TEST(BadUrdf, TheFileWithoutMistakeIsGood) { EXPECT_EQ(message_of(good_urdf), "no error"); }

INSTANTIATE_TEST_SUITE_P(
    Xml, UrdfMistake,
    ::testing::Values(
        Mistake{"</link>", "", "line 22, column 1", "</robot>", "</link>|line 4"},
        Mistake{"</robot>", "", "line 23, column 1", "end", "</robot>|line 2"},
        Mistake{"<robot", "<robot><robot", "line 23, column 1", "end", "</robot>|line 2"},
        Mistake{"</robot>", "</robot><more/>", "line 22, column 9", "<more>", "one"},
        Mistake{"</robot>", "</robot>more", "line 22, column 9", R"("m")", "end"},
        Mistake{"name=\"base\"", "name=base", "line 3, column 14", R"("b")", "quotes"},
        Mistake{"name=\"base\"", "name=\"base", "line 3, column 14", R"("name")", R"(")"},
        Mistake{"name=\"base\"", "name \"base\"", "line 3, column 14", R"(""")", R"("=")"},
        Mistake{"name=\"base\"", "name=\"base\" name=\"b\"", "line 3, column 21", R"("name"|twice)",
                "once"},
        Mistake{"name=\"base\"", "name=\"ba&se;\"", "line 3, column 17", "&se;",
                "&amp;|&quot;|&#…;"},
        Mistake{"name=\"base\"", "name=\"ba&#0;\"", "line 3, column 17", "&#0;",
                "&amp;|&quot;|&#…;"},
        Mistake{"name=\"base\"", "name=\"ba\xff\"", "line 3, column 15", "UTF-8", "UTF-8"},
        Mistake{"<robot", "<!DOCTYPE r [<!ENTITY a \"aa\">]><robot", "line 2, column 1", "<!",
                "none"},
        Mistake{"<robot", "<!-- <robot", "line 2, column 1", "comment", "-->"},
        Mistake{"<link name=\"base\"/>", "<link name=\"base\"/", "line 3, column 20",
                R"("/"|<link>)", R"("/>"|">")"},
        Mistake{"<link name=\"base\"/>", "<>", "line 3, column 4", R"(">")", "name"}),
    mistake_name);

INSTANTIATE_TEST_SUITE_P(
    Elements, UrdfMistake,
    ::testing::Values(
        Mistake{"<robot name=\"r\">", "<robot>", "line 2: <robot>", R"("name")", "not empty"},
        Mistake{"<robot name=\"r\">", "<robot name=\"r\" version=\"2.0\">", "line 2: <robot>",
                R"(version="2.0")", "1.0"},
        Mistake{"name=\"base\"", "", "line 3: <link>", "no name", R"("name")"},
        Mistake{"name=\"base\"", "name=\"a&#10;b\"", "line 3: <link>", R"("a\x0ab")",
                "control characters"},
        Mistake{"<link name=\"hand\">", "<link name=\"arm\">", "line 11: <link>", R"("arm"|again)",
                "line 4"},
        Mistake{"name=\"wrist\"", "name=\"shoulder\"", "line 18: <joint>", R"("shoulder"|again)",
                "line 14"},
        Mistake{"<mass value=\"1\"/>", "", R"(line 5: link "arm", <inertial>)", "no <mass>", "one"},
        Mistake{"<mass value=\"1\"/>", "<mass value=\"1\"/><mass value=\"1\"/>",
                R"(line 6: link "arm", <mass>)", "second <mass>", "one"},
        Mistake{"<mass value=\"1\"/>", "<mass/>", R"(line 6: link "arm", <mass>)", R"("value")",
                "≥ 0"},
        Mistake{"<mass value=\"1\"/>", "<mass value=\"-1\"/>", R"(line 6: link "arm", <mass>)",
                R"(value="-1")", "≥ 0"},
        Mistake{"<mass value=\"1\"/>", "<mass value=\"nan\"/>", R"(line 6: link "arm", <mass>)",
                R"(value="nan")", "≥ 0"},
        Mistake{"<mass value=\"1\"/>", "<mass value=\"1 kg\"/>", R"(line 6: link "arm", <mass>)",
                R"(value="1 kg")", "≥ 0"},
        Mistake{"ixx=\"1\"", "ixx=\"1e999\"", R"(line 7: link "arm", <inertia>)", R"(ixx="1e999")",
                "finite"},
        Mistake{"ixx=\"1\"", "ixx=\"${m}\"", R"(line 7: link "arm", <inertia>)", R"(ixx="${m}")",
                "finite"},
        Mistake{"ixx=\"1\"", "ixx=\"-1\"", R"(line 7: link "arm", <inertia>)", "-1, 1, 1", "0"},
        Mistake{"ixx=\"1\"", "ixx=\"3\"", R"(line 7: link "arm", <inertia>)", "1, 1, 3",
                "sum of the other two"},
        Mistake{"ixy=\"0\"", "ixy=\"2\"", R"(line 7: link "arm", <inertia>)", "-1, 1, 3", "0"},
        Mistake{"xyz=\"0 0 1\"/><parent", "xyz=\"0 0\"/><parent",
                R"(line 15: joint "shoulder", <origin>)", R"(xyz="0 0")", "three|finite"},
        Mistake{"xyz=\"0 0 1\"/><parent", "quat_xyzw=\"0 0 0 1\"/><parent",
                R"(line 15: joint "shoulder", <origin>)", "quat_xyzw", R"("rpy")"},
        Mistake{"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 -0 0e7\"/>",
                R"(line 15: joint "shoulder", <axis>)", "zero", "direction"},
        Mistake{"<link name=\"base\"/>", "<link name=\"base\"/><xacro:include filename=\"x\"/>",
                "line 3: <xacro:include>", "macro", "xacro"},
        Mistake{"<geometry><box size=\"1 1 1\"/></geometry>", "", R"(line 9: link "arm", <visual>)",
                "no <geometry>", "one"},
        Mistake{"<box size=\"1 1 1\"/>", "<box size=\"1 1 1\"/><sphere radius=\"1\"/>",
                R"(line 9: link "arm", <geometry>)", "2", "one"}),
    mistake_name);

INSTANTIATE_TEST_SUITE_P(
    Structure, UrdfMistake,
    ::testing::Values(
        Mistake{"<child link=\"hand\"/>", "<child link=\"had\"/>",
                R"(line 19: joint "wrist", <child>)", R"(link="had")", "link", "hand"},
        Mistake{"<parent link=\"arm\"/>", "", R"(line 18: joint "wrist")", "no <parent>", "one"},
        Mistake{"<child link=\"hand\"/>", "<child link=\"arm\"/>", R"(line 18: joint "wrist")",
                R"("arm")", "two"},
        Mistake{"<parent link=\"arm\"/><child link=\"hand\"/>",
                "<parent link=\"hand\"/><child link=\"arm\"/>", R"(line 18: joint "wrist")",
                R"("arm"|"shoulder")", "tree"},
        Mistake{"<link name=\"base\"/>", "<link name=\"base\"/><link name=\"other\"/>",
                R"(line 3: link "other")", R"("base")", "one|child"},
        Mistake{"<parent link=\"base\"/>", "<parent link=\"hand\"/>", R"(line 4: link "arm")",
                "circle", "tree"},
        Mistake{"type=\"revolute\"", "type=\"revolut\"", R"(line 14: joint "shoulder")",
                R"("revolut")", "joint", "revolute"},
        Mistake{"<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>", "",
                R"(line 14: joint "shoulder")", "no <limit>", R"("continuous")"},
        Mistake{"lower=\"-1\"", "lower=\"2\"", R"(line 16: joint "shoulder", <limit>)",
                "lower=2|upper=1", "lower"},
        Mistake{"joint=\"shoulder\"", "joint=\"sholder\"", R"(line 20: joint "wrist", <mimic>)",
                R"(joint="sholder")", "joint", "shoulder"},
        Mistake{"joint=\"shoulder\"", "joint=\"wrist\"", R"(line 20: joint "wrist", <mimic>)",
                R"("wrist")", "own"},
        Mistake{"multiplier=\"2\"", "multiplier=\"0\"", R"(line 20: joint "wrist", <mimic>)",
                "multiplier|0", R"("fixed")"},
        Mistake{"type=\"prismatic\"", "type=\"floating\"", R"(line 20: joint "wrist", <mimic>)",
                R"("wrist"|floating)", "revolute|continuous|prismatic"}),
    mistake_name);

TEST(BadUrdf, ACircleWithoutRootIsNamed) {
  const std::string j =
      R"(<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>)"
      R"(<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>)";
  EXPECT_TRUE(says(message_of("<robot name='r'><link name='a'/><link name='b'/>" + j + "</robot>"),
                   "f.urdf: line 1: <robot>", "circle|root", "tree|child"));
}

TEST(BadUrdf, WhatMovesNeedsMassAndInertia) {
  const auto message_without = [](const char* from, const char* to) {
    return message_of(Mistake{from, to, "", "", ""}.in(good_urdf));
  };
  EXPECT_TRUE(says(
      message_without(
          "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>", ""),
      R"(link "hand")", R"("wrist")", "0|<inertial>"));
  EXPECT_TRUE(
      says(message_without("ixx=\"1\" iyy=\"1\" izz=\"1\"", "ixx=\"0\" iyy=\"0\" izz=\"0\""),
           R"(link "hand")", R"("wrist")", "0|<inertial>"));
}

TEST(BadUrdf, NotXmlAtAll) {
  EXPECT_TRUE(says(message_of(""), "f.urdf", "empty", "<robot>"));
  EXPECT_TRUE(says(message_of("hello"), "f.urdf: line 1, column 1", R"("h")", "<robot>"));
  EXPECT_TRUE(says(message_of("<?xml version='1.0'?>"), "f.urdf: line 1, column 1", "no element",
                   "<robot>"));
  EXPECT_TRUE(
      says(message_of("<sdf version='1.6'/>"), "f.urdf: line 1: <sdf>", "element", "<robot>"));
  EXPECT_TRUE(says(message_of("<robot name='r'/>"), "f.urdf: line 1: <robot>", "no <link>",
                   "at least one"));
  EXPECT_TRUE(says(message_of(std::string_view("<robot\0/>", 9)), "f.urdf", "6", "XML"));
}

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(BadUrdf, TooMuchOfAnything) {
  EXPECT_TRUE(says(message_of("<robot name='r'>" + repeated("<a>", 200'000)),
                   "f.urdf: line 1, column 314", "100", "<robot>"));
  std::string attributes;
  for (int i = 0; i < 101; ++i) attributes += " a" + std::to_string(i) + "=''";
  EXPECT_NE(message_of("<robot" + attributes + "/>").find("more than 100 attributes"),
            std::string::npos);
  EXPECT_NE(message_of("<robot>" + repeated("<a/>", 1'000'001)).find("more than 1000000 elements"),
            std::string::npos);
  EXPECT_TRUE(
      says(message_of(std::string((std::size_t{64} << 20) + 1, ' ')), "f.urdf", "64", "64 MiB"));
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
    if (!robot.name.ends_with(".urdf")) continue;
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    const std::size_t end = robot.text.rfind("</robot>") + 8;
    for (std::size_t size = 0; size < end; size += 1 + size / 200)
      EXPECT_NE(message_of(robot.text.substr(0, size)), "no error") << robot.name << " " << size;
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  }
}

TEST(BadUrdf, RandomDamageEndsInAMessageOrARobot) {
  std::mt19937 random(20240607);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  constexpr std::string_view pieces[] = {"<",  ">",   "/",    "\"",   "'",    "=",
                                         "&",  "-",   "e999", "nan",  "%n%s", "<link",
                                         "--", "]]>", "0",    "\xff", "\t"};
  for (const EmbeddedText& robot : builtin_robots()) {
    if (!robot.name.ends_with(".urdf")) continue;
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
      for (int k = 0; k < 20; ++k) EXPECT_EQ(parse_urdf(good_urdf, "f.urdf").links.size(), 3u);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace taut::io
