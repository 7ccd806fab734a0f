// taut's operators of vectors and matrices of space give what Eigen's give, to the last bit.
#include "taut/base/plain_operators.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {  // not in taut: here x + y is Eigen's

using Vector = Eigen::Vector3d;
using Matrix = Eigen::Matrix3d;

double number(int i) { return std::sin(1 + 1.7 * i) * std::exp(std::cos(3.1 * i)); }

TEST(PlainOperators, AreEigens) {
  for (int i = 0; i < 2000; i += 25) {
    Vector x, y;
    Matrix A, B;
    for (int k = 0; k < 3; ++k) x[k] = number(i + k), y[k] = number(i + 3 + k);
    for (int k = 0; k < 9; ++k) A.data()[k] = number(i + 6 + k), B.data()[k] = number(i + 15 + k);
    const Matrix& C = A;
    const double s = number(i + 24);
    SCOPED_TRACE(i);
    EXPECT_EQ(taut::operator+(x, y), Vector(x + y));
    EXPECT_EQ(taut::operator-(x, y), Vector(x - y));
    EXPECT_EQ(taut::operator-(x), Vector(-x));
    EXPECT_EQ(taut::operator*(s, x), Vector(s * x));
    EXPECT_EQ(taut::operator*(x, 3), Vector(x * 3));
    EXPECT_EQ(taut::operator/(x, s), Vector(x / s));
    EXPECT_EQ(taut::operator*(A, x), Vector(A * x));
    EXPECT_EQ(taut::operator*(A.transpose(), x), Vector(A.transpose() * x));
    EXPECT_EQ(taut::operator*(C.transpose(), x), Vector(C.transpose() * x));
    EXPECT_EQ(taut::operator*(A, B), Matrix(A * B));
    EXPECT_EQ(taut::operator*(A.transpose(), B), Matrix(A.transpose() * B));
    EXPECT_EQ(taut::operator*(A, B.transpose()), Matrix(A * B.transpose()));
    EXPECT_EQ(taut::operator+(A, B), Matrix(A + B));
    EXPECT_EQ(taut::operator-(A, B), Matrix(A - B));
    EXPECT_EQ(taut::operator-(A), Matrix(-A));
    EXPECT_EQ(taut::operator*(s, A), Matrix(s * A));
  }
}

}  // namespace
