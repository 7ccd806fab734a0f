// The saddle-point factorisation against dense linear algebra, on chains, trees, loops and graphs
// that need an ordering.
#include "taut/solve/kkt_lu.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "support/matrices.hpp"
#include "support/random_scene.hpp"
#include "taut/base/parallel.hpp"

namespace taut {
namespace {

using testing::Random;

/// Random values on a pattern, in the fronts and as a dense matrix.
struct Filled : KktLu::Filler {
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
        entries.push_back({block.front, block.offset + i * block.stride + j, values(i, j)});
        dense(row + i, column + j) += values(i, j);
      }
  }

  void fill(int front, double* values) const override {
    for (const Entry& entry : entries)
      if (entry.front == front) values[entry.offset] += entry.value;
  }
  struct Entry {
    int front, offset;
    double value;
  };
  std::vector<Entry> entries;

  KktLu lu;
  MatX dense;
  std::vector<int> first;
  int velocities = 0, rows = 0;
};

void expect_solves(const KktPattern& pattern, Random& random, bool symmetric) {
  Filled filled(pattern, random, symmetric);
  if (testing::rank(filled.dense, 1e-10) < filled.dense.rows())
    return;  // more rows on a body than it can have
  const KktLu::Pivots pivots = filled.lu.factor(filled);
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
    EXPECT_EQ(lu.size(), static_cast<std::size_t>(7 * 8 * (bodies - 1) + 4 * 4));
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

// Sizes of fronts that are not those of a chain's, though their digits are alike: 6 | 306, 9 | 6.
TEST(KktLu, ManyBodiesOnOne) {
  Random random(3);
  for (const int bodies : {36, 52, 86}) {
    KktPattern pattern;
    pattern.body_size.assign(static_cast<std::size_t>(bodies), bodies == 36 ? 3 : 6);
    if (bodies == 36) pattern.body_size.back() = 1;
    for (int i = 0; i < bodies; ++i)
      for (int j = 0; j < i; ++j) pattern.couplings.push_back({i, j});
    expect_solves(pattern, random, false);
  }
}

// Copies of a chain that share nothing: worked on by several threads where there are cores, with
// the same result to the last bit as each on its own.
TEST(KktLu, IslandsAreIndependent) {
  constexpr int bodies = 8;
  struct Chains final : KktLu::Filler {
    explicit Chains(int copies) {
      KktPattern pattern;
      for (int c = 0; c < copies; ++c)
        for (int i = 0; i < bodies; ++i) {
          const int body = c * bodies + i;
          pattern.body_size.push_back(6);
          pattern.groups.push_back(i == 0 ? KktPattern::Group{{body}, 3}
                                          : KktPattern::Group{{body - 1, body}, 5});
        }
      lu.analyze(pattern);
      blocks.resize(static_cast<std::size_t>(lu.front_count()));
      for (int b = 0; b < copies * bodies; ++b) {
        add(lu.body(b), 6, 6, [](int i, int j) { return i == j ? 3.0 + i : 0.1; });
        for (int k = 0; k < (b % bodies == 0 ? 1 : 2); ++k) {
          const int rows = b % bodies == 0 ? 3 : 5;
          const auto value = [=](int r, int j) {
            return std::sin(1.0 + 3 * r + 7 * j + 11 * k + b % bodies);
          };
          add(lu.rows(b, k), rows, 6, value);
          add(lu.columns(b, k), 6, rows, [=](int j, int r) { return value(r, j); });
        }
      }
    }
    void add(const KktLu::Block& block, int rows, int cols,
             const std::function<double(int, int)>& value) {
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j)
          blocks[static_cast<std::size_t>(block.front)].push_back(
              {block.offset + i * block.stride + j, value(i, j)});
    }
    void fill(int front, double* values) const override {
      for (const auto& [at, value] : blocks[static_cast<std::size_t>(front)]) values[at] += value;
    }
    KktLu lu;
    std::vector<std::vector<std::pair<int, double>>> blocks;
  };
  constexpr int copies = 200;
  Chains many(copies);
  EXPECT_TRUE(many.lu.is_tree());
  EXPECT_EQ(many.lu.islands(), copies);
  EXPECT_EQ(many.lu.threads(), std::min(core_count(), copies));
  EXPECT_TRUE(many.lu.factor(many).definite);
  constexpr int velocities = 6 * bodies, rows = 3 + 5 * (bodies - 1);
  VecX x = VecX::LinSpaced(velocities, -1, 2).replicate(copies, 1);
  VecX y = VecX::LinSpaced(rows, 1, 3).replicate(copies, 1);
  many.lu.solve(x, y);
  EXPECT_TRUE(x.allFinite());
  for (int c = 1; c < copies; ++c) {
    EXPECT_EQ(x.segment(c * velocities, velocities), x.head(velocities));
    EXPECT_EQ(y.segment(c * rows, rows), y.head(rows));
  }
}

TEST(KktLu, ATreeBesideALoopHasNoFill) {
  KktPattern pattern = chain(50, 3, 1);
  const std::size_t alone = [&] {
    KktLu lu;
    lu.analyze(pattern);
    return lu.size();
  }();
  for (int i = 0; i < 4; ++i) pattern.body_size.push_back(3);
  for (int i = 0; i < 4; ++i) pattern.groups.push_back({{50 + i, 50 + (i + 1) % 4}, 1});
  KktLu lu;
  lu.analyze(pattern);
  EXPECT_FALSE(lu.is_tree());
  EXPECT_EQ(lu.islands(), 2);
  EXPECT_LT(lu.size(), alone + 4 * 12 * 12);
}

TEST(KktLu, SeesDependentRowsAndIndefiniteBodies) {
  struct Chain final : KktLu::Filler {
    void fill(int front, double* values) const override {
      for (int b = 0; b < 5; ++b) {
        const KktLu::Block block = lu.body(b);
        if (block.front != front) continue;
        for (int i = 0; i < 3; ++i) values[block.offset + i * (block.stride + 1)] = mass;
      }
      for (int g = 0; g < 6; ++g) {
        for (int k = 0; k < (g == 0 ? 1 : 2); ++k) {
          const KktLu::Block row = lu.rows(g, k), column = lu.columns(g, k);
          if (row.front == front)
            values[row.offset] = values[column.offset] = k == 0 && g > 0 ? -1 : 1;
        }
      }
    }
    KktLu lu;
    double mass = 2;
  } twice;
  KktPattern pattern = chain(5, 3, 1);
  pattern.groups.push_back({{1, 2}, 1});
  twice.lu.analyze(pattern);
  const KktLu::Pivots pivots = twice.lu.factor(twice);
  EXPECT_TRUE(pivots.definite);
  EXPECT_LT(pivots.smallest_row, KktPivots::singular);
  EXPECT_TRUE(twice.lu.factor(twice, 1e-9).definite);
  twice.mass = -2;
  EXPECT_FALSE(twice.lu.factor(twice).definite);
}

}  // namespace
}  // namespace taut
