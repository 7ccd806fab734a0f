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

/// What differences of runs tell, with the displacement at which they tell most, and what they
/// leave open: by how much it changes with the displacement.
struct Truth {
  Perturbation slope;
  double doubt = 0;  // of its length
};
Truth truth(const ModelFamily& family, const DerivedMethod& method, const RunOptions& options,
            std::size_t k);

/// The same models with sensors, each a name and a formula.
ModelFamily with_sensors(ModelFamily family,
                         const std::vector<std::pair<std::string, std::string>>& sensors);

/// |a − b| relative to the larger, with lengths and turns of a system as they are.
double relative_difference(const Perturbation& a, const Perturbation& b);

}  // namespace taut::testing
