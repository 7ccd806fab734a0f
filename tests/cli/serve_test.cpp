#include <gtest/gtest.h>

#include <fstream>

#include "cli/run_cli.hpp"

namespace taut::cli {
namespace {

TEST(CliServe, OpensWhatAFileComposes) {
  const std::string example = std::string(TAUT_SOURCE_DIR) + "/docs/examples/serve.json";
  const Result result = taut({"serve", example, "--check"});
  EXPECT_EQ(result.code, 0) << result.err;
}

TEST(CliServe, SaysWhatIsWrong) {
  const Scratch folder;
  const std::string file = (folder / "serve.json").string();
  EXPECT_EQ(taut({"serve", file}).code, 2);
  for (const char* text :
       {"{", "{}", R"({"taut_serve": 1, "scene": "grasp_bx"})",
        R"({"taut_serve": 1, "scene": "grasp_box", "devices": [{"type": "gluv"}]})"}) {
    std::ofstream(file) << text;
    const Result result = taut({"serve", file, "--check"});
    EXPECT_EQ(result.code, 2) << text;
    EXPECT_FALSE(result.err.empty());
  }
}

}  // namespace
}  // namespace taut::cli
