// Servos that are too stiff for a step of a method that knows no derivatives of forces: it would be
// unstable, and with bounded torques nobody would see that. Such a step is done in parts, so that
// in each of them
//   Σ m (h² k + h d) ≤ 1,   or 2.5 for methods of order 4 and more,
// m being what is left of the mobility along each of them where the constraints hold.
#pragma once

#include <string>

#include "taut/methods/method.hpp"

namespace taut {

class StiffForces {
 public:
  static constexpr double most_parts = 1000;

  StiffForces(const System& system, const Method& method);

  /// Whether there may be such forces, and the method needs to be helped.
  bool any() const { return any_; }

  struct Need {
    double parts = 1;
    std::size_t batch = 0;  ///< of the stiffest
    int force = 0;          ///< in it
  };
  Need need(const System& system, double h, const State& state, Workspace& w);
  /// What the stiffest is called: its name, or its type and number.
  static std::string name(const System& system, const Need& need);

 private:
  /// J W Jᵀ with along_ as J: where the constraints hold, or of the bodies alone.
  double mobility(const System& system, bool with_constraints, Workspace& w);

  bool any_ = false;
  double most_ = 1;
  Pose pose_;
  VecX along_, response_, dropped_;
};

}  // namespace taut
