// The subcommands of taut. Each adds itself to the parser; when it is the one asked for, parsing
// leaves in `chosen` what is to be done.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>

namespace taut::cli {

enum ExitCode : int {
  exit_ok = 0,
  exit_bad_result = 1,  ///< diverged, a conflict, or no method accurate enough
  exit_bad_input = 2,
  exit_not_written = 3,
  exit_interrupted = 130,
};

/// The results could not be written. (Bad input throws taut::Error.)
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Action = std::function<ExitCode()>;

void add_run(CLI::App& app, Action& chosen);
void add_compare(CLI::App& app, Action& chosen);
void add_check(CLI::App& app, Action& chosen);
void add_stability(CLI::App& app, Action& chosen);
void add_advise(CLI::App& app, Action& chosen);
void add_reproduce(CLI::App& app, Action& chosen);
void add_list(CLI::App& app, Action& chosen);
void add_export(CLI::App& app, Action& chosen);
void add_schema(CLI::App& app, Action& chosen);

}  // namespace taut::cli
