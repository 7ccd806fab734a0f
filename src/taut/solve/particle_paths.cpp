#include "taut/solve/particle_paths.hpp"

#include <numeric>

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
  if (paths_.reads().empty()) {
    std::vector<int> all(static_cast<std::size_t>(A_.matrix().value.size()));
    std::iota(all.begin(), all.end(), 0);
    A_.assemble_particles(J, mobility_, all);
  } else {
    A_.assemble_particles(J, mobility_, paths_.reads());
  }
  paths_.factor(A_.matrix());
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
