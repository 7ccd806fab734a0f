// What energy tells of a run: it may not come from nothing, nor go where a method does not take it.
#include <fmt/core.h>

#include <algorithm>

#include "taut/simulate/bounded_step.hpp"
#include "taut/simulate/verdict_internal.hpp"

namespace taut {
namespace {

// Of the energy that the motion exchanges:
constexpr double kept_exactly = 1e-5;   // by methods that conserve it; what others of order 4 gain
constexpr double kept_by_order = 1e-3;  // by those of order 4 and more
constexpr double kept_roughly = 1e-2;   // by all others; and the most that may appear from nothing
constexpr double kept_in_touches = 1e-3;  // of cloth, by methods that damp
constexpr double jump = 1e-5;  // in one step, of order 4 and more, and more than all others

using Energy = Promises::Energy;

/// What energy does in a scene, apart from impacts, settling and work that is counted.
enum class Budget {
  unknown,
  bounded,  ///< it grows by no more than drives can have put in
  never_grows,
  constant
};

Budget budget(const System& system, const Promises& promises, const Evidence& evidence) {
  const auto all_forces = [&](auto is) {
    return std::all_of(system.all_forces().begin(), system.all_forces().end(),
                       [&](const auto& batch) { return is(*batch); });
  };
  bool has_motors = false, is_driven = false;
  for (const auto& batch : system.constraints()) {
    bool are_motors = false;
    for (int c = 0; c < batch->size(); ++c)
      for (int r = 0; r < batch->rows_per_constraint(); ++r)
        are_motors = are_motors || batch->law(c, r).kind == RowLaw::Kind::rate;
    has_motors = has_motors || are_motors;
    is_driven = is_driven || (!are_motors && batch->depends_on_time());
  }
  // Impacts of stops against what is driven do work, too, and nobody counts that.
  const bool conserves = promises.energy == Energy::conserves;
  const bool counts_work = conserves && !has_motors && count_limits(system).all == 0;
  const bool counts_motors = !conserves && !is_driven && !evidence.has_unknown_work;
  if (!all_forces([](const ForceBatch& batch) { return batch.is_passive(); }))
    return Budget::unknown;
  // Elsewhere blows, of contacts, say, reach drives within a step, and their work is not known.
  const bool is_bounded = is_fabric(system) && !has_motors && !evidence.has_unknown_work;
  if (system.constraints_depend_on_time() && !counts_work && !counts_motors)
    return is_bounded ? Budget::bounded : Budget::unknown;
  // In cloth, a limit that begins to act within a step takes away what moved its ends apart, and
  // nobody counts it.
  const LimitCount limits = count_limits(system);
  const bool has_loose_limits =
      !limits.are_located() && (limits.threads > 0 || !promises.solves_rows);
  const bool loses_in_contacts =
      std::any_of(system.contact_sources().begin(), system.contact_sources().end(),
                  [](const auto& source) { return !source->is_conservative(); }) ||
      (system.sheets() && !system.sheets()->is_conservative());
  return has_loose_limits || loses_in_contacts ||
                 !all_forces([](const ForceBatch& batch) { return batch.is_conservative(); })
             ? Budget::never_grows
             : Budget::constant;
}

/// Says what is wrong with the energy over a run: one sentence or none.
class EnergyJudge {
 public:
  EnergyJudge(const System& system, const Method& method, double size, const Evidence& evidence,
              RunReport& report)
      : system_(system), method_(method), evidence_(evidence), report_(report) {
    scale_ = evidence.energy_scale;
    if (is_fabric(system)) scale_ = std::max(scale_, evidence.weight_of_particles * size);
  }

  void judge() {
    const Budget known = budget(system_, method_.promises, evidence_);
    if (known == Budget::unknown || !(scale_ > 0)) return;
    if (known == Budget::bounded) {
      if (evidence_.driven_gain.value > kept_roughly * scale_) gained(evidence_.driven_gain, false);
      return;
    }
    const bool dissipates = method_.promises.energy == Energy::dissipates;
    lost_in_contacts();
    // Where stops are hit at moments that are not known, what they take is known roughly.
    const bool is_rough = evidence_.impact_shift > 0;
    const bool conserves = method_.promises.energy == Energy::conserves;
    const bool is_high_order = method_.order() >= 4 && !is_rough;
    if (known == Budget::never_grows || dissipates) {
      // Steps of touching cloth are of first order, and only lose.
      const bool is_strict = system_.sheets() && dissipates && method_.order() == 1;
      const double most = is_strict ? kept_in_touches
                          : (conserves || is_high_order) && !is_rough && !is_fabric(system_)
                              ? kept_exactly
                              : kept_roughly;
      const bool loses = known == Budget::constant && evidence_.loss.value > kept_roughly * scale_;
      const bool gains = evidence_.gain.value > most * scale_;
      if (gains && !(loses && evidence_.loss.value > evidence_.gain.value))
        gained(evidence_.gain, dissipates);
      else if (loses)
        damped();
      return;
    }
    const double tolerance = is_rough        ? kept_roughly
                             : conserves     ? kept_exactly
                             : is_high_order ? kept_by_order
                                             : kept_roughly;
    const bool jumps = evidence_.change.value > 0.5 * evidence_.all_changes;
    if (report_.energy.max_abs_error > tolerance * scale_ ||
        (jumps && is_high_order && evidence_.change.value > jump * scale_))
      changed(jumps);
  }

 private:
  /// "3.2 J, 12 % of the 27 J that the motion exchanges"
  std::string amount(double energy) const {
    const double exchanged = evidence_.energy_scale;
    return fmt::format("{:.4g} J, {}", energy,
                       share(energy / exchanged,
                             fmt::format("the {:.4g} J that the motion exchanges", exchanged)));
  }

  void gained(const Evidence::Worst& gain, bool dissipates) {
    report_.doubts.push_back(fmt::format(
        "by {:.4g} s the energy rose by {}, although {}: use a smaller step or another method",
        gain.at, amount(gain.value),
        dissipates                             ? "the method should only lose energy"
        : system_.constraints_depend_on_time() ? "drives put in less"
                                               : "nothing in the scene adds any"));
  }

  // Where surfaces meet without a rebound energy goes, as it should. But a step of first order
  // takes some as well, and nobody can tell the two apart.
  void lost_in_contacts() {
    const bool forces_conserve =
        std::all_of(system_.all_forces().begin(), system_.all_forces().end(),
                    [](const auto& batch) { return batch->is_conservative(); });
    if (!system_.may_touch() || !forces_conserve) return;
    const auto& energy = report_.energy;
    const double lost = energy.initial + energy.work + report_.activation.energy_change +
                        report_.impacts.energy_change + energy.friction - energy.final;
    if (lost > kept_roughly * scale_)
      report_.remarks.push_back(fmt::format(
          "beside friction and impacts that were counted, contacts took {}: where surfaces met "
          "without a rebound, and in steps of first order",
          amount(lost)));
  }

  // Fabric at the step of a frame is always damped; nobody expects to see its every wave.
  void damped() {
    const std::string text = fmt::format(
        "the method damped the motion: by {:.4g} s it had lost {}; a smaller step loses less",
        evidence_.loss.at, amount(evidence_.loss.value));
    if (is_fabric(system_)) {
      report_.remarks.push_back(text);
    } else {
      report_.doubts.push_back(text + ", and energy_momentum, rattle and dop853 do not damp");
    }
  }

  void changed(bool jumps) {
    std::string text = fmt::format("the energy, which should stay, is off by {}",
                                   amount(report_.energy.max_abs_error));
    if (jumps && report_.steps > 1)
      text += fmt::format(
          "; most of it changed in one step, at {:.4g} s, as happens in a singular position or at "
          "the crack of a whip",
          evidence_.change.at);
    report_.doubts.push_back(text + ": use a smaller step or another method");
  }

  const System& system_;
  const Method& method_;
  const Evidence& evidence_;
  RunReport& report_;
  double scale_;
};

}  // namespace

void judge_energy(const System& system, const Method& method, double size, const Evidence& evidence,
                  RunReport& report) {
  EnergyJudge(system, method, size, evidence, report).judge();
}

}  // namespace taut
