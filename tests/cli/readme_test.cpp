// Every command that the README invites to type works as it stands there.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "run_cli.hpp"

namespace taut::cli {
namespace {

/// The lines of a page that begin with `start`, without it and without the comment behind.
std::vector<std::string> commands(const std::string& page, const std::string& start) {
  std::vector<std::string> found;
  std::istringstream lines(file_text(std::filesystem::path(TAUT_SOURCE_DIR) / page));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(start))
      found.push_back(line.substr(start.size(), line.find('#') - start.size()));
  return found;
}

// In a folder of its own, where docs/ is that of the project: results go where they do no harm.
void expect_works(const std::string& command, const Scratch& scratch) {
  const std::string shell = "cd '" + (scratch / "").string() + "' && '" TAUT_CLI_PATH "' " +
                            command + " > out.txt 2> err.txt";
  EXPECT_EQ(std::system(shell.c_str()), 0) << "taut " << command << "\n"
                                           << file_text(scratch / "err.txt");
}

TEST(Readme, EveryCommandWorks) {
  const Scratch scratch;
  std::filesystem::create_directory_symlink(std::filesystem::path(TAUT_SOURCE_DIR) / "docs",
                                            scratch / "docs");
  const std::vector<std::string> all = commands("README.md", "./run ");
  int run = 0;
  for (const std::string& command : all) {
    if (command.find_first_not_of(' ') == std::string::npos) continue;  // ./run itself
    // All experiments take a minute and more; that each of them runs is tested in tests/report.
    const bool is_all = command.substr(0, command.find_last_not_of(' ') + 1) == "reproduce";
    expect_works(is_all ? "reproduce two-link-error" : command, scratch);
    ++run;
  }
  EXPECT_GE(run, 5);
}

TEST(Reproduce, WritesOnePageAndPrintsTheClaims) {
  const Scratch scratch;
  const Result result = taut(
      {"reproduce", "second-order-error", "--json", "--out", (scratch / "page.html").string()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("\"as_expected\": true"), std::string::npos);
  EXPECT_NE(file_text(scratch / "page.html").find("<html"), std::string::npos);
}

TEST(Reproduce, AClaimThatIsNotAsExpectedIsABadResult) {
  const Scratch scratch;
  std::ofstream(scratch / "mine.json") << R"({"experiment": 1, "id": "mine",
    "runs": [{"id": "a", "scene": "pendulum", "method": "rattle", "duration": 0.1}],
    "quantities": {"ok": {"run": "a", "metric": "ok"}},
    "claims": [{"text": "rattle breaks", "measure": "ok", "at_most": 0, "words": ["no", "yes"]}]})";
  const Result result = taut(
      {"reproduce", (scratch / "mine.json").string(), "--out", (scratch / "page.html").string()});
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_NE(result.out.find("Not as expected"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("experiment 1 of 1: mine"), std::string::npos) << result.err;
}

TEST(Reproduce, AnUnknownNameIsBadInputAndWritesNothing) {
  const Scratch scratch;
  const Result result =
      taut({"reproduce", "two-link-eror", "--out", (scratch / "page.html").string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("two-link-error"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(scratch / "page.html"));
}

}  // namespace
}  // namespace taut::cli
