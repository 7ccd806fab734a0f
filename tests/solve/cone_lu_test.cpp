// The block factorisation of bodies that contacts tie together.
#include "taut/solve/cone_lu.hpp"

#include <gtest/gtest.h>

#include "support/random_scene.hpp"

namespace taut {
namespace {

using testing::Random;

/// A matrix that is no more symmetric than friction makes it, in blocks and as a whole.
struct Tied {
  std::vector<int> size, diagonal, pair, first{0};
  std::vector<std::array<int, 2>> pairs;
  std::vector<double> values;
  MatX whole;

  Tied(int bodies, int ties, bool all_are_six, Random& random) {
    for (int i = 0; i < bodies; ++i) {
      size.push_back(all_are_six || random.integer(0, 1) == 0 ? 6 : 3);
      first.push_back(first.back() + size.back());
    }
    for (int i = 0; bodies > 1 && i < ties; ++i) {
      const int a = random.integer(0, bodies - 1), b = random.integer(0, bodies - 1);
      if (a != b) pairs.push_back({std::min(a, b), std::max(a, b)});
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    whole.setZero(first.back(), first.back());
    for (int i = 0; i < bodies; ++i) {
      diagonal.push_back(static_cast<int>(values.size()));
      add(i, i, random);
    }
    for (const auto& [a, b] : pairs) {
      pair.push_back(static_cast<int>(values.size()));
      add(a, b, random);
      add(b, a, random);
    }
  }
  void add(int row, int column, Random& random) {
    const double heavy = 6.0 * static_cast<double>(size.size());
    const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column);
    for (int i = 0; i < size[r]; ++i)
      for (int j = 0; j < size[c]; ++j) {
        const double value = random.uniform(-1, 1) + (row == column && i == j ? heavy : 0);
        whole(first[r] + i, first[c] + j) = value;
        values.push_back(value);
      }
  }
};

TEST(ConeLu, SolvesWhatTheWholeMatrixDoes) {
  Random random(7);
  ConeLu lu;  // one for all: what is left of a pattern must not disturb the next
  int with_fill = 0;
  for (int round = 0; round < 200; ++round) {
    const int bodies = round == 0 ? ConeLu::most_bodies : random.integer(1, 20);
    Tied tied(bodies, random.integer(0, 3 * bodies), round % 2 == 0, random);
    const int storage = static_cast<int>(tied.values.size());
    lu.analyze({tied.size, tied.diagonal, tied.pairs, tied.pair, storage});
    with_fill += lu.storage() > storage;
    tied.values.resize(static_cast<std::size_t>(lu.storage()), 0.0);
    ASSERT_TRUE(lu.factor(tied.values.data()));
    const VecX b = random.vector_of(static_cast<int>(tied.whole.rows()));
    VecX x = b;
    lu.solve(tied.values.data(), x.data());
    EXPECT_LT((tied.whole * x - b).lpNorm<Eigen::Infinity>(), 1e-13) << round;
  }
  EXPECT_GT(with_fill, 20);
}

TEST(ConeLu, AStarHasNoFill) {
  Random random(7);
  Tied tied(17, 0, true, random);
  for (int i = 0; i < 16; ++i) {  // limbs, each of which touches what they hold
    tied.pairs.push_back({i, 16});
    tied.pair.push_back(static_cast<int>(tied.values.size()));
    tied.add(i, 16, random);
    tied.add(16, i, random);
  }
  ConeLu lu;
  const int storage = static_cast<int>(tied.values.size());
  lu.analyze({tied.size, tied.diagonal, tied.pairs, tied.pair, storage});
  EXPECT_EQ(lu.storage(), storage);
}

TEST(ConeLu, SaysWhatIsNotDefinite) {
  Random random(7);
  Tied tied(3, 3, true, random);
  tied.values[static_cast<std::size_t>(tied.diagonal[1]) + 7] = -1e3;
  ConeLu lu;
  lu.analyze(
      {tied.size, tied.diagonal, tied.pairs, tied.pair, static_cast<int>(tied.values.size())});
  tied.values.resize(static_cast<std::size_t>(lu.storage()), 0.0);
  EXPECT_FALSE(lu.factor(tied.values.data()));
}

}  // namespace
}  // namespace taut
