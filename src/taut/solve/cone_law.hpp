// The laws between an impulse r and a velocity u that a ConeSolver knows, one group of rows each.
#pragma once

#include "taut/base/types.hpp"

namespace taut {

struct ConeLaw {
  enum class Kind : char {
    half_line,  ///< 1 row: 0 ≤ r ⟂ u ≥ 0. A stop, a string, contact without friction
    interval,  ///< 1 row: r in [lower, upper]; u = 0 between, ≥ 0 at the lower, ≤ 0 at the upper
               ///< bound. A motor, dry friction in a joint
    friction  ///< 3 rows, normal first: 0 ≤ r_N ⟂ u_N ≥ 0 and Coulomb's law, |r_T| ≤ μ r_N, with
              ///< r_T = −μ r_N u_T / |u_T| where u_T ≠ 0
  };
  enum class Unit : char { length, angle };  ///< of what u is the rate: each has its own scale

  Kind kind = Kind::half_line;
  Unit unit = Unit::length;
  double friction = 0;          ///< μ ≥ 0, of kind friction
  double lower = 0, upper = 0;  ///< of kind interval; may be infinite
  double compliance = 0;        ///< R ≥ 0: u gets R r, as from a spring with 1 / (k h²)

  int rows() const { return kind == Kind::friction ? 3 : 1; }
};

/// Of one group, whose rows begin at the pointers given.
namespace cone {

/// r ← the nearest of the impulses that the law allows.
void project(const ConeLaw& law, double* r);

/// |r − Φ(r − u/W)|·W, in the unit of u: 0 exactly where the law holds. Φ projects on the impulses
/// that the law allows; of friction the normal part first, r_N ≥ 0, and then the tangential part on
/// the disc |r_T| ≤ μ r_N (Alart and Curnier 1991). Whatever μ is, this is at least the speed at
/// which a contact closes.
double contradiction(const ConeLaw& law, const double* r, const double* u, double response);

/// What of u the group strives against: opening is free.
double resisted(const ConeLaw& law, const double* u);

/// Newton's method for the law as the equation r = Φ(x), x = r − ρ u.
struct Tangent {
  double f[3];  ///< r − Φ(x)
  double t[3];  ///< B⁻¹ f,  with B = 1 − (1 − δ) Φ'(x)
  double G[9];  ///< ρ B⁻¹ Φ'(x), by rows: a change of u by du changes r by −t − G du
};
/// Of `delta` = δ > 0, which is ρ times the compliance and what is needed to be regular.
void linearize(const ConeLaw& law, const double* r, const double* u, double rho, double delta,
               Tangent& tangent);
/// f alone.
void defect(const ConeLaw& law, const double* r, const double* u, double rho, double* f);

/// r ← the exact answer for one group alone: u = A r + q, with A (by rows) positive definite.
void solve_alone(const ConeLaw& law, const double* A, const double* q, double* r);

}  // namespace cone
}  // namespace taut
