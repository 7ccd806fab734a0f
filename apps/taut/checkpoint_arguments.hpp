// --checkpoint of taut run.
#pragma once

#include <memory>
#include <string>

#include "commands.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"
#include "taut/text/files_read.hpp"

namespace taut {

namespace io {
class CheckpointFile;
}

namespace cli {

struct RunArguments;

struct CheckpointArguments {
  std::string every;  ///< seconds simulated, or "1000steps"; empty: never
  std::string file;   ///< empty: beside the results
};

void add_checkpoint_arguments(CLI::App& command, CheckpointArguments& arguments);
void apply_interval(const CheckpointArguments& arguments, RunOptions& options);
/// Where checkpoints go; nullptr: there are none.
std::unique_ptr<io::CheckpointFile> checkpoints_of(const RunArguments& arguments,
                                                   const io::Scene& scene,
                                                   const io::FilesRead& files);
/// They are removed, or it is said how to go on with them.
void end_checkpoints(io::CheckpointFile& checkpoints, bool is_over);

}  // namespace cli
}  // namespace taut
