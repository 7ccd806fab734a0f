// How far a run may be off, told by a few of its steps: each of them is done again by a method of
// order 8, and what the two differ by is added up along the run.
//
// A method may keep energy and constraints exactly and be wrong all the same. What it cannot hide
// is what it misses in a step.
#pragma once

#include <memory>
#include <vector>

#include "taut/simulate/step_policy.hpp"
#include "taut/simulate/verdict.hpp"

namespace taut {

class Archive;

class StepProbe {
 public:
  /// `size`: of the scene, m. There is nothing to compare with where shapes may touch, and in nets
  /// whose waves no step resolves; methods of first order have velocities that belong to other
  /// times than their positions, and are told by their energy.
  StepProbe(const System& system, const Method& method, double size, long steps);

  /// Before a step with this number, from 0. `solves`: linear ones, so far.
  void before(long step, long solves, const State& state, const Workspace& w);
  /// After it, where nothing but a plain step was done.
  void after(const State& state);
  /// What was found so far; reading, it begins to look anew.
  void archive(Archive& a);
  /// What adds up over the run. `way`: how far things go, m.
  void finish(double way, Evidence& evidence) const;

 private:
  /// Summed over all steps; those in between are taken to be like the next that was looked at.
  struct Sum {
    Vec3 vectors = Vec3::Zero();
    double lengths = 0;
    void archive(Archive& a);
  };
  struct Missed {
    Sum place, velocity, turn, spin;  // m, m/s, rad, rad/s
    void archive(Archive& a);
  };

  void go_on();
  /// To truth_, in parts. False where that is not possible without an event, or not exactly.
  bool follow(double time, int parts, double& error_q, double& error_v);

  const System& system_;
  const double size_;
  const long steps_;
  bool looks_ = false, is_armed_ = false;
  bool damps_ = false;  // by design: what is too fast for its steps does not add up
  long next_ = 1, now_ = 0, counted_ = 0;
  int looked_ = 0, in_vain_ = 0;
  bool must_start_ = true;                 // which rows follow from others has to be found anew
  long spent_ = 0;                         // linear solves
  double fastest_ = 0, fastest_spin_ = 0;  // m/s, rad/s
  double begin_ = 0, end_ = 0;
  std::unique_ptr<Method> method_;
  std::unique_ptr<Workspace> workspace_;
  StepPolicy policy_;
  State start_, truth_;
  std::vector<RowModes::Mode> modes_;
  VecX moved_, pushed_;
  std::vector<Missed> missed_;  // per body
};

}  // namespace taut
