#include "taut/report/html.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "taut/base/error.hpp"
#include "taut/report/assets_internal.hpp"
#include "taut/report/escape_internal.hpp"
#include "taut/report/html_internal.hpp"

namespace taut::report {
namespace detail {

std::string_view status_sign(Claim::Status status) {
  return status == Claim::Status::holds ? "✓" : "✗";
}

namespace {

// The page may load nothing at all, and says so to the browser.
constexpr const char* page_start =
    R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; )"
    R"(style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
)";

std::string_view asset(std::string_view name) {
  const auto all = assets();
  const auto found = std::ranges::find(all, name, &EmbeddedText::name);
  TAUT_CHECK(found != all.end());
  return found->text;
}

std::string header_html(const Document& document) {
  std::string text = "<header>\n<h1>" + inline_html(document.title) + "</h1>\n";
  if (!document.subtitle.empty())
    text += "<p class=\"subtitle\">" + inline_html(document.subtitle) + "</p>\n";
  if (!document.facts.empty()) {
    text += "<dl class=\"facts\">\n";
    for (const auto& [name, value] : document.facts)
      text +=
          fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", inline_html(name), inline_html(value));
    text += "</dl>\n";
  }
  return text + "</header>\n";
}

/// "2 claims hold"
std::string counted(int count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string totals_html(const Document& document) {
  int holds = 0, fails = 0, expected_failures = 0, surprises = 0;
  for (const Section& section : document.sections)
    for (const Claim& claim : section.claims) {
      const bool failed = claim.status == Claim::Status::fails;
      ++(failed ? fails : holds);
      if (failed && claim.expected == Claim::Expected::fails) ++expected_failures;
      if (!claim.is_as_expected()) ++surprises;
    }
  if (holds + fails == 0) return "";  // a report of measurements alone
  std::string text =
      fmt::format("<p class=\"totals\">{}: <span class=\"badge holds\">✓ {}</span>",
                  counted(holds + fails, "claim", "claims"), counted(holds, "holds", "hold"));
  if (fails > 0)
    text +=
        fmt::format(" <span class=\"badge fails\">✗ {}</span>", counted(fails, "fails", "fail"));
  text += "</p>\n<p class=\"verdict\">";
  if (surprises > 0)
    text += fmt::format("<strong>{} the expected result</strong>; look for “not expected” below.",
                        counted(surprises, "claim does not have", "claims do not have"));
  else if (expected_failures > 0)
    text += fmt::format("All results are as expected: {} known to fail, each with the reason.",
                        counted(expected_failures, "claim is", "claims are"));
  else
    text += "All results are as expected.";
  return text + "</p>\n";
}

/// The claims of a section with one status, as a list.
std::string claims_list(const Section& section, Claim::Status status) {
  std::string items;
  for (const Claim& claim : section.claims)
    if (claim.status == status)
      items += fmt::format(
          "<li class=\"{0}\"><span class=\"mark\" role=\"img\" aria-label=\"{0}\">{1}</span>"
          "<span>{2}{3}</span></li>\n",
          status_text(status), status_sign(status), inline_html(claim.text),
          claim.is_as_expected() ? "" : " <strong>(not expected)</strong>");
  return "<ul>\n" + items + "</ul>";
}

/// Every section with its claims. Those that hold are many, and folded away.
std::string summary_html(const Document& document, const std::vector<std::string>& ids) {
  std::string text = "<nav id=\"summary\" aria-label=\"Summary\">\n" + totals_html(document);
  text += "<ol class=\"contents\">\n";
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Section& section = document.sections[i];
    text += fmt::format("<li><a href=\"#{}\">{}</a>\n", ids[i], inline_html(section.title));
    const auto holds =
        static_cast<int>(std::ranges::count(section.claims, Claim::Status::holds, &Claim::status));
    if (holds > 0)
      text += fmt::format(
          "<details><summary><span class=\"holds\"><span class=\"mark\">✓</span> "
          "{}</span></summary>{}</details>\n",
          counted(holds, "claim holds", "claims hold"), claims_list(section, Claim::Status::holds));
    if (holds < static_cast<int>(section.claims.size()))
      text += claims_list(section, Claim::Status::fails) + "\n";
    text += "</li>\n";
  }
  return text + "</ol>\n</nav>\n";
}

std::vector<std::string> section_ids(const Document& document) {
  std::set<std::string> taken{"summary"};
  std::vector<std::string> ids;
  for (const Section& section : document.sections) {
    const std::string wanted = section.id.empty() ? "section" : anchor(section.id);
    std::string id = wanted;
    for (int i = 2; !taken.insert(id).second; ++i) id = fmt::format("{}-{}", wanted, i);
    ids.push_back(id);
  }
  return ids;
}

}  // namespace
}  // namespace detail

std::string html(const Document& document) {
  using namespace detail;
  std::string page = page_start;
  page += "<title>" + escape_html(document.title) + "</title>\n";
  page += fmt::format("<style>\n{}</style>\n", asset("page.css"));
  page += "<noscript><style>.canvas { display: none; }</style></noscript>\n</head>\n<body>\n";
  page += header_html(document);
  const std::vector<std::string> ids = section_ids(document);
  page += summary_html(document, ids) + "<main>\n";
  for (std::size_t i = 0; i < ids.size(); ++i) page += section_html(document.sections[i], ids[i]);
  page += "</main>\n<footer>Written by taut. Plots by Chart.js (MIT licence).</footer>\n";
  page += fmt::format("<script>{}</script>\n<script>\n'use strict';\n", asset("chart.min.js"));
  for (const char* name : {"theme.js", "axes.js", "field.js", "legend.js", "plot.js", "page.js"})
    page += asset(name);
  return page + "</script>\n</body>\n</html>\n";
}

}  // namespace taut::report
