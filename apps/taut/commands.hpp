// The subcommands of taut. Each adds itself to the parser. If it is the one on the command line,
// parsing stores in `chosen` what is to be done.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "taut/text/whole_file.hpp"

namespace taut::cli {

enum ExitCode : int {
  exit_ok = 0,
  exit_bad_result = 1,  ///< the run diverged, constraints conflict, shapes overlap, or no method is
                        ///< accurate enough
  exit_bad_input = 2,
  exit_not_written = 3,
  exit_suspect = 4,  ///< run --strict: the run ended, but its result cannot be trusted
  exit_interrupted = 130,
};

/// The results could not be written. (Bad input throws another taut::Error.)
using OutputError = io::WriteError;

/// What they mean, as every --help shows it.
inline constexpr const char* exit_codes =
    "Exit codes:\n"
    "  0    ok\n"
    "  1    the run diverged, check found a conflict or an overlap, advise found no accurate "
    "method, "
    "or a claim of reproduce has changed\n"
    "  2    bad input; nothing was run and no file was changed\n"
    "  3    the results could not be written\n"
    "  4    with run --strict: the run ended, but its verdict is suspect\n"
    "  130  interrupted; the results computed so far were written\n";

using Action = std::function<ExitCode()>;

void add_run(CLI::App& app, Action& chosen);
void add_compare(CLI::App& app, Action& chosen);
void add_check(CLI::App& app, Action& chosen);
void add_fit(CLI::App& app, Action& chosen);
void add_stability(CLI::App& app, Action& chosen);
void add_advise(CLI::App& app, Action& chosen);
void add_reproduce(CLI::App& app, Action& chosen);
void add_list(CLI::App& app, Action& chosen);
void add_export(CLI::App& app, Action& chosen);
void add_view(CLI::App& app, Action& chosen);
void add_render(CLI::App& app, Action& chosen);
void add_plot(CLI::App& app, Action& chosen);
void add_decompose(CLI::App& app, Action& chosen);
void add_grasp(CLI::App& app, Action& chosen);
void add_serve(CLI::App& app, Action& chosen);
void add_bench(CLI::App& app, Action& chosen);
void add_bench_walls(CLI::App& bench, Action& chosen);
void add_hand(CLI::App& app, Action& chosen);
void add_schema(CLI::App& app, Action& chosen);
void add_man(CLI::App& app, Action& chosen);
void add_completion(CLI::App& app, Action& chosen);

}  // namespace taut::cli
