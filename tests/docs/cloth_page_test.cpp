// The examples of docs/cloth.md: the scene is read and runs, the program does what it says.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <taut/taut.hpp>

#include "support/builders.hpp"

namespace taut {
namespace {

std::string page() {
  std::ifstream file(TAUT_SOURCE_DIR "/docs/cloth.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string example(const std::string& language) {
  const std::string text = page(), fence = "```" + language + "\n";
  const auto start = text.find(fence) + fence.size();
  return text.substr(start, text.find("```", start) - start);
}

TEST(ClothPage, ItsSceneRuns) {
  const std::vector<io::Setting> coarse{{"n", "5"}};
  const io::Scene scene = io::parse_scene(example("json"), "cloth.md", coarse);
  EXPECT_EQ(scene.surfaces.at(0).vertices.size(), 50u);
  const RunReport report = testing::run(scene.system, "icd2", scene.step, 0.5);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
}

TEST(ClothPage, ItsProgramBuildsACloth) {
  // clang-format off
taut::System system;
const taut::Mesh mesh = taut::grid_mesh({.columns = 71, .rows = 71});
const taut::Surface cloth = taut::add_cloth(system, mesh, {.density = 0.2}, "cloth", 71);
taut::constrain(system, taut::Pin{cloth.vertices[0], taut::Vec3(0, 0, 0)});
  // clang-format on
  EXPECT_EQ(system.body_count(), 5041);
  std::ifstream file(TAUT_SOURCE_DIR "/tests/docs/cloth_page_test.cpp");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(example("cpp")), std::string::npos);
}

}  // namespace
}  // namespace taut
