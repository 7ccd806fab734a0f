// What simulate/metrics.hpp measures, of a cloth that nobody has as a whole: sums over what each
// process owns.
#pragma once

#include "taut/distributed/domain_internal.hpp"
#include "taut/simulate/energy_track.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::distributed {

class ClothMetrics {
 public:
  ClothMetrics(const Domain& domain, const State& start, Evidence& evidence, RunReport& report);

  double size() const { return size_; }      ///< m: of the scene
  double extent() const { return extent_; }  ///< m: that, or the largest error at the start

  /// After a step. Returns the largest error. `wants_end`: whether this process wants the run to
  /// end; afterwards, whether any does.
  double measure(const State& state, bool& wants_end);
  void finish();
  /// Of a state, in J: kinetic and potential, of what is owned here.
  std::pair<double, double> energies(const State& state);

 private:
  double spring_energy(const ForceBatch& batch, const Pose& pose) const;
  double measure_errors(const State& state, double& sum);
  std::string label(int constraint) const;

  const Domain& domain_;
  RunReport& report_;
  std::vector<char> owns_constraint_;
  std::vector<double> errors_;
  VecX F_, still_;
  double size_ = 0, extent_ = 0;
  double worst_ = 0;  // seen by this process, of its constraints
  int worst_constraint_ = -1;
  std::optional<EnergyTrack> energy_;
  int seen_ = -1;           // constraint, in the last measurement
  bool is_driven_ = false;  // by what does work that is not known
};

}  // namespace taut::distributed
