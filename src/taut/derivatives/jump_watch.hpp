// Whether something jumps in a step: of a model near the one that is run, for which the step was
// made as if nothing did.
#pragma once

#include "taut/simulate/activation_internal.hpp"

namespace taut::detail {

class JumpWatch {
 public:
  JumpWatch(const System& system, const RunOptions& options, double extent)
      : workspace_(system), activation_(system, options, extent, bounded_, report_) {}
  bool jumps(const State& from, double h) {
    return activation_.find_jump(from, h, workspace_).has_value();
  }

 private:
  BoundedStep bounded_;
  RunReport report_;
  Workspace workspace_;
  Activation activation_;
};

}  // namespace taut::detail
