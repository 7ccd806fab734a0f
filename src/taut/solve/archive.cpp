// What solvers take from one system to the next, as bytes (base/archive.hpp): which paths they have
// found, and what they have learnt.
#include "taut/base/archive.hpp"

#include "taut/solve/particle_paths.hpp"
#include "taut/solve/yarn_choice.hpp"

namespace taut {

void YarnChoice::archive(Archive& a) { a(uses_, solves_, wait_, last_, mean_, expected_); }

void PathFactor::archive(Archive& a, const SparseSymmetric& A) {
  a(has_paths_, core_, path_begin_);
  if (a.is_reading() && has_paths_) plan(A);
}

void ParticlePaths::archive(Archive& a) {
  a(is_slow_);
  paths_.archive(a, A_.matrix());
  if (a.is_reading() && !paths_.reads().empty()) plan();
}

}  // namespace taut
