#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/run_cli.hpp"

namespace taut::cli {
namespace {

using nlohmann::json;

TEST(CliRobots, RunsAFileAndSaysWhatItIgnored) {
  const Result result = taut({"run", "arm6.urdf", "--duration", "0.05", "--set", "elbow=0.3"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("arm6 with "), std::string::npos) << result.out;
  EXPECT_NE(
      result.out.find("  ignored           10 <collision> elements: nothing else has a shape"),
      std::string::npos)
      << result.out;
  const Result report = taut({"run", "arm6.urdf", "--duration", "0.05", "--json"});
  EXPECT_EQ(json::parse(report.out)["ignored"].size(), 6u);
}

TEST(CliRobots, ChecksAndCompares) {
  const Result check = taut({"check", "quadruped.urdf"});
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_NE(check.out.find("12 bodies"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("Ignored in the robot's file:"), std::string::npos) << check.out;
  const Result compare =
      taut({"compare", "four_bar.urdf", "--methods", "implicit1,rattle", "--duration", "0.05"});
  EXPECT_EQ(compare.code, 0) << compare.err;
}

TEST(CliRobots, AreListed) {
  const Result list = taut({"list", "robots"});
  EXPECT_EQ(list.code, 0);
  for (const char* word : {"arm6.urdf", "quadruped.urdf", "four_bar.urdf", "elbow"})
    EXPECT_NE(list.out.find(word), std::string::npos) << word;
}

TEST(CliRobots, ABadFileIsOneMessage) {
  const Scratch scratch;
  for (const std::string text :
       {"", "not XML", "<robot name='r'>", "<robot name='r'/>",
        "<robot name='r'><link name='%s%n'/>",
        "<robot name='r'><link name='a'><visual><geometry><sphere radius='%s%s%s%n'/></geometry>"
        "</visual></link></robot>",
        "<robot name='r'><link name='a'/></robot>"}) {
    const Result result = taut({"run", scratch.write("bad.urdf", text)});
    EXPECT_EQ(result.code, 2) << text;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.find("taut: "), 0u) << result.err;
    EXPECT_NE(result.err.find("bad.urdf: "), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace taut::cli
