// Values that a process needs and another one owns.
#pragma once

#include <petscsf.h>

#include <array>
#include <cstdint>
#include <vector>

#include "taut/distributed/processes.hpp"

namespace taut::distributed {

class Halo {
 public:
  /// What tells one thing, a vertex or a row, from all others of the whole.
  using Key = std::array<std::int64_t, 3>;

  /// Of the things this process has, who owns each; `wanted`: those of others that matter. Each is
  /// `width` numbers. Throws Error where an owner does not have what it is asked for.
  Halo(const Processes& processes, const std::vector<Key>& keys, const std::vector<int>& owner,
       const std::vector<int>& wanted, int width);
  ~Halo();
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  /// Values of what others own ← theirs.
  void fill(double* x) const;
  /// Owned values += what others have of them. Of single numbers.
  void add(double* x) const;

  int neighbours() const { return neighbours_; }
  long bytes() const { return bytes_; }  ///< received in fill()
  long times() const { return times_; }

 private:
  PetscSF graph_ = nullptr;
  MPI_Datatype unit_ = MPI_DOUBLE;
  int neighbours_ = 0;
  long bytes_ = 0;
  mutable long times_ = 0;
};

}  // namespace taut::distributed
