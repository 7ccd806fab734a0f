// The narrow waist between constraints and methods: scalar rows C_i(q, t) = 0 with their
// derivatives, in flat arrays. A constraint fills rows, a method reads them; neither knows the
// other's name.
//
// The pattern says which bodies each row touches. It is built once and stays until the topology of
// the system changes; the values are rewritten in every evaluation, without allocation.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "taut/base/types.hpp"

namespace taut {

class System;
struct Pose;

/// Second derivatives as they are, or with their negative eigenvalues left out, so that a matrix
/// they are added to stays positive definite.
enum class Definiteness { exact, positive };

/// The form in which a constraint is written: as its user gave it, or as the lowest polynomial that
/// has the same solutions and, on them, the same gradient (and so the same λ): (l² − L²)/2L instead
/// of l − L. Newton's method and discrete gradients like the second better.
enum class RowForm { given, smooth };

/// What a row is, if not an equation C = 0 that holds whatever force it takes.
struct RowLaw {
  enum class Kind {
    equation,
    limit,  ///< lower ≤ C ≤ upper; λ ≤ 0 at the lower bound, λ ≥ 0 at the upper one, else 0
    rate,  ///< Ċ = 0 where that takes lower ≤ λ ≤ upper; else λ is at the bound it would exceed
    velocity,  ///< J v + C_t = 0 always; there is no C, as with a wheel that rolls
  };
  Kind kind = Kind::equation;
  double lower = 0, upper = 0;
  double period = 0;       ///< above 0: C is known only up to multiples of it
  double restitution = 0;  ///< of limits: speed after hitting it relative to that before
  bool is_thread = false;  ///< of limits: one of the many of a cloth, which change all the time
  double until = std::numeric_limits<double>::infinity();  ///< of equations: when they end

  bool holds_always() const {
    return (kind == Kind::equation || kind == Kind::velocity) &&
           until == std::numeric_limits<double>::infinity();
  }
};

/// A step from one configuration to another, for discrete gradients.
struct Passage {
  const Pose& from;
  const Pose& to;
  const Pose& mean;  ///< see Pose::set_mean()
  double time;       ///< half way
};

/// A step as rows on velocities see it. They have no C: what a step has to meet is, to second order
/// and alike in both directions of time,
///
///   C = g(x̄)·(x₁ − x₀) + h c(x̄) = 0   for a row g(x)·ẋ + c(x) = 0,   x̄ = ½(x₀ + x₁),
///
/// a function of the end of the step. Of spins, x₁ − x₀ is the turn itself.
struct Way {
  const Pose& from;
  const Pose& to;
  const VecX& increment;             ///< to ⊖ from, per velocity
  const std::vector<Mat3>& tangent;  ///< per rigid body: d(its turn) for a further small turn
  double h;
  double time;  ///< half way
};
/// Whether J is to be the derivative of that C with respect to `to`, or to stay what it is.
enum class WayJacobian { keep, derive };

/// The columns of one row of J that belong to one body: J[value … value+size) act on
/// v[dof … dof+size).
struct JacobianBlock {
  int dof;
  int size;  ///< 3 for a particle, 6 for a rigid body
  int value;
};

/// A block of G(λ) or K, for a pair of bodies: values column-major, rows × cols, or a single one.
struct StiffnessBlock {
  int row_dof, col_dof;
  int value;
  std::int8_t rows, cols;
  bool is_scalar = false;  ///< of two particles, the same in all directions: value × 1

  int value_count() const { return is_scalar ? 1 : rows * cols; }
};

/// The blocks of the pairs of bodies of one constraint or coupling: (i, j) is number i(i+1)/2 + j.
struct PairBlocks {
  const StiffnessBlock* blocks;
  const int* numbers = nullptr;  ///< of the pairs' blocks; nullptr: they are one after the other

  const StiffnessBlock& operator[](int pair) const {
    return blocks[numbers ? numbers[pair] : pair];
  }
};

/// The numbers from which on the rows, constraints and anchors of a batch are counted.
struct BatchStart {
  int row = 0, constraint = 0, anchor = 0;
};

struct RowPattern {
  RowPattern() = default;
  /// `form`: of the rows whose G there is room for. In the smooth one many have a single number.
  explicit RowPattern(const System& system, RowForm form = RowForm::smooth);

  int rows() const { return static_cast<int>(first_block.size()) - 1; }

  std::vector<BatchStart> batch_start;  ///< per batch of constraints
  std::vector<int> first_block{0};      ///< row r owns blocks [first_block[r], first_block[r+1])
  std::vector<JacobianBlock> blocks;
  int jacobian_values = 0;
  std::vector<double> natural_length;  ///< per row: what C is compared with to be called strain; 0:
                                       ///< nothing
  std::vector<char> is_angle;          ///< per row: C is in rad, not in m
  std::vector<int> velocity_rows;      ///< those without a C: RowLaw::Kind::velocity
  double length = 0;                   ///< the largest distance in the system as it was built

  /// Where in J the rows [begin, end) are.
  struct Values {
    int begin, size;
  };
  Values values_of(int begin, int end) const {
    const auto at = [&](int row) {
      const int block = first_block[row];
      return block < static_cast<int>(blocks.size()) ? blocks[block].value : jacobian_values;
    };
    return {at(begin), at(end) - at(begin)};
  }

  /// The number of the constraint that a row belongs to.
  int constraint_of(int row) const;

  struct BoundedRow {
    int row;
    RowLaw law;
  };
  std::vector<BoundedRow> bounded;  ///< the rows that are not equations

  std::vector<int> anchor_block;  ///< per constraint and anchor: which block of its rows, −1: world
  std::vector<int> constraint_row;         ///< per constraint: its first row
  std::vector<int> first_stiffness_block;  ///< per constraint
  std::vector<StiffnessBlock> stiffness_blocks;
  RowForm stiffness_form = RowForm::smooth;
  int stiffness_values = 0;

  // Forces that know their derivatives: each coupling is a few anchors a force depends on. All that
  // acts between two bodies is added up in one block.
  std::vector<int> coupling_anchor_block;
  std::vector<int> first_coupling_pair;  ///< per coupling
  std::vector<int> coupling_pairs;       ///< per coupling and pair of its bodies: which block
  std::vector<StiffnessBlock> coupling_blocks;
  int coupling_values = 0;

 private:
  void add_constraints(const System& system);
  void add_couplings(const System& system);
};

struct Rows {
  VecX C;     ///< values; of rows on velocities 0
  VecX C_t;   ///< ∂C/∂t
  VecX bias;  ///< d²C/dt² at zero acceleration: J̇v + 2 C_qt·v + C_tt
  VecX J;     ///< the values of all blocks, in the pattern's order
  VecX G;     ///< geometric stiffness, in the pattern's order
  VecX K;     ///< stiffness and damping of the forces, in the order of the pattern's couplings

  void resize(const RowPattern& pattern);

  /// C, J, C_t at `pose` (one configuration) and time.
  void linearize(const System& system, const RowPattern& pattern, const Pose& pose, double time,
                 RowForm form = RowForm::given);
  /// bias, for velocity v. J must be that of the same pose.
  void add_bias(const System& system, const RowPattern& pattern, const Pose& pose, const VecX& v,
                double time);
  /// G(λ) = ∂²(λᵀC)/∂q²: symmetric. Along rotations the derivative of Jᵀλ has, besides, the skew
  /// part ½[τ]×, τ the torque in Jᵀλ, because rotations do not commute.
  void add_stiffness(const System& system, const RowPattern& pattern, const Pose& pose, double time,
                     const VecX& lambda, RowForm form = RowForm::given,
                     Definiteness wanted = Definiteness::exact);
  /// K = −∂F/∂q − rate·∂F/∂v of the forces that know their derivatives; the part that could make a
  /// matrix indefinite is left out.
  /// Of the mean forces over a passage.
  void add_force_stiffness_between(const System& system, const RowPattern& pattern,
                                   const Passage& passage, const VecX& v_mean, double rate);
  void add_force_stiffness(const System& system, const RowPattern& pattern, const Pose& pose,
                           const VecX& v, double rate, double time = 0);

  /// C of the rows on velocities over a step; the others are left alone.
  void measure_way(const System& system, const RowPattern& pattern, const Way& way,
                   WayJacobian wanted);

  // Of the smooth form:
  /// J ← a discrete gradient: J·h v̄ = C(to) − C(from) at the time half way, exactly.
  void linearize_between(const System& system, const RowPattern& pattern, const Passage& passage);
  /// G ← twice ∂(Jᵀλ)/∂q_to of that J; of constraints that are not quadratic, nearly.
  void add_stiffness_between(const System& system, const RowPattern& pattern,
                             const Passage& passage, const VecX& lambda, Definiteness wanted);
};

/// out = J v
void multiply(const RowPattern& pattern, const VecX& J, const VecX& v, VecX& out);
/// Ċ = J v + C_t of one row, and the sum of its terms without their signs: what it is small
/// against.
struct RowRate {
  double value = 0, size = 0;
};
RowRate row_rate(const RowPattern& pattern, const Rows& rows, const VecX& v, int row);
/// out = Jᵀ λ
void multiply_transposed(const RowPattern& pattern, const VecX& J, const VecX& lambda, VecX& out);
/// J as a dense matrix, for analysis and tests.
MatX dense_jacobian(const RowPattern& pattern, const VecX& J, int velocity_size);
/// G or K, with the pattern's blocks of it, as a dense matrix, for analysis and tests.
MatX dense_stiffness(const std::vector<StiffnessBlock>& blocks, const VecX& values,
                     int velocity_size);

}  // namespace taut
