#include "taut/sweep/case_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "taut/analysis/verify.hpp"
#include "taut/base/error.hpp"
#include "taut/record/output.hpp"
#include "taut/record/run_output.hpp"
#include "taut/scene/method_plan.hpp"
#include "taut/scene/reference_track.hpp"
#include "taut/sweep/measure.hpp"
#include "taut/text/json.hpp"
#include "taut/text/json_text.hpp"

namespace taut::sweep {
namespace {

constexpr double usual_tolerance = 1e-6;
constexpr int most_measured = 5000;  // rows: of larger scenes, forces are worth less than they cost

double number(const std::string& text, const char* option) {
  double value = NAN;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value > 0) ||
      !std::isfinite(value))
    throw Error(fmt::format("{}: found \"{}\", expected a number > 0", option, text));
  return value;
}

io::Scene scene_of(const Plan& plan, const Case& of) {
  io::Scene scene = io::load_scene(plan.scene, of.settings);
  for (const std::string& text : plan.sensors) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == text.npos || equals + 1 == text.size())
      throw Error(fmt::format("--sensor: found \"{}\", expected NAME=FORMULA", text));
    const std::string name = text.substr(0, equals);
    try {
      scene.sensors.add(scene.system, {name, text.substr(equals + 1)}, io::constants_of(scene));
    } catch (const Error& error) {
      throw Error(fmt::format("--sensor {}: {}", name, error.what()));
    }
  }
  return scene;
}

RunOptions options_of(const Plan& plan, const Case& of, const io::Scene& scene) {
  RunOptions options;
  options.duration = plan.duration.value_or(scene.duration);
  options.record_every = scene.record_every;
  options.step = of.step.empty() ? scene.step : of.step == "auto" ? 0 : number(of.step, "--step");
  if (plan.tolerance && of.step.empty()) options.step = 0;
  options.tolerance = options.step > 0 ? 0 : plan.tolerance.value_or(usual_tolerance);
  options.record_interval = scene.step * static_cast<double>(scene.record_every);
  options.start = scene.start;
  options.reactions = scene.system.row_count() <= most_measured;
  options.reference = io::reference_track(scene);
  return options;
}

std::vector<std::string> sensor_names(const io::Scene& scene) {
  std::vector<std::string> names;
  for (const Sensor& sensor : scene.sensors.sensors()) names.push_back(sensor.name);
  return names;
}

std::vector<Measure> measures_of(const Plan& plan, const std::vector<std::string>& sensors) {
  std::vector<Measure> measures;
  for (const std::string& text : plan.measures.empty() ? usual_measures(sensors) : plan.measures)
    measures.push_back(parse_measure(text, sensors));
  return measures;
}

/// A sensor at one time.
struct Moment {
  const Measure* measure;
  std::size_t sensor;
  double before = NAN, value_before = NAN;
  double value = NAN;

  void see(double time, double now) {
    if (std::isnan(value) && time >= measure->time - 1e-9 * (1 + std::abs(time)))
      value =
          std::isnan(before) || time <= measure->time
              ? (time <= measure->time + 1e-9 * (1 + std::abs(time)) ? now : NAN)
              : value_before + (now - value_before) * (measure->time - before) / (time - before);
    before = time;
    value_before = now;
  }
};

std::string number_cell(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string cell_of(const Measure& measure, const RunReport& report, const io::Node& json,
                    const std::vector<Moment>& moments) {
  if (measure.kind == Measure::Kind::report) {
    try {
      return value_at(json, measure.name);
    } catch (const Error&) {  // known to check(), and there is none in this run
      return "";
    }
  }
  if (measure.kind == Measure::Kind::at) {
    for (const Moment& moment : moments)
      if (moment.measure == &measure) return number_cell(moment.value);
    return "";
  }
  for (const RunReport::SensorSummary& sensor : report.sensors) {
    if (sensor.name != measure.name) continue;
    return number_cell(measure.kind == Measure::Kind::least     ? sensor.least
                       : measure.kind == Measure::Kind::largest ? sensor.largest
                                                                : sensor.final);
  }
  return "";
}

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Cases whose scene can be made, of the first, the last and the one between. Where none can,
/// something is wrong with the sweep: throws what is wrong with the first.
std::vector<Case> good_cases(const Plan& plan) {
  const std::vector<Case> cases = cases_of(plan);
  std::vector<Case> good;
  std::string wrong;
  for (const std::size_t i : std::set{std::size_t{0}, cases.size() / 2, cases.size() - 1}) {
    try {
      scene_of(plan, cases[i]);
      good.push_back(cases[i]);
    } catch (const Error& error) {
      if (wrong.empty()) wrong = error.what();
    }
  }
  if (good.empty()) throw Error(wrong);
  return good;
}

/// A report that has all that one may have, whatever happens in a run: its numbers mean nothing.
/// What contacts and texts it lists, only a run knows.
io::Node possible_report(const Plan& plan, const io::Scene& scene, const Case& of) {
  RunOptions options = options_of(plan, of, scene);
  const io::MethodPlan method = io::plan_method(
      scene, of.method, options.step > 0 ? options.step : scene.step, options.duration);
  options.duration = 1e-6 * std::min(options.duration, scene.step);
  if (options.step > 0) options.step = options.duration;
  options.record_interval = options.duration;
  options.reactions = true;
  io::RunOutput output(scene, std::string(method.info->name), {}, 60, options);
  RunReport report = simulate(scene.system, scene.system.initial_state(), *method.make(), options);
  report.sensors = output.sensors();
  report.constraint_error.worst = "?";
  if (report.rate_error) report.rate_error->worst = "?";
  report.active_limits.most = 1;
  report.activation.count = 1;
  report.activation.times = {0};
  report.impacts.count = 1;
  report.contacts.most = 1;
  report.events.fill(1);
  if (plan.verify) report.verification.emplace();
  report.estimated_error = 0;
  return io::parse_json(io::report_json(scene, method.info->name, report), "the report");
}

bool is_list_of_a_run(const std::string& way) {
  for (const std::string_view list :
       {"contacts.pairs", "contacts.slip", "doubts", "findings", "remarks", "warnings"})
    if (way == list || way.starts_with(std::string(list) + ".")) return true;
  return false;
}

/// Names that no report of these cases has are mistyped.
void require_known(const Plan& plan, const std::vector<Case>& cases,
                   const std::vector<Measure>& measures) {
  std::vector<io::Node> reports;
  for (const Case& each : cases) {
    try {
      reports.push_back(possible_report(plan, scene_of(plan, each), each));
    } catch (const Error&) {  // will be the reason in its row
    }
  }
  for (const Measure& measure : measures) {
    if (measure.kind != Measure::Kind::report || is_list_of_a_run(measure.name)) continue;
    std::string wrong;
    for (const io::Node& report : reports) {
      try {
        value_at(report, measure.name);
        wrong.clear();
        break;
      } catch (const Error& error) {
        if (wrong.empty()) wrong = error.what();
      }
    }
    if (!wrong.empty()) throw Error(wrong);
  }
}

std::vector<std::string> labels(const Plan& plan) {
  if (!plan.measures.empty()) {
    std::vector<std::string> names;
    for (const std::string& text : plan.measures) {
      const std::size_t equals = text.find('=');
      names.push_back(equals == text.npos ? text : text.substr(0, equals));
    }
    return names;
  }
  const io::Scene scene = scene_of(plan, good_cases(plan).front());
  return usual_measures(sensor_names(scene));
}

}  // namespace

std::vector<std::string> result_columns(const Plan& plan) {
  std::vector<std::string> columns{"status", "verdict"};
  for (const std::string& label : labels(plan)) columns.push_back(label);
  columns.push_back("reason");
  return columns;
}

void check(const Plan& plan) {
  const std::vector<Case> good = good_cases(plan);
  const Case& any = good.front();
  const io::Scene scene = scene_of(plan, any);
  const std::vector<Measure> measures = measures_of(plan, sensor_names(scene));
  for (const std::string& step : plan.steps)
    if (step != "auto") number(step, "--step");
  const double step =
      plan.steps.empty() || any.step == "auto" ? scene.step : number(any.step, "--step");
  std::vector<std::string> methods = plan.methods;
  if (methods.empty()) methods.emplace_back();
  for (const std::string& method : methods)
    io::plan_method(scene, method, step, plan.duration.value_or(scene.duration));
  if (!plan.measures.empty()) require_known(plan, good, measures);
}

std::vector<std::string> run_case(const Plan& plan, const Case& of) {
  const io::Scene scene = scene_of(plan, of);
  RunOptions options = options_of(plan, of, scene);
  const std::vector<Measure> measures = measures_of(plan, sensor_names(scene));
  const io::MethodPlan method = io::plan_method(
      scene, of.method, options.step > 0 ? options.step : scene.step, options.duration);
  io::RunOutput output(scene, std::string(method.info->name), {}, 60, options);
  std::vector<Moment> moments;
  for (const Measure& measure : measures)
    if (measure.kind == Measure::Kind::at)
      moments.push_back({&measure, static_cast<std::size_t>(scene.sensors.find(measure.name))});
  output.watch_sensors([&](double time, const std::vector<double>& values) {
    for (Moment& moment : moments) moment.see(time, values[moment.sensor]);
  });
  const State start = scene.system.initial_state();
  RunReport report = plan.verify ? simulate_verified(
                                       scene.system, start, [&] { return method.make(); }, options)
                                 : simulate(scene.system, start, *method.make(), options);
  report.sensors = output.sensors();
  const io::Node json =
      io::parse_json(io::report_json(scene, method.info->name, report), "the report");
  std::vector<std::string> cells{std::string(status_text(report.status)),
                                 std::string(verdict_text(report))};
  for (const Measure& measure : measures) cells.push_back(cell_of(measure, report, json, moments));
  std::string reason = report.reason;
  if (reason.empty() && !report.doubts.empty()) reason = report.doubts.front();
  cells.push_back(on_one_line(reason));
  return cells;
}

std::vector<std::string> failed_row(const Plan& plan, const std::string& reason) {
  std::vector<std::string> cells{"failed", ""};
  cells.resize(result_columns(plan).size());
  cells.back() = on_one_line(reason);
  return cells;
}

}  // namespace taut::sweep
