// What is wrong with a system of constraints: which are violated, redundant, or in conflict.
#pragma once

#include <string>
#include <vector>

#include "taut/model/state.hpp"
#include "taut/model/system.hpp"

namespace taut {

struct Violation {
  std::string constraint, type, unit;
  double error = 0;  ///< in `unit`
  double rate = 0;   ///< largest |dC/dt| of its rows
};

/// A row that the others imply: its gradient is a combination of theirs. Of rows that imply each
/// other the last one, in the system's order, is named.
struct Dependency {
  std::string constraint, type, unit;
  int row = 0, rows = 1;                ///< which of its rows, from 0, and how many it has
  std::vector<std::string> depends_on;  ///< the constraints whose rows combine to it; empty: the
                                        ///< row acts on nothing that can move
  bool only_here = false;    ///< full rank in a nearby configuration: a singular position, not a
                             ///< redundant design
  bool conflict = false;     ///< it asks for what the others forbid
  double mismatch = 0;       ///< by how much it is off where the others are met, in `unit`
  double rate_mismatch = 0;  ///< by how much its prescribed motion is off, in `unit` per second
};

struct Diagnosis {
  int bodies = 0, velocities = 0, constraints = 0, rows = 0;
  int rank = 0;                ///< of J at the start, or where the constraints are nearest to hold
  int degrees_of_freedom = 0;  ///< velocities − rank
  int generic_rank = 0;        ///< in a nearby configuration
  std::vector<Violation> position_violations, velocity_violations;
  std::vector<Dependency> dependencies;
  bool has_conflict() const;
};

/// Violations at `state` larger than `tolerance` times the system's extent. Then rank and
/// dependencies of the rows at the nearest configuration where the constraints hold (or hold best),
/// and at a slightly perturbed one beside it.
Diagnosis diagnose(const System& system, const State& state, double tolerance = 1e-9);

}  // namespace taut
