#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/simulate/bounded_step.hpp"
#include "taut/simulate/metrics.hpp"
#include "taut/simulate/verdict_internal.hpp"

namespace taut {
namespace {

// Of the energy that the motion exchanges, or of this part of what it would if all fell down:
constexpr double jitters = 1e-4, resting = 1e-3;
constexpr double long_rolling = 0.1;  // of the time
constexpr double strained = 1e-2;     // of an edge that keeps its length, of that, in a net

// Of the scene's size, or rad:
constexpr double met_exactly = 1e-6;    // by methods that promise exact constraints
constexpr double met_in_fabric = 1e-4;  // by the same, where linear systems are solved by iteration
constexpr double met_loosely = 2e-3;    // by limits that act for whole steps, under other methods
constexpr double hit_roughly = 1e-4;    // what unknown moments of impacts may add up to
constexpr double solved_enough = 1e-6;  // residual of a step that missed its tolerance

constexpr double missed_much = 2e-2;       // what errors of steps may add up to over the run
constexpr double followed = 0.5;           // off a straight course after a step
constexpr double followed_by_order = 1.5;  // the same, by methods of order 4 and more

// Of the largest force in the run: what lets go within a step may pull a little until its end.
constexpr double pulls = 0.1;
constexpr double no_pull = 1e-12;  // of the applied forces: round-off, where nothing is taut

/// Particles in a net of links: a taut line in it makes little errors of length large ones of
/// place.
bool is_net(const System& system) {
  constexpr int few = 16;
  return system.body_count() >= few && 2 * system.rigid_count() < system.body_count() &&
         2 * system.row_count() > 3 * system.body_count();
}

constexpr std::string_view scenes_size = "the scene's size";

/// The largest error of an equation that a method may leave, of the scene's size.
double allowed_error(const System& system, const Promises& promises) {
  if (!promises.exact_constraints) return met_roughly;
  return is_net(system) || system.sheets() ? met_in_fabric : met_exactly;
}

void judge_constraints(const System& system, const Promises& promises, double size,
                       const Evidence& evidence, RunReport& report) {
  const auto doubt = [&](const Evidence::Worst& worst, double most, std::string_view more) {
    if (!(worst.value > most)) return;
    const bool is_angle = constraint_is_angle(system, worst.constraint);
    report.doubts.push_back(fmt::format(
        "{} is off by {:.3g} {} at {:.4g} s{}{}", constraint_label(system, worst.constraint),
        worst.value * (is_angle ? 1 : size), is_angle ? "rad" : "m", worst.at,
        is_angle ? "" : ", " + share(worst.value, scenes_size), more));
  };
  doubt(evidence.equation, allowed_error(system, promises),
        promises.exact_constraints && report.cost.compromise_steps == 0
            ? ", although the method should meet it exactly"
            : "");
  if (const auto& strain = evidence.strain;
      (is_net(system) || system.sheets()) && strain.value > strained)
    report.doubts.push_back(fmt::format("{} is off by {} at {:.4g} s",
                                        constraint_label(system, strain.constraint),
                                        share(strain.value, "its length"), strain.at));
  doubt(evidence.limit, met_exactly, ": it is beyond its limit");
  doubt(evidence.loose_limit,
        promises.exact_constraints ? allowed_error(system, promises) : met_loosely,
        ": it is beyond its limit");
  if (const auto& slip = evidence.rate;
      slip.value > (promises.exact_rates ? met_exactly : met_roughly))
    report.doubts.push_back(fmt::format(
        "{} is violated by {} at {:.4g} s{}", constraint_label(system, slip.constraint),
        share(slip.value, "the speed"), slip.at,
        promises.exact_rates ? ", although the method should meet it exactly"
                             : ": use a smaller step, or dop853 or rattle, which meet it exactly"));
  if (const auto& slip = evidence.late_motor;
      slip.value > met_roughly && report.cost.compromise_steps == 0)
    report.doubts.push_back(fmt::format(
        "{} is off its speed by {}: use a smaller step, or dop853 or rattle, which keep it exactly",
        constraint_label(system, slip.constraint), share(slip.value, "what moves there")));
  if (const auto& wrong = evidence.wrong_way;
      wrong.value > pulls * evidence.largest_force &&
      wrong.value >
          no_pull * evidence.weight * (constraint_is_angle(system, wrong.constraint) ? size : 1))
    report.doubts.push_back(fmt::format(
        "at {:.4g} s {} has a force of {:.4g} {} in the direction in which it cannot act", wrong.at,
        constraint_label(system, wrong.constraint), wrong.value,
        constraint_is_angle(system, wrong.constraint) ? "N·m" : "N"));
}

/// What is moved out of something else at the start is not where it was put.
void judge_start(double size, const Evidence& evidence, RunReport& report) {
  if (evidence.at_start.empty() || !(evidence.at_start.front().depth > met_exactly * size)) return;
  const Overlap& worst = evidence.at_start.front();
  report.doubts.push_back(fmt::format(
      "at the start {} and {} overlap by {:.3g} m, {}: they are moved apart at once, and what "
      "follows begins there; `taut check` names all that overlap",
      worst.a, worst.b, worst.depth, share(worst.depth / size, scenes_size)));
}

/// Energy and constraints do not tell everything: some methods keep both at any step.
std::string what_steps_miss(const System& system, double way, const Evidence& evidence) {
  constexpr std::string_view too_long =
      "the step is too long to follow the motion: what steps miss";
  constexpr std::string_view remedy = "use a smaller step or a method of higher order";
  const auto name = [&](const Evidence::Worst& worst) {
    return system.body_name({worst.constraint});
  };
  const double places = evidence.missed.value / way, turns = evidence.missed_turn.value;
  if (const auto& missed = evidence.missed; places > missed_much && places >= turns)
    return fmt::format("{} adds up to about {:.2g} m of {}, {}; {}", too_long, missed.value,
                       name(missed), share(missed.value / way, scenes_size), remedy);
  if (const auto& missed = evidence.missed_turn; missed.value > missed_much)
    return fmt::format("{} of the turns of {} adds up to about {:.2g} rad; {}", too_long,
                       name(missed), missed.value, remedy);
  return "";
}

}  // namespace

std::string share(double part, std::string_view whole) {
  return part < 2 ? fmt::format("{:.3g} % of {}", 100 * part, whole)
                  : fmt::format("{:.3g} times {}", part, whole);
}

bool is_fabric(const System& system) {
  const LimitCount limits = count_limits(system);
  return 2 * (limits.all - limits.threads) < system.row_count() && is_net(system);
}

double radius_of_gyration(const System& system, BodyId body) {
  return system.is_rigid(body) ? std::sqrt(0.5 * system.inertia(body).trace() / system.mass(body))
                               : 0;
}

double scene_size(const System& system, const State& state) {
  double size = system.body_count() > 1 ? spread(system, state) : extent(system, state);
  double reach = 0;
  for (const auto& source : system.contact_sources()) reach = std::max(reach, source->reach());
  size = std::max(size, reach);
  // What has a shape is not larger than that, whatever inertia it was given.
  for (int i = 0; i < system.body_count() && reach == 0; ++i)
    size = std::max(size, radius_of_gyration(system, {i}));
  std::vector<Anchor> anchors;
  for (const auto& batch : system.constraints()) {
    anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
    for (int c = 0; c < batch->size(); ++c) {
      size = std::max(size, batch->natural_length(c));
      batch->anchors(c, anchors);
      for (const Anchor& anchor : anchors)
        if (!anchor.body.is_world() && !anchor.is_direction)
          size = std::max(size, anchor.local.norm());
    }
  }
  return size;
}

void give_verdict(const System& system, const Method& method, double size, const Evidence& evidence,
                  RunReport& report) {
  if (report.status == RunStatus::diverged) {
    report.doubts.push_back("the run diverged");
    return;
  }
  judge_start(size, evidence, report);
  judge_energy(system, method, size, evidence, report);
  judge_constraints(system, method.promises, size, evidence, report);
  if (const auto& residual = evidence.residual; residual.value > solved_enough)
    report.doubts.push_back(fmt::format(
        "{} of {} steps were not solved to the method's tolerance; the largest "
        "residual, at {:.4g} s, is {:.3g} of {}, or rad",
        report.cost.unconverged_steps, report.steps, residual.at, residual.value, scenes_size));
  else if (evidence.unsolved > solved_enough)
    report.doubts.push_back(fmt::format(
        "{}: what was left of the motion adds up to {:.3g} of {}, or rad; use a smaller step",
        report.cost.unconverged_steps > 0
            ? fmt::format("{} of {} steps were not solved to the method's tolerance",
                          report.cost.unconverged_steps, report.steps)
            : "stops and strings were not quite solved for",
        evidence.unsolved, scenes_size));
  if (const auto& overlap = evidence.overlap; overlap.value > met_exactly)
    report.doubts.push_back(fmt::format("at {:.4g} s shapes were {:.3g} m inside each other, {}",
                                        overlap.at, overlap.value * size,
                                        share(overlap.value, scenes_size)));
  const auto estimate = [&](std::string doubt) {
    report.estimated_doubts.push_back(doubt);
    report.doubts.push_back(std::move(doubt));
  };
  if (const double rolled = evidence.rolling_time; rolled > long_rolling * report.time)
    estimate(fmt::format(
        "for {:.3g} of {:.4g} s bodies rolled or turned on what they touch: that is followed with "
        "first order only, and what is delicate in it is lost; half the step shows how much",
        rolled, report.time));
  const double bend = method.order() >= 4 ? followed_by_order : followed;
  // Where bodies have no extent, what is long or short is told by how far they go.
  const double way = system.contact_sources().empty() ? std::max(size, evidence.travel) : size;
  if (evidence.has_missed)
    report.estimated_error =
        std::max(way > 0 ? evidence.missed.value / way : 0, evidence.missed_turn.value);
  if (std::string missed = what_steps_miss(system, way, evidence); !missed.empty())
    estimate(std::move(missed));
  if (evidence.turn.value > bend * way && !is_fabric(system)) {
    std::string bends = fmt::format(
        "the step is too long for the motion: in the one to {:.4g} s a body leaves a "
        "straight course by about {:.3g} m, {}",
        evidence.turn.at, evidence.turn.value, share(evidence.turn.value / way, scenes_size));
    // What hits something does so as well, and that may have been followed.
    if (system.contact_sources().empty())
      report.doubts.push_back(std::move(bends));
    else
      estimate(std::move(bends));
  }
  if (const LimitCount limits = count_limits(system);
      limits.all > limits.threads && !(limits.are_located() && method.promises.solves_rows)) {
    const bool should_bounce = limits.bouncing > 0 && report.impacts.count > 0;
    if (evidence.impact_shift > hit_roughly || should_bounce)
      report.doubts.push_back(fmt::format(
          "{}: they act for whole steps{}, and places may be off by about {:.2g} m, {}; a smaller "
          "step helps",
          limits.are_located()
              ? "this method does not find the moment at which stops and strings begin to act"
              : fmt::format("{} stops and strings are too many to find the moment at which each "
                            "begins to act",
                            limits.all),
          should_bounce ? ", nothing rebounds from them" : "", evidence.impact_shift * size,
          share(evidence.impact_shift, scenes_size)));
  }
  if (evidence.jitter.value >
      jitters * std::max(evidence.energy_scale, resting * evidence.weight * size))
    report.doubts.push_back(fmt::format(
        "steps do not resolve stiff forces, and at {:.4g} s velocities jump to and fro across the "
        "constraints: they, and forces that sensors tell, are not right; use icd2 or a smaller "
        "step",
        evidence.jitter.at));
  if (evidence.close_impacts.value > 0 && method.order() < 2)
    report.doubts.push_back(fmt::format(
        "in the step to {:.4g} s a stop was hit just before another one would have been: which of "
        "them is first decides how both go on, and a method of order 1 does not know the times "
        "well "
        "enough",
        evidence.close_impacts.at));
  if (evidence.compromise.value > 0) {
    // A motor that starts from rest is off its speed for a moment, and that is no conflict.
    const bool motors_turn = evidence.motor.value <= met_roughly;
    const bool is_met =
        motors_turn && evidence.equation.value <= allowed_error(system, method.promises);
    (is_met ? report.remarks : report.doubts)
        .push_back(fmt::format(
            "in {} of {} steps, the first at {:.4g} s, the constraints could not be met together, "
            "and {}{}",
            report.cost.compromise_steps, report.steps, evidence.compromise.at, compromise_taken,
            is_met ? "; their errors are small all the same"
            : motors_turn
                ? ""
                : fmt::format(": at {:.4g} s {} is off its speed by {}", evidence.motor.at,
                              constraint_label(system, evidence.motor.constraint),
                              share(evidence.motor.value, "what moves there"))));
  }
}

}  // namespace taut
