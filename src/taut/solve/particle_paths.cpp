#include "taut/solve/particle_paths.hpp"

#include <numeric>
#include <utility>

namespace taut {
namespace {

constexpr int many_for_paths = 60, most_rough_iterations = 2000;

}  // namespace

std::unique_ptr<ParticlePaths> ParticlePaths::make(const System& system,
                                                   const RowPattern& pattern) {
  if (system.rigid_count() > 0 || pattern.rows() <= large_core) return nullptr;
  std::unique_ptr<ParticlePaths> made(new ParticlePaths(system, pattern));
  return made->paths_.core_size() > large_core ? std::move(made) : nullptr;
}

ParticlePaths::ParticlePaths(const System& system, const RowPattern& pattern)
    : pattern_(pattern), rows_(pattern), A_(pattern) {
  paths_.analyze(A_.matrix());
  pulled_.setOnes(system.velocity_size());
  system.apply_inverse_mass(pulled_, mobility_);
}

void ParticlePaths::factor(const VecX& J) {
  rows_.set(pattern_, J, J);
  const bool is_first = paths_.reads().empty();
  if (is_first) {
    std::vector<int> all(static_cast<std::size_t>(A_.matrix().value.size()));
    std::iota(all.begin(), all.end(), 0);
    A_.assemble_particles(J, mobility_, all);
  } else {
    assemble(J);
  }
  paths_.factor(A_.matrix());
  if (is_first) plan();
}

void ParticlePaths::plan() {
  const SparseSymmetric& A = A_.matrix();
  const std::vector<ParticleRows::Pair>& pairs = rows_.pairs();
  std::vector<int> pair_of(static_cast<std::size_t>(pattern_.rows()), -1);
  for (std::size_t p = 0; p < pairs.size(); ++p) pair_of[pairs[p].row] = static_cast<int>(p);
  diagonal_.clear();
  couplings_.clear();
  rest_.clear();
  for (const ParticleRows::Pair& pair : pairs)
    diagonal_.push_back(
        {A.row_begin[pair.row + 1] - 1, mobility_[pair.first] + mobility_[pair.second]});
  int row = 0;
  for (const int entry : paths_.reads()) {
    while (A.row_begin[row + 1] <= entry) ++row;
    const int column = A.column[entry], p = pair_of[row], other = pair_of[column];
    if (p < 0 || other < 0) {
      rest_.push_back(entry);
      continue;
    }
    if (p == other) continue;
    double weight = 0;
    for (const auto& [mine, sign] : {std::pair{pairs[p].first, -1}, {pairs[p].second, 1}}) {
      if (mine == pairs[other].first) weight -= sign * mobility_[mine];
      if (mine == pairs[other].second) weight += sign * mobility_[mine];
    }
    couplings_.push_back({entry, 3 * p, 3 * other, weight});
  }
}

void ParticlePaths::assemble(const VecX& J) {
  if (!rows_.is_opposite()) return A_.assemble_particles(J, mobility_, paths_.reads());
  A_.assemble_particles(J, mobility_, rest_);
  const double* n = rows_.along();
  const auto dot = [](const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  };
  for (std::size_t p = 0; p < diagonal_.size(); ++p)
    A_.set(diagonal_[p].entry, diagonal_[p].weight * dot(n + 3 * p, n + 3 * p));
  for (const Coupling& coupling : couplings_)
    A_.set(coupling.entry, coupling.weight * dot(n + coupling.first, n + coupling.second));
}

void ParticlePaths::pull(const VecX& x, VecX& out) const {
  out.setZero(mobility_.size());
  rows_.subtract_transposed(x, out);
  out = -mobility_.cwiseProduct(out);
}

SolveSummary ParticlePaths::solve_within(const VecX& b, VecX& x, double tolerance) {
  const auto multiply = [&](const VecX& in, VecX& out) {
    pull(in, pulled_);
    out.resize(in.size());
    rows_.multiply(pulled_, out);
  };
  const auto precondition = [&](const VecX& in, VecX& out) { paths_.solve(in, out); };
  const KrylovResult result = conjugate_gradients(multiply, precondition, b, x, scratch_,
                                                  {tolerance, most_rough_iterations});
  is_slow_ = is_slow_ || result.iterations > many_for_paths;
  return {x.allFinite() && result.residual < tolerance, false, result.iterations, result.residual};
}

}  // namespace taut
