// The saddle-point factorisation against dense linear algebra, on chains, trees, loops and graphs
// that need an ordering.
#include "taut/solve/kkt_lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include "support/random_scene.hpp"

namespace taut {
namespace {

using testing::Random;

/// Random values on a pattern, in the fronts and as a dense matrix.
struct Filled {
  Filled(const KktPattern& pattern, Random& random, bool symmetric) {
    lu.analyze(pattern);
    for (const int size : pattern.body_size) {
      first.push_back(velocities);
      velocities += size;
    }
    std::vector<int> row_of;
    for (const KktPattern::Group& group : pattern.groups) {
      row_of.push_back(rows);
      rows += group.rows;
    }
    dense = MatX::Zero(velocities + rows, velocities + rows);
    lu.clear();
    for (std::size_t b = 0; b < pattern.body_size.size(); ++b) {
      const int n = pattern.body_size[b];
      MatX block(n, n);
      for (double& x : block.reshaped()) x = random.uniform(-1, 1);
      const MatX H = block * block.transpose() + 3 * MatX::Identity(n, n);
      set(lu.body(static_cast<int>(b)), H, first[b], first[b]);
    }
    const auto couple = [&](int i, int j) {
      const MatX k = 0.2 * MatX::Random(pattern.body_size[i], pattern.body_size[j]);
      set(lu.bodies(i, j), k, first[i], first[j]);
      set(lu.bodies(j, i), k.transpose(), first[j], first[i]);
    };
    for (const auto& [i, j] : pattern.couplings) couple(i, j);
    for (std::size_t g = 0; g < pattern.groups.size(); ++g) {
      const KktPattern::Group& group = pattern.groups[g];
      for (std::size_t k = 0; k < group.bodies.size(); ++k) {
        const int body = group.bodies[k], column = velocities + row_of[g];
        MatX J(group.rows, pattern.body_size[body]);
        for (double& x : J.reshaped()) x = random.uniform(-1, 1);
        MatX B = J.transpose();
        if (!symmetric)
          for (double& x : B.reshaped()) x += random.uniform(-0.1, 0.1);
        set(lu.rows(static_cast<int>(g), static_cast<int>(k)), J, column, first[body]);
        set(lu.columns(static_cast<int>(g), static_cast<int>(k)), B, first[body], column);
      }
    }
  }

  void set(KktLu::Block block, const MatX& values, int row, int column) {
    for (int i = 0; i < values.rows(); ++i)
      for (int j = 0; j < values.cols(); ++j) {
        lu.values()[block.offset + i * block.stride + j] += values(i, j);
        dense(row + i, column + j) += values(i, j);
      }
  }

  KktLu lu;
  MatX dense;
  std::vector<int> first;
  int velocities = 0, rows = 0;
};

void expect_solves(const KktPattern& pattern, Random& random, bool symmetric) {
  Filled filled(pattern, random, symmetric);
  Eigen::ColPivHouseholderQR<MatX> truth(filled.dense);
  truth.setThreshold(1e-10);
  if (truth.rank() < filled.dense.rows()) return;  // more rows on a body than it can have
  const KktLu::Pivots pivots = filled.lu.factor();
  if (symmetric) {
    EXPECT_TRUE(pivots.definite);
  }
  EXPECT_GT(pivots.smallest_row, 1e-9);
  const VecX b = random.vector_of(filled.velocities + filled.rows);
  VecX x = b.head(filled.velocities), y = b.tail(filled.rows);
  filled.lu.solve(x, y);
  VecX all(b.size());
  all << x, y;
  EXPECT_LT((filled.dense * all - b).norm(), 1e-8 * (1 + all.norm()));
}

KktPattern chain(int bodies, int size, int rows, bool held_at_both_ends = false) {
  KktPattern pattern;
  pattern.body_size.assign(static_cast<std::size_t>(bodies), size);
  pattern.groups.push_back({{0}, rows});
  for (int i = 1; i < bodies; ++i) pattern.groups.push_back({{i - 1, i}, rows});
  if (held_at_both_ends) pattern.groups.push_back({{bodies - 1}, 1});
  return pattern;
}

TEST(KktLu, Chains) {
  Random random(1);
  for (const auto& [size, rows] : {std::pair{3, 1}, {6, 3}, {6, 5}, {3, 2}})
    for (const int bodies : {1, 2, 7, 40})
      for (const bool symmetric : {true, false})
        expect_solves(chain(bodies, size, rows), random, symmetric);
  expect_solves(chain(30, 3, 1, true), random, true);
}

TEST(KktLu, AChainHasNoFill) {
  for (const int bodies : {10, 1000}) {
    KktLu lu;
    lu.analyze(chain(bodies, 3, 1));
    EXPECT_TRUE(lu.is_tree());
    EXPECT_EQ(lu.size(), static_cast<std::size_t>(49 * (bodies - 1) + 16));
  }
}

TEST(KktLu, RandomTreesOfParticlesAndBodies) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Random random(seed);
    KktPattern pattern;
    const int bodies = random.integer(2, 40);
    for (int i = 0; i < bodies; ++i) {
      pattern.body_size.push_back(random.integer(0, 1) == 1 ? 6 : 3);
      if (i > 0) pattern.groups.push_back({{random.integer(0, i - 1), i}, random.integer(1, 2)});
    }
    expect_solves(pattern, random, seed % 2 == 0);
    KktLu lu;
    lu.analyze(pattern);
    EXPECT_TRUE(lu.is_tree());
  }
}

TEST(KktLu, LoopsCouplingsPinsAndRowsOfManyBodies) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Random random(seed);
    KktPattern pattern;
    const int bodies = random.integer(3, 25);
    pattern.body_size.assign(static_cast<std::size_t>(bodies), 3);
    for (int& size : pattern.body_size) size = random.integer(0, 2) == 0 ? 6 : 3;
    int rows = 0;
    for (int i = 0; i < 2 * bodies && rows < 2 * bodies; ++i) {
      const int a = random.integer(0, bodies - 1), b = random.integer(0, bodies - 1),
                c = random.integer(0, bodies - 1);
      if (a == b || b == c || a == c) continue;
      KktPattern::Group group{{a}, 1};
      if (i % 3 > 0) group.bodies.push_back(b);
      if (i % 3 > 1) group.bodies.push_back(c);
      pattern.groups.push_back(group);
      ++rows;
      if (i % 4 == 0) pattern.couplings.push_back({a, c});
    }
    expect_solves(pattern, random, seed % 2 == 0);
  }
}

TEST(KktLu, SeesDependentRowsAndIndefiniteBodies) {
  Random random(3);
  KktPattern twice = chain(5, 3, 1);
  twice.groups.push_back({{1, 2}, 1});
  KktLu lu;
  lu.analyze(twice);
  const auto fill = [&](double mass) {
    lu.clear();
    for (int b = 0; b < 5; ++b) {
      const KktLu::Block block = lu.body(b);
      for (int i = 0; i < 3; ++i) lu.values()[block.offset + i * (block.stride + 1)] = mass;
    }
    for (int g = 0; g < 6; ++g) {
      const int bodies = g == 0 ? 1 : 2;
      for (int k = 0; k < bodies; ++k) {
        const double sign = k == 0 && bodies == 2 ? -1 : 1;
        const KktLu::Block row = lu.rows(g, k), column = lu.columns(g, k);
        lu.values()[row.offset] = lu.values()[column.offset] = sign;
      }
    }
  };
  fill(2);
  const KktLu::Pivots pivots = lu.factor();
  EXPECT_TRUE(pivots.definite);
  EXPECT_LT(pivots.smallest_row, KktLu::singular_pivot);
  fill(2);
  EXPECT_TRUE(lu.factor(1e-9).definite);
  fill(-2);
  EXPECT_FALSE(lu.factor().definite);
}

}  // namespace
}  // namespace taut
