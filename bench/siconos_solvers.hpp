// Siconos' solvers for friction problems, for siconos_bench and peers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "taut/base/types.hpp"

struct SiconosSolver {
  std::string name;
  /// r of u = L Lᵀ r + q; empty where it cannot be done. `seconds`, if given: CPU time of the
  /// solver alone.
  std::function<taut::VecX(int dimension, const taut::MatX& L, const taut::VecX& q,
                           const std::vector<double>& mu, const std::vector<double>& mu_rolling,
                           double* seconds)>
      solve;
};
const std::vector<SiconosSolver>& siconos_solvers();
