// The laws between an impulse r and a velocity u that a ConeSolver knows, one group of rows each.
#pragma once

#include "taut/base/types.hpp"

namespace taut {

struct ConeLaw {
  enum class Kind : char {
    half_line,  ///< 1 row: 0 ≤ r ⟂ u ≥ 0. A stop, a string, contact without friction
    interval,  ///< 1 row: r in [lower, upper]; u = 0 between, ≥ 0 at the lower, ≤ 0 at the upper
               ///< bound. A motor, dry friction in a joint
    friction,  ///< 3 rows, normal first: 0 ≤ r_N ⟂ u_N ≥ 0 and Coulomb's law, |r_T| ≤ μ r_N, with
               ///< r_T = −μ r_N u_T / |u_T| where u_T ≠ 0
    rolling  ///< 6 rows: those of friction; one that resists spinning about the normal, |r_3| ≤
             ///< σ r_N; two that resist rolling, |r_4,5| ≤ ρ r_N. Each resists as friction does
  };
  enum class Unit : char { length, angle };  ///< of what u is the rate: each has its own scale
  static constexpr int most_rows = 6;

  Kind kind = Kind::half_line;
  Unit unit = Unit::length;
  double friction = 0;               ///< μ ≥ 0, of kinds friction and rolling
  double spinning = 0, rolling = 0;  ///< σ, ρ ≥ 0, of kind rolling
  double lower = 0, upper = 0;       ///< of kind interval; may be infinite
  double compliance = 0;  ///< R ≥ 0: u of the first row gets R r, as from a spring with 1 / (k h²)
  double softness = 0;    ///< the same, of all rows

  int rows() const { return kind == Kind::friction ? 3 : kind == Kind::rolling ? 6 : 1; }
  bool has_normal() const { return rows() > 1; }  ///< that bounds the other rows
  double compliance_of(int row) const { return row == 0 ? compliance + softness : softness; }
};

/// Rows of a group that the normal impulse bounds together: |r| ≤ coefficient · r_N.
struct Disc {
  int first, size;
  double coefficient;
};
class Discs {
 public:
  explicit Discs(const ConeLaw& law)
      : discs_{{1, 2, law.friction}, {3, 1, law.spinning}, {4, 2, law.rolling}},
        count_(law.kind == ConeLaw::Kind::friction  ? 1
               : law.kind == ConeLaw::Kind::rolling ? 3
                                                    : 0) {}
  const Disc* begin() const { return discs_; }
  const Disc* end() const { return discs_ + count_; }

 private:
  Disc discs_[3];
  int count_;
};

/// Of one group, whose rows begin at the pointers given.
namespace cone {

/// r ← the nearest of the impulses that the law allows.
void project(const ConeLaw& law, double* r);

/// |r − Φ(r − u/W)|·W, in the unit of u: 0 exactly where the law holds. Φ projects on the impulses
/// that the law allows; of friction the normal part first, r_N ≥ 0, and then the tangential part on
/// the disc |r_T| ≤ μ r_N (Alart and Curnier 1991), and so with spinning and rolling. Whatever μ
/// is, this is at least the speed at which a contact closes.
double contradiction(const ConeLaw& law, const double* r, const double* u, double response);

/// What of u the group strives against: opening is free.
double resisted(const ConeLaw& law, const double* u);

/// Newton's method for the law as the equation r = Φ(x), x = r − ρ u.
struct Tangent {
  double f[ConeLaw::most_rows];  ///< r − Φ(x)
  double t[ConeLaw::most_rows];  ///< B⁻¹ f,  with B = 1 − Φ'(x) (1 − δ)
  double G[ConeLaw::most_rows * ConeLaw::most_rows];  ///< ρ B⁻¹ Φ'(x), by rows: a change of u by
                                                      ///< du changes r by −t − G du
};
/// δ > 0 is ρ times the compliance and what is needed to be regular, of the first row and of the
/// others.
struct Delta {
  double first, others;
};
void linearize(const ConeLaw& law, const double* r, const double* u, double rho, Delta delta,
               Tangent& tangent);
/// f alone.
void defect(const ConeLaw& law, const double* r, const double* u, double rho, double* f);

/// Velocities that the law would have at r, given u: z, with De Saxcé's shift.
void allowed_velocity(const ConeLaw& law, const double* r, const double* u, double* z);
/// De Saxcé's shift of the normal velocity, Σ coefficient·|z|, that makes the laws a
/// complementarity of r in a cone and u in its dual.
double shift(const ConeLaw& law, const double* z);

/// r ← the exact answer for one group alone: u = A r + q, with A (by rows) positive definite.
void solve_alone(const ConeLaw& law, const double* A, const double* q, double* r);

}  // namespace cone
}  // namespace taut
