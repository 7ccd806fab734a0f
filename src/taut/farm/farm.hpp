// Many independent pieces of work, each in a process of its own, on the cores of this machine and,
// with MPI, of others (farm/fleet.hpp). A piece that crashes loses only itself; what a machine that
// vanishes was doing is done again by another.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace taut::farm {

struct Result {
  long number = 0;
  bool is_done = false;
  std::string text;  ///< what the work returned; or why it failed
};

class Fleet;

struct Options {
  int processes = 0;                 ///< at a time, on this machine; 0: one per core
  Fleet* fleet = nullptr;            ///< other machines; none: this one alone
  std::function<bool()> keep_going;  ///< asked a few times a second; false ends it
};

/// What is done with a number. What it throws is the reason why it failed.
using Work = std::function<std::string(long number)>;

/// Calls `work` in processes of their own for each number, and `done` in this one, in the order in
/// which they end. To be called by a process with one thread. Returns false if it was ended early.
bool work_through(std::span<const long> numbers, const Work& work,
                  const std::function<void(const Result&)>& done, const Options& options = {});

/// Of this machine.
int core_count();

}  // namespace taut::farm
