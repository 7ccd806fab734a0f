// A = J W Jᵀ of particles, solved by conjugate gradients with paths as `pcg_paths` does
// (linear_paths.cpp), for those who need a solution to a few percent only: one or two iterations.
// To make A would take longer than that, so products go through J, and only what the paths read of
// A is made.
#pragma once

#include <memory>

#include "taut/solve/krylov.hpp"
#include "taut/solve/linear_solver.hpp"
#include "taut/solve/normal_matrix.hpp"
#include "taut/solve/particle_rows.hpp"
#include "taut/solve/path_factor.hpp"

namespace taut {

class ParticlePaths {
 public:
  /// nullptr: not all bodies are particles, or a direct solver is the better one.
  static std::unique_ptr<ParticlePaths> make(const System& system, const RowPattern& pattern);

  void factor(const VecX& J);
  SolveSummary solve_within(const VecX& b, VecX& x, double tolerance);
  /// out = W Jᵀ x
  void pull(const VecX& x, VecX& out) const;
  /// Iterations are so many that other paths may be better, or none: see linear_paths.cpp.
  bool is_slow() const { return is_slow_; }
  void archive(Archive& a);

 private:
  ParticlePaths(const System& system, const RowPattern& pattern);
  void plan();
  void assemble(const VecX& J);

  const RowPattern& pattern_;
  ParticleRows rows_;
  NormalMatrix A_;  // where the paths read it
  PathFactor paths_;

  // What the paths read of A, where rows are pairs with opposite gradients n: on the diagonal
  // (w₁ + w₂) n², of two that share a particle ± w n·n'; and the rest.
  struct Diagonal {
    int entry;
    double weight;
  };
  struct Coupling {
    int entry, first, second;  // where their gradients are
    double weight;
  };
  std::vector<Diagonal> diagonal_;  // per pair
  std::vector<Coupling> couplings_;
  std::vector<int> rest_;
  VecX mobility_;  // W, per velocity
  VecX pulled_;
  ConjugateGradientScratch scratch_;
  bool is_slow_ = false;
};

}  // namespace taut
