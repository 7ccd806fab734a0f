#include "taut/record/output.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/scratch_folder.hpp"
#include "io/small_disk.hpp"
#include "taut/base/error.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/pin.hpp"
#include "taut/record/growing_file.hpp"
#include "taut/record/run_writer.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {
namespace {

using Output = ScratchFolder;

TEST_F(Output, FilesAreReplacedWhole) {
  const auto path = folder_ / "a.txt";
  write_file(path, "one");
  write_file(path, "two");
  EXPECT_EQ(content(path), "two");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(Output, WhatCannotBeWrittenIsAnError) {
  EXPECT_THROW(write_file(folder_ / "missing" / "a.txt", "x"), Error);
  EXPECT_THROW(write_file(folder_, "x"), Error);
  EXPECT_THROW(write_file("/dev/null", "x"), Error);
  EXPECT_EQ(file_count(), 0u);
}

TEST_F(Output, AFullDiskLeavesTheOldFileAndNoHalfOne) {
  const auto path = folder_ / "a.txt";
  write_file(path, "old");
  {
    const SmallDisk disk(10'000);
    EXPECT_THROW(write_file(path, std::string(1'000'000, 'x')), Error);
    EXPECT_THROW(write_file(path, std::string(10'500, 'x')), Error);  // fails when flushed
  }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(Output, AGrowingFileKeepsCompleteRecords) {
  const auto path = folder_ / "a.csv", partial = folder_ / "a.csv.partial";
  {
    GrowingFile file(path);
    file.write("header\n");
    EXPECT_TRUE(file.place().empty());
    for (const char* line : {"one\n", "two\n"}) {
      file.write(line);
      file.end_record();
    }
    file.write("thr");
    file.flush();
    EXPECT_EQ(content(partial), "header\none\ntwo\n");
    EXPECT_EQ(file.place(), partial);
  }
  EXPECT_EQ(content(partial), "header\none\ntwo\n");
  EXPECT_FALSE(std::filesystem::exists(path));

  GrowingFile file(path);  // replaces what is left of the other
  file.write("four\n");
  file.end_record();
  file.write("end\n");
  file.finish();
  EXPECT_EQ(content(path), "four\nend\n");
  EXPECT_EQ(file.place(), path);
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(Output, AGrowingFileWithoutRecordsLeavesNothing) {
  { GrowingFile(folder_ / "a.csv").write("header\n"); }
  EXPECT_EQ(file_count(), 0u);
}

TEST_F(Output, TwoRunsCannotWriteTheSameFile) {
  GrowingFile first(folder_ / "a.csv");
  EXPECT_THROW(GrowingFile(folder_ / "a.csv"), WriteError);
  first.write("x");
  first.finish();
  EXPECT_EQ(content(folder_ / "a.csv"), "x");
  GrowingFile(folder_ / "a.csv").finish();
}

TEST_F(Output, AFullDiskKeepsTheCompleteRecords) {
  const auto path = folder_ / "a.csv";
  for (const bool at_once : {false, true}) {
    std::string kept;
    {
      const SmallDisk disk(10'000);
      GrowingFile file(path);
      EXPECT_THROW(
          {
            for (int i = 0; i < 1000; ++i) {
              file.write("0123456789abcdefghijk\n");  // 22 bytes: no multiple fills the disk
              file.end_record();
              if (!at_once) file.flush();
            }
            file.finish();
          },
          WriteError);
    }
    kept = content(folder_ / "a.csv.partial");
    EXPECT_EQ(kept.size(), 22u * (10'000 / 22)) << at_once;
    EXPECT_TRUE(kept.ends_with("k\n"));
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

Scene one_of_each() {
  Scene scene;
  scene.system.add(Particle{1, {0.1, 1.0 / 3, 1e-300}, {1, 2, 3}}, "p");
  RigidBody body;
  body.orientation = Quat(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitZ()));
  body.angular_velocity = {0, -1, 0};
  scene.system.add(body, "rod, long");
  return scene;
}

std::unique_ptr<RunWriter> writer_of(std::string_view name, const Scene& scene,
                                     const std::filesystem::path& path) {
  return find_run_writer(name).make({scene, "rattle", path, 0, {}});
}

void record(RunWriter& writer, const State& state, const VecX& lambda = {}) {
  writer.record({state, lambda, {}, {}, {}});
}

TEST_F(Output, TrajectoriesReadBackExactly) {
  const Scene scene = one_of_each();
  const auto path = folder_ / "trajectory.csv";
  State state = scene.system.initial_state();
  {
    const auto writer = writer_of("trajectory", scene, path);
    record(*writer, state);
    state.time = 0.1;
    state.v[0] = std::numeric_limits<double>::infinity();
    record(*writer, state);
    EXPECT_FALSE(std::filesystem::exists(path));
    writer->finish({});
  }
  std::istringstream lines(content(path));
  std::string header, first, second, rest;
  std::getline(lines, header);
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_FALSE(std::getline(lines, rest));
  EXPECT_EQ(header.substr(0, 37), "time,p.x,p.y,p.z,p.vx,p.vy,p.vz,\"rod,");
  EXPECT_EQ(std::count(header.begin(), header.end(), ','), 6 + 13 * 2);  // a comma in each name
  EXPECT_EQ(first.substr(0, 38), "0,0.1,0.3333333333333333,1e-300,1,2,3,");
  // World axes: the body's −y is the world's x.
  const auto last = first.substr(0, first.rfind(',', first.rfind(',') - 1));
  EXPECT_NEAR(std::stod(last.substr(last.rfind(',') + 1)), 1, 1e-15);
  EXPECT_EQ(second.substr(0, 4), "0.1,");
  EXPECT_NE(second.find(",inf,"), std::string::npos);
}

TEST_F(Output, ForcesHaveAColumnPerRow) {
  Scene scene = one_of_each();
  constrain(scene.system, Distance{world_point(0, 0, 0), BodyId{0}, 2.0}, "rope");
  constrain(scene.system, Pin{Point(BodyId{1}), Vec3(0, 0, 0)}, "nail, \"big\"");
  const auto path = folder_ / "forces.csv";
  const auto writer = writer_of("forces", scene, path);
  VecX lambda(4);
  lambda << 1.5, 2, 3, 1.0 / 3;
  record(*writer, scene.system.initial_state(), lambda);
  EXPECT_FALSE(std::filesystem::exists(path));
  writer->finish({});
  EXPECT_EQ(content(path),
            "time,rope.tension (N),\"nail, \"\"big\"\".x (N)\",\"nail, \"\"big\"\".y (N)\","
            "\"nail, \"\"big\"\".z (N)\"\n0,1.5,2,3,0.3333333333333333\n");
}

TEST(Report, HasWhatWasPromised) {
  Scene scene;
  scene.name = "two_link";
  scene.parameters.push_back({"L", "m", "", 10});
  RunReport report;
  report.step = 0.01;
  report.steps = 100;
  report.time = 1;
  report.reference_deviation = RunReport::Deviation{"node2", 'y', 0.072, 0.01, 10};
  report.energy.final = std::numeric_limits<double>::quiet_NaN();
  report.constraint_error.worst = "link2";
  report.constraint_error.worst_at = 0.25;
  report.warnings = {"units?"};
  report.doubts = {"too long a step"};
  report.remarks = {"damped"};
  report.verification.emplace().error = 0.5;
  report.control.automatic = true;
  report.control.rejected = 3;
  report.reactions.push_back({"link1", "N", 12, 0.5, {7.5}});
  const auto json = nlohmann::ordered_json::parse(report_json(scene, "implicit1", report));

  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"taut",
                                            "scene",
                                            "parameters",
                                            "method",
                                            "step",
                                            "steps",
                                            "time",
                                            "status",
                                            "reason",
                                            "diverged_at_step",
                                            "verdict",
                                            "doubts",
                                            "remarks",
                                            "constraint_error",
                                            "energy",
                                            "findings",
                                            "warnings",
                                            "activation",
                                            "step_control",
                                            "reactions",
                                            "reference_deviation",
                                            "verification",
                                            "cost"}));
  EXPECT_EQ(json["verdict"], "suspect");
  EXPECT_EQ(json["doubts"][0], "too long a step");
  EXPECT_EQ(json["remarks"][0], "damped");
  EXPECT_EQ(json["verification"]["error"], 0.5);
  EXPECT_EQ(json["step_control"]["rejected"], 3);
  EXPECT_EQ(json["reactions"][0]["constraint"], "link1");
  EXPECT_EQ(json["reactions"][0]["final"][0], 7.5);
  EXPECT_EQ(json["scene"], "two_link");
  EXPECT_EQ(json["parameters"]["L"], 10);
  EXPECT_EQ(json["method"], "implicit1");
  EXPECT_EQ(json["status"], "ok");
  EXPECT_TRUE(json["diverged_at_step"].is_null());
  for (const char* key : {"accumulated", "max", "final"})
    EXPECT_TRUE(json["constraint_error"].contains(key));
  EXPECT_EQ(json["constraint_error"]["worst"], "link2");
  EXPECT_EQ(json["constraint_error"]["worst_at"], 0.25);
  EXPECT_EQ(json["warnings"][0], "units?");
  EXPECT_TRUE(json["energy"]["final"].is_null());
  EXPECT_EQ(json["reference_deviation"]["axis"], "y");
  EXPECT_EQ(json["reference_deviation"]["max"], 0.072);
  for (const char* key : {"wall_seconds", "cpu_seconds", "microseconds_per_step", "linear_solves",
                          "iterations", "regularized_steps", "solver"})
    EXPECT_TRUE(json["cost"].contains(key)) << key;
}

TEST(Report, TellsWhereItDiverged) {
  Scene scene;
  scene.name = "bad \xff name";
  RunReport report;
  report.status = RunStatus::diverged;
  report.reason = "not finite";
  report.diverged_at_step = 7;
  const auto json = nlohmann::json::parse(report_json(scene, "penalty", report));
  EXPECT_EQ(json["status"], "diverged");
  EXPECT_EQ(json["reason"], "not finite");
  EXPECT_EQ(json["diverged_at_step"], 7);
  EXPECT_FALSE(json.contains("reference_deviation"));
}

}  // namespace
}  // namespace taut::io
