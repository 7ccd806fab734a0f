// Derivatives of what has no formula for them, by central differences: of forces, and of rows whose
// second derivatives a method takes only nearly. Bodies that have nothing in common are displaced
// together, so the number of evaluations does not grow with the system.
#pragma once

#include <vector>

#include "taut/derivatives/body_colours.hpp"
#include "taut/derivatives/implicit_equations.hpp"

namespace taut::detail {

/// A sparse matrix as a list.
struct EntryList {
  struct Entry {
    int row, column;
    double value;
  };
  std::vector<Entry> entries;

  void clear() { entries.clear(); }
  /// out += factor A x
  void add(const VecX& x, double factor, VecX& out) const {
    for (const Entry& e : entries) out[e.row] += factor * e.value * x[e.column];
  }
  /// out += factor Aᵀ x
  void add_transposed(const VecX& x, double factor, VecX& out) const {
    for (const Entry& e : entries) out[e.column] += factor * e.value * x[e.row];
  }
};

/// Of P + Bᵀλ (or P alone) and C.
struct Slopes {
  enum class Of { forces, pull, rows };  ///< P alone; P + Bᵀλ, of midpoint; … and C

  EntryList P_q1, P_q0, P_V;  ///< with respect to the end, the start, and the velocity in P
  EntryList C_q1, C_q0;       ///< only of rows

  /// `length`: of the scene. Without `with_velocity`, P_V is left empty. `has_linear_ways`: as
  /// below.
  void measure(ImplicitEquations& equations, Formula formula, const StepRecord& step, const VecX& V,
               const BodyColours& colours, Of what, bool with_velocity, bool has_linear_ways,
               double length);

  /// Whether Bᵀλ of midpoint depends on ways of bodies linearly, and alike on those of both ends:
  /// as where every C is quadratic, and B that of the mean pose. Tried out at places that have
  /// nothing special about them.
  bool has_linear_ways(ImplicitEquations& equations, const StepRecord& step, double length);

 private:
  VecX q_, v_, P_[2], C_[2];
};

}  // namespace taut::detail
