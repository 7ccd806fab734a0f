// The page in a real browser, where one is installed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "taut/report/html.hpp"

namespace taut::report {
namespace {

TEST(Browser, DrawsEveryKindOfPlot) {
  if (std::system("command -v chromium >/dev/null 2>&1") != 0) GTEST_SKIP() << "no chromium";

  Document document{"Report", "", {}, {{}}};
  const Series line{"line", {1, 2, 3}, {4, 0, 6}};
  for (const bool is_log : {false, true})
    for (const bool is_equal : {false, true})
      for (const bool has_field : {false, true})
        for (const bool is_empty : {false, true}) {
          Plot plot;
          plot.log_x = plot.log_y = is_log;
          plot.equal_axes = is_equal;
          if (!is_empty) plot.series = {line, line, line};
          if (!is_empty) plot.series[1].style = Series::Style::line_and_points;
          if (has_field) plot.field = Field{{1, 2}, {1, 2}, {0, 1, 1, -1}, {"no", "yes"}};
          document.sections[0].plots.push_back(plot);
        }

  const auto folder =
      std::filesystem::temp_directory_path() / ("taut_browser_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "page.html") << html(document);
  const std::string command =
      "timeout 60 chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-sync "
      "--disable-background-networking --disable-component-update --user-data-dir=" +
      (folder / "profile").string() + " --dump-dom file://" + (folder / "page.html").string() +
      " >" + (folder / "out.html").string() + " 2>/dev/null";
  const int status = std::system(command.c_str());
  std::ifstream file(folder / "out.html");
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::filesystem::remove_all(folder);

  ASSERT_EQ(status, 0);
  EXPECT_NE(page.find("data-plots=\"16\""), std::string::npos) << "the script stopped early";
}

}  // namespace
}  // namespace taut::report
