// One entry of "runs" in an experiment's file: lists in it stand for several runs.
#include <fmt/core.h>

#include <cstdlib>
#include <functional>

#include "taut/experiment/reader_internal.hpp"

namespace taut::experiment::detail {
namespace {

using io::fail;
using io::fail_found;
using io::Node;

/// Something that may be a list: there is one run with each of its values.
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

/// "=alpha" gives an option the value of another one, "=alpha/2" half of it. The permitted level is
/// known by the name of its metric.
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

}  // namespace

void read_runs(const At& at, std::vector<RunSpec>& out) {
  allow(at,
        {"id", "label", "scene", "method", "options", "set", "step", "duration", "best_by", "truth",
         "timed", "full", "start", "halvings", "solver", "contact_solver", "permit", "beside"});
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
  read(at, "timed", run.is_timed);
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
  if (at.has("contact_solver"))
    axes.push_back(axis(at.member("contact_solver"), "contact_solver",
                        [](RunSpec& r, const std::string& value) { r.contact_solver = value; }));
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
  each_member(at, "beside", "an object {option: value}",
              [&](const std::string& name, const At& value) {
                run.beside.push_back({name, value_text(value)});
              });
  each_member(at, "set", "an object {parameter: value}",
              [&](const std::string& name, const At& value) {
                axes.push_back(axis(value, name, [=](RunSpec& r, const std::string& given) {
                  r.settings.push_back({name, worked_out(r, given)});
                }));
              });
  each_member(at, "options", "an object {option: value}",
              [&](const std::string& name, const At& value) {
                axes.push_back(axis(value, name, [=](RunSpec& r, const std::string& given) {
                  r.options.push_back({name, worked_out(r, given)});
                }));
              });
  spread(out, run, axes, 0);
}

}  // namespace taut::experiment::detail
