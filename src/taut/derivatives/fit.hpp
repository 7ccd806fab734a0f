// Parameters from measurements: the values with which a run comes nearest to what was measured, by
// Levenberg and Marquardt's method with the derivatives of the run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "taut/derivatives/measured_table.hpp"
#include "taut/derivatives/sensitivities.hpp"

namespace taut {

struct FitOptions {
  int max_iterations = 50;
  double tolerance = 1e-8;  ///< of the parameters: the last change, relative to them
  /// Standard deviations of the measured columns. 0 or none: unknown, alike for all columns
  /// relative to how far each varies; the scatter that is left then tells.
  std::vector<double> deviations = {};
  /// Called after every run; false ends the fit with what was found so far.
  std::function<bool(int iteration, double rms, const VecX& values)> keep_going = {};
};

struct FitParameter {
  std::string name;
  double start = 0, value = 0;
  double error = 0;  ///< standard error; infinite: the measurements do not tell
  double min = 0, max = 0;
  bool is_at_bound = false;
};

struct FitColumn {
  std::string name;
  long count = 0;        ///< of measured values
  double rms = 0;        ///< of what is left
  double deviation = 0;  ///< that it was weighted with
};

struct FitResult {
  enum class Status { converged, most_iterations, stalled, interrupted };
  Status status = Status::converged;
  std::vector<FitParameter> parameters;
  MatX covariance;  ///< of the parameters; those at bounds have none
  std::vector<FitColumn> columns;
  double rms_at_start = 0, rms = 0;  ///< of all residuals, in standard deviations
  double scale = 1;                  ///< by which the deviations were too small, from what is left
  int iterations = 0, runs = 0;
  std::vector<std::vector<double>> model;  ///< at the measured times, as the table
  std::vector<std::string> doubts;         ///< what speaks against the result
  DerivativeReport derivatives;            ///< at the solution
  RunReport run;                           ///< the same
};
std::string_view status_text(FitResult::Status status);

/// The sensors of the family's models must have the table's columns' names. Runs last until the
/// last measured time. Throws Error for what cannot be fitted, and where the run at the start
/// fails.
FitResult fit(const ModelFamily& family, const DerivedMethod& method, const RunOptions& options,
              const MeasuredTable& table, const FitOptions& wanted = {});

}  // namespace taut
