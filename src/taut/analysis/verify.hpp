// How accurate is a run? It is done again with half the step, and the two are compared.
#pragma once

#include <functional>
#include <memory>

#include "taut/simulate/simulation.hpp"

namespace taut {

/// The largest error of a run that is trusted, of the scene's size, unless another is asked for.
inline constexpr double trusted_error = 1e-3;

/// Which runs are done again: any, or only those that nothing speaks against so far.
enum class VerifyWhat { all, trusted };

/// simulate(), and once more with half the step, or with a tenth of the tolerance where steps are
/// chosen on the way. The report is that of the first run. Its `verification` has the estimated
/// error, and a doubt is added where that exceeds `wanted`, relative to the scene's size.
///
/// The estimate is the largest difference between the runs at common recording times; for rigid
/// bodies also their turn times the radius of gyration. By Richardson's argument the first run has
/// 2^p/(2^p − 1) of it as its error, with the method's order p; with 1 where impacts or divided
/// steps spoil the order.
RunReport simulate_verified(const System& system, const State& start,
                            const std::function<std::unique_ptr<Method>()>& make_method,
                            const RunOptions& options, double wanted = trusted_error,
                            VerifyWhat what = VerifyWhat::all);

/// Whether a second run is so short that it can be done without being asked for: with given steps,
/// few of them, and no shapes that may touch, whose motion is chaotic more often than not.
bool is_quick_to_verify(const System& system, const RunOptions& options);

}  // namespace taut
