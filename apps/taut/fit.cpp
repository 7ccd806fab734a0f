// taut fit: a scene's parameters from what was measured.
#include "taut/derivatives/fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "interrupt.hpp"
#include "progress_bar.hpp"
#include "run_plan.hpp"
#include "taut/base/error.hpp"
#include "taut/base/version.hpp"
#include "taut/derivatives/scene_family.hpp"
#include "taut/text/json.hpp"
#include "text_table.hpp"

namespace taut::cli {
namespace {

struct FitArguments {
  SceneArguments scene;
  std::string measured, method, start, out;
  std::vector<std::string> vary, deviations;
  std::optional<double> step;
  int max_iterations = 50;
  bool json = false, quiet = false;
};

/// name=value, of --deviation.
std::vector<double> deviations_of(const std::vector<std::string>& texts,
                                  const MeasuredTable& table) {
  std::vector<double> out(table.columns.size(), 0);
  std::vector<std::string_view> names(table.columns.begin(), table.columns.end());
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos)
      throw Error(fmt::format("--deviation: found \"{}\", expected column=value", text));
    const std::string name = text.substr(0, equals);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw Error(
          fmt::format("--deviation: there is no column \"{}\"{}", name, suggestion(name, names)));
    const double value = read_step(text.substr(equals + 1), "--deviation");
    require_positive(value, "--deviation");
    out[static_cast<std::size_t>(found - names.begin())] = value;
  }
  return out;
}

/// A bound as name=low:high, either side of which may be missing; else the name alone.
struct Varied {
  std::string name;
  double min = -INFINITY, max = INFINITY;
};
Varied varied(const std::string& text) {
  const std::size_t equals = text.find('=');
  Varied out{text.substr(0, equals)};
  if (equals == std::string::npos) return out;
  const std::string range = text.substr(equals + 1);
  const std::size_t colon = range.find(':');
  const auto number = [&](const std::string& side, double none) {
    if (side.empty()) return none;
    try {
      std::size_t used = 0;
      const double value = std::stod(side, &used);
      if (used == side.size() && std::isfinite(value)) return value;
    } catch (const std::exception&) {
    }
    throw Error(fmt::format("--vary: found \"{}\", expected name or name=low:high", text));
  };
  if (colon == std::string::npos)
    throw Error(fmt::format("--vary: found \"{}\", expected name or name=low:high", text));
  out.min = number(range.substr(0, colon), -INFINITY);
  out.max = number(range.substr(colon + 1), INFINITY);
  if (!(out.min < out.max))
    throw Error(fmt::format("--vary: found \"{}\", expected low < high", text));
  return out;
}

/// Columns that are no sensors of the scene are quantities: "bob.x".
void add_columns(io::Scene& scene, const MeasuredTable& table) {
  for (const std::string& column : table.columns) {
    const auto& sensors = scene.sensors.sensors();
    if (std::any_of(sensors.begin(), sensors.end(),
                    [&](const Sensor& sensor) { return sensor.name == column; }))
      continue;
    try {
      scene.sensors.add(scene.system, {column, column}, io::constants_of(scene));
    } catch (const Error& error) {
      throw Error(fmt::format(
          "the column \"{0}\" is no sensor of the scene (--sensor {0}=FORMULA makes one), and as a "
          "formula: {1}",
          column, error.what()));
    }
  }
}

std::string short_number(double value) { return fmt::format("{:.6g}", value); }

void print_text(const io::Scene& scene, std::string_view method, const FitResult& result) {
  fmt::print("Fit of {} with {}: {}, {} iterations\n\n", scene.name, method,
             status_text(result.status), result.iterations);
  TextTable table;
  table.left("parameter").right("start").right("fitted").right("± standard error").left("bounds");
  for (const FitParameter& one : result.parameters) {
    std::string bounds;
    if (std::isfinite(one.min) || std::isfinite(one.max))
      bounds = fmt::format("{} to {}", std::isfinite(one.min) ? short_number(one.min) : "-",
                           std::isfinite(one.max) ? short_number(one.max) : "-");
    table.row({one.name, short_number(one.start), fmt::format("{:.8g}", one.value),
               std::isfinite(one.error) ? fmt::format("{:.2g}", one.error) : "unknown",
               one.is_at_bound ? bounds + " (reached)" : bounds});
  }
  fmt::print("{}\n", table.text("  "));
  TextTable columns;
  columns.left("measured").right("values").right("rms left");
  for (const FitColumn& column : result.columns)
    columns.row({column.name, std::to_string(column.count), fmt::format("{:.4g}", column.rms)});
  fmt::print("{}\n", columns.text("  "));
  const std::size_t count = result.parameters.size();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Eigen::Index a = static_cast<Eigen::Index>(i), b = static_cast<Eigen::Index>(j);
      const double size = std::sqrt(result.covariance(a, a) * result.covariance(b, b));
      const double correlation = size > 0 ? result.covariance(a, b) / size : 0;
      if (std::abs(correlation) > 0.9)
        fmt::print("  {} and {} are correlated: {:.3f}\n", result.parameters[j].name,
                   result.parameters[i].name, correlation);
    }
  const DerivativeReport& derivatives = result.derivatives;
  fmt::print("  derivatives: {} of {} steps by the implicit function theorem",
             derivatives.by_theorem, derivatives.steps);
  if (derivatives.by_steps > 0) fmt::print(", {} by differences of the step", derivatives.by_steps);
  if (derivatives.by_stretches > 0)
    fmt::print(", {} by differences of stretches with events or contacts",
               derivatives.by_stretches);
  fmt::print("\n");
  for (const std::string& doubt : result.doubts) fmt::print("  doubt: {}\n", doubt);
  std::string settings;
  const auto is_parameter = [&](const std::string& name) {
    return std::any_of(scene.parameters.begin(), scene.parameters.end(),
                       [&](const io::SceneParameter& known) { return known.name == name; });
  };
  for (const FitParameter& one : result.parameters) {
    if (one.name.find('@') != std::string::npos) return;  // a control: a run has none
    settings +=
        fmt::format(" --{} {}={}", is_parameter(one.name) ? "set" : "input", one.name, one.value);
  }
  fmt::print("\n  taut run {} --method {}{}\n", scene.name, method, settings);
}

io::Json json_of(const io::Scene& scene, std::string_view method, const FitResult& result) {
  io::Json json{{"taut", version}, {"scene", scene.name}, {"method", std::string(method)}};
  json["status"] = std::string(status_text(result.status));
  json["converged"] = result.status == FitResult::Status::converged;
  json["iterations"] = result.iterations;
  json["rms_at_start"] = io::Json::number_or_null(result.rms_at_start);
  json["rms"] = io::Json::number_or_null(result.rms);
  json["parameters"] = io::Json::array();
  for (const FitParameter& one : result.parameters)
    json["parameters"].push_back(io::Json{{"name", one.name},
                                          {"start", one.start},
                                          {"value", one.value},
                                          {"standard_error", io::Json::number_or_null(one.error)},
                                          {"min", io::Json::number_or_null(one.min)},
                                          {"max", io::Json::number_or_null(one.max)},
                                          {"at_bound", one.is_at_bound}});
  json["covariance"] = io::Json::array();
  for (Eigen::Index i = 0; i < result.covariance.rows(); ++i) {
    std::vector<double> row;
    for (Eigen::Index j = 0; j < result.covariance.cols(); ++j)
      row.push_back(result.covariance(i, j));
    json["covariance"].push_back(row);
  }
  json["columns"] = io::Json::array();
  for (const FitColumn& column : result.columns)
    json["columns"].push_back(io::Json{{"name", column.name},
                                       {"values", column.count},
                                       {"rms", io::Json::number_or_null(column.rms)}});
  json["doubts"] = result.doubts;
  return json;
}

std::string csv_of(const MeasuredTable& table, const FitResult& result) {
  std::string text = "t (s)";
  for (const std::string& column : table.columns)
    text += fmt::format(",{0} measured,{0} fitted", column);
  text += '\n';
  for (std::size_t k = 0; k < table.times.size(); ++k) {
    text += fmt::format("{}", table.times[k]);
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      text += fmt::format(",{},{}", table.values[k][c], result.model[k][c]);
    text += '\n';
  }
  return text;
}

ExitCode fit_scene(const FitArguments& arguments) {
  const MeasuredTable table = read_measured(arguments.measured);
  const auto load = [&arguments, &table](std::span<const io::Setting> settings) {
    SceneArguments with = arguments.scene;
    for (const io::Setting& setting : settings)
      with.more_settings.push_back(setting.key + "=" + setting.value);
    io::Scene scene = load_scene(with);
    add_columns(scene, table);
    return scene;
  };
  if (arguments.scene.scene == "-")
    throw Error("expected a scene by name, or a file: a fit reads it more than once");
  const io::Scene scene = load({});
  std::vector<std::string> names;
  std::vector<Varied> bounds;
  for (const std::string& text : arguments.vary) {
    bounds.push_back(varied(text));
    names.push_back(bounds.back().name);
  }
  ModelFamily family = io::scene_family(load, names);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    FamilyParameter& one = family.parameters[i];
    one.min = std::max(one.min, bounds[i].min);
    one.max = std::min(one.max, bounds[i].max);
  }

  RunOptions options;
  StepArguments steps;
  if (arguments.step) {
    require_positive(*arguments.step, "--step");
    steps.step = fmt::format("{}", *arguments.step);
  }
  steps.start = arguments.start;
  apply(steps, scene, options);
  options.duration = table.times.back();
  require_countable(options.duration, options.step);
  const io::MethodPlan plan =
      io::plan_method(scene, arguments.method, options.step, options.duration);
  FitOptions wanted;
  wanted.max_iterations = arguments.max_iterations;
  wanted.deviations = deviations_of(arguments.deviations, table);
  if (!arguments.out.empty()) io::require_replaceable(arguments.out);

  catch_interrupts();
  FitResult result;
  {
    ProgressBar bar(!arguments.quiet && !arguments.json);
    wanted.keep_going = [&](int iteration, double rms, const VecX&) {
      bar.update(std::min(0.99, 1 - std::pow(0.8, iteration)),
                 fmt::format("iteration {}, rms {:.4g}", iteration, rms));
      return !interrupted();
    };
    options.keep_going = [](const RunProgress&) { return !interrupted(); };
    result = fit(family, {plan.info, plan.options}, options, table, wanted);
  }
  if (!arguments.out.empty()) write_output(arguments.out, csv_of(table, result));
  if (arguments.json)
    fmt::print("{}\n", json_of(scene, plan.info->name, result).dump(2));
  else
    print_text(scene, plan.info->name, result);
  if (result.status == FitResult::Status::interrupted) return exit_interrupted;
  return result.status == FitResult::Status::converged ? exit_ok : exit_bad_result;
}

}  // namespace

void add_fit(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "fit", "Find the parameters with which a scene comes nearest to what was measured");
  auto arguments = std::make_shared<FitArguments>();
  add_scene_arguments(*command, arguments->scene);
  add_sensor_arguments(*command, arguments->scene);
  command
      ->add_option("--to", arguments->measured,
                   "A table of measured values: time in s, then columns that are named as sensors "
                   "of the scene, or as quantities such as bob.x")
      ->type_name("FILE.csv")
      ->required();
  command
      ->add_option(
          "--vary", arguments->vary,
          "The parameters or inputs to be found, with bounds where they are wanted; input@TIME is "
          "what an input is from then on, in s")
      ->delimiter(',')
      ->type_name("NAME[=LOW:HIGH],…")
      ->required();
  command->add_option("--method", arguments->method, "Instead of the scene's");
  command->add_option("--step", arguments->step, "Step in s, instead of the scene's");
  add_start_argument(*command, arguments->start);
  command
      ->add_option("--deviation", arguments->deviations,
                   "Standard deviation of a column; if not given, columns count alike, each "
                   "relative to how far it varies")
      ->allow_extra_args(false)
      ->type_name("COLUMN=VALUE");
  command->add_option("--max-iterations", arguments->max_iterations, "At most so many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      ->add_option("--out", arguments->out, "Write measured and fitted values to this file, as CSV")
      ->type_name("FILE");
  command->add_flag("--json", arguments->json, "Print the result as one JSON object");
  command->add_flag("--quiet", arguments->quiet, "Show no progress");
  command->footer(
      "By Levenberg and Marquardt's method, with the derivatives of the run (docs/derivatives.md). "
      "It finds the best fit near the scene's values: begin with good ones. Standard errors are "
      "those of independent errors of measurement. The exit code is 1 when the fit does not "
      "converge.\n\n"
      "Examples:\n"
      "  taut fit pendulum --to swing.csv --vary L,g\n"
      "  taut fit sliding_block --to slide.csv --vary friction=0:1,speed\n"
      "  taut fit my_scene.json --to run/sensors.csv --vary mass --method icd2 --step 0.001");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return fit_scene(*arguments); }; });
}

}  // namespace taut::cli
