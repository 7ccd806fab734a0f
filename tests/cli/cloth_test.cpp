// Cloth from a scene to files: frames, recording, export and table of one run agree.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/run_cli.hpp"
#include "taut/mesh/mesh_file.hpp"

namespace taut::cli {
namespace {

std::string frame_name(int number, const std::string& format) {
  return "frame_0000" + std::to_string(number) + "." + format;
}

void expect_same(const Mesh& found, const Mesh& wanted, double accuracy) {
  ASSERT_EQ(found.vertices.size(), wanted.vertices.size());
  ASSERT_EQ(found.faces.size(), wanted.faces.size());
  for (std::size_t i = 0; i < wanted.vertices.size(); ++i)
    EXPECT_LT((found.vertices[i] - wanted.vertices[i]).norm(), accuracy) << i;
  for (std::size_t i = 0; i < wanted.faces.size(); ++i)
    EXPECT_EQ(found.faces[i].vertex, wanted.faces[i].vertex) << i;
}

/// The positions of particles in the last line of trajectory.csv, which has 6 columns for each.
std::vector<Vec3> last_places(const std::filesystem::path& path) {
  std::istringstream text(file_text(path));
  std::string line, last, cell;
  while (std::getline(text, line)) last = line;
  std::istringstream cells(last);
  std::vector<double> numbers;
  while (std::getline(cells, cell, ',')) numbers.push_back(std::stod(cell));
  std::vector<Vec3> places;
  for (std::size_t i = 1; i + 5 < numbers.size(); i += 6)
    places.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  return places;
}

TEST(CliCloth, FramesOfABuiltInSceneAreItsSurface) {
  const Scratch scratch;
  const Result result = taut({"run", "cloth", "--set", "n=6", "--duration", "0.1", "--frames",
                              (scratch / "frames").string(), "--frames-per-second", "60", "--out",
                              (scratch / "out").string()});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("frames            7 frames, 60 per s"), std::string::npos)
      << result.out;
  const Mesh start = io::read_mesh(scratch / "frames" / frame_name(0, "ply"));
  ASSERT_EQ(start.vertices.size(), 36u);
  EXPECT_EQ(start.faces.size(), 25u);
  EXPECT_EQ(start.vertices[35], Vec3(1, 0, 1));
  const Mesh end = io::read_mesh(scratch / "frames" / frame_name(6, "ply"));
  EXPECT_LT(end.vertices[35].y(), -0.02);  // it fell
  expect_same(end, {last_places(scratch / "out" / "trajectory.csv"), start.faces}, 1e-6);
}

TEST(CliCloth, AMeshGoesThroughARunAndComesBack) {
  const Scratch scratch;
  scratch.write("sail.obj",
                "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\nf 1 2 5 4\nf 2 3 6\n"
                "f 2 6 5\n");
  const std::string scene = scratch.write("sail.json", R"({"taut": 1, "cloths": [
    {"name": "sail", "mesh": "sail.obj", "scale": 0.5, "position": [0, 3, 0],
     "pins": [{"vertices": ["sail_0"]}, {"near": [0, 4, 0]}]}],
    "forces": [{"type": "gravity", "acceleration": [0, 0, -9.81]}]})");
  const std::string recording = (scratch / "sail.taut").string();
  Result result = taut({"run", scene, "--method", "icd2", "--step", "0.01", "--duration", "0.2",
                        "--frames", (scratch / "frames").string(), "--frame-format", "obj",
                        "--frames-per-second", "50", "--recording", recording});
  ASSERT_EQ(result.code, 0) << result.err;
  result = taut({"export", recording, "--to", "obj", "--out", (scratch / "again").string()});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("11 of 11 frames"), std::string::npos) << result.out;
  for (const int number : {0, 5, 9})
    expect_same(io::read_mesh(scratch / "again" / frame_name(number, "obj")),
                io::read_mesh(scratch / "frames" / frame_name(number, "obj")), 1e-6);
  const Mesh start = io::read_mesh(scratch / "frames" / frame_name(0, "obj"));
  EXPECT_EQ(start.vertices[5], Vec3(1, 3.5, 0));
  ASSERT_EQ(start.faces.size(), 3u);
  EXPECT_EQ(start.faces[1].size(), 3);
  EXPECT_LT(io::read_mesh(scratch / "frames" / frame_name(9, "obj")).vertices[5].z(), -0.05);
}

}  // namespace
}  // namespace taut::cli
