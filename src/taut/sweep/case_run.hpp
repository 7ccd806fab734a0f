// One case of a sweep: the run, and what the table has of it.
#pragma once

#include <string>
#include <vector>

#include "taut/sweep/plan.hpp"

namespace taut::sweep {

/// The columns after those of the case: status, verdict, what is measured, the reason of a failure.
std::vector<std::string> result_columns(const Plan& plan);
/// Checks what can be checked before any run: names, measures, whether there is a scene. Throws
/// Error.
void check(const Plan& plan);
/// The cells of these columns. What is wrong with a case is a row, too.
std::vector<std::string> run_case(const Plan& plan, const Case& of);
/// The same where there was no run that could tell.
std::vector<std::string> failed_row(const Plan& plan, const std::string& reason);

}  // namespace taut::sweep
