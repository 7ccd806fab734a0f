// A friction problem as Siconos has it, W, q and μ of u = W r + q without bodies, for siconos_bench
// and peers: judged alike for all solvers, and each solved in a process of its own.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "taut/solve/cone_solver.hpp"

namespace bench {

struct FrictionProblem {
  int dimension = 0;  // rows per contact: normal, 1 or 2 tangents, or 2 of rolling as well
  taut::MatX L;       // W = L Lᵀ
  taut::VecX q;
  std::vector<double> mu, mu_rolling;
  int contacts() const { return static_cast<int>(mu.size()); }
};

/// As Siconos does: |r − P(r − u − shift)| / |q|, where P projects on the cones and the shift is De
/// Saxcé's, μ |u_T| along the normal.
double error_of(const FrictionProblem& problem, const taut::VecX& r);

/// With L as H of bodies with unit masses. `seconds`, if given: CPU time of the solver alone.
taut::VecX solve_with_taut(const FrictionProblem& problem, taut::ConeReport& report,
                           double* seconds = nullptr);

struct Outcome {
  double error = 0;
  double seconds = 0;  // of CPU: of all of it, unless it says otherwise itself
  int factorisations = 0;
  bool claims = false;  // to have solved it
};
/// s, of CPU. The clock is the thread's: that of the process only ticks where a limit is set.
double cpu_seconds();
/// In a process of its own: what runs out of time (of the processor) or breaks is not solved.
std::optional<Outcome> apart(int most_seconds, const std::function<void(Outcome&)>& solve);

}  // namespace bench
