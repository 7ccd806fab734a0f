#include "comparison_table.hpp"

#include <fmt/core.h>

#include "text_table.hpp"

namespace taut::cli {
namespace {

std::string status(const RunReport& report) {
  if (report.status == RunStatus::diverged)
    return fmt::format("diverged at step {}", report.diverged_at_step);
  return std::string(status_text(report.status));
}

double solves_per_step(const RunReport& report) {
  return static_cast<double>(report.cost.linear_solves) /
         static_cast<double>(std::max(1L, report.steps));
}

/// Quoted where a reader would stumble otherwise (RFC 4180).
std::string csv_word(const std::string& word) {
  if (word.find_first_of(",\"\n\r") == word.npos) return word;
  std::string quoted = "\"";
  for (const char c : word) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

}  // namespace

std::string comparison_table(const std::vector<ComparedRun>& runs,
                             std::span<const std::size_t> sensors) {
  if (runs.empty()) sensors = {};
  const RunReport::Deviation* reference = nullptr;
  bool conservative = true;
  for (const ComparedRun& run : runs) {
    if (run.report.reference_deviation) reference = &*run.report.reference_deviation;
    conservative = conservative && run.report.energy.conservative;
  }

  TextTable table;
  table.left("method").right("step").left("status").left("verdict");
  table.right("error sum").right("error max");
  table.right("energy error");
  if (reference) table.right("deviation");
  for (const std::size_t i : sensors) {
    const std::string& name = runs.front().report.sensors[i].name;
    table.right("max " + name).right("final " + name);
  }
  table.right("solves/step").right("µs/step");
  for (const ComparedRun& run : runs) {
    const RunReport& report = run.report;
    std::vector<std::string> cells{std::string(run.method),
                                   run.step > 0 ? fmt::format("{}", run.step) : "auto",
                                   status(report),
                                   std::string(verdict_text(report)),
                                   number(report.constraint_error.accumulated),
                                   number(report.constraint_error.max),
                                   number(report.energy.max_abs_error)};
    if (reference)
      cells.push_back(report.reference_deviation ? number(report.reference_deviation->max) : "");
    for (const std::size_t i : sensors) {
      const RunReport::SensorSummary& sensor = report.sensors[i];
      cells.push_back(sensor.least <= sensor.largest ? number(sensor.largest) : "");
      cells.push_back(number(sensor.final));
    }
    cells.push_back(fmt::format("{:.3g}", solves_per_step(report)));
    cells.push_back(fmt::format("{:.3g}", report.cost.microseconds_per_step));
    table.row(std::move(cells));
  }

  std::string legend =
      "step in s; error in m (rad for angles): sum over steps and constraints, maximum; energy "
      "error "
      "in J: maximum";
  if (!conservative) legend += " (this scene does not conserve energy)";
  legend += ";\n";
  if (reference)
    legend += fmt::format("deviation in m: maximum of {} {} from the reference within {:.4g} s; ",
                          reference->point, reference->axis, reference->until);
  return table.text() + "\n" + legend + "solves: linear systems\n";
}

std::string comparison_csv(const std::vector<ComparedRun>& runs,
                           std::span<const std::size_t> sensors) {
  if (runs.empty()) sensors = {};
  std::string text =
      "method,step,status,verdict,diverged_at_step,steps,time,error_accumulated,error_max,error_"
      "final,"
      "energy_initial,energy_final,energy_max_abs_error,deviation_max,deviation_rms,"
      "linear_solves,iterations,wall_seconds,cpu_seconds,microseconds_per_step,trajectory";
  for (const std::size_t i : sensors)
    for (const char* what : {"least", "largest", "final"})
      text += "," + csv_word(fmt::format("{} {}", runs.front().report.sensors[i].name, what));
  text += "\n";
  for (const ComparedRun& run : runs) {
    const RunReport& r = run.report;
    text += fmt::format(
        "{},{},{},{},{},{},{},", run.method, run.step > 0 ? fmt::format("{}", run.step) : "auto",
        status_text(r.status), verdict_text(r),
        r.diverged_at_step < 0 ? "" : fmt::format("{}", r.diverged_at_step), r.steps, r.time);
    text += fmt::format("{},{},{},", r.constraint_error.accumulated, r.constraint_error.max,
                        r.constraint_error.final);
    text += fmt::format("{},{},{},", r.energy.initial, r.energy.final, r.energy.max_abs_error);
    text += r.reference_deviation
                ? fmt::format("{},{},", r.reference_deviation->max, r.reference_deviation->rms)
                : ",,";
    text += fmt::format("{},{},{},{},{},{}", r.cost.linear_solves, r.cost.iterations,
                        r.cost.wall_seconds, r.cost.cpu_seconds, r.cost.microseconds_per_step,
                        run.trajectory);
    for (const std::size_t i : sensors)
      text +=
          fmt::format(",{},{},{}", r.sensors[i].least, r.sensors[i].largest, r.sensors[i].final);
    text += "\n";
  }
  return text;
}

}  // namespace taut::cli
