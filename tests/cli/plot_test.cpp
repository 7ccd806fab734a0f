// taut plot, and frames of scenes without cloth.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/run_cli.hpp"
#include "taut/mesh/mesh_file.hpp"

namespace taut::cli {
namespace {

TEST(CliPlot, DrawsColumnsOfARun) {
  const Scratch scratch;
  const std::string out = (scratch / "run").string(), svg = (scratch / "plot.svg").string();
  ASSERT_EQ(taut({"run", "two_link", "--duration", "1", "--out", out}).code, 0);
  const Result result = taut({"plot", out, "node1.y", "node2.y", "--out", svg});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("2 curves"), std::string::npos) << result.out;
  const std::string text = file_text(svg);
  EXPECT_EQ(text.substr(0, 4), "<svg");
  EXPECT_NE(text.find(">node2.y<"), std::string::npos);
  std::size_t curves = 0;
  for (std::size_t at = 0; (at = text.find("d=\"M", at)) != std::string::npos; ++at)
    curves += text.substr(at, 60).find('L') != std::string::npos;
  EXPECT_EQ(curves, 2u);

  const std::string html = (scratch / "plot.html").string();
  EXPECT_EQ(
      taut({"plot", out + "/trajectory.csv", "node2.y", "--x", "node2.x", "--out", html}).code, 0);
  EXPECT_NE(file_text(html).find("<html"), std::string::npos);
}

TEST(CliPlot, SaysWhatIsWrong) {
  const Scratch scratch;
  const std::string table = scratch.write("t.csv", "time (s),a.y (m)\n0,1\n1,2\n");
  const std::string empty = scratch.write("e.csv", "");
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"plot", table, "a.z"}, "found no column \"a.z\" (did you mean \"a.y\"?)"},
      {{"plot", table, "a.y", "--out", "plot.pdf"}, "expected a name that ends in .svg or .html"},
      {{"plot", empty, "a.y"}, "found no line"},
      {{"plot", (scratch / "none.csv").string(), "a.y"}, "No such file"},
  };
  for (const auto& [arguments, expected] : cases) {
    const Result result = taut(arguments);
    EXPECT_EQ(result.code, 2) << expected;
    EXPECT_NE(result.err.find(expected), std::string::npos) << result.err;
  }
}

TEST(CliFrames, ShowRigidBodiesParticlesAndLinks) {
  const Scratch scratch;
  for (const std::string scene : {"two_link", "four_bar", "box_stack"}) {
    const auto out = scratch / scene;
    const std::string recording = (scratch / (scene + ".taut")).string();
    const Result result = taut({"run", scene, "--duration", "0.2", "--frames", out.string(),
                                "--frame-format", "obj", "--recording", recording});
    ASSERT_EQ(result.code, 0) << result.err;
    const Mesh first = io::read_mesh(out / "frame_00000.obj");
    const Mesh later = io::read_mesh(out / "frame_00005.obj");
    EXPECT_GT(first.faces.size(), 5u) << scene;
    ASSERT_EQ(first.vertices.size(), later.vertices.size());
    // Of the recording, the same.
    const auto exported = scratch / (scene + "_exported");
    ASSERT_EQ(taut({"export", recording, "--to", "obj", "--out", exported.string()}).code, 0);
    const Mesh again = io::read_mesh(exported / "frame_00005.obj");
    ASSERT_EQ(again.faces.size(), later.faces.size());
    if (scene == "box_stack") continue;  // at rest
    double moved = 0;
    for (std::size_t i = 0; i < first.vertices.size(); ++i)
      moved = std::max(moved, (later.vertices[i] - first.vertices[i]).norm());
    EXPECT_GT(moved, 1e-3) << scene;
  }
  EXPECT_NE(file_text(scratch / "two_link" / "frame_00000.obj").find("o node2\n"),
            std::string::npos);
}

}  // namespace
}  // namespace taut::cli
