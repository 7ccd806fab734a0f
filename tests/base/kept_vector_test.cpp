// A vector that keeps its memory.
#include "taut/base/kept_vector.hpp"

#include <gtest/gtest.h>

namespace taut {
namespace {

TEST(KeptVec, IsAVectorForEigen) {
  const VecX given = VecX::LinSpaced(5, 1, 5);
  KeptVec a = given, b;
  b = 2 * a - given;
  EXPECT_EQ(VecX(b), given);
  EXPECT_EQ((a + b).sum(), 30);
  b.setZero(2);
  EXPECT_EQ(b.size(), 2);
  EXPECT_TRUE(b.isZero(0));
  b = b + VecX::Ones(2);
  EXPECT_EQ(b.sum(), 2);
}

TEST(KeptVec, KeepsItsMemoryWhenItGetsShorter) {
  KeptVec a = VecX::Ones(100);
  const double* memory = a.data();
  for (const int size : {3, 0, 100, 7}) {
    a.resize(size);
    EXPECT_EQ(a.size(), size);
    EXPECT_EQ(a.data(), memory);
  }
  a.resize(101);
  const double* longer = a.data();
  a.resize(200);  // as it had to grow, it took more than it needed
  EXPECT_EQ(a.data(), longer);
}

TEST(KeptVec, AppendsAndKeepsWhatItHas) {
  KeptVec a;
  for (int i = 0; i < 50; ++i) {
    const double numbers[] = {1.0 * i, -1.0 * i};
    a.append(numbers, 2);
  }
  ASSERT_EQ(a.size(), 100);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(a[2 * i] - a[2 * i + 1], 2 * i);
}

TEST(KeptVec, CopiesAreItsOwnAndMovesAreNot) {
  KeptVec a = VecX::Ones(4), copy = a;
  copy[0] = 7;
  EXPECT_EQ(a[0], 1);
  const double* memory = a.data();
  KeptVec moved = std::move(a);
  EXPECT_EQ(moved.data(), memory);
  std::swap(moved, copy);
  EXPECT_EQ(copy.data(), memory);
  EXPECT_EQ(moved[0], 7);
}

}  // namespace
}  // namespace taut
