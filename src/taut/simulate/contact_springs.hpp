// Contacts that give way: springs with dampers, k and d, that only push.
//
// Over a part of length h the spring is that of its end, with the gap g⁺ = g + h u:
//   r = −h (k g⁺ + d u)   or   u + w + R r = 0,   R = 1 / (h s),  w = k g / s,  s = h k + d.
// What other engines call ERP is h k / s, and CFM is 1 / s. A contact that closes within the part
// has w = g / h, so that it does nothing before. This damps as every step of first order does.
//
// Where a part is held, the method does it with constant forces from the gap g₀ to g₁, and the
// spring's force is that of a gap between, (1 − θ) g₀ + θ g₁:
//   r = −h k ((1 − θ) g₀ + θ g₁) − d (g₁ − g₀).
// With θ = ½ its work, r (g₁ − g₀) / h, is just what ½ k g² loses, and what the damper takes.
// Methods of first order and those of more than one step would gain energy with it: theirs is θ
// = 1. The solver changes the velocity u₁ at the end to u, which changes g₁ by c (u − u₁); c is h/2
// where the force acts throughout:
//   u + w + R r = 0,   R = 1 / (c (θ h k + d)),
//   w = −u₁ + R (h k ((1 − θ) g₀ + θ g₁) + d (g₁ − g₀)).
#pragma once

#include <vector>

#include "taut/methods/method.hpp"
#include "taut/simulate/contact_loads.hpp"

namespace taut {

/// Bias and compliance of springs over a part. `u_end`: the contacts are those near the end of the
/// last round, from which the gap at the beginning follows with these velocities; none: they are
/// those at the beginning.
void set_springs(const ContactRows& rows, double length, const KeptVec* u_end,
                 ContactProblem& problem);
/// J, below 0: what dampers take in a part that ends with u_end.
double damping_work(const ContactRows& rows, const ContactProblem& problem, double length,
                    const KeptVec& u_end);

/// In a part that is held.
class HeldSprings {
 public:
  void start(const ContactRows& rows);
  /// Bias and compliance at the end of the part, where velocities are u_end.
  void set(const ContactRows& at_end, const ContactLoads& loads, double length,
           const Method& method, const KeptVec& u_end, ContactProblem& problem);
  /// J, below 0: what dampers take.
  double damping() const { return damping_; }

 private:
  struct Gap {
    int source;
    std::uint64_t feature;
    double gap;
  };
  const double* gap_at_start(const Contact& contact) const;

  std::vector<Gap> gaps_;  // at the start, in order
  double damping_ = 0;
};

}  // namespace taut
