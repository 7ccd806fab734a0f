// Processes on several machines that work for one of them. They are started by mpirun, and MPI
// tells them where the first one is. All else goes over connections of their own: MPI has no answer
// to a process that dies, and a connection that closes tells it at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taut/farm/farm.hpp"

namespace taut::farm {

/// The processes that mpirun has started.
class Fleet {
 public:
  /// nullptr: mpirun has not started this process, or it alone. Throws Error where taut was built
  /// without MPI.
  static std::unique_ptr<Fleet> of_mpi();
  /// Without MPI, for tests and other launchers: `address` of a leader is that of its connect().
  static std::unique_ptr<Fleet> lead();
  static std::unique_ptr<Fleet> follow(const std::string& address);
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  bool is_leader() const;
  /// Of the leader: how others reach it.
  const std::string& address() const;
  /// Processes in all, as far as known; 0: not known.
  int size() const;

  /// Of those that follow: works for the leader until it needs nothing more, or is gone.
  void serve(const Work& work, int processes);

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  explicit Fleet(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace taut::farm
