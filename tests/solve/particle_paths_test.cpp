// A of particles that is never made: the same as the one that is.
#include "taut/solve/particle_paths.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/random_scene.hpp"
#include "taut/methods/workspace.hpp"

namespace taut {
namespace {

using testing::Random;

struct BentCloth {
  explicit BentCloth(int n, int held) : system(testing::square_cloth(n, held)), w(system) {
    Random random(3);
    q = system.initial_state().q + 1e-3 * random.vector_of(3 * n * n);
    w.linearize(system, q, 0, w.start);
  }
  /// W Jᵀ x, and J of that.
  VecX pulled(const VecX& x) {
    VecX out(system.velocity_size());
    w.WJt(w.start, x, out);
    return out;
  }
  VecX product(const VecX& x) {
    VecX out;
    w.J(w.start, pulled(x), out);
    return out;
  }

  System system;
  Workspace w;
  VecX q;
};

TEST(ParticlePaths, SolveWhatIsNotMade) {
  BentCloth cloth(24, 2);
  const auto paths = ParticlePaths::make(cloth.system, cloth.w.pattern);
  ASSERT_TRUE(paths);
  Random random(4);
  const VecX x = random.vector_of(cloth.w.pattern.rows());
  const VecX b = cloth.product(x);  // pins and what they hold are dependent: in A's range
  VecX found, pulled;
  // The first time all of A is made, then only what the paths read of it; then with other
  // gradients, which are not opposite.
  int iterations[2];
  for (int& count : iterations) {
    paths->factor(cloth.w.start.J);
    const SolveSummary summary = paths->solve_within(b, found, 1e-6);
    EXPECT_TRUE(summary.ok);
    EXPECT_LT((cloth.product(found) - b).norm(), 1e-5 * b.norm());
    paths->pull(x, pulled);
    EXPECT_LT((pulled - cloth.pulled(x)).norm(), 1e-12 * pulled.norm());
    count = summary.iterations;
  }
  EXPECT_EQ(iterations[0], iterations[1]);
  EXPECT_LT(iterations[0], 40);

  for (int i = 0; i < cloth.w.start.J.size(); i += 6) cloth.w.start.J[i] *= 1.01;
  cloth.system.apply_inverse_mass(cloth.w.pattern.blocks, cloth.w.start.J, cloth.w.start.WJ);
  const VecX other = cloth.product(x);
  paths->factor(cloth.w.start.J);
  EXPECT_TRUE(paths->solve_within(other, found, 1e-6).ok);
  EXPECT_LT((cloth.product(found) - other).norm(), 1e-5 * other.norm());
}

TEST(ParticlePaths, AreNotForFewRows) {
  BentCloth cloth(8, 2);
  EXPECT_FALSE(ParticlePaths::make(cloth.system, cloth.w.pattern));
}

}  // namespace
}  // namespace taut
