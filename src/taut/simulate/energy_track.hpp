// The energy along a run, and what it says about how far the run can be trusted.
#pragma once

#include <algorithm>

#include "taut/simulate/verdict.hpp"

namespace taut {

class Archive;

/// Of weight times size: energies below it are those of a scene at rest. Where it is held in a
/// singular position, as a taut line is, errors of 1e-12 in length move it by 1e-6.
inline constexpr double no_motion = 1e-4;

class EnergyTrack {
 public:
  /// `size`: of the scene, m; evidence.weight is known.
  EnergyTrack(double kinetic, double potential, double size, Evidence& evidence, RunReport& report);

  /// An energy that is nothing beside what the motion exchanges.
  void know_least_scale(double energy) { least_scale_ = std::max(least_scale_, energy); }
  /// After a step, in which drives can have put in so much. `is_evidence`: the work of all that
  /// drives the scene is known.
  void follow(double kinetic, double potential, double time, double driven = 0,
              bool is_evidence = true);
  void archive(Archive& a);

 private:
  Evidence& evidence_;
  RunReport& report_;
  bool has_measured_ = false;
  double least_potential_, most_potential_, most_kinetic_ = 0, least_scale_;
  double error_ = 0, least_error_ = 0;
  double driven_ = 0, least_undriven_ = 0;  // by drives at most; what is left of the error
};

}  // namespace taut
