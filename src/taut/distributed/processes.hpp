// The processes of a run that MPI started together, and what they tell each other all at once.
#pragma once

#include <span>
#include <string>

#include "taut/base/error.hpp"

namespace taut::distributed {

/// Thrown by all processes together: none of them waits for another one.
class AgreedError : public Error {
 public:
  using Error::Error;
};

/// MPI and PETSc, as long as it lives. One for a program.
class Processes {
 public:
  /// Throws Error where MPI or PETSc cannot be started. Work is shared by no threads from then on.
  Processes();
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  int rank() const { return rank_; }
  int count() const { return count_; }
  bool is_first() const { return rank_ == 0; }

  // Everybody calls these, and everybody gets the same answer.
  double sum(double value) const;
  long sum(long value) const;
  void sum(std::span<double> values) const;
  /// Not finite if one of them is not.
  double largest(double value) const;
  double least(double value) const { return -largest(-value); }
  bool any(bool value) const { return largest(value ? 1 : 0) > 0; }
  /// The first that is not empty.
  std::string first_text(const std::string& mine) const;
  /// How often they were called, and what PETSc's solvers add.
  long reductions() const { return reductions_; }
  void count_reductions(long more) const { reductions_ += more; }

  /// Ends all of them at once, with this message: where one cannot go on.
  [[noreturn]] void abort(int exit_code, const std::string& message) const;

 private:
  int rank_ = 0, count_ = 1;
  mutable long reductions_ = 0;
};

}  // namespace taut::distributed
