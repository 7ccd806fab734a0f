// What taut run prints of a run.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "run_arguments.hpp"
#include "taut/scene/final_error.hpp"

namespace taut::cli {
namespace {

std::string headline(const io::Scene& scene, std::string_view method, const RunReport& report) {
  std::string text = fmt::format("{} with {}: ", scene.name, method);
  if (report.status == RunStatus::diverged) {
    text += fmt::format("diverged at step {} ({:.4g} s)", report.diverged_at_step, report.time);
    if (!report.reason.empty()) text += fmt::format(": {}", report.reason);
  } else {
    text += fmt::format("{} {}", report.steps, report.steps == 1 ? "step" : "steps");
    text += report.control.automatic
                ? fmt::format(" chosen for a tolerance of {:g}", report.control.tolerance)
                : fmt::format(" of {} s", report.step);
    const double all = report.step * static_cast<double>(report.steps);
    if (!report.control.automatic && all > report.time + 1e-6 * report.step)
      text += report.steps == 1 ? ", shortened" : ", the last one shortened";
    text += fmt::format(", {:.6g} s simulated", report.time);
    if (report.status == RunStatus::interrupted) text += ", then interrupted";
  }
  return text;
}

void print_steps(const RunReport& report) {
  if (const auto& control = report.control; control.automatic)
    fmt::print("  steps             {} accepted, {} rejected, from {:.3g} s to {:.3g} s\n",
               control.accepted, control.rejected, control.smallest, control.largest);
  if (const auto& settled = report.activation; settled.count > 0)
    fmt::print(
        "  settled           {}, first at {:.4g} s: moved {:.4g} m, velocity changed by {:.4g} "
        "m/s; "
        "error {:.3g}{} → {:.3g}, energy {:+.4g} J\n",
        settled.count == 1 ? "once" : fmt::format("{} times", settled.count), settled.times.front(),
        settled.position_change, settled.velocity_change, settled.error_before,
        settled.worst.empty() ? "" : fmt::format(" in {}", settled.worst), settled.error_after,
        settled.energy_change);
  if (report.cost.halved_steps > 0)
    fmt::print("  halved            {} steps converged only after they were divided\n",
               report.cost.halved_steps);
  if (report.cost.unconverged_steps > 0)
    fmt::print(
        "  residual          {} steps were accepted although they missed the method's tolerance\n",
        report.cost.unconverged_steps);
  if (report.cost.compromise_steps > 0)
    fmt::print("  compromise        in {} steps the constraints contradicted each other\n",
               report.cost.compromise_steps);
}

void print_forces(const RunReport& report) {
  // Forces and torques cannot be compared: one line for each.
  for (const std::string_view unit : {"N", "N·m"}) {
    const RunReport::Reaction* largest = nullptr;
    for (const RunReport::Reaction& reaction : report.reactions)
      if (reaction.unit == unit && reaction.largest > (largest ? largest->largest : 0))
        largest = &reaction;
    if (largest)
      fmt::print("  largest {:<9} {:.5g} {} in {} at {:.4g} s\n", unit == "N" ? "force" : "torque",
                 largest->largest, unit, largest->constraint, largest->at);
  }
}

void print_joints(const RunReport& report) {
  constexpr std::size_t most = 12;
  for (std::size_t i = 0; i < std::min(most, report.joints.size()); ++i) {
    const RunReport::JointSummary& joint = report.joints[i];
    std::string text = fmt::format("{} ({}):", joint.name, joint.type);
    for (const auto& moved : joint.coordinates)
      text +=
          fmt::format(" {} {:.5g} {}, {:.4g} {}/s, range {:.4g} … {:.4g};", moved.name, moved.final,
                      moved.unit, moved.final_rate, moved.unit, moved.least, moved.largest);
    fmt::print("{:<20}{} transmits up to {:.4g} N, {:.4g} N·m\n", i == 0 ? "  joints" : "", text,
               joint.largest_force, joint.largest_torque);
  }
  if (report.joints.size() > most)
    fmt::print("{:<20}and {} more (--json lists all)\n", "", report.joints.size() - most);
  if (report.active_limits.most > 0)
    fmt::print("  active limits     {:.4g} rows on average, {} at most\n",
               report.active_limits.mean, report.active_limits.most);
  if (report.impacts.count > 0)
    fmt::print("  impacts           {}, energy {:+.4g} J\n", report.impacts.count,
               report.impacts.energy_change);
  if (const auto& contacts = report.contacts; contacts.most > 0)
    fmt::print(
        "  contacts          {} at most, {} at the end; up to {:.5g} N; overlap at most {:.2g} m; "
        "slip at most {:.4g} m/s; friction {:+.4g} J\n",
        contacts.most, contacts.final, contacts.largest_force, contacts.overlap, contacts.slip,
        report.energy.friction);
}

void print_sensors(const RunReport& report) {
  constexpr std::size_t most = 12;
  const auto& sensors = report.sensors;
  for (std::size_t i = 0; i < std::min(most, sensors.size()); ++i) {
    const RunReport::SensorSummary& sensor = sensors[i];
    const std::string unit = sensor.unit.empty() ? "" : " " + sensor.unit;
    std::string text = fmt::format("{}: ", sensor.name);
    if (sensor.least <= sensor.largest)
      text += fmt::format("{:.5g} … {:.5g}{}, largest at {:.4g} s; final {:.5g}", sensor.least,
                          sensor.largest, unit, sensor.largest_at, sensor.final);
    if (sensor.not_finite > 0)
      text += fmt::format("{}no number {} {}, first at {:.4g} s",
                          sensor.least <= sensor.largest ? "; " : "", sensor.not_finite,
                          sensor.not_finite == 1 ? "time" : "times", sensor.not_finite_at);
    fmt::print("{:<20}{}\n", i == 0 ? "  sensors" : "", text);
  }
  if (sensors.size() > most)
    fmt::print("{:<20}and {} more (--json lists all)\n", "", sensors.size() - most);
}

}  // namespace

void print_run_summary(const io::Scene& scene, std::string_view method, const RunReport& report) {
  fmt::print("{}\n\n", headline(scene, method, report));
  const auto& error = report.constraint_error;
  fmt::print(
      "  constraint error  accumulated {:.4g}, max {:.4g}{}, final {:.4g} (m; rad for angles)\n",
      error.accumulated, error.max,
      error.worst.empty() ? "" : fmt::format(" ({} at {:.4g} s)", error.worst, error.worst_at),
      error.final);
  if (const auto& rate = report.rate_error)
    fmt::print(
        "  rate error        max {:.4g}{}, final {:.4g} (m/s; rad/s for angles)\n", rate->max,
        rate->worst.empty() ? "" : fmt::format(" ({} at {:.4g} s)", rate->worst, rate->worst_at),
        rate->final);
  fmt::print("  energy            {:.6g} J at the start, {:.6g} J at the end",
             report.energy.initial, report.energy.final);
  if (report.energy.conservative) {
    fmt::print(", largest error {:.4g} J\n", report.energy.max_abs_error);
  } else {
    fmt::print(" (not conserved in this scene)\n");
    if (report.energy.work != 0)
      fmt::print("  work              {:.6g} J by driven constraints, largest error {:.4g} J\n",
                 report.energy.work, report.energy.max_abs_error);
  }
  print_forces(report);
  print_joints(report);
  print_sensors(report);
  if (const auto& deviation = report.reference_deviation)
    fmt::print("  from reference    {} {}: max {:.4g} m, rms {:.4g} m within {:.4g} s\n",
               deviation->point, deviation->axis, deviation->max, deviation->rms, deviation->until);
  if (const auto wrong = io::final_error(scene, report.final_state))
    fmt::print("  reference error   position {:.4g}, velocity {:.4g} at {:.4g} s\n",
               wrong->position, wrong->velocity, scene.final_values->time);
  const auto& cost = report.cost;
  fmt::print(
      "  cost              {} in all, {:.3g} µs and {:.3g} linear solves per step",
      duration_text(cost.wall_seconds), cost.microseconds_per_step,
      static_cast<double>(cost.linear_solves) / static_cast<double>(std::max(1L, report.steps)));
  fmt::print("{}\n", cost.solver.empty() ? "" : fmt::format(" ({})", cost.solver));
  print_steps(report);
  if (cost.regularized_steps > 0)
    fmt::print("  singular          in {} steps the constraint rows were linearly dependent\n",
               cost.regularized_steps);
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(most, report.findings.size()); ++i)
    fmt::print("{}{}\n", i == 0 ? "  findings          " : "                    ",
               report.findings[i]);
  if (report.findings.size() > most)
    fmt::print("                    and {} more (--json lists all)\n",
               report.findings.size() - most);
}

namespace {

/// "3 digits"
std::string digits_text(double relative_error) {
  const double digits = relative_error > 0 ? std::floor(-std::log10(relative_error)) : 15;
  const int count = static_cast<int>(std::clamp(digits, 0.0, 15.0));
  return fmt::format("{} digit{}", count == 0 ? "no" : std::to_string(count),
                     count == 1 ? "" : "s");
}

// How far the result can be trusted: by comparison, else by a few steps.
void print_accuracy(const RunReport& report) {
  if (const auto& found = report.verification) {
    const bool is_whole = found->compared_until >= (1 - 1e-6) * report.time;
    fmt::print("  verified          with {}{}: error about {:.2g} m, {} of the scene's size{}\n",
               found->other,
               is_whole ? "" : fmt::format(" for the first {:.4g} s", found->compared_until),
               found->error, digits_text(found->relative_error),
               is_whole ? "" : " over the whole run, if it grows as before");
  } else if (const auto& error = report.estimated_error; error && report.is_trusted()) {
    fmt::print(
        "  estimated         steps miss about {:.2g} of the scene's size in all; what impacts and "
        "a sensitive motion make of it only --verify shows\n",
        *error);
  }
}

}  // namespace

void print_run_verdict(const RunReport& report) {
  print_accuracy(report);
  for (const std::string& remark : report.remarks) fmt::print("  remark            {}\n", remark);
  if (report.is_trusted()) {
    const auto& compared = report.verification;
    const bool is_told = report.estimated_error || report.energy.conservative;
    fmt::print(
        "  verdict           {}{}\n", verdict_text(report),
        compared
            ? (compared->is_sensitive ? fmt::format(": trusted until {:.4g} s", compared->until)
                                      : "")
        : is_told ? ", as far as one run tells (--verify compares two)"
                  : ", as far as constraints tell; how accurate the motion is only --verify shows");
  } else {
    for (std::size_t i = 0; i < report.doubts.size(); ++i)
      fmt::print("  {:<17} {}\n", i == 0 ? "verdict: suspect" : "", report.doubts[i]);
  }
}

}  // namespace taut::cli
