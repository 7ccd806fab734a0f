// How accurate is a run? It is done again with half the step, and the two are compared.
#pragma once

#include <functional>
#include <memory>

#include "taut/simulate/simulation.hpp"

namespace taut {

/// The largest error of a run that is trusted, of the scene's size, where no other is asked for.
inline constexpr double trusted_error = 2e-3;

/// What a second run may cost unasked: linear solves times velocities, about a microsecond each.
inline constexpr double worth_comparing = 2e7;

/// Which runs are done again: any; or, unasked, those that nothing speaks against so far, as far as
/// that is worth its time. A few steps of a run may tell that it is exact
/// (simulate/step_probe.hpp). Else it is compared, of a very long one only a first stretch: then
/// `relative_error` is what the error grows to by the end if it goes on to grow as it did.
enum class VerifyWhat { all, unasked };

/// simulate(), and once more with half the step, or with a tenth of the tolerance where steps are
/// chosen on the way. The report is that of the first run. Its `verification` has the estimated
/// error, and a doubt is added where that exceeds `wanted`, relative to the scene's size.
///
/// The estimate is the largest difference between the runs at common recording times; for rigid
/// bodies also their turn times the radius of gyration. By Richardson's argument the first run has
/// 2^p/(2^p − 1) of it as its error, with the method's order p; with 1 where impacts or divided
/// steps spoil the order. There two runs may be wrong alike, since what happens within a step is by
/// chance: unless they agree very well, a third of the step is tried, too, and the larger
/// difference counts.
RunReport simulate_verified(const System& system, const State& start,
                            const std::function<std::unique_ptr<Method>()>& make_method,
                            const RunOptions& options, double wanted = trusted_error,
                            VerifyWhat what = VerifyWhat::all, double worth = worth_comparing);

}  // namespace taut
