// From the file of an experiment to its parts. Every message says where in the file.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "taut/experiment/experiment_internal.hpp"
#include "taut/text/at.hpp"
#include "taut/text/json_text.hpp"

namespace taut::report::detail {
namespace {

using io::At;
using io::fail;
using io::fail_found;
using io::Node;

void allow(const At& at, std::initializer_list<std::string_view> keys) {
  if (!at->members()) fail_found(at, "an object {…}");
  for (const Node::Member& member : *at->members())
    if (std::find(keys.begin(), keys.end(), member.first) == keys.end())
      fail(at, fmt::format("found the unknown key \"{}\"{}", member.first,
                           suggestion(member.first, std::span(keys.begin(), keys.size()))));
}

std::string text(const At& at) {
  if (!at->text()) fail_found(at, "a string");
  return *at->text();
}
double number(const At& at) {
  if (!at->number()) fail_found(at, "a number");
  return *at->number();
}

/// A number or a word, as text: values of options and settings.
std::string value_text(const At& at) {
  if (at->text()) return *at->text();
  return fmt::format("{}", number(at));
}

// Members that may be missing keep what is there.
void read(const At& at, std::string_view key, std::string& out) {
  if (at.has(key)) out = text(at.member(key));
}
void read(const At& at, std::string_view key, double& out) {
  if (at.has(key)) out = number(at.member(key));
}
void read(const At& at, std::string_view key, std::optional<double>& out) {
  if (at.has(key)) out = number(at.member(key));
}
void read(const At& at, std::string_view key, bool& out) {
  if (!at.has(key)) return;
  const At member = at.member(key);
  if (!member->boolean()) fail_found(member, "true or false");
  out = *member->boolean();
}
void read(const At& at, std::string_view key, std::vector<std::string>& out) {
  if (!at.has(key)) return;
  const At member = at.member(key);
  if (!member->items()) {
    out = {text(member)};
    return;
  }
  for (std::size_t i = 0; i < member->items()->size(); ++i) out.push_back(text(member.item(i)));
}
void read(const At& at, std::string_view key, std::optional<std::pair<double, double>>& out) {
  if (!at.has(key)) return;
  const At member = at.member(key);
  if (!member->items() || member->items()->size() != 2) fail_found(member, "[from, to]");
  out = {number(member.item(0)), number(member.item(1))};
}

template <class Visit>
void each(const At& at, std::string_view key, const Visit& visit) {
  if (!at.has(key)) return;
  const At list = at.member(key);
  if (!list->items()) fail_found(list, "an array […]");
  for (std::size_t i = 0; i < list->items()->size(); ++i) visit(list.item(i));
}

/// Something that may be a list: the run is taken once with each of its values.
struct Axis {
  std::string name;  // what {name} in ids and labels stands for
  std::vector<std::string> values;
  std::function<void(RunSpec&, const std::string&)> set;
};

Axis axis(const At& at, std::string name, std::function<void(RunSpec&, const std::string&)> set) {
  Axis axis{std::move(name), {}, std::move(set)};
  if (at->items()) {
    for (std::size_t i = 0; i < at->items()->size(); ++i)
      axis.values.push_back(value_text(at.item(i)));
  } else {
    axis.values = {value_text(at)};
  }
  return axis;
}

std::string replaced(std::string text, const std::string& name, const std::string& value) {
  const std::string hole = "{" + name + "}";
  for (std::size_t at; (at = text.find(hole)) != std::string::npos;)
    text.replace(at, hole.size(), value);
  return text;
}

void spread(std::vector<RunSpec>& out, RunSpec run, const std::vector<Axis>& axes,
            std::size_t next) {
  if (next == axes.size()) {
    if (run.label.empty()) run.label = run.id;
    out.push_back(std::move(run));
    return;
  }
  for (const std::string& value : axes[next].values) {
    RunSpec with = run;
    axes[next].set(with, value);
    with.id = replaced(with.id, axes[next].name, value);
    with.label = replaced(with.label, axes[next].name, value);
    spread(out, std::move(with), axes, next + 1);
  }
}

/// "=alpha" gives an option the value of another one, "=alpha/2" half of it. What is permitted has
/// the name of its metric.
std::string worked_out(const RunSpec& run, const std::string& value) {
  if (!value.starts_with('=')) return value;
  std::map<std::string, double> known;
  if (!run.permit.empty()) known[run.permit] = run.permitted;
  const auto add = [&](const std::string& name, const std::string& text) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end != text.c_str() && *end == '\0') known[name] = number;
  };
  for (const OptionValue& option : run.options) add(option.name, option.value);
  for (const io::Setting& setting : run.settings) add(setting.key, setting.value);
  return fmt::format("{}", evaluate(value, known));
}

void read_run(const At& at, std::vector<RunSpec>& out) {
  allow(at, {"id", "label", "scene", "method", "options", "set", "step", "duration", "best_by",
             "truth", "waits", "start", "halvings", "solver", "permit", "beside"});
  RunSpec run;
  run.id = "{method}";
  read(at, "id", run.id);
  read(at, "label", run.label);
  read(at, "best_by", run.best_by);
  read(at, "start", run.start);
  if (!run.start.empty() && run.start != "settle" && run.start != "as_is")
    fail_found(at.member("start"), "\"settle\" or \"as_is\"");
  double halvings = run.halvings;
  read(at, "halvings", halvings);
  run.halvings = static_cast<int>(halvings);
  read(at, "truth", run.is_truth);
  read(at, "waits", run.waits);
  if (!at.has("scene")) fail(at, "found no \"scene\", expected the name of a scene");
  if (!at.has("method")) fail(at, "found no \"method\", expected a method or a list of them");

  std::vector<Axis> axes;
  axes.push_back(axis(at.member("scene"), "scene",
                      [](RunSpec& r, const std::string& value) { r.scene = value; }));
  axes.push_back(axis(at.member("method"), "method",
                      [](RunSpec& r, const std::string& value) { r.method = value; }));
  for (const char* key : {"step", "duration"}) {
    if (!at.has(key)) continue;
    double RunSpec::*member = std::string_view(key) == "step" ? &RunSpec::step : &RunSpec::duration;
    const At place = at.member(key);
    axes.push_back(axis(place, key, [=](RunSpec& r, const std::string& value) {
      r.*member = evaluate(value, {});
    }));
  }
  if (at.has("solver"))
    axes.push_back(axis(at.member("solver"), "solver",
                        [](RunSpec& r, const std::string& value) { r.solver = value; }));
  if (at.has("permit")) {
    const At permit = at.member("permit");
    if (!permit->members() || permit->members()->size() != 1)
      fail_found(permit, "an object {metric: most}");
    const std::string name = permit->members()->front().first;
    axes.push_back(axis(permit.member(name), name, [=](RunSpec& r, const std::string& value) {
      r.permit = name;
      r.permitted = evaluate(value, {});
    }));
  }
  if (at.has("beside")) {
    const At beside = at.member("beside");
    if (!beside->members()) fail_found(beside, "an object {option: value}");
    for (const Node::Member& member : *beside->members())
      run.beside.push_back({member.first, value_text(beside.member(member.first))});
  }
  for (const char* key : {"set", "options"}) {
    if (!at.has(key)) continue;
    const At members = at.member(key);
    if (!members->members()) fail_found(members, "an object {…}");
    for (const Node::Member& member : *members->members()) {
      const std::string name = member.first;
      const bool option = std::string_view(key) == "options";
      axes.push_back(axis(members.member(name), name, [=](RunSpec& r, const std::string& value) {
        const std::string given = worked_out(r, value);
        if (option)
          r.options.push_back({name, given});
        else
          r.settings.push_back({name, given});
      }));
    }
  }
  spread(out, run, axes, 0);
}

Quantity read_quantity(const At& at, const std::string& name) {
  allow(at, {"run", "metric", "series", "minus", "take", "against", "from", "until", "level",
             "horizon", "skip"});
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

ClaimSpec read_claim(const At& at) {
  allow(at, {"text", "measure", "unit", "remark", "at_least", "at_most", "waits_for"});
  ClaimSpec claim;
  read(at, "text", claim.text);
  read(at, "measure", claim.measure);
  read(at, "unit", claim.unit);
  read(at, "remark", claim.remark);
  read(at, "at_least", claim.at_least);
  read(at, "at_most", claim.at_most);
  read(at, "waits_for", claim.waits_for);
  if (claim.text.empty()) fail(at, "found no \"text\", expected what is claimed, in words");
  if (claim.measure.empty() || (!claim.at_least && !claim.at_most))
    fail(at, "found nothing to check, expected \"measure\" and \"at_least\" or \"at_most\"");
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
  if (at.has("marks")) {
    const At marks = at.member("marks");
    if (!marks->members()) fail_found(marks, "an object {label: [x, y]}");
    for (const Node::Member& member : *marks->members()) {
      std::optional<std::pair<double, double>> place;
      read(marks, member.first, place);
      plot.marks.emplace_back(member.first, *place);
    }
  }
  if (at.has("also")) {
    const At also = at.member("also");
    if (!also->members()) fail_found(also, "an object {label: series}");
    for (const Node::Member& member : *also->members())
      plot.also.emplace_back(member.first, text(also.member(member.first)));
  }
  if (at.has("formulas")) {
    const At formulas = at.member("formulas");
    if (!formulas->members()) fail_found(formulas, "an object {label: expression in t}");
    for (const Node::Member& member : *formulas->members())
      plot.formulas.emplace_back(member.first, text(formulas.member(member.first)));
  }
  if (plot.y.empty()) fail(at, "found no \"y\", expected what to draw");
  return plot;
}

PictureSpec read_picture(const At& at) {
  allow(at, {"title", "caption", "run", "from"});
  PictureSpec picture;
  read(at, "title", picture.title);
  read(at, "caption", picture.caption);
  read(at, "run", picture.run);
  if (picture.run.empty()) fail(at, "found no \"run\", expected the run to draw");
  if (at.has("from")) {
    const At from = at.member("from");
    if (!from->items() || from->items()->size() != 3) fail_found(from, "[x, y, z]");
    for (std::size_t i = 0; i < 3; ++i)
      picture.from[static_cast<Eigen::Index>(i)] = number(from.item(i));
    const double aside = std::hypot(picture.from.x(), picture.from.z());
    if (!(aside > 1e-6 * std::abs(picture.from.y()))) fail_found(from, "a place beside the scene");
  }
  return picture;
}

}  // namespace

Experiment read_experiment(const std::string& content, const std::string& origin) {
  const Node tree = io::parse_json(content, origin);
  const At root(tree, origin);
  allow(root, {"experiment", "id", "source", "title", "description", "choices", "runs", "plots",
               "pictures", "tables", "regions", "metrics", "quantities", "claims", "serial"});
  if (!root.has("experiment") || number(root.member("experiment")) != 1)
    fail(root, "found no \"experiment\": 1, expected the version of the format");
  Experiment experiment;
  read(root, "id", experiment.id);
  read(root, "source", experiment.source);
  read(root, "title", experiment.title);
  read(root, "description", experiment.description);
  read(root, "serial", experiment.serial);
  if (root.has("choices")) {
    const At choices = root.member("choices");
    if (!choices->members()) fail_found(choices, "an object {what was chosen: how}");
    for (const Node::Member& member : *choices->members())
      experiment.choices.emplace_back(member.first, text(choices.member(member.first)));
  }
  each(root, "runs", [&](const At& at) { read_run(at, experiment.runs); });
  each(root, "plots", [&](const At& at) { experiment.plots.push_back(read_plot(at)); });
  each(root, "pictures", [&](const At& at) { experiment.pictures.push_back(read_picture(at)); });
  if (root.has("metrics")) {
    const At metrics = root.member("metrics");
    if (!metrics->members()) fail_found(metrics, "an object {name: expression}");
    for (const Node::Member& member : *metrics->members())
      experiment.metrics.emplace_back(member.first, text(metrics.member(member.first)));
  }
  each(root, "tables", [&](const At& at) {
    allow(at, {"caption", "runs", "columns", "labels"});
    TableSpec table;
    read(at, "caption", table.caption);
    read(at, "runs", table.runs);
    read(at, "columns", table.columns);
    if (at.has("labels")) {
      const At labels = at.member("labels");
      if (!labels->members()) fail_found(labels, "an object {column: label}");
      for (const Node::Member& member : *labels->members())
        table.labels.emplace(member.first, text(labels.member(member.first)));
    }
    experiment.tables.push_back(std::move(table));
  });
  each(root, "regions", [&](const At& at) {
    allow(at, {"title", "caption", "alpha_to", "beta_to", "cells"});
    RegionSpec region;
    read(at, "title", region.title);
    read(at, "caption", region.caption);
    read(at, "alpha_to", region.alpha_to);
    read(at, "beta_to", region.beta_to);
    double cells = region.cells;
    read(at, "cells", cells);
    region.cells = static_cast<int>(cells);
    experiment.regions.push_back(std::move(region));
  });
  if (root.has("quantities")) {
    const At quantities = root.member("quantities");
    if (!quantities->members()) fail_found(quantities, "an object {name: quantity}");
    for (const Node::Member& member : *quantities->members())
      experiment.quantities.push_back(read_quantity(quantities.member(member.first), member.first));
  }
  each(root, "claims", [&](const At& at) { experiment.claims.push_back(read_claim(at)); });
  return experiment;
}

}  // namespace taut::report::detail
