// Krylov iterations as plain functions: A is anything callable as A(x, out), and so is the
// preconditioner. Vectors live in the scratch given, so that nothing is allocated in a step.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "taut/base/types.hpp"

namespace taut {

struct KrylovResult {
  int iterations = 0;
  double residual = 0;  ///< |b − A x|, relative where the tolerance is
};

struct KrylovLimits {
  double tolerance = 1e-12;
  int iterations = 1000;
};

struct ConjugateGradientScratch {
  VecX r, z, p, Ap;
};

/// Calls work(begin, count) for pieces of a long vector that stay in the processor's nearest cache,
/// so that several operations on them fetch them from memory once.
template <class Work>
void in_pieces(Eigen::Index size, const Work& work) {
  constexpr Eigen::Index piece = 1024;
  for (Eigen::Index begin = 0; begin < size; begin += piece)
    work(begin, std::min(piece, size - begin));
}

/// Preconditioned conjugate gradients, for A symmetric and positive (semi-)definite, from x, where
/// s.r = b − A x, until that is at most limits.tolerance.
template <class Matrix, class Preconditioner>
KrylovResult improve(const Matrix& A, const Preconditioner& precondition, VecX& x,
                     ConjugateGradientScratch& s, KrylovLimits limits) {
  KrylovResult result{0, s.r.norm()};
  double rz = 0;
  while (result.residual > limits.tolerance && result.iterations < limits.iterations) {
    precondition(s.r, s.z);
    const double next = s.r.dot(s.z);
    if (result.iterations == 0)
      s.p = s.z;
    else
      s.p = s.z + (next / rz) * s.p;
    rz = next;
    A(s.p, s.Ap);
    const double curvature = s.p.dot(s.Ap);
    if (!(curvature > 0)) break;  // the null space of a singular A: nothing left to gain
    const double alpha = rz / curvature;
    double squares = 0;
    in_pieces(x.size(), [&](Eigen::Index begin, Eigen::Index count) {
      x.segment(begin, count) += alpha * s.p.segment(begin, count);
      s.r.segment(begin, count) -= alpha * s.Ap.segment(begin, count);
      squares += s.r.segment(begin, count).squaredNorm();
    });
    ++result.iterations;
    result.residual = std::sqrt(squares);
  }
  return result;
}

/// … from x = 0, to a relative tolerance.
template <class Matrix, class Preconditioner>
KrylovResult conjugate_gradients(const Matrix& A, const Preconditioner& precondition, const VecX& b,
                                 VecX& x, ConjugateGradientScratch& s, KrylovLimits limits) {
  x.setZero(b.size());
  const double size = b.norm();
  if (!(size > 0)) return {0, size};
  s.r = b;
  KrylovResult result =
      improve(A, precondition, x, s, {limits.tolerance * size, limits.iterations});
  result.residual /= size;
  return result;
}

/// … from the x given, or from 0 if that is the better guess, to an absolute tolerance.
template <class Matrix, class Preconditioner>
KrylovResult conjugate_gradients_from(const Matrix& A, const Preconditioner& precondition,
                                      const VecX& b, VecX& x, ConjugateGradientScratch& s,
                                      KrylovLimits limits) {
  A(x, s.Ap);
  s.r = b - s.Ap;
  if (!(s.r.squaredNorm() < b.squaredNorm())) {
    x.setZero();
    s.r = b;
  }
  return improve(A, precondition, x, s, limits);
}

/// The directions of earlier iterations. In single precision: they are most of what an iteration
/// reads, and a residual computed in double precision corrects what that costs.
struct GmresScratch {
  Eigen::MatrixXf basis;  // orthonormal
  MatX R;                 // A's image of it, made triangular by rotations
  VecX cosine, sine, along;
  Eigen::VectorXf next, part, again;
  VecX r, u, z, Az;

  void resize(Eigen::Index unknowns, int directions) {
    basis.resize(unknowns, directions + 1);
    R.setZero(directions + 1, directions);
    for (VecX* per_direction : {&cosine, &sine, &along}) per_direction->setZero(directions + 1);
    for (Eigen::VectorXf* per_direction : {&part, &again}) per_direction->setZero(directions + 1);
    for (VecX* per_unknown : {&r, &u, &z, &Az}) per_unknown->setZero(unknowns);
    next.setZero(unknowns);
  }
};

/// Generalised minimal residuals (Saad and Schultz 1986) from x = 0, for any A: each iteration
/// makes |b − A x| as small as the directions so far allow, in the norm Σ (s r)². `direction(r, z,
/// Az)` is to find a z with A z ≈ r, linear in r, and A z. It starts anew from where it is when the
/// scratch is full, and when single precision has no more to give.
template <class Direction>
KrylovResult gmres(const Direction& direction, const VecX& scale, const VecX& b, VecX& x,
                   GmresScratch& s, KrylovLimits limits) {
  constexpr double least_gain = 1e-5;  // of what is left, by one basis
  constexpr float cancelled = 0.1F;    // of a direction's length, where round-off counts
  x.setZero(b.size());
  s.r = b;
  const double size = s.r.cwiseProduct(scale).norm();
  if (!(size > 0)) return {0, size};
  KrylovResult result{0, 1};
  const int most = static_cast<int>(s.R.cols());
  while (result.residual > limits.tolerance && result.iterations < limits.iterations) {
    const double wanted = std::max(least_gain, 0.95 * limits.tolerance / result.residual);
    const double left = result.residual * size;
    s.basis.col(0) = (s.r.cwiseProduct(scale) / left).cast<float>();
    s.along.setZero();
    s.along[0] = 1;
    int count = 0;
    double residual = 1;
    while (count < most && residual > wanted && result.iterations < limits.iterations) {
      s.u = s.basis.col(count).cast<double>().cwiseQuotient(scale);
      direction(s.u, s.z, s.Az);
      s.next = s.Az.cwiseProduct(scale).cast<float>();
      const auto basis = s.basis.leftCols(count + 1);
      auto part = s.part.head(count + 1), again = s.again.head(count + 1);
      const float before = s.next.norm();
      part.noalias() = basis.transpose() * s.next;
      s.next.noalias() -= basis * part;
      float length = s.next.norm();
      if (length < cancelled * before) {
        again.noalias() = basis.transpose() * s.next;
        s.next.noalias() -= basis * again;
        part += again;
        length = s.next.norm();
      }
      if (!std::isfinite(length)) return result;
      auto column = s.R.col(count);
      column.head(count + 1) = part.template cast<double>();
      for (int k = 0; k < count; ++k) {
        const double upper = column[k];
        column[k] = s.cosine[k] * upper + s.sine[k] * column[k + 1];
        column[k + 1] = s.cosine[k] * column[k + 1] - s.sine[k] * upper;
      }
      const double diagonal = std::hypot(column[count], static_cast<double>(length));
      if (!(diagonal > 0)) break;
      s.cosine[count] = column[count] / diagonal;
      s.sine[count] = length / diagonal;
      column[count] = diagonal;
      s.along[count + 1] = -s.sine[count] * s.along[count];
      s.along[count] *= s.cosine[count];
      residual = std::abs(s.along[count + 1]);
      ++count;
      ++result.iterations;
      if (!(length > 0)) break;
      s.basis.col(count) = s.next / length;
    }
    if (count == 0) break;
    for (int k = count - 1; k >= 0; --k) {
      for (int j = k + 1; j < count; ++j) s.along[k] -= s.R(k, j) * s.along[j];
      s.along[k] /= s.R(k, k);
    }
    s.part.head(count) = s.along.head(count).cast<float>();
    s.next.noalias() = s.basis.leftCols(count) * s.part.head(count);
    s.u = left * s.next.cast<double>().cwiseQuotient(scale);
    direction(s.u, s.z, s.Az);
    x += s.z;
    s.r -= s.Az;
    const double now = s.r.cwiseProduct(scale).norm() / size;
    if (!(now < 0.9 * result.residual)) {  // no more to be had
      if (!(now < result.residual)) x -= s.z;
      result.residual = std::min(now, result.residual);
      break;
    }
    result.residual = now;
  }
  return result;
}

struct BicgstabScratch {
  VecX r, shadow, p, v, t, y, z;
};

/// Preconditioned BiCGSTAB (van der Vorst) from x = 0: A need not be symmetric.
template <class Matrix, class Preconditioner>
KrylovResult bicgstab(const Matrix& A, const Preconditioner& precondition, const VecX& b, VecX& x,
                      BicgstabScratch& s, KrylovLimits limits) {
  x.setZero(b.size());
  const double size = b.norm();
  if (!(size > 0)) return {0, size};
  s.r = b;
  s.shadow = b;
  s.p.setZero(b.size());
  s.v.setZero(b.size());
  double rho = 1, alpha = 1, omega = 1;
  KrylovResult result{0, 1};
  while (result.residual > limits.tolerance && result.iterations < limits.iterations) {
    const double next = s.shadow.dot(s.r);
    if (next == 0 || omega == 0 || !std::isfinite(next)) break;  // breakdown: report what we have
    s.p = s.r + (next / rho) * (alpha / omega) * (s.p - omega * s.v);
    rho = next;
    precondition(s.p, s.y);
    A(s.y, s.v);
    const double along = s.shadow.dot(s.v);
    if (along == 0) break;
    alpha = rho / along;
    s.r -= alpha * s.v;
    x += alpha * s.y;
    ++result.iterations;
    result.residual = s.r.norm() / size;
    if (result.residual <= limits.tolerance) break;
    precondition(s.r, s.z);
    A(s.z, s.t);
    const double tt = s.t.squaredNorm();
    omega = tt > 0 ? s.t.dot(s.r) / tt : 0;
    x += omega * s.z;
    s.r -= omega * s.t;
    result.residual = s.r.norm() / size;
  }
  return result;
}

}  // namespace taut
