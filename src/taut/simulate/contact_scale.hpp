// What is small, slow and near in a part of a step with contacts, and how accurately contacts are
// solved for. ContactLook finds it at the start of each part.
#pragma once

#include <algorithm>
#include <cmath>

#include "taut/methods/method.hpp"
#include "taut/model/scale.hpp"
#include "taut/solve/cone_solver.hpp"

namespace taut {

struct ContactScale {
  static constexpr double roundoff = 1e-12;        // of a length, of the scene's size
  static constexpr double no_way = 1e-13;          // the same: what moved less is where it was
  static constexpr double little_way = 1e-9;       // of the scene's size in a part: all but at rest
  static constexpr double rests = 1e-12;           // the tolerance of speeds then
  static constexpr double no_time_left = 1e-9;     // of a step
  static constexpr double ahead = 1.5;             // of what is left of a step: looked for contacts
  static constexpr double cone_tolerance = 1e-10;  // of speeds, of what forces change in a step
  static constexpr double good_enough = 1e-9;      // … where that takes long
  static constexpr double good_in_real_time = 1e-6;

  ContactSolver solver = ContactSolver::exact;
  double most_time = 0;  ///< s, for a solve; 0: any

  double size = 1;          ///< m, of the scene
  double lever = 1;         ///< m: no point of a body is farther from its centre
  double no_gap = 0;        ///< m: round-off of a gap
  double reach = 0;         ///< m: how far forces move a contact in the rest of the step, with room
  double slow = 0;          ///< m/s: an approach that is no impact
  double speed = 0;         ///< m/s: what forces change in the step
  double fastest = 0;       ///< m/s: of a contact
  double loaded_speed = 0;  ///< m/s: what forces and loads change in the step

  bool is_real_time() const { return solver == ContactSolver::real_time; }
  /// m, that is left to be taken out of the positions.
  double deepest_overlap() const { return (is_real_time() ? 3e-7 : 1e-8) * size; }
  /// Of lengths: positions are right.
  double placed() const { return is_real_time() ? 1e-10 : 10 * roundoff; }
  /// Round-off of gaps is no gap: a box that lies on four corners would rock on it.
  bool is_noise(double gap) const { return std::abs(gap) <= no_gap; }
  double to_close(double gap) const { return gap <= no_gap ? 0 : gap; }

  /// When contacts and constraints are those that were found before: exactly there, or in real
  /// time, as good as there.
  Stillness still() const { return {is_real_time() ? no_way * size : 0, std::max(lever, size)}; }

  /// m/s: what opens faster bears no load.
  double opening() const { return 1e-7 * std::max(speed, 1e-3 * fastest); }

  /// For velocities at the end of a part, by the exact solver.
  ConeOptions exactly() const {
    return {.tolerance = cone_tolerance,
            .good_enough = good_enough,
            .speed = speed,
            .turn = speed / size};
  }
  /// The same, as it was asked for.
  ConeOptions as_asked() const {
    ConeOptions options = exactly();
    options.solver = solver;
    options.most_time = most_time;
    return options;
  }
  /// Adds to a report what a solve for a part cost, and whether it failed.
  void count(const ConeReport& cones, double length, StepReport& report) const;
};

}  // namespace taut
