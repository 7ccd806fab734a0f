// From the file of an experiment to its parts.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "taut/experiment/reader_internal.hpp"
#include "taut/text/json_text.hpp"

namespace taut::experiment::detail {
namespace {

using io::fail;
using io::fail_found;
using io::Node;

Quantity read_quantity(const At& at, const std::string& name) {
  allow(at, {"run", "metric", "series", "minus", "take", "against", "from", "until", "level",
             "horizon", "skip", "full"});
  Quantity quantity;
  quantity.name = name;
  read(at, "run", quantity.run);
  read(at, "metric", quantity.metric);
  read(at, "series", quantity.series);
  read(at, "minus", quantity.minus);
  read(at, "take", quantity.take);
  read(at, "against", quantity.against);
  read(at, "level", quantity.level);
  read(at, "skip", quantity.skip);
  if (at.has("from")) quantity.from = value_text(at.member("from"));
  if (at.has("until")) quantity.until = value_text(at.member("until"));
  if (at.has("horizon")) {
    const At horizon = at.member("horizon");
    allow(horizon, {"scene", "perturbation", "level"});
    quantity.horizon.emplace();
    read(horizon, "scene", quantity.horizon->scene);
    read(horizon, "perturbation", quantity.horizon->perturbation);
    read(horizon, "level", quantity.horizon->level);
  } else if (quantity.run.empty() || (quantity.metric.empty() == quantity.series.empty())) {
    fail(at,
         "found an unclear quantity, expected a \"run\" and either a \"metric\" or a \"series\"");
  }
  return quantity;
}

Claim::Expected read_expected(const At& at) {
  const std::string name = text(at);
  for (const auto expected :
       {Claim::Expected::holds, Claim::Expected::fails, Claim::Expected::varies})
    if (name == report::expected_text(expected)) return expected;
  fail_found(at, "\"holds\", \"fails\" or \"varies\"",
             suggestion(name, std::array<std::string_view, 3>{"holds", "fails", "varies"}));
}

ClaimSpec read_claim(const At& at) {
  allow(at, {"text", "number", "measure", "unit", "words", "remark", "at_least", "at_most",
             "expected", "full"});
  ClaimSpec claim;
  read(at, "text", claim.text);
  read(at, "number", claim.number);
  read(at, "measure", claim.measure);
  read(at, "unit", claim.unit);
  read(at, "words", claim.words);
  read(at, "remark", claim.remark);
  read(at, "at_least", claim.at_least);
  read(at, "at_most", claim.at_most);
  if (at.has("expected")) claim.expected = read_expected(at.member("expected"));
  if (claim.text.empty()) fail(at, "found no \"text\", expected what is claimed, in words");
  if (claim.measure.empty() || (!claim.at_least && !claim.at_most))
    fail(at, "found nothing to check, expected \"measure\" and \"at_least\" or \"at_most\"");
  if (!claim.words.empty() && claim.words.size() != 2)
    fail_found(at.member("words"), "what 0 and 1 mean: [\"…\", \"…\"]");
  if (claim.expected != Claim::Expected::holds && claim.remark.empty())
    fail(at, "found no \"remark\", expected the reason why it is not expected to hold");
  return claim;
}

PlotSpec read_plot(const At& at) {
  allow(at, {"title", "caption", "x", "y", "x_label", "y_label", "runs", "log_x", "log_y",
             "reference", "points", "also", "group", "formulas", "formula_range", "marks",
             "equal_axes", "x_range", "y_range"});
  PlotSpec plot;
  plot.x = "time";
  read(at, "title", plot.title);
  read(at, "caption", plot.caption);
  read(at, "x", plot.x);
  read(at, "y", plot.y);
  read(at, "x_label", plot.x_label);
  read(at, "y_label", plot.y_label);
  read(at, "runs", plot.runs);
  read(at, "log_x", plot.log_x);
  read(at, "log_y", plot.log_y);
  read(at, "reference", plot.reference);
  read(at, "points", plot.points);
  read(at, "equal_axes", plot.equal_axes);
  read(at, "group", plot.group);
  read(at, "x_range", plot.x_range);
  read(at, "y_range", plot.y_range);
  read(at, "formula_range", plot.formula_range);
  each_member(at, "marks", "an object {label: [x, y]}", [&](const std::string& label, const At&) {
    std::optional<std::pair<double, double>> place;
    read(at.member("marks"), label, place);
    plot.marks.emplace_back(label, *place);
  });
  each_member(at, "also", "an object {label: series}",
              [&](const std::string& label, const At& series) {
                plot.also.emplace_back(label, text(series));
              });
  each_member(at, "formulas", "an object {label: expression in t}",
              [&](const std::string& label, const At& formula) {
                plot.formulas.emplace_back(label, text(formula));
              });
  if (plot.y.empty()) fail(at, "found no \"y\", expected what to draw");
  return plot;
}

PictureSpec read_picture(const At& at) {
  allow(at, {"title", "caption", "run", "from", "up"});
  PictureSpec picture;
  read(at, "title", picture.title);
  read(at, "caption", picture.caption);
  read(at, "run", picture.run);
  if (picture.run.empty()) fail(at, "found no \"run\", expected the run to draw");
  const auto read_vector = [&](const char* key, Vec3& vector) {
    if (!at.has(key)) return;
    const At list = at.member(key);
    if (!list->items() || list->items()->size() != 3) fail_found(list, "[x, y, z]");
    for (std::size_t i = 0; i < 3; ++i) vector[static_cast<Eigen::Index>(i)] = number(list.item(i));
  };
  read_vector("from", picture.from);
  read_vector("up", picture.up);
  const double aside = picture.from.cross(picture.up).norm();
  if (!(aside > 1e-6 * picture.from.norm() * picture.up.norm()))
    fail_found(at.has("from") ? at.member("from") : at, "a place beside the scene");
  return picture;
}

TableSpec read_table(const At& at) {
  allow(at, {"caption", "runs", "columns", "labels"});
  TableSpec table;
  read(at, "caption", table.caption);
  read(at, "runs", table.runs);
  read(at, "columns", table.columns);
  each_member(at, "labels", "an object {column: label}",
              [&](const std::string& column, const At& label) {
                table.labels.emplace(column, text(label));
              });
  return table;
}

RegionSpec read_region(const At& at) {
  allow(at, {"title", "caption", "alpha_to", "beta_to", "cells"});
  RegionSpec region;
  read(at, "title", region.title);
  read(at, "caption", region.caption);
  read(at, "alpha_to", region.alpha_to);
  read(at, "beta_to", region.beta_to);
  double cells = region.cells;
  read(at, "cells", cells);
  region.cells = static_cast<int>(cells);
  return region;
}

/// Whether an expression uses the name, as a word of its own.
bool mentions(std::string_view expression, std::string_view name) {
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (auto at = expression.find(name); at != expression.npos; at = expression.find(name, at + 1)) {
    const auto end = at + name.size();
    if ((at == 0 || !is_letter(expression[at - 1])) &&
        (end == expression.size() || !is_letter(expression[end])))
      return true;
  }
  return false;
}

/// Times depend on the machine and on what else it does: no such claim holds everywhere.
void expect_no_times(Experiment& experiment) {
  std::vector<std::string> times{"cpu_seconds", "us_per_step"};
  const auto is_time = [&](std::string_view expression) {
    return std::any_of(times.begin(), times.end(),
                       [&](const std::string& time) { return mentions(expression, time); });
  };
  for (const auto& [name, expression] : experiment.metrics)
    if (is_time(expression)) times.push_back(name);
  for (const Quantity& quantity : experiment.quantities)
    if (is_time(quantity.metric)) times.push_back(quantity.name);
  for (ClaimSpec& claim : experiment.claims)
    if (claim.expected == Claim::Expected::holds && is_time(claim.measure))
      claim.expected = Claim::Expected::varies;
}

}  // namespace

Experiment read_experiment(const std::string& content, const std::string& origin, Extent extent) {
  const Node tree = io::parse_json(content, origin);
  const At root(tree, origin);
  allow(root, {"experiment", "id", "source", "title", "description", "seconds", "choices", "runs",
               "plots", "pictures", "tables", "regions", "metrics", "quantities", "claims"});
  if (!root.has("experiment") || number(root.member("experiment")) != 1)
    fail(root, "found no \"experiment\": 1, expected the version of the format");
  Experiment experiment;
  read(root, "id", experiment.id);
  read(root, "source", experiment.source);
  read(root, "title", experiment.title);
  read(root, "description", experiment.description);
  read(root, "seconds", experiment.seconds);
  each_member(root, "choices", "an object {what was chosen: how}",
              [&](const std::string& name, const At& choice) {
                experiment.choices.emplace_back(name, text(choice));
              });
  each(root, "runs", [&](const At& at) {
    if (!is_left_out(at, extent)) read_runs(at, experiment.runs);
  });
  each(root, "plots", [&](const At& at) { experiment.plots.push_back(read_plot(at)); });
  each(root, "pictures", [&](const At& at) { experiment.pictures.push_back(read_picture(at)); });
  each_member(root, "metrics", "an object {name: expression}",
              [&](const std::string& name, const At& expression) {
                experiment.metrics.emplace_back(name, text(expression));
              });
  each(root, "tables", [&](const At& at) { experiment.tables.push_back(read_table(at)); });
  each(root, "regions", [&](const At& at) { experiment.regions.push_back(read_region(at)); });
  each_member(root, "quantities", "an object {name: quantity}",
              [&](const std::string& name, const At& at) {
                if (!is_left_out(at, extent))
                  experiment.quantities.push_back(read_quantity(at, name));
              });
  each(root, "claims", [&](const At& at) {
    if (!is_left_out(at, extent)) experiment.claims.push_back(read_claim(at));
  });
  expect_no_times(experiment);
  return experiment;
}

}  // namespace taut::experiment::detail
