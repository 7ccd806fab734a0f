#include "taut/record/recording.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/run_cli.hpp"
#include "taut/mesh/mesh_file.hpp"

namespace taut::cli {
namespace {

std::vector<double> numbers(const std::string& line) {
  std::istringstream cells(line);
  std::vector<double> found;
  for (std::string cell; std::getline(cells, cell, ',');) found.push_back(std::stod(cell));
  return found;
}

TEST(CliRecording, IsTheTrajectory) {
  const Scratch scratch;
  const auto file = scratch / "deep" / "arm.taut";
  const Result result = taut({"run", "arm6.urdf", "--duration", "0.5", "--step", "0.01",
                              "--frames-per-second", "25", "--record-every", "2", "--out",
                              (scratch / "out").string(), "--recording", file.string()});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("recording         13 frames, 25 per s; "), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("bytes per body and frame: " + file.string()), std::string::npos);

  io::RecordingReader reader(file);
  EXPECT_EQ(reader.info().particle_count, 0u);
  EXPECT_FALSE(reader.info().visuals.empty());
  EXPECT_FALSE(reader.info().links.empty());
  ASSERT_EQ(reader.frame_count(), 13u);
  std::istringstream table(file_text(scratch / "out" / "trajectory.csv"));
  std::string line;
  std::getline(table, line);
  io::RecordedFrame frame;
  for (std::size_t i = 0; std::getline(table, line); ++i) {
    if (i % 2 != 0 || i / 2 >= 13) continue;
    reader.read(i / 2, frame);
    const std::vector<double> row = numbers(line);
    EXPECT_EQ(frame.time, row[0]);
    for (std::size_t body = 0; body < frame.positions.size(); ++body) {
      const std::size_t at = 1 + 13 * body;
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(frame.positions[body][static_cast<int>(k)], row[at + k], 1e-6);
      EXPECT_NEAR(frame.orientations[body].w(), row[at + 3], 1e-6);
      EXPECT_NEAR(frame.orientations[body].z(), row[at + 6], 1e-6);
    }
  }
}

TEST(CliRecording, TakesAutomaticStepsAndChosenPositions) {
  const Scratch scratch;
  const auto file = scratch / "a.taut";
  const Result result = taut({"run", "two_link", "--duration", "1", "--tolerance", "1e-6",
                              "--recording", file.string(), "--recorded-positions", "uint16"});
  ASSERT_EQ(result.code, 0) << result.err;
  const io::RecordingReader reader(file);
  ASSERT_EQ(reader.frame_count(), 31u);
  EXPECT_NEAR(reader.time(7), 7.0 / 30, 1e-12);
  EXPECT_EQ(reader.info().particle_names.size(), 2u);
}

/// The recording of a sail that moves up 0.1 m in each of 11 frames, 0.1 s apart.
std::string sail(const Scratch& scratch) {
  io::Scene scene;
  scene.name = "sail";
  Surface surface{"sail", {}, {{{0, 1, 2, -1}}}};
  for (const Vec3& place : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)})
    surface.vertices.push_back(scene.system.add(Particle{1, place}));
  scene.surfaces.push_back(surface);
  io::RecordingWriter writer(scratch / "sail.taut", scene, "rattle", 0.1);
  State state = scene.system.initial_state();
  for (int i = 0; i <= 10; ++i) {
    state.time = 0.1 * i;
    for (int k = 0; k < 3; ++k) state.q[3 * k + 2] = state.time;
    writer.record(state);
  }
  writer.finish();
  return (scratch / "sail.taut").string();
}

TEST(CliExport, TurnsARecordingIntoMeshes) {
  const Scratch scratch;
  const std::string file = sail(scratch);
  for (const std::string format : {"obj", "ply"}) {
    const auto out = scratch / format;
    const Result result = taut({"export", file, "--to", format, "--out", out.string(), "--from",
                                "0.3", "--until", "0.9", "--every", "2"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("sail: 4 of 11 frames, 0.3 s to 0.9 s, 3 vertices"),
              std::string::npos)
        << result.out;
    EXPECT_FALSE(std::filesystem::exists(out / ("frame_00004." + format)));
    const Mesh mesh = io::read_mesh(out / ("frame_00003." + format));
    EXPECT_EQ(mesh.faces.size(), 1u);
    EXPECT_NEAR(mesh.vertices[1].z(), 0.9, 1e-6);
    EXPECT_EQ(mesh.vertices[1].x(), 1);
  }
  EXPECT_NE(file_text(scratch / "obj" / "frame_00000.obj").find("o sail\nf 1 2 3\n"),
            std::string::npos);
  EXPECT_EQ(
      taut({"export", file, "--to", "ply", "--out", (scratch / "all").string(), "--quiet"}).out,
      "");
  EXPECT_TRUE(std::filesystem::exists(scratch / "all" / "frame_00010.ply"));
}

TEST(CliExport, TakesWhatADeadWriterLeft) {
  const Scratch scratch;
  const std::string whole = file_text(sail(scratch));
  const std::string file = scratch.write("cut.taut", whole.substr(0, whole.size() * 3 / 4));
  const Result result = taut({"export", file, "--to", "obj", "--out", (scratch / "out").string()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("unfinished"), std::string::npos) << result.out;
  EXPECT_TRUE(std::filesystem::exists(scratch / "out" / "frame_00000.obj"));
}

TEST(CliRecording, BadInputIsToldAndNothingIsTouched) {
  const Scratch scratch;
  const std::string out = (scratch / "out").string(), garbage = scratch.write("g.taut", "garbage");
  const std::string file = sail(scratch), pendulum = (scratch / "p.taut").string();
  ASSERT_EQ(taut({"run", "pendulum", "--duration", "0.1", "--recording", pendulum}).code, 0);
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"run", "pendulum", "--frame-format", "obj"}, "--frame-format: only with --frames"},
      {{"run", "pendulum", "--frames-per-second", "3"}, "only with --recording or --frames"},
      {{"run", "pendulum", "--recording", out, "--frames-per-second", "0"}, "a number > 0"},
      {{"run", "pendulum", "--recording", out, "--frames-per-second", "1e300"}, "steps"},
      {{"run", "pendulum", "--recorded-positions", "float32"}, "only with --recording"},
      {{"run", "pendulum", "--recording", out, "--recorded-positions", "float64"}, "float32"},
      {{"export", file, "--to", "obj"}, "--out"},
      {{"export", file, "--out", out}, "--to"},
      {{"export", file, "--to", "dae", "--out", out}, "--to: found \"dae\" (known: obj, ply, stl, gltf"},
      {{"export", file, "--out", out + ".xyz"}, "found the extension \".xyz\", expected one of .glb"},
      {{"export", file, "--to", "gltf", "--out", out}, "ends in .glb or .gltf, for --to gltf"},
      {{"run", "pendulum", "--export", out}, "expected one of .glb"},
      {{"run", "pendulum", "--export", out, "--to", "dae"}, "--to: found \"dae\""},
      {{"run", "pendulum", "--to", "gltf"}, "--to: only with --export"},
      {{"export", garbage, "--to", "obj", "--out", out}, "found no recording of taut"},
      {{"export", out, "--to", "obj", "--out", out}, "No such file"},
      {{"export", file, "--to", "obj", "--out", out, "--every", "0"}, "--every"},
      {{"export", file, "--to", "obj", "--out", out, "--from", "2"}, "0 s … 1 s"},
      {{"export", file, "--to", "obj", "--out", out, "--from", "2", "--until", "1"}, "in order"},
      {{"export", file, "--to", "obj", "--out", out, "--evry", "2"}, "--every"},
  };
  for (const auto& [arguments, expected] : cases) {
    const Result result = taut(arguments);
    EXPECT_EQ(result.code, 2) << expected;
    EXPECT_EQ(result.err.substr(0, 6), "taut: ") << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(expected), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(out)) << expected;
  }
  EXPECT_EQ(taut({"export", file, "--to", "obj", "--out", file + "/out"}).code, 3);
  EXPECT_EQ(taut({"run", "pendulum", "--recording", file + "/a.taut"}).code, 3);
  EXPECT_EQ(taut({"run", "pendulum", "--export", file + "/a.glb"}).code, 3);
  EXPECT_EQ(taut({"run", "pendulum", "--export", "/dev/full", "--to", "csv"}).code, 2);
}

}  // namespace
}  // namespace taut::cli
