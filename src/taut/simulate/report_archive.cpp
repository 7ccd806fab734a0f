#include "taut/methods/archive.hpp"
#include "taut/simulate/report_archive_internal.hpp"

namespace taut {
namespace {

// Names and units of what a system always has are known from it.
void archive_reactions(Archive& a, std::vector<RunReport::Reaction>& reactions) {
  for (RunReport::Reaction& reaction : reactions) a(reaction.largest, reaction.at, reaction.final);
}

}  // namespace

void archive(Archive& a, RunReport::RateError& error) {
  auto& [max, final, worst, worst_at] = error;
  a(max, final, worst, worst_at);
}

void archive(Archive& a, RunReport::Activation& activation) {
  auto& [count, times, position_change, velocity_change, impulse, error_before, error_after,
         rate_before, energy_change, worst] = activation;
  a(count, times, position_change, velocity_change, impulse, error_before, error_after, rate_before,
    energy_change, worst);
}

void archive(Archive& a, RunReport::ContactPair& pair) {
  auto& [name_a, name_b, largest_force, at, slip, final_force] = pair;
  a(name_a, name_b, largest_force, at, slip, final_force);
}

void archive(Archive& a, RunReport::Control& control) {
  auto& [automatic, tolerance, accepted, rejected, smallest, largest] = control;
  a(automatic, tolerance, accepted, rejected, smallest, largest);
}

void archive(Archive& a, RunReport::JointSummary::Moved& moved) {
  auto& [name, unit, final, final_rate, least, largest, fastest] = moved;
  a(final, final_rate, least, largest, fastest);
}

void archive(Archive& a, RunReport::JointSummary& joint) {
  auto& [name, type, coordinates, force, torque, largest_force, largest_force_at, largest_torque,
         largest_torque_at] = joint;
  a(name, coordinates, force, torque, largest_force, largest_force_at, largest_torque,
    largest_torque_at);
}

void archive(Archive& a, RunReport::Deviation& deviation) {
  auto& [point, axis, max, rms, until] = deviation;
  a(point, axis, max, rms, until);
}

void archive(Archive& a, RunReport& report) {
  auto& [status, doubts, estimated_doubts, remarks, reason, step, steps, time, diverged_at_step,
         constraint_error, rate_error, energy, activation, impacts, contacts, control, reactions,
         joints, reference_deviation, sensors, verification, estimated_error, cost, active_limits,
         events, singular_state, findings, warnings, final_state] = report;
  a(status, step, steps, time);
  {
    auto& [accumulated, max, final, worst, worst_at] = constraint_error;
    a(accumulated, max, final, worst, worst_at);
  }
  a(rate_error);
  {
    auto& [initial, final, max_abs_error, conservative, work, friction] = energy;
    a(initial, final, max_abs_error, conservative, work, friction);
  }
  a(activation, impacts.count, impacts.energy_change);
  {
    auto& [most, final, largest_force, overlap, slip, pairs] = contacts;
    a(most, final, largest_force, overlap, slip, pairs);
  }
  a(control);
  archive_reactions(a, reactions);
  a(joints, reference_deviation);
  a(cost.linear_solves, cost.iterations, cost.linear_iterations, cost.regularized_steps,
    cost.unconverged_steps, cost.compromise_steps, cost.halved_steps);
  a(active_limits.mean, active_limits.most, events, singular_state, warnings);
}

void archive(Archive& a, Evidence::Worst& worst) {
  auto& [value, constraint, at] = worst;
  a(value, constraint, at);
}

void archive(Archive& a, Overlap& overlap) { a(overlap.a, overlap.b, overlap.depth); }

void archive(Archive& a, Evidence& evidence) {
  auto& [equation, limit, loose_limit, strain, rate, motor, late_motor, wrong_way, largest_force,
         turn, missed, missed_turn, has_missed, travel, gain, driven_gain, loss, change,
         all_changes, has_unknown_work, close_impacts, impact_shift, residual, unsolved,
         rolling_time, overlap, at_start, compromise, jitter, energy_scale, weight,
         weight_of_particles] = evidence;
  a(equation, limit, loose_limit, strain, rate, motor, late_motor, wrong_way, largest_force, turn,
    missed, missed_turn, has_missed, travel, gain, driven_gain, loss, change, all_changes,
    has_unknown_work, close_impacts, impact_shift, residual, unsolved, rolling_time, overlap,
    at_start, compromise, jitter, energy_scale, weight, weight_of_particles);
}

}  // namespace taut
