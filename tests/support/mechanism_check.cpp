#include "support/mechanism_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "taut/analysis/method_choice.hpp"
#include "taut/scene/scene.hpp"

namespace taut::testing {
namespace {

constexpr std::size_t most_halvings = 5;

struct Chosen {
  std::string method;
  std::vector<OptionValue> options;
};

Chosen chosen(const std::string& label, const System& system, double step, double duration) {
  if (label == auto_method) {
    const MethodChoice choice = choose_method(system, system.initial_state(), step, duration);
    return {choice.method, choice.options};
  }
  if (label == "energy_momentum4") return {"energy_momentum", {{"order", "4"}}};
  return {label, {}};
}

/// The order that errors must fall with, at least.
int expected_order(const Mechanism& mechanism, const std::string& method) {
  if (method == "implicit1" || mechanism.has_unlocated()) return 1;
  if (method == "implicit2") return 1;     // as published: forces from the start of the step
  if (!mechanism.stops.empty()) return 1;  // the moment at which a bounce ends is not smooth
  const bool is_second = method == "icd2" || method == "rattle" || method == "energy_momentum" ||
                         method == auto_method;
  return is_second ? 2 : 3;
}

double deviation(const RandomMechanism& random, const System& system, const State& state,
                 std::size_t sample) {
  const Mechanism& m = random.mechanism;
  const double size = m.extent() * m.scale.length;
  double largest = 0;
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const auto& truth = random.motion.poses[sample][i];
    const BodySlot& slot = system.slots()[i];
    const Vec3 place = state.q.segment<3>(slot.q);
    largest = std::max(largest, (place - truth.place * m.scale.length).norm() / size);
    if (!m.bodies[i].rigid) continue;
    const Quat turn(state.q[slot.q + 3], state.q[slot.q + 4], state.q[slot.q + 5],
                    state.q[slot.q + 6]);
    const Quat right = truth.turn * m.bodies[i].orientation;
    largest = std::max(largest, turn.normalized().angularDistance(right.normalized()));
  }
  return std::isfinite(largest) ? largest : 1e30;
}

std::string scale_text(const Scale& scale) {
  std::string text;
  if (scale.length != 1) text += fmt::format(" length × {:.1e}", scale.length);
  if (scale.time != 1) text += fmt::format(" time × {:.1e}", scale.time);
  if (scale.mass != 1) text += fmt::format(" mass × {:.1e}", scale.mass);
  return text;
}

/// How far the bodies are from where they began, all of them.
double moved_from_start(const RandomMechanism& random, const System& system, const State& state) {
  const Mechanism& m = random.mechanism;
  double largest = 0;
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const Vec3 place = state.q.segment<3>(system.slots()[i].q);
    largest = std::max(largest, (place / m.scale.length - m.bodies[i].place).norm() / m.extent());
  }
  return largest;
}

}  // namespace

std::vector<std::string> tested_methods() {
  return {"auto",   "icd2",          "energy_momentum", "energy_momentum4",
          "dop853", "rk4_projected", "implicit1",       "implicit2",
          "rattle"};
}

long first_steps(const RandomMechanism& random) {
  const double rate = std::max(1.0, random.motion.largest_rate);
  const auto samples = static_cast<double>(random.motion.times.size());
  const double per_sample = random.mechanism.duration * rate / 0.04 / samples;
  return static_cast<long>(samples * std::clamp(std::ceil(per_sample), 2.0, 60.0));
}

MethodRun run_method(const RandomMechanism& random, const std::string& method, long steps,
                     double most_seconds) {
  const Mechanism& m = random.mechanism;
  const double h = m.duration / static_cast<double>(steps);
  const io::Scene scene = io::parse_scene(scene_text(m, m.family, h), "random mechanism");
  RunOptions options;
  options.step = scene.duration / static_cast<double>(steps);
  options.duration = scene.duration;
  const auto samples = static_cast<long>(random.motion.times.size());
  options.record_every = steps / samples;
  MethodRun run;
  run.steps = steps;
  std::size_t sample = 0;
  double from_rest = 0, kinetic = 0;
  options.record_states = [&](const State& state) {
    kinetic = std::max(kinetic, scene.system.kinetic_energy(state.v));
    from_rest = std::max(from_rest, moved_from_start(random, scene.system, state));
    if (sample > 0 && sample <= random.motion.times.size())
      run.error = std::max(run.error, deviation(random, scene.system, state, sample - 1));
    ++sample;
  };
  const auto begin = std::chrono::steady_clock::now();
  options.keep_going = [&](const RunProgress&) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() <
           most_seconds;
  };
  const Chosen choice = chosen(method, scene.system, options.step, options.duration);
  const auto made = make_method(choice.method, choice.options);
  const RunReport report = simulate(scene.system, scene.system.initial_state(), *made, options);
  run.status = report.status;
  run.reason = report.reason;
  run.is_trusted = report.is_trusted();
  run.is_compromise = report.cost.compromise_steps > 0;
  run.has_warned = run.is_compromise || report.cost.unconverged_steps > 0;
  if (m.is_smooth() && report.energy.conservative && kinetic > 0)
    run.energy_error = report.energy.max_abs_error / kinetic;
  if (m.may_lock) run.error = std::min(run.error, from_rest);
  return run;
}

Verdict check(const RandomMechanism& random, const std::string& method, double most_seconds) {
  const Mechanism& m = random.mechanism;
  Verdict verdict;
  verdict.method = method;
  // The mass matrix of the reference loses as many digits as the masses differ by, and more where
  // bodies are thin and the motion is sensitive: two references tell.
  verdict.floor = (m.is_smooth()       ? 1e-7
                   : m.has_unlocated() ? 1e-5
                                       : 1e-6) +
                  3 * m.imperfection + 1e-14 * m.mass_ratio() + 3 * random.motion.uncertainty;
  const double better = std::pow(0.5, expected_order(m, method));
  long steps = first_steps(random);
  const auto error = [&](std::size_t i) { return verdict.runs[i].error; };
  const auto falls = [&](std::size_t i, double factor) {
    return error(i) <= factor * std::max(error(i - 1), error(i < 2 ? 0 : i - 2));
  };
  std::size_t last = 3;
  for (std::size_t i = 0; i <= last; ++i, steps *= 2) {
    verdict.runs.push_back(run_method(random, method, steps, most_seconds));
    verdict.is_ok = verdict.runs.back().status == RunStatus::ok;
    if (!verdict.is_ok) return verdict;
    // Hinges out of line do contradict each other; a run that says so has not called it right.
    if (m.may_lock && verdict.runs.back().is_compromise) return verdict;
    // Two things that no order explains: with half the step ten times as wrong, and visibly so; or
    // with steps in which little changes as wrong as the scene is large.
    const double h = m.duration / static_cast<double>(steps);
    const bool is_small = h * random.motion.largest_rate < 0.03 && random.motion.sensitivity < 20;
    verdict.is_wrong = verdict.runs.back().is_trusted &&
                       ((i > 0 && error(i) > std::max(10 * error(i - 1), 1e-2 + verdict.floor)) ||
                        (is_small && error(i) > 0.5 + verdict.floor));
    if (verdict.is_wrong || error(i) <= verdict.floor) return verdict;
    if (i == 1 && error(1) < 0.1 && falls(1, 1.5 * better)) return verdict;
    if (i == 2 && falls(2, 1.25 * better * better)) return verdict;
    if (i < last) continue;
    // What runs that are doubted, rightly, are off by tells nothing about the order.
    const bool is_first_trusted = verdict.runs[i].is_trusted && !verdict.runs[i - 1].is_trusted;
    if (is_first_trusted && last < most_halvings) ++last;
  }
  // Less than two halvings should leave, even with bad luck.
  verdict.is_wrong = verdict.runs.back().is_trusted && !falls(last, 2.5 * better * better);
  return verdict;
}

std::string verdict_text(const RandomMechanism& random, const Verdict& verdict) {
  const MethodRun& last = verdict.runs.back();
  std::string errors;
  for (const MethodRun& run : verdict.runs) errors += fmt::format(" {:8.1e}", run.error);
  const std::string_view status = last.status != RunStatus::ok ? status_text(last.status)
                                  : !last.is_trusted           ? "suspect"
                                  : last.has_warned            ? "ok, warned"
                                                               : "ok";
  const std::string energy = last.energy_error > 0 ? fmt::format("{:.1e}", last.energy_error) : "–";
  return fmt::format("{:<16}{:>7}  {:<17}{:<11}{:<36}  energy {:>7}  {}", random.mechanism.family,
                     random.seed, verdict.method, status, errors, energy,
                     verdict.is_wrong ? "WRONG" : "") +
         scale_text(random.mechanism.scale);
}

}  // namespace taut::testing
