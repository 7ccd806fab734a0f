// What is measured along a run: constraint errors, energy, deviation from a reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taut/simulate/course.hpp"
#include "taut/simulate/drive_work.hpp"
#include "taut/simulate/energy_track.hpp"

namespace taut {

class Archive;

class Metrics {
 public:
  /// `size`: of the scene, m.
  Metrics(const System& system, const State& start, double size, const RunOptions& options,
          Evidence& evidence, RunReport& report);

  /// After a step. Returns the largest error of a constraint and its number.
  struct Worst {
    double error = 0;
    int constraint = -1;
    double unit = 1;  ///< what the error is large or small against: the scene's size, or 1 rad
  };
  Worst measure(const State& state, const VecX& lambda);
  /// A constraint that has come to an end in the state that was measured last, and why, in words;
  /// empty: there is none.
  std::string ended() const;
  /// The deviation from the reference alone: at a recording time between steps.
  void compare(const State& state);
  void archive(Archive& a);
  void finish();

 private:
  /// What the verdict needs to know of a constraint.
  struct Kind {
    Evidence::Worst Evidence::*worst;
    double length;  // of an edge that keeps it, at rest; else 0
    double unit;    // its error over this is in parts of the scene's size, or in rad
    double bound;   // the same, where an error may be one of a length or of an angle: the larger
  };
  void deviate(const State& state);
  void follow_rates(const State& state);

  const System& system_;
  const RunOptions& options_;
  Evidence& evidence_;
  RunReport& report_;
  std::vector<double> errors_;  // per constraint
  std::vector<Kind> kinds_;     // per constraint
  // Of rows on velocities, and of motors without a bound, where there are any:
  struct Slip {
    int row = 0;
    bool is_motor = false;
    double largest = 0, at = 0, speed = 0, late = 0;
    void archive(Archive& a);
  };
  RowPattern pattern_;
  Rows rows_;
  std::vector<Slip> slips_;
  int worst_slip_ = -1;    // constraint
  double settled_by_ = 0;  // s: motors have their speeds from then on
  double size_;
  Course course_;
  DriveWork drive_work_;
  double last_time_;
  VecX last_lambda_;
  long last_impacts_ = 0;
  std::optional<EnergyTrack> energy_;
  Pose pose_;
  int worst_ = -1;  // the constraint that had the largest error so far
  double squared_deviation_ = 0;
  long deviations_ = 0;
  std::vector<double> compared_at_;  // times for which the reference was asked
};

/// Whether its error is an angle.
bool constraint_is_angle(const System& system, int constraint);
/// The name of the constraint with this number.
std::string constraint_name(const System& system, int constraint);
/// "distance \"link3\"" for the constraint with this number.
std::string constraint_label(const System& system, int constraint);

}  // namespace taut
