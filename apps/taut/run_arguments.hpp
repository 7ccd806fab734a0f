// What `taut run` was asked for, and what it prints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "checkpoint_arguments.hpp"
#include "commands.hpp"
#include "output_arguments.hpp"
#include "run_plan.hpp"

namespace taut::cli {

struct RunArguments {
  SceneArguments scene;
  std::string method;
  std::string solver = "auto";
  std::string contact_solver = "exact";
  std::string engine;     ///< empty: one process
  std::string yarn_ends;  ///< of an engine
  std::optional<double> contact_time;
  StepArguments steps;
  std::optional<double> duration, error_bound, record_interval;
  std::optional<long> record_every;
  OutputArguments outputs;
  std::string verify;  ///< the largest error, of the scene's size; empty: not wanted
  bool json = false, quiet = false, strict = false, no_verify = false;
  CheckpointArguments checkpoints;
};

void add_run_options(CLI::App* command, const std::shared_ptr<RunArguments>& arguments);
/// `resumed`: what a run goes on with; nullptr: it begins.
ExitCode run_scene(const RunArguments& arguments,
                   std::unique_ptr<io::CheckpointFile> resumed = nullptr);
/// The scene on several processes. Throws Error where this program cannot do that, or where
/// something is asked for that it cannot do there.
ExitCode run_on_engine(const RunArguments& arguments);

void print_run_summary(const io::Scene& scene, std::string_view method, const RunReport& report);
void print_run_verdict(const RunReport& report);

}  // namespace taut::cli
