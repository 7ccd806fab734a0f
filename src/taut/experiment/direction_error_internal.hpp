// How far a step is from one whose constraint forces act along the direction of its end
// (Goldenthal et al. 2007, section 4):
//
//   F = δx + h² W J(q⁺)ᵀ λ,   δx = q⁺ − q̂,   q̂ = q + h v + h² W f(q)
//
// in positions, with the multipliers that the method found. At the point nearest to q̂ it is zero.
// Also how far the constraints moved the state at all: |δx|.
#pragma once

#include <memory>

#include "taut/methods/method.hpp"

namespace taut::experiment::detail {

/// Steps as the method in it, and measures F and δx, for free steps that are explicit in the
/// forces.
class DirectionError final : public Method {
 public:
  /// `beside`, if given, makes every step as well, from the same state, for comparison.
  DirectionError(std::unique_ptr<Method> method, std::unique_ptr<Method> beside,
                 const System& system);

  StepReport step(const System& system, double h, State& state, Workspace& w) override;
  int order() const override { return method_->order(); }
  bool has_memory() const override { return method_->has_memory(); }

  double last() const { return last_; }      ///< |F| in m, root mean square over the bodies
  double beside() const { return beside_; }  ///< the same for the method beside
  double moved() const { return moved_; }    ///< |δx| in m, root mean square over the bodies

 private:
  struct Size {
    double F = 0, moved = 0;
  };
  Size measure(const System& system, double h, const State& end, const VecX& lambda);

  std::unique_ptr<Method> method_, other_;
  Workspace probe_, other_workspace_;
  State start_, end_;
  VecX F_;
  double last_ = 0, beside_ = 0, moved_ = 0;
};

}  // namespace taut::experiment::detail
