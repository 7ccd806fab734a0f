#include "taut/simulate/energy_track.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/archive.hpp"

namespace taut {

EnergyTrack::EnergyTrack(double kinetic, double potential, double size, Evidence& evidence,
                         RunReport& report)
    : evidence_(evidence),
      report_(report),
      least_potential_(potential),
      most_potential_(potential),
      least_scale_(no_motion * size * evidence.weight) {
  report.energy.initial = report.energy.final = kinetic + potential;
}

void EnergyTrack::follow(double kinetic, double potential, double time, double driven,
                         bool is_evidence) {
  auto& energy = report_.energy;
  energy.final = kinetic + potential;
  const double expected = energy.initial + energy.work + report_.activation.energy_change +
                          report_.impacts.energy_change;
  const double error = energy.final - expected;
  energy.max_abs_error = std::max(energy.max_abs_error, std::abs(error));

  // What settling moved is no motion.
  if (!has_measured_ && report_.activation.count > 0)
    least_potential_ = most_potential_ = potential;
  has_measured_ = true;
  least_potential_ = std::min(least_potential_, potential);
  most_potential_ = std::max(most_potential_, potential);
  most_kinetic_ = std::max(most_kinetic_, kinetic);
  evidence_.energy_scale = std::max({most_kinetic_, most_potential_ - least_potential_,
                                     least_scale_, std::abs(report_.impacts.energy_change)});
  driven_ += driven;
  if (is_evidence) {
    evidence_.driven_gain.see(error - driven_ - least_undriven_, -1, time);
    evidence_.gain.see(error - least_error_, -1, time);
    evidence_.loss.see(-error, -1, time);
    evidence_.change.see(std::abs(error - error_), -1, time);
    evidence_.all_changes += std::abs(error - error_);
  }
  least_error_ = std::min(least_error_, error);
  least_undriven_ = std::min(least_undriven_, error - driven_);
  error_ = error;
}

void EnergyTrack::archive(Archive& a) {
  a(has_measured_, least_potential_, most_potential_, most_kinetic_, least_scale_, error_,
    least_error_, driven_, least_undriven_);
}

}  // namespace taut
