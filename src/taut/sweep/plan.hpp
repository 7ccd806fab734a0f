// The cases of a sweep: every combination of what is varied.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taut/scene/scene.hpp"
#include "taut/sweep/axis.hpp"

namespace taut::sweep {

struct Plan {
  std::string scene;  ///< a name or a file
  std::vector<Axis> axes;
  std::vector<std::string> methods;  ///< none: the scene's
  std::vector<std::string> steps;    ///< s; or "auto"; none: the scene's
  std::optional<double> duration, tolerance;
  long repeat = 1;
  long samples = 100;  ///< of what is random
  bool latin = true;
  std::uint64_t seed = 1;
  std::vector<std::string> sensors;   ///< "NAME=FORMULA", beside the scene's
  std::vector<std::string> measures;  ///< sweep/measure.hpp; none: the usual ones
  bool verify = false;                ///< each run is compared with one of half the step
};

struct Case {
  std::vector<io::Setting> settings;
  std::string method, step;  ///< empty: the scene's
  long repeat = 0;           ///< from 0
};

/// In order: the first axis changes slowest, and of what is random, all changes together. Throws
/// Error for names that come twice, and for more cases than anybody can wait for.
std::vector<Case> cases_of(const Plan& plan);

/// Columns that tell a case, in the order of case_cells().
std::vector<std::string> case_columns(const Plan& plan);
std::vector<std::string> case_cells(const Plan& plan, long number, const Case& of);

}  // namespace taut::sweep
