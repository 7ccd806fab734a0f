#include <fmt/core.h>

#include "taut/report/escape_internal.hpp"
#include "taut/report/html_internal.hpp"

namespace taut::report::detail {
namespace {

std::string claims_html(const std::vector<Claim>& claims) {
  if (claims.empty()) return "";
  std::string rows;
  for (const Claim& claim : claims) {
    const auto note = [](std::string_view kind, const std::string& text) {
      return text.empty() ? "" : fmt::format("<div class=\"{}\">{}</div>", kind, inline_html(text));
    };
    std::string below = note("number", claim.number.empty() ? "" : "Measured: " + claim.number);
    if (claim.expected == Claim::Expected::fails)
      below += note("remark", "Known to fail: " + claim.remark);
    else
      below += note("remark", claim.remark);
    if (!claim.is_as_expected())
      below += note("surprise", claim.status == Claim::Status::fails
                                    ? "Not expected: this claim held before."
                                    : "Not expected: this claim failed before.");
    rows += fmt::format(
        R"(<tr class="{0}"><td class="status"><span class="badge {0}">{1} {0}</span></td>)"
        R"(<th scope="row">{2}{3}</th><td data-label="required">{4}</td>)"
        R"(<td data-label="measured">{5}</td></tr>)"
        "\n",
        status_text(claim.status), status_sign(claim.status), inline_html(claim.text), below,
        inline_html(claim.required), inline_html(claim.measured));
  }
  return R"(<table class="claims"><thead><tr><th scope="col">status</th><th scope="col">claim</th>)"
         R"(<th scope="col">required</th><th scope="col">measured</th></tr></thead><tbody>)"
         "\n" +
         rows + "</tbody></table>\n";
}

std::string plot_html(const Plot& plot) {
  const std::string caption =
      plot.caption.empty() ? "" : "<figcaption>" + inline_html(plot.caption) + "</figcaption>\n";
  const std::string title = escape_html(plot.title);
  return fmt::format(R"(<figure class="plot{}">
<h3>{}</h3>
<div class="canvas"><canvas role="img" aria-label="{}"></canvas></div>
<noscript><p class="noscript">This plot is drawn by JavaScript, which is switched off.</p></noscript>
{}<script type="application/json">{}</script>
</figure>
)",
                     plot.equal_axes ? " equal" : "", inline_html(plot.title),
                     title.empty() ? "plot" : title, caption, plot_json(plot));
}

std::string table_html(const Table& table) {
  std::string text = "<div class=\"wide\"><table class=\"data\">\n";
  if (!table.caption.empty()) text += "<caption>" + inline_html(table.caption) + "</caption>\n";
  text += "<thead><tr>";
  for (const std::string& column : table.columns)
    text += "<th scope=\"col\">" + inline_html(column) + "</th>";
  text += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += (i == 0 ? "<th scope=\"row\">" : "<td>") + inline_html(row[i]) +
              (i == 0 ? "</th>" : "</td>");
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string settings_html(const Section& section) {
  if (section.settings.empty()) return "";
  std::string rows;
  for (const auto& [name, value] : section.settings)
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", inline_html(name),
                        inline_html(value));
  return "<details><summary>Settings and runs</summary>\n<div class=\"wide\"><table "
         "class=\"settings\">"
         "<tbody>\n" +
         rows + "</tbody></table></div></details>\n";
}

std::string duration(double seconds) {
  if (seconds < 0.1) return "under 0.1 s";
  return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 1 : 0);
}

}  // namespace

std::string section_html(const Section& section, const std::string& id) {
  std::string text = fmt::format("<section id=\"{}\">\n<h2><a href=\"#{}\">{}</a></h2>\n", id, id,
                                 inline_html(section.title));
  text += "<p class=\"source\">";
  if (!section.source.empty()) text += inline_html(section.source) + " · ";
  text += fmt::format("<code>{}</code> · computed in {}</p>\n", escape_html(section.id),
                      duration(section.seconds));
  text += "<div class=\"description\">" + paragraphs_html(section.description) + "</div>\n";
  text += claims_html(section.claims);
  if (!section.plots.empty()) {
    text += "<div class=\"plots\">\n";
    for (const Plot& plot : section.plots) text += plot_html(plot);
    text += "</div>\n";
  }
  if (!section.pictures.empty()) {
    text += "<div class=\"plots\">\n";
    for (const Picture& picture : section.pictures) text += picture_html(picture);
    text += "</div>\n";
  }
  for (const Table& table : section.tables) text += table_html(table);
  return text + settings_html(section) + "</section>\n";
}

}  // namespace taut::report::detail
