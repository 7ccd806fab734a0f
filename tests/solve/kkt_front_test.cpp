// Single fronts: kernels for each size, as this processor does them and as all can.
#include "taut/solve/kkt_front.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/random_scene.hpp"

namespace taut {
namespace {

using testing::Random;

/// A front with random numbers, eliminated, and a solve with it.
struct Eliminated {
  Eliminated(const FrontShape& of, bool may_be_wide, bool is_side_by_side, int left_out = -1)
      : shape(of), kernels(front_kernels(of, may_be_wide)) {
    Random random(1);
    const int n = shape.size, pivots = shape.pivots;
    before = MatX::Zero(n, n);
    for (double& x : before.reshaped()) x = random.uniform(-1, 1);
    for (int i = 0; i < n; ++i) before(i, i) += 8 * (i < shape.bodies || i >= pivots ? 1 : 0);
    // Rows have nothing on their diagonal.
    before.block(shape.bodies, shape.bodies, pivots - shape.bodies, pivots - shape.bodies)
        .setZero();
    values.assign(static_cast<std::size_t>(shape.values() + FrontShape::lanes), 0);
    a = values.data();
    while (reinterpret_cast<std::size_t>(a) % (FrontShape::lanes * sizeof(double)) != 0) ++a;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) a[i * shape.stride() + j] = before(i, j);

    std::vector<int> rows;
    for (int i = shape.bodies; i < pivots; ++i) rows.push_back(i);
    if (n > pivots) rows.push_back(n - 1);
    peak.assign(static_cast<std::size_t>(n), 0);
    relative.assign(static_cast<std::size_t>(n), 0);
    std::vector<char> out(static_cast<std::size_t>(n), 0);
    if (left_out >= 0) out[static_cast<std::size_t>(left_out)] = 1;
    kernels.eliminate(shape, a, {rows, peak.data(), relative.data(), out.data(), 0}, pivots_seen);

    // The right-hand side: own numbers, a gap, the border's.
    right = random.vector_of(n);
    all.assign(static_cast<std::size_t>(2 * n + 1), 0);
    for (int i = 0; i < pivots; ++i) all[static_cast<std::size_t>(i)] = right[i];
    for (int i = pivots; i < n; ++i)
      border.push_back(is_side_by_side ? i + 1 : pivots + 1 + 2 * (i - pivots));
    for (int j = 0; j < n - pivots; ++j) all[at(j)] = right[pivots + j];
    kernels.forward(shape, a, all.data(), all.data(), border.data());
    taken.resize(n - pivots);
    x.resize(n);
    for (int j = 0; j < n - pivots; ++j) {
      taken[j] = right[pivots + j] - all[at(j)];
      all[at(j)] = x[pivots + j] = random.uniform(-1, 1);
    }
    kernels.backward(shape, a, all.data(), all.data(), border.data());
    for (int i = 0; i < pivots; ++i) x[i] = all[static_cast<std::size_t>(i)];
  }
  std::size_t at(int j) const {
    return static_cast<std::size_t>(border[static_cast<std::size_t>(j)]);
  }
  /// What is left of the border.
  MatX left() const {
    const int begin = shape.pivots, count = shape.size - begin;
    MatX left(count, count);
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j) left(i, j) = a[(begin + i) * shape.stride() + begin + j];
    return left;
  }

  FrontShape shape;
  const FrontKernels& kernels;
  MatX before;
  std::vector<double> values, peak, relative, all;
  double* a;
  KktPivots pivots_seen;
  std::vector<int> border;
  VecX right, taken, x;
};

const std::vector<FrontShape>& shapes() {
  static const std::vector<FrontShape> all{
      {3, 4, 4},   {3, 4, 7},  {3, 4, 8},  {6, 6, 12},  {6, 9, 15},  // known to the compiler
      {6, 11, 17}, {3, 3, 3},  {3, 3, 6},  {6, 11, 11}, {6, 9, 9},  {6, 7, 15},
      {6, 11, 22}, {6, 8, 31}, {3, 5, 29}, {6, 10, 40}, {1, 1, 5}};
  return all;
}

TEST(KktFront, SolvesWhatItIsMadeOf) {
  for (const FrontShape& shape : shapes())
    for (const bool is_wide : {false, true})
      for (const bool is_side_by_side : {false, true}) {
        SCOPED_TRACE(::testing::Message() << shape.bodies << ", " << shape.pivots << " of "
                                          << shape.size << (is_wide ? ", wide" : ""));
        const Eliminated front(shape, is_wide, is_side_by_side);
        const int pivots = shape.pivots, border = shape.size - pivots;
        // The own equations hold.
        const VecX own = front.before.topRows(pivots) * front.x;
        EXPECT_LT((own - front.right.head(pivots)).norm(), 1e-11);
        // What is left of the border is what the whole does to it, where its own part is solved.
        const VecX of_border = front.x.tail(border);
        EXPECT_LT(
            (front.before.bottomRows(border) * front.x - front.taken - front.left() * of_border)
                .norm(),
            1e-10);
        for (int i = shape.bodies; i < pivots; ++i)
          EXPECT_GT(front.relative[static_cast<std::size_t>(i)], 1e-3);
        if (border > 0) EXPECT_GT(front.peak.back(), 0);
      }
}

TEST(KktFront, ARowThatIsLeftOutHasNoPart) {
  for (const FrontShape& shape : shapes()) {
    if (shape.pivots == shape.bodies) continue;
    const int out = shape.bodies;
    Eliminated front(shape, true, true, out);
    EXPECT_EQ(front.x[out], 0);
    VecX own = front.before.topRows(shape.pivots) * front.x - front.right.head(shape.pivots);
    EXPECT_GT(std::abs(own[out]), 1e-3);
    own[out] = 0;
    EXPECT_LT(own.norm(), 1e-11);
  }
}

// To the last bit: results do not depend on the processor.
TEST(KktFront, TheSameWithoutWideRegisters) {
  for (const FrontShape& shape : shapes()) {
    const Eliminated wide(shape, true, true), plain(shape, false, true);
    EXPECT_EQ(wide.x, plain.x);
    EXPECT_EQ(wide.taken, plain.taken);
    EXPECT_EQ(wide.left(), plain.left());
    EXPECT_EQ(wide.peak, plain.peak);
    EXPECT_EQ(wide.relative, plain.relative);
    EXPECT_EQ(wide.pivots_seen.smallest_row, plain.pivots_seen.smallest_row);
    if (shape.size == shape.pivots) continue;

    // And what a front gives to another one.
    const FrontShape other{6, 8, shape.size + 2};
    std::vector<double> to[2];
    for (const bool is_wide : {false, true}) {
      to[is_wide].assign(static_cast<std::size_t>(other.values()), 0.25);
      for (int i = 0; i < other.size; ++i)  // zeros behind, as in a front
        for (int j = other.size; j < other.stride(); ++j)
          to[is_wide][static_cast<std::size_t>(i * other.stride() + j)] = 0;
      const Eliminated& from = is_wide ? wide : plain;
      from.kernels.add_border(shape, from.a, other, 1, to[is_wide].data());
    }
    EXPECT_EQ(to[0], to[1]);
    const MatX left = wide.left();
    for (int i = 0; i < left.rows(); ++i)
      for (int j = 0; j < left.cols(); ++j)
        EXPECT_EQ(to[1][static_cast<std::size_t>((i + 1) * other.stride() + j + 1)],
                  0.25 + left(i, j));
  }
}

}  // namespace
}  // namespace taut
