// Automatic steps: how large an error is, and what the next step should be.
#pragma once

#include "taut/model/state.hpp"
#include "taut/model/system.hpp"

namespace taut {
class Archive;
}

namespace taut::detail {

/// Errors of positions relative to the scene's extent (1 rad for turns), those of velocities
/// relative to the largest speed so far.
class ErrorNorm {
 public:
  /// `acceleration` of the start: what starts from rest has the speed √(extent·a) in prospect.
  ErrorNorm(const System& system, const State& start, const VecX& acceleration, double extent,
            double duration);
  void see(const State& state);
  void archive(Archive& a);
  double operator()(const VecX& error_q, const VecX& error_v) const;
  /// A time in which the motion changes much.
  double time_scale() const { return time_scale_; }

 private:
  const System& system_;
  double extent_;
  double speed_, turning_;  // largest so far
  double time_scale_;
};

/// A PI controller (Gustafsson; Hairer, Nørsett, Wanner II, IV.2). `order`: the error of a step is
/// of size h^order.
class StepController {
 public:
  explicit StepController(int order) : order_(order) {}
  /// The next step, after one of size h with `error`, relative to the tolerance, ≤ 1.
  double accepted(double h, double error);
  /// The step to try instead of h, after an error > 1.
  double rejected(double h, double error);
  void archive(Archive& a);
  /// A step failed: the next one must not grow.
  void failed() { just_rejected_ = true; }

 private:
  int order_;
  double error_before_ = 1e-2;
  bool just_rejected_ = false;
};

/// Per velocity, what leads from b to a: a ≈ b ⊕ out.
void position_difference(const System& system, const VecX& a, const VecX& b, VecX& out);

}  // namespace taut::detail
