// The examples of docs/mechanisms.md: the first is a scene, the others fit into it.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/builders.hpp"
#include "taut/forces/list.hpp"
#include "taut/scene/scene.hpp"

namespace taut {
namespace {

std::vector<nlohmann::json> examples() {
  std::ifstream file(std::string(TAUT_SOURCE_DIR) + "/docs/mechanisms.md");
  std::vector<nlohmann::json> found;
  std::string line, text;
  bool inside = false;
  while (std::getline(file, line)) {
    if (inside && line == "```") {
      found.push_back(nlohmann::json::parse(text));
      inside = false;
    } else if (inside) {
      text += line + "\n";
    } else if (line == "```json") {
      inside = true;
      text.clear();
    }
  }
  return found;
}

bool is_force(const std::string& type) { return find_type(force_types(), type) != nullptr; }

TEST(MechanismsPage, EveryExampleIsReadAndRuns) {
  const std::vector<nlohmann::json> all = examples();
  ASSERT_GT(all.size(), 6u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    nlohmann::json scene = all[0];
    if (i > 0) {
      const nlohmann::json items = all[i].is_array() ? all[i] : nlohmann::json::array({all[i]});
      for (const nlohmann::json& item : items)
        scene[is_force(item.at("type")) ? "forces" : "constraints"].push_back(item);
    }
    SCOPED_TRACE(all[i].dump());
    const io::Scene read = io::parse_scene(scene.dump(), "mechanisms.md");
    const RunReport report = testing::run(read.system, "icd2", 0.005, 0.5);
    EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  }
}

}  // namespace
}  // namespace taut
