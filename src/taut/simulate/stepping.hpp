// A run that somebody else drives, step by step: a viewer, a controller, a device. Every step is
// the one that simulate() would do, bit for bit, with the same repetitions, events and judgement.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "taut/simulate/simulation.hpp"

namespace taut {

/// What a constraint does to a body.
struct ConstraintForce {
  int constraint = 0;
  BodyId body;
  Vec3 point = Vec3::Zero(), force = Vec3::Zero();  ///< m and N, in the world
};

class Stepping {
 public:
  /// Settles an illegal start, as simulate() does. Of the options those count that concern steps;
  /// `duration`, recorders and `tolerance` do not. System and method must outlive it. Throws Error
  /// for a step that is no number > 0.
  Stepping(const System& system, State start, Method& method, RunOptions options);
  ~Stepping();
  Stepping(const Stepping&) = delete;
  Stepping& operator=(const Stepping&) = delete;

  /// False, and nothing is done, once the run has diverged: report() says why. Throws Error for an
  /// h that is no number > 0.
  bool step();
  bool step(double h);
  /// Its vectors stay where they are in memory: whoever shows them need not copy them.
  const State& state() const;
  const System& system() const;
  /// To be set between two steps. Where a constraint jumps with one, the state is settled before
  /// the next step, as where a driven constraint jumps within a step.
  Inputs inputs() const;
  /// Somebody has moved bodies, between two steps; velocities stay. q: as State's.
  void put(const VecX& q);
  /// All that the steps to come need, for a restore() by the same build of taut. This run goes on
  /// with what was written, too, so that both do the same, bit for bit: simulate/checkpoint.hpp.
  /// Throws Error for a method that remembers more than it can write.
  std::string save();
  /// Of a run of the same system, with the same method and options. Throws Error for what cannot
  /// be that.
  void restore(std::string_view saved);
  /// So far. What is only known at the end, as the verdict, is not there.
  const RunReport& report() const;
  /// The same with the verdict that it would have if it ended here.
  RunReport judged();
  double step_seconds() const;  ///< that all steps took together

  /// What acts at this state: multipliers per row, joints, contacts. Costs about a step, and is
  /// good until the next one.
  struct Measured {
    const VecX& lambda;
    const std::vector<JointSample>& joints;
    const std::vector<ContactSample>& contacts;
    const std::vector<double>& exerted;  ///< as for ExertedRecorder
  };
  Measured measure();
  /// Whether forces exert what their laws say at this state, however stiff they are; else measure()
  /// tells.
  bool laws_tell() const;
  /// How far the joints have moved, and how fast they are: cheap, and without what they transmit.
  const std::vector<JointSample>& joints();
  /// The forces on bodies that the multipliers of the last measure() are.
  std::vector<ConstraintForce> constraint_forces() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace taut
