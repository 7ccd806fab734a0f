#include "taut/report/html.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "taut/methods/method.hpp"
#include "taut/report/method_colours.hpp"
#include "taut/report/number_text.hpp"

namespace taut::report {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

// The page without Chart.js and our scripts and styles, which are the same in every page.
std::string content(const Document& document) {
  const std::string page = html(document);
  const std::size_t from = page.find("<body>"), to = page.find("</main>");
  EXPECT_LT(from, to);
  return page.substr(from, to - from);
}

std::vector<nlohmann::json> plots(const Document& document) {
  const std::string start = "<script type=\"application/json\">";
  const std::string page = html(document);
  std::vector<nlohmann::json> found;
  for (std::size_t at = page.find(start); at != std::string::npos; at = page.find(start, at)) {
    at += start.size();
    found.push_back(nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at)));
  }
  return found;
}

Section section(const std::string& id) {
  Section section;
  section.id = id;
  section.title = "Title of " + id;
  return section;
}

Document with_plot(const Plot& plot) {
  Document document{"Report", "", {}, {section("one")}};
  document.sections[0].plots = {plot};
  return document;
}

Document sample() {
  Document document{"Report", "What it is about", {{"version", "1.2"}}, {section("one")}};
  Section& one = document.sections[0];
  one.source = "figure 7";
  one.description = "First paragraph\nof two lines.\n\nSecond, with `code`.";
  one.settings = {{"step", "0.01 s"}};
  one.claims = {
      {"it works", "3", "at least 2", Claim::Status::holds, Claim::Expected::holds, "", ""},
      {"it is quick", "9 s", "at most 1 s", Claim::Status::fails, Claim::Expected::fails,
       "slow disk", "seconds"},
      {"it is done", "no", "yes", Claim::Status::fails, Claim::Expected::holds, "", ""}};
  one.tables = {{"Numbers", {"name", "value"}, {{"a", "1.5"}, {"b", "2.5"}}}};
  one.seconds = 12.3;
  one.plots.resize(1);
  one.plots[0].series = {{"line", {0, 1}, {2, 3}}};
  document.sections.push_back(section("two"));
  return document;
}

TEST(Html, EverythingOfTheDocumentIsThere) {
  const std::string page = content(sample());
  for (const char* part : {"<h1>Report</h1>",
                           "What it is about",
                           "version",
                           "1.2",
                           "Title of one",
                           "figure 7",
                           "<p>First paragraph\nof two lines.</p>",
                           "<p>Second, with <code>code</code>.</p>",
                           "step",
                           "0.01 s",
                           "at least 2",
                           "9 s",
                           "slow disk",
                           "Known to fail: slow disk",
                           "Measured: seconds",
                           "Numbers",
                           "<td>2.5</td>",
                           "12 s",
                           "id=\"one\"",
                           "href=\"#one\"",
                           "id=\"two\"",
                           "href=\"#two\"",
                           "<details>",
                           "<noscript>"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(Html, EveryClaimIsInTheSummaryAndInItsSection) {
  const std::string page = content(sample());
  for (const char* text : {"it works", "it is quick", "it is done"})
    EXPECT_EQ(count(page, text), 2u) << text;
  for (const char* part : {"3 claims:", "✓ 1 holds", "✗ 2 fail", "✓ holds", "✗ fails",
                           "1 claim does not have the expected result", "this claim held before"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(Html, IsTheSameEveryTime) { EXPECT_EQ(html(sample()), html(sample())); }

TEST(Html, TextIsNeverMarkup) {
  const std::string evil = "</script><script>alert(\"1\")</script><!-- & 'x' \xff é";
  Document document = sample();
  document.title = document.subtitle = evil;
  document.facts = {{evil, evil}};
  for (Section& s : document.sections) {
    s.id = s.title = s.source = s.description = evil;
    s.settings = {{evil, evil}};
    s.claims = {{evil, evil, evil, Claim::Status::fails, Claim::Expected::fails, evil, evil}};
    s.tables = {{evil, {evil}, {{evil, evil}}}};
    s.plots.resize(1);
    s.plots[0].title = s.plots[0].x_label = s.plots[0].caption = evil;
    s.plots[0].series = {{evil, {0}, {0}}};
    s.plots[0].field = Field{{0}, {0}, {0}, {evil}};
  }
  const std::string page = html(document);
  EXPECT_EQ(count(page, "<script"), 4u);  // two plots, Chart.js, our script
  EXPECT_EQ(count(page, "<script"), count(page, "</script>"));
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
  EXPECT_NE(page.find("&lt;/script&gt;&lt;script&gt;alert(&quot;1&quot;)"), std::string::npos);
  EXPECT_EQ(plots(document).at(0)["series"][0]["label"],
            "</script><script>alert(\"1\")</script><!-- & 'x' \uFFFD é");
  const std::regex id("<section id=\"([^\"]*)\"");
  std::set<std::string> ids;
  for (std::sregex_iterator i(page.begin(), page.end(), id), end; i != end; ++i)
    ids.insert((*i)[1]);
  EXPECT_EQ(ids.size(), 2u) << "equal ids are told apart";
}

TEST(Html, LoadsNothing) {
  const std::string page = html(sample());
  const std::regex loading(R"((src|href|action|data)\s*=\s*["']?(https?:|//)|@import|url\()");
  const std::string before_chart = page.substr(0, page.find("</main>"));
  EXPECT_FALSE(std::regex_search(before_chart, loading));
  EXPECT_EQ(count(page, "<link"), 1u);  // the empty icon
  EXPECT_EQ(page.find("<script src"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(Html, GapsAreKeptAndLogarithmicAxesShowOnlyPositiveValues) {
  Plot plot;
  const double infinity = std::numeric_limits<double>::infinity();
  plot.series = {{"s", {0, 1, 2, 3, 4, 5}, {nan, 1, -1, nan, infinity, 4}}};
  auto y = plots(with_plot(plot)).at(0)["series"][0]["y"];
  EXPECT_EQ(y, nlohmann::json::parse("[1, -1, null, 4]"));
  plot.log_y = true;
  y = plots(with_plot(plot)).at(0)["series"][0]["y"];
  EXPECT_EQ(y, nlohmann::json::parse("[1, null, 4]"));
}

TEST(Html, SmallVariationsOfLargeNumbersKeepTheirDigits) {
  Plot plot;
  plot.series = {{"s", {0, 1, 2}, {1000, 1000.00012345, 1000.001}}};
  const auto y = plots(with_plot(plot)).at(0)["series"][0]["y"];
  EXPECT_NEAR(y[1].get<double>(), 1000.00012345, 1e-8);
}

TEST(Html, FieldAndRangesReachTheScript) {
  Plot plot;
  plot.field =
      Field{{0, 1, 2}, {0, 1}, {0, 1, 2, -1, 7, 0}, {"stable", "oscillating", "divergent"}};
  plot.x_range = {{0, 2}};
  plot.y_range = {{2, 2}};  // empty: as if not given
  plot.equal_axes = true;
  const auto data = plots(with_plot(plot)).at(0);
  EXPECT_EQ(data["field"]["cells"], "012..0");
  EXPECT_EQ(data["field"]["classes"].size(), 3u);
  EXPECT_EQ(data["x"]["range"], nlohmann::json::parse("[0, 2]"));
  EXPECT_FALSE(data["y"].contains("range"));
  EXPECT_EQ(data["equal"], true);
}

TEST(Html, AMethodHasItsColourInEveryPlot) {
  const auto series = [](int method, const char* label = "a") {
    Series s{label, {0, 1}, {0, 1}};
    s.method = method;
    return s;
  };
  Document document = sample();
  document.sections[0].plots.resize(2);
  document.sections[0].plots[0].series = {series(3), series(7)};
  document.sections[0].plots[1].series = {series(0), series(7), series(3, "b"), series(3),
                                          series(-1)};
  const auto all = plots(document);
  const auto colour = [&](int plot, int i) {
    return all.at(plot)["series"][i]["light"].get<std::string>();
  };
  EXPECT_EQ(colour(0, 0), method_colour(3).on_light);
  EXPECT_EQ(colour(0, 1), method_colour(7).on_light);
  EXPECT_EQ(colour(1, 1), method_colour(7).on_light);
  EXPECT_EQ(all.at(0)["series"][0]["dark"], method_colour(3).on_dark);
  EXPECT_EQ(colour(1, 3), method_colour(3).on_light);
  EXPECT_NE(colour(1, 2), colour(1, 3)) << "a second series of a method has another shade";
  EXPECT_EQ(all.at(1)["series"][3]["variant"], 0) << "by label, not by place in the plot";
  EXPECT_EQ(all.at(1)["series"][2]["variant"], 1);
}

TEST(MethodColours, AreDifferentAndThereIsOneForEveryMethod) {
  EXPECT_LE(methods().size(), method_colour_count());
  std::set<std::string_view> light, dark;
  for (std::size_t i = 0; i < method_colour_count(); ++i) {
    light.insert(method_colour(i).on_light);
    dark.insert(method_colour(i).on_dark);
  }
  EXPECT_EQ(light.size(), method_colour_count());
  EXPECT_EQ(dark.size(), method_colour_count());
}

TEST(NumberText, IsForReaders) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(0.025), "0.025");
  EXPECT_EQ(number_text(-1234.56), "−1235");
  EXPECT_EQ(number_text(12345), "12345");
  EXPECT_EQ(number_text(99999.9), "100000");
  EXPECT_EQ(number_text(1e-7), "10⁻⁷");
  EXPECT_EQ(number_text(-3.2e-12), "−3.2×10⁻¹²");
  EXPECT_EQ(number_text(2.5e6), "2.5×10⁶");
  EXPECT_EQ(number_text(nan), "not a number");
}

TEST(Html, PicturesAreDrawnUpright) {
  Document document{"Report", "", {}, {section("one")}};
  Picture picture{"A <sheet>", "seen from `here`", {}};
  picture.polygons.push_back({{{0, 0}, {2, 0}, {2, 1}, {0, 1}}, 1, false});
  picture.polygons.push_back({{{0, 0}, {nan, 0}, {2, 1}}, 1, true});
  document.sections[0].pictures = {picture};
  const std::string text = content(document);
  EXPECT_NE(text.find("<h3>A &lt;sheet&gt;</h3>"), std::string::npos);
  EXPECT_NE(text.find("aria-label=\"A &lt;sheet&gt;\""), std::string::npos);
  EXPECT_NE(text.find("<code>here</code>"), std::string::npos);
  EXPECT_NE(text.find("viewBox=\"0 0 1000 520\""), std::string::npos);
  EXPECT_NE(text.find("M20 500 980 500 980 20 20 20z"), std::string::npos) << "y is upward";
  EXPECT_EQ(count(text, "<path "), 1u) << "what is not finite is left out";
  document.sections[0].pictures[0].polygons.clear();
  EXPECT_EQ(count(content(document), "<svg "), 1u);
}

TEST(Html, AnEmptyDocumentIsAPage) {
  const std::string page = html({});
  EXPECT_EQ(page.find("class=\"totals\""), std::string::npos) << "no claims are not 0 that hold";
  EXPECT_EQ(page.find("as expected"), std::string::npos);
  EXPECT_NE(page.find("</html>"), std::string::npos);
}

}  // namespace
}  // namespace taut::report
