#include "taut/simulate/verdict.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "taut/simulate/metrics.hpp"
#include "taut/solve/kkt_solver.hpp"

namespace taut {
namespace {

// Of the energy that the motion exchanges:
constexpr double kept_exactly = 1e-5;   // by methods that conserve it
constexpr double kept_by_order = 1e-3;  // by those of order 4 and more
constexpr double kept_roughly = 1e-2;   // by all others; and the most that may appear from nothing

// Of the scene's size, or rad:
constexpr double met_exactly = 1e-5;    // by methods that promise exact constraints
constexpr double met_roughly = 1e-2;    // by all others
constexpr double string_excess = 2e-3;  // strings are found slack or taut for whole steps
constexpr double solved_enough = 1e-6;  // residual of a step that missed its tolerance

// Of the largest force at the time: what lets go within a step may pull a little until its end.
constexpr double pulls = 0.1;

using Energy = Promises::Energy;

/// What energy does in a scene, apart from impacts, settling and work that is counted.
enum class Budget { unknown, never_grows, constant };

Budget budget(const System& system, const Promises& promises) {
  const auto all_forces = [&](auto is) {
    return std::all_of(system.all_forces().begin(), system.all_forces().end(),
                       [&](const auto& batch) { return is(*batch); });
  };
  bool has_strings = false, has_motors = false;
  for (const RowPattern::BoundedRow& bounded : RowPattern(system).bounded) {
    has_motors = has_motors || bounded.law.kind == RowLaw::Kind::rate;
    // A string that becomes taut takes away what moved its ends apart.
    has_strings =
        has_strings || (bounded.law.kind == RowLaw::Kind::limit && !bounded.law.is_located);
  }
  const bool is_driven = system.constraints_depend_on_time();
  const bool knows_work = promises.energy == Energy::conserves && !has_motors;
  if (is_driven && !knows_work) return Budget::unknown;
  if (!all_forces([](const ForceBatch& batch) { return batch.is_passive(); }))
    return Budget::unknown;
  return has_strings || !all_forces([](const ForceBatch& batch) { return batch.is_conservative(); })
             ? Budget::never_grows
             : Budget::constant;
}

std::string percent(double part) { return fmt::format("{:.2g} %", 100 * part); }

/// What is true of the energy over a run, one sentence or none.
class EnergyJudge {
 public:
  EnergyJudge(const System& system, const Method& method, const Evidence& evidence,
              RunReport& report)
      : system_(system), method_(method), evidence_(evidence), report_(report) {}

  void judge() {
    const Budget known = budget(system_, method_.promises);
    const double scale = evidence_.energy_scale;
    if (known == Budget::unknown || !(scale > 0)) return;
    const bool dissipates = method_.promises.energy == Energy::dissipates;
    if (known == Budget::never_grows || dissipates) {
      if (evidence_.gain.value > kept_roughly * scale) return gained(dissipates);
      if (known == Budget::constant && evidence_.loss.value > kept_roughly * scale) damped();
      return;
    }
    const double tolerance = method_.promises.energy == Energy::conserves ? kept_exactly
                             : method_.order() >= 4                       ? kept_by_order
                                                                          : kept_roughly;
    if (report_.energy.max_abs_error > tolerance * scale) changed();
  }

 private:
  /// "3.2 J, 12 % of the energy that the motion exchanges"
  std::string amount(double energy) const {
    return fmt::format("{:.4g} J, {} of the {:.4g} J that the motion exchanges", energy,
                       percent(energy / evidence_.energy_scale), evidence_.energy_scale);
  }

  void gained(bool dissipates) {
    report_.doubts.push_back(fmt::format(
        "by {:.4g} s the energy rose by {}, although {}: use a smaller step or another method",
        evidence_.gain.at, amount(evidence_.gain.value),
        dissipates ? "the method can only lose energy" : "nothing in the scene adds any"));
  }

  // Cloth at the step of a frame is always damped; nobody expects to see its every wave.
  void damped() {
    const std::string text = fmt::format(
        "the method damped the motion: by {:.4g} s it had lost {}; a smaller step loses less",
        evidence_.loss.at, amount(evidence_.loss.value));
    if (is_sheet(system_, RowPattern(system_))) {
      report_.remarks.push_back(text);
    } else {
      report_.doubts.push_back(text + ", and energy_momentum, rattle and dop853 do not damp");
    }
  }

  void changed() {
    const double error = report_.energy.max_abs_error;
    std::string text = fmt::format("the energy, which should stay, is off by {}", amount(error));
    if (evidence_.change.value > 0.5 * error)
      text +=
          fmt::format("; most of it changed in one step, to {:.4g} s, as in a singular position",
                      evidence_.change.at);
    report_.doubts.push_back(text + ": use a smaller step or another method");
  }

  const System& system_;
  const Method& method_;
  const Evidence& evidence_;
  RunReport& report_;
};

void judge_constraints(const System& system, const Promises& promises, double size,
                       const Evidence& evidence, RunReport& report) {
  const auto doubt = [&](const Evidence::Worst& worst, double most, std::string_view excuse) {
    if (!(worst.value > most)) return;
    const bool is_angle = constraint_is_angle(system, worst.constraint);
    report.doubts.push_back(fmt::format(
        "{} is off by {:.3g} {} at {:.4g} s{}{}", constraint_label(system, worst.constraint),
        worst.value * (is_angle ? 1 : size), is_angle ? "rad" : "m", worst.at,
        is_angle ? "" : fmt::format(", {} of the scene's size", percent(worst.value)), excuse));
  };
  doubt(evidence.equation, promises.exact_constraints ? met_exactly : met_roughly,
        promises.exact_constraints && report.cost.compromise_steps == 0
            ? ", although the method should meet it exactly"
            : "");
  doubt(evidence.stop, met_exactly, ": it is beyond its stop");
  doubt(evidence.string, string_excess, ": it is longer than it can be");
  if (const auto& wrong = evidence.wrong_way; wrong.value > pulls)
    report.doubts.push_back(fmt::format(
        "at {:.4g} s {} has a force in the direction in which it cannot act, {} of the largest "
        "force at that time",
        wrong.at, constraint_label(system, wrong.constraint), percent(wrong.value)));
}

}  // namespace

void give_verdict(const System& system, const Method& method, double size, const Evidence& evidence,
                  RunReport& report) {
  if (report.status == RunStatus::diverged) {
    report.doubts.push_back("the run diverged");
    return;
  }
  EnergyJudge(system, method, evidence, report).judge();
  judge_constraints(system, method.promises, size, evidence, report);
  if (const auto& residual = evidence.residual; residual.value > solved_enough * size)
    report.doubts.push_back(
        fmt::format("{} of {} steps were not solved to the method's tolerance; the largest "
                    "residual, at {:.4g} s, is {:.3g}, {} of the scene's size",
                    report.cost.unconverged_steps, report.steps, residual.at, residual.value,
                    percent(residual.value / size)));
  if (evidence.compromise.value > 0)
    report.doubts.push_back(fmt::format(
        "in {} of {} steps, the first at {:.4g} s, the constraints could not be met together, and "
        "a compromise was taken",
        report.cost.compromise_steps, report.steps, evidence.compromise.at));
}

}  // namespace taut
