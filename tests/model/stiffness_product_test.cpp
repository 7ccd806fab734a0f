#include "taut/model/stiffness_product.hpp"

#include <gtest/gtest.h>

#include "support/random_scene.hpp"
#include "taut/forces/list.hpp"

namespace taut {
namespace {

/// Particles and, after them, rigid bodies, in a line: springs to the next, bending of particles.
System line(int particles, int rigid, testing::Random& random) {
  System system;
  for (int i = 0; i < particles; ++i)
    system.add(Particle{1, Vec3(i, 0, 0) + random.vector(0.1)}, "p" + std::to_string(i));
  for (int i = 0; i < rigid; ++i) {
    RigidBody body;
    body.position = Vec3(particles + i, 0, 0) + random.vector(0.1);
    system.add(body, "r" + std::to_string(i));
  }
  for (int i = 0; i + 1 < particles + rigid; ++i)
    apply(system, Spring{Point(BodyId{i}), Point(BodyId{i + 1}, random.vector(0.1)), 2, 0, 0.5});
  for (int i = 0; i + 2 < particles; ++i)
    apply(system, Bending{{BodyId{i}, BodyId{i + 1}, BodyId{i + 2}}, 0.3});
  return system;
}

TEST(StiffnessProduct, IsThatOfTheDenseMatrix) {
  testing::Random random(1);
  const System system = line(20, 5, random);
  const RowPattern pattern(system);
  const State state = system.initial_state();
  Rows rows;
  rows.add_force_stiffness(system, pattern, Pose(system, state.q), state.v, 0);
  const int n = system.velocity_size();
  const MatX K = dense_stiffness(pattern.coupling_blocks, rows.K, n);
  const VecX x = VecX::Random(n);
  VecX plain = VecX::Ones(n), shared = VecX::Ones(n);
  add_product(pattern.coupling_blocks, rows.K, x, plain);
  StiffnessProduct(pattern.coupling_blocks).add(pattern.coupling_blocks, rows.K, x, shared);
  const VecX expected = VecX::Ones(n) + K * x;
  EXPECT_LT((plain - expected).norm(), 1e-13 * expected.norm());
  EXPECT_LT((shared - expected).norm(), 1e-13 * expected.norm());
}

TEST(StiffnessProduct, OfManyBlocksIsShared) {
  testing::Random random(2);
  const System system = line(30'000, 3, random);  // 90,000 blocks
  const RowPattern pattern(system);
  const State state = system.initial_state();
  Rows rows;
  rows.add_force_stiffness(system, pattern, Pose(system, state.q), state.v, 0);
  const VecX x = VecX::Random(system.velocity_size());
  VecX plain = VecX::Zero(x.size()), shared = plain, again = plain;
  add_product(pattern.coupling_blocks, rows.K, x, plain);
  const StiffnessProduct product(pattern.coupling_blocks);
  product.add(pattern.coupling_blocks, rows.K, x, shared);
  product.add(pattern.coupling_blocks, rows.K, x, again);
  EXPECT_LT((plain - shared).norm(), 1e-13 * plain.norm());
  EXPECT_EQ(shared, again);
}

TEST(StiffnessBlocks, OneNumberTellsWhereAllDirectionsAreAlike) {
  testing::Random random(3);
  const System system = line(5, 1, random);
  const RowPattern pattern(system);
  int scalars = 0;
  for (const StiffnessBlock& block : pattern.coupling_blocks) {
    const bool only_bent = (block.row_dof - block.col_dof) / 3 == 2;  // springs join neighbours
    EXPECT_EQ(block.is_scalar, only_bent) << block.row_dof << ' ' << block.col_dof;
    scalars += block.is_scalar;
  }
  EXPECT_EQ(scalars, 3);
}

}  // namespace
}  // namespace taut
