// Operators of vectors and matrices of space that compute at once. Eigen's own return expressions,
// a new type for each combination, which the compiler builds and dissolves again: on three numbers
// that gains nothing, and it takes a good part of a build. Sums are in Eigen's order, so that
// results are the same to the last bit.
//
// Being templates, they match these very types and leave all others to Eigen.
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <type_traits>

namespace taut {

template <class T>
using Vector3 = Eigen::Matrix<T, 3, 1>;  // T: double, or a jet
template <class S, class T>
concept FactorOf = std::is_arithmetic_v<S> || std::same_as<S, T>;
template <class T>
concept SpaceMatrix = std::same_as<T, Eigen::Matrix3d>;
template <class T>
concept SpaceTranspose = std::same_as<T, Eigen::Transpose<Eigen::Matrix3d>> ||
    std::same_as<T, Eigen::Transpose<const Eigen::Matrix3d>>;

namespace plain {

// Matrices by columns. Eigen adds the products of the first two rows of A x one after the other, in
// one register, and those of the third row from the end.
inline void multiply(const double* a, const double* x, double* out) {
  out[0] = a[0] * x[0] + a[3] * x[1] + a[6] * x[2];
  out[1] = a[1] * x[0] + a[4] * x[1] + a[7] * x[2];
  out[2] = a[2] * x[0] + (a[5] * x[1] + a[8] * x[2]);
}
inline void multiply_transposed(const double* a, const double* x, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
}

}  // namespace plain

template <class T>
inline Vector3<T> operator+(const Vector3<T>& x, const Vector3<T>& y) {
  return {x[0] + y[0], x[1] + y[1], x[2] + y[2]};
}
template <class T>
inline Vector3<T> operator-(const Vector3<T>& x, const Vector3<T>& y) {
  return {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
}
template <class T>
inline Vector3<T> operator-(const Vector3<T>& x) {
  return {-x[0], -x[1], -x[2]};
}
template <class T, FactorOf<T> S>
inline Vector3<T> operator*(const S& s, const Vector3<T>& x) {
  return {s * x[0], s * x[1], s * x[2]};
}
template <class T, FactorOf<T> S>
inline Vector3<T> operator*(const Vector3<T>& x, const S& s) {
  return {x[0] * s, x[1] * s, x[2] * s};
}
template <class T, FactorOf<T> S>
inline Vector3<T> operator/(const Vector3<T>& x, const S& s) {
  return {x[0] / s, x[1] / s, x[2] / s};
}

template <SpaceMatrix M, std::same_as<Vector3<double>> V>
inline V operator*(const M& A, const V& x) {
  V out;
  plain::multiply(A.data(), x.data(), out.data());
  return out;
}
template <SpaceTranspose M, std::same_as<Vector3<double>> V>
inline V operator*(const M& A, const V& x) {
  V out;
  plain::multiply_transposed(A.nestedExpression().data(), x.data(), out.data());
  return out;
}
template <SpaceMatrix M>
inline M operator*(const M& A, const M& B) {
  M out;
  for (int j = 0; j < 9; j += 3) plain::multiply(A.data(), B.data() + j, out.data() + j);
  return out;
}
template <SpaceTranspose T, SpaceMatrix M>
inline M operator*(const T& A, const M& B) {
  M out;
  for (int j = 0; j < 9; j += 3)
    plain::multiply_transposed(A.nestedExpression().data(), B.data() + j, out.data() + j);
  return out;
}
template <SpaceMatrix M, SpaceTranspose T>
inline M operator*(const M& A, const T& B) {
  return A * M(B);
}

template <SpaceMatrix M>
inline M operator+(const M& A, const M& B) {
  M out;
  for (int i = 0; i < 9; ++i) out.data()[i] = A.data()[i] + B.data()[i];
  return out;
}
template <SpaceMatrix M>
inline M operator-(const M& A, const M& B) {
  M out;
  for (int i = 0; i < 9; ++i) out.data()[i] = A.data()[i] - B.data()[i];
  return out;
}
template <SpaceMatrix M>
inline M operator-(const M& A) {
  M out;
  for (int i = 0; i < 9; ++i) out.data()[i] = -A.data()[i];
  return out;
}
template <FactorOf<double> S, SpaceMatrix M>
inline M operator*(S s, const M& A) {
  M out;
  for (int i = 0; i < 9; ++i) out.data()[i] = s * A.data()[i];
  return out;
}

}  // namespace taut
