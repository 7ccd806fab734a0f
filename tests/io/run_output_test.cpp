// How a run's tables, frames and recording share its recording times, and what is left of them when
// they cannot be written.
#include "taut/record/run_output.hpp"

#include <sstream>

#include "io/error_messages.hpp"
#include "io/scratch_folder.hpp"
#include "io/small_disk.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/mesh/mesh_file.hpp"
#include "taut/methods/method.hpp"
#include "taut/record/recording.hpp"
#include "taut/record/recording_times.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {
namespace {

RunOptions fixed_steps(double step, long record_every) {
  RunOptions options;
  options.step = step;
  options.record_every = record_every;
  return options;
}

TEST(RecordingTimes, FramesAreWholeStepsApart) {
  RunOptions options = fixed_steps(0.01, 1);
  EXPECT_NEAR(plan_recording(30, false, options).frames, 0.03, 1e-12);
  EXPECT_EQ(options.record_every, 3);
  options = fixed_steps(0.01, 7);
  EXPECT_NEAR(plan_recording(1e6, false, options).frames, 0.01, 1e-12);
  EXPECT_EQ(options.record_every, 1);
  options = fixed_steps(1e-3, 1);
  EXPECT_NEAR(plan_recording(1e-18, false, options).frames, 1e12, 1);
}

TEST(RecordingTimes, TablesKeepTheirs) {
  RunOptions options = fixed_steps(0.001, 10);
  RecordingTimes times = plan_recording(30, true, options);  // 33 steps
  EXPECT_NEAR(times.tables, 0.01, 1e-12);
  EXPECT_NEAR(times.frames, 0.03, 1e-12);
  EXPECT_EQ(options.record_every, 10);
  options = fixed_steps(0.001, 10);
  times = plan_recording(250, true, options);
  EXPECT_NEAR(times.frames, 0.004, 1e-12);
  EXPECT_EQ(options.record_every, 2);
}

TEST(RecordingTimes, AutomaticStepsRecordAtTheVeryTimes) {
  RunOptions options = fixed_steps(0, 1);
  options.record_interval = 0.1;
  EXPECT_EQ(plan_recording(30, false, options).frames, 1.0 / 30);
  EXPECT_EQ(options.record_interval, 1.0 / 30);
  options.record_interval = 0.1;
  RecordingTimes times = plan_recording(3, true, options);
  EXPECT_NEAR(times.frames, 0.3, 1e-12);
  EXPECT_EQ(options.record_interval, 0.1);
  times = plan_recording(31, true, options);
  EXPECT_NEAR(times.frames, 0.1 / 3, 1e-12);
  EXPECT_NEAR(times.tables, 0.1, 1e-12);
  EXPECT_NEAR(options.record_interval, 0.1 / 3, 1e-12);
}

/// A triangle that hangs by a corner.
Scene triangle() {
  Scene scene;
  scene.name = "triangle";
  Surface surface{"sail", {}, {{{0, 1, 2, -1}}}};
  for (const Vec3& place : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)})
    surface.vertices.push_back(scene.system.add(Particle{1, place}));
  constrain(scene.system, Distance{world_point(0, 0, 1), surface.vertices[0], 1.0});
  for (int i = 0; i < 3; ++i) constrain(scene.system, Distance{BodyId{i}, BodyId{(i + 1) % 3}, {}});
  apply(scene.system, Gravity{});
  scene.surfaces.push_back(surface);
  return scene;
}

std::vector<std::vector<double>> table(const std::filesystem::path& path) {
  std::ifstream text(path);
  std::string line, cell;
  std::getline(text, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(text, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    while (std::getline(cells, cell, ',')) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

using RunOutputFiles = ScratchFolder;

WantedOutput wanted(std::string_view writer, const std::filesystem::path& path) {
  return {&find_run_writer(writer), path, {}};
}

TEST_F(RunOutputFiles, TablesFramesAndRecordingOfOneRunAgree) {
  const Scene scene = triangle();
  const auto trajectory = folder_ / "t.csv", recorded = folder_ / "r.taut",
             meshes = folder_ / "frames";
  std::vector<WantedOutput> outputs{wanted("trajectory", trajectory), wanted("recording", recorded),
                                    wanted("frames", meshes)};
  outputs.back().options["frame-format"] = "obj";
  RunOptions options = fixed_steps(0.01, 3);
  options.duration = 0.1;
  RunOutput output(scene, "rattle", outputs, 50, options);
  const auto method = make_method("rattle");
  const RunReport report = simulate(scene.system, scene.system.initial_state(), *method, options);
  EXPECT_EQ(report.status, RunStatus::ok);
  output.finish(report);
  const std::vector<WrittenOutput> written = output.written();
  EXPECT_EQ(written[0].records, 5);
  EXPECT_EQ(written[1].records, 6);
  EXPECT_EQ(written[2].records, 6);
  EXPECT_NEAR(written[1].interval, 0.02, 1e-12);
  EXPECT_EQ(written[1].place, recorded);

  const auto rows = table(trajectory);
  ASSERT_EQ(rows.size(), 5u);  // 0, 3, 6 and 9 steps, and the last
  EXPECT_NEAR(rows[4][0], 0.1, 1e-12);
  RecordingReader recording(recorded);
  ASSERT_EQ(recording.frame_count(), 6u);
  RecordedFrame frame;
  int compared = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    recording.read(i, frame);
    EXPECT_NEAR(frame.time, 0.02 * static_cast<double>(i), 1e-12);
    const Mesh mesh = read_mesh(meshes / ("frame_0000" + std::to_string(i) + ".obj"));
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(mesh.vertices[k].cast<float>(), frame.positions[k]);
      for (const auto& row : rows) {
        if (std::abs(row[0] - frame.time) > 1e-9) continue;
        ++compared;
        for (std::size_t axis = 0; axis < 3; ++axis)
          EXPECT_NEAR(frame.positions[k][static_cast<int>(axis)], row[1 + 6 * k + axis], 1e-7);
      }
    }
  }
  EXPECT_EQ(compared, 3 * 3);  // at 0, 0.06 and 0.1 s
}

TEST_F(RunOutputFiles, EveryWriterWritesWhatItSays) {
  const Scene scene = triangle();
  for (const RunWriterInfo& writer : run_writers()) {
    SCOPED_TRACE(writer.name);
    EXPECT_EQ(&find_run_writer(writer.name), &writer);
    EXPECT_FALSE(writer.summary.empty());
    if (!writer.suits(scene)) continue;
    auto path = folder_ / "deep" / std::string(writer.name);
    if (writer.place == RunWriterInfo::Place::file)
      path += std::filesystem::path(writer.file).extension();
    RunOptions options = fixed_steps(0.01, 1);
    options.duration = 0.05;
    RunOutput output(scene, "rattle", {{&writer, path, {}}}, 30, options);
    const RunReport report =
        simulate(scene.system, scene.system.initial_state(), *make_method("rattle"), options);
    EXPECT_FALSE(std::filesystem::is_regular_file(path));
    output.finish(report);
    EXPECT_EQ(output.written().front().place, path);
    EXPECT_FALSE(std::filesystem::is_empty(path));
    EXPECT_EQ(std::filesystem::is_directory(path), writer.place == RunWriterInfo::Place::folder);
  }
  EXPECT_NE(message_of([] { find_run_writer("recordin"); }).find("recording"), std::string::npos);
}

TEST_F(RunOutputFiles, WrongOptionsAreToldBeforeAnythingIsWritten) {
  const Scene scene = triangle();
  WantedOutput bad = wanted("recording", folder_ / "r.taut");
  bad.options["recorded-positions"] = "float64";
  RunOptions options = fixed_steps(0.01, 1);
  const std::string told = message_of([&] {
    RunOutput output(scene, "rattle", {wanted("trajectory", folder_ / "a" / "t.csv"), bad}, 30,
                     options);
  });
  EXPECT_NE(told.find("--recorded-positions: found \"float64\""), std::string::npos) << told;
  EXPECT_EQ(file_count(), 0u);
}

TEST_F(RunOutputFiles, AFullDiskKeepsWhatWasRecorded) {
  const Scene scene = triangle();
  RunOptions options = fixed_steps(0.001, 1);
  options.duration = 5;
  std::string told;
  {
    const SmallDisk disk(200'000);
    RunOutput output(
        scene, "rattle",
        {wanted("trajectory", folder_ / "t.csv"), wanted("recording", folder_ / "r.taut")}, 1000,
        options);
    try {
      simulate(scene.system, scene.system.initial_state(), *make_method("rattle"), options);
      ADD_FAILURE() << "the disk was large enough";
    } catch (const WriteError& error) {
      told = error.what();
    }
  }
  EXPECT_NE(
      told.find("t.csv: cannot be written: File too large; what was recorded before is kept: "),
      std::string::npos)
      << told;
  EXPECT_NE(told.find("t.csv.partial"), std::string::npos) << told;
  EXPECT_NE(told.find("r.taut.partial"), std::string::npos) << told;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "t.csv"));
  const auto rows = table(folder_ / "t.csv.partial");
  ASSERT_GT(rows.size(), 100u);
  for (const auto& row : rows) EXPECT_EQ(row.size(), 1u + 3 * 6);
  RecordingReader reader(folder_ / "r.taut.partial");
  EXPECT_FALSE(reader.is_complete());
  EXPECT_GE(reader.frame_count(), rows.size() - 1);
}

}  // namespace
}  // namespace taut::io
