// Where a method is stable: a scene is run for every step and every value of a parameter of the
// method, and what the constraint error does is put into words.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taut/methods/method.hpp"
#include "taut/model/system.hpp"

namespace taut {

/// What the values C of the rows do in a run. docs/stability.md has the thresholds and why.
enum class Behaviour {
  stable,       ///< settles without oscillating, or stays small where nothing was violated
  unsettled,    ///< goes one way, but more than 5 % of the largest error is left at the end
  oscillating,  ///< bounded, but a row's error changes sign again and again
  divergent,    ///< the run diverged, or the error grows
  not_run,      ///< interrupted before
};
std::string_view behaviour_text(Behaviour behaviour);

struct StabilityCell {
  double step = 0;
  double value = 0;  ///< of the parameter; 0 where there is none
  Behaviour behaviour = Behaviour::not_run;
  long steps = 0;            ///< done
  double largest_error = 0;  ///< largest |C| of a row in the run
  double final_error = 0;    ///< … in its last quarter
  int sign_changes = 0;      ///< of the row that has most
};

/// What theory says about the error near C = 0; infinite where there is no limit.
struct StepLimits {
  double stable = 0;    ///< beyond this step the error grows
  double monotone = 0;  ///< beyond this step it oscillates
};

struct StabilityRequest {
  std::string method;
  std::vector<OptionValue> options;     ///< fixed
  std::vector<std::string> parameters;  ///< options that all get the value of the map; may be empty
  std::vector<double> steps;            ///< in s, increasing
  std::vector<double> values;           ///< increasing; empty when there is no parameter
  double duration = 10;                 ///< of a run, in s
  long least_steps = 200;               ///< of a run, whatever its duration
  int threads = 0;                      ///< 0: one per core
  std::function<bool(double fraction)> keep_going;  ///< false: no further run is begun
};

struct StabilityMap {
  std::vector<double> steps, values;
  std::vector<StabilityCell> cells;  ///< value by value, and for each all steps
  const StabilityCell& at(std::size_t step, std::size_t value) const {
    return cells[value * steps.size() + step];
  }
};

/// Throws Error for options that the method does not have. The result does not depend on the number
/// of threads.
StabilityMap map_stability(const System& system, const StabilityRequest& request);

/// One run, classified.
StabilityCell classify_run(const System& system, Method& method, double step, double duration,
                           long least_steps, const std::function<bool()>& keep_going = {});

/// None where there is no theory: baumgarte's follows from analysis/feedback.hpp, as penalty's does
/// with the eigenvalues of A at the start; implicit1 has no limit on linear rows.
std::optional<StepLimits> predicted_limits(const System& system, std::string_view method,
                                           const std::vector<OptionValue>& options);

/// `count` numbers from `from` to `to`: by equal factors when they span a decade or more, else by
/// equal distances.
std::vector<double> spaced(double from, double to, int count);
inline bool spans_a_decade(double from, double to) { return from > 0 && to >= 9.99 * from; }

}  // namespace taut
