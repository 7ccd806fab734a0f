// Solving with Newton's matrix of an implicit step,
//
//   [ a·M + c·(G + K)   B ]
//   [ J                −ε ].
//
// Directly where the graph of bodies is a tree or nearly so (kkt_matrix.hpp); by iteration where
// loops are upon loops, as in cloth (kkt_krylov.hpp).
#pragma once

#include <memory>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/row_modes.hpp"
#include "taut/model/rows.hpp"
#include "taut/model/system.hpp"
#include "taut/solve/added_stiffness.hpp"
#include "taut/solve/linear_cost.hpp"

namespace taut {

class Archive;

class KktSolver {
 public:
  struct Terms {
    double mass = 0;  ///< a: factor of the masses
    const std::vector<Mat3>&
        turning;           ///< per rigid body: what stands for a·I, gyroscopic terms too
    double stiffness = 1;  ///< c
    const VecX& G;         ///< of the constraints; empty: none
    const VecX& K;         ///< of the forces; empty: none
    const VecX& B;         ///< directions of the constraint forces, like J
    const VecX& J;         ///< gradients of the constraints
    const RowModes& modes;
    bool unit_masses = false;  ///< a alone in place of a·mass
    double motion = 1;         ///< what a displacement that is left counts beside what a row misses
    const AddedStiffness* added = nullptr;  ///< only where the solver iterates
  };

  virtual ~KktSolver() = default;

  /// False: the upper left block is not positive definite, so a Newton step may lead anywhere.
  /// With a compliance ε > 0, rows cannot depend on each other, and what is below does not apply.
  virtual bool factor(const System& system, const Terms& terms, double compliance) = 0;
  /// x, y ← the solution for the right-hand side x (forces, per velocity) and y (per row), to a
  /// relative tolerance where it is found by iteration. Where the rows depend on each other, y's
  /// part that they cannot meet is left aside, as least squares do, and of all multipliers the
  /// smallest are taken.
  virtual void solve(VecX& x, VecX& y, double tolerance, LinearCost& cost) = 0;
  virtual bool is_singular() const { return false; }

  // Rows that follow from others can be left out: their multipliers are then zero, and what they
  // ask for is ignored. Only where rows are eliminated directly.
  virtual bool can_leave_out() const { return false; }
  virtual void leave_out(int /*row*/, bool /*is_out*/) {}
  virtual bool is_left_out(int /*row*/) const { return false; }
  /// As factor() without a compliance, and leaves out the rows whose pivot is below `dependent`,
  /// relative to what it is the difference of.
  virtual void factor_and_leave_out(const System&, const Terms&, double /*dependent*/) {}
  /// That pivot of a row in the last factorisation; of a row left out, what it would have been.
  virtual double relative_pivot(int /*row*/) const { return 1; }
  /// The smallest of them, among the rows that are not left out.
  virtual double smallest_pivot() const { return 1; }

  /// Takes out of multipliers what has no effect on the bodies; of row values, what the bodies
  /// cannot change.
  virtual void remove_null_space(VecX&) {}

  /// The compliance it should be given at least, relative to how far a row's own force moves its
  /// bodies.
  virtual double least_compliance() const { return 0; }
  virtual bool is_iterative() const { return false; }
  /// Where it iterates, how far a force moved what it acts on, all else held, in the last factor();
  /// empty before the first.
  virtual const VecX& mobility() const { return no_mobility_; }

  /// What later solves take from those before.
  virtual void archive(Archive&) {}

 private:
  VecX no_mobility_;
};

/// Whether bodies are tied in so many loops, as in cloth, that iteration is the better way.
bool is_sheet(const System& system, const RowPattern& pattern);
/// The one that suits the pattern.
std::unique_ptr<KktSolver> make_kkt_solver(const System& system, const RowPattern& pattern);

}  // namespace taut
