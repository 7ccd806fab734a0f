// Independent tasks on several threads.
#pragma once

#include <functional>

namespace taut {

struct ParallelOptions {
  int threads = 0;  ///< 0: one per core
  /// Called by the calling thread, ten times a second and at the end, with the number of tasks
  /// done. When it returns false, no further task is begun.
  std::function<bool(int done)> keep_going;
};

/// Calls task(0) … task(count − 1), each once, in any order and at the same time. When a task
/// throws, no further one is begun and the exception of the first such task, in order, is thrown
/// here. Results that a task leaves at its own index do not depend on the number of threads.
void parallel_for(int count, const std::function<void(int)>& task,
                  const ParallelOptions& options = {});

/// As many as there are cores that this program may run on, at least 1, or as limit_cores() left.
int core_count();
/// For a program that is one of several on this machine, before it shares any work.
void limit_cores(int most);

}  // namespace taut
