// Vectors per velocity, where each of several processes has a part of the system: some bodies it
// owns, and some of others around them. Forces are zero at what others own, so that sums over all
// entries count each body once; places and velocities are complete. Here, one process has all.
#pragma once

#include "taut/base/types.hpp"

namespace taut {

class Parts {
 public:
  virtual ~Parts() = default;

  // Everybody calls these, and gets the same answer.
  /// Of the numbers that the processes have.
  virtual double sum(double mine) const { return mine; }
  virtual bool any(bool mine) const { return mine; }
  /// Of a vector that may be complete: what is owned counts.
  virtual double norm(const VecX& x) const { return x.norm(); }
  /// What others own ← theirs.
  virtual void complete(VecX&) const {}

  /// What others own ← 0.
  virtual void keep_own(VecX&) const {}
  /// Numbers in the vector of the whole.
  virtual Eigen::Index whole_size(const VecX& x) const { return x.size(); }
  /// The place of an entry in the vector of the whole.
  virtual Eigen::Index whole_number(Eigen::Index entry) const { return entry; }
};

}  // namespace taut
