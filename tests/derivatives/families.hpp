// Families of models for the tests of derivatives, and an answer that knows nothing of derivatives.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/random_mechanism.hpp"
#include "taut/derivatives/sensitivities.hpp"

namespace taut::testing {

/// Of a random mechanism: the mass of a body, gravity, a spring's stiffness, a length, a speed.
ModelFamily mechanism_family(const Mechanism& mechanism);

/// Scene text with parameters; all numbers of them, or those named, are varied.
ModelFamily text_family(const std::string& scene, const std::vector<std::string>& names);

/// Fixed steps, of which the last alone is recorded.
RunOptions steps_of(double step, double duration);

DerivedMethod derived(const std::string& method);

/// d(end)/d(parameter k) by central differences of fourth order of whole runs.
Perturbation by_runs(const ModelFamily& family, const DerivedMethod& method,
                     const RunOptions& options, std::size_t k, double part = 1e-4);

/// |a − b| relative to the larger, with lengths and turns of a system as they are.
double relative_difference(const Perturbation& a, const Perturbation& b);

}  // namespace taut::testing
