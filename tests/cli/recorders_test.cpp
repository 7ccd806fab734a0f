// How a run's tables, frames and recording share its recording times. The program's own source, as
// scenes made by hand cannot be given to the program.
#include "../../apps/taut/recorders.cpp"

#include <sstream>

#include "cli/run_cli.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/methods/method.hpp"

namespace taut::cli {
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
io::Scene triangle() {
  io::Scene scene;
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
  std::istringstream text(file_text(path));
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

TEST(RecorderFiles, TablesFramesAndRecordingOfOneRunAgree) {
  const Scratch scratch;
  const io::Scene scene = triangle();
  RecordedFiles files;
  files.trajectory = scratch / "t.csv";
  files.recording = scratch / "r.taut";
  files.frames = scratch / "frames";
  files.frame_format = io::MeshFormat::obj;
  files.frame_rate = 50;
  std::filesystem::create_directory(files.frames);
  RunOptions options = fixed_steps(0.01, 3);
  options.duration = 0.1;
  Recorders recorders(scene, files, options);
  const auto method = make_method("rattle");
  EXPECT_EQ(simulate(scene.system, scene.system.initial_state(), *method, options).status,
            RunStatus::ok);
  const RecordedMotion motion = recorders.finish();
  EXPECT_EQ(motion.frames, 6);
  EXPECT_NEAR(motion.interval, 0.02, 1e-12);
  EXPECT_EQ(motion.file_size, std::filesystem::file_size(files.recording));

  const auto rows = table(files.trajectory);
  ASSERT_EQ(rows.size(), 5u);  // 0, 3, 6 and 9 steps, and the last
  EXPECT_NEAR(rows[4][0], 0.1, 1e-12);
  io::RecordingReader recording(files.recording);
  ASSERT_EQ(recording.frame_count(), 6u);
  io::RecordedFrame frame;
  int compared = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    recording.read(i, frame);
    EXPECT_NEAR(frame.time, 0.02 * static_cast<double>(i), 1e-12);
    const Mesh mesh = io::read_mesh(files.frames / ("frame_0000" + std::to_string(i) + ".obj"));
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

}  // namespace
}  // namespace taut::cli
