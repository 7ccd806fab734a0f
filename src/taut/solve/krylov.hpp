// Krylov iterations as plain functions: A is anything callable as A(x, out), and so is the
// preconditioner. Vectors live in the scratch given, so that nothing is allocated in a step.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "taut/base/types.hpp"
#include "taut/solve/parts.hpp"

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
/// s.r = b − A x, until that is at most limits.tolerance. Where vectors are in parts
/// (solve/parts.hpp), A's are own forces, and the preconditioner's are complete.
template <class Matrix, class Preconditioner>
KrylovResult improve(const Matrix& A, const Preconditioner& precondition, VecX& x,
                     ConjugateGradientScratch& s, KrylovLimits limits, const Parts& parts = {}) {
  KrylovResult result{0, parts.norm(s.r)};
  double rz = 0;
  while (result.residual > limits.tolerance && result.iterations < limits.iterations) {
    precondition(s.r, s.z);
    const double next = parts.sum(s.r.dot(s.z));
    if (result.iterations == 0)
      s.p = s.z;
    else
      s.p = s.z + (next / rz) * s.p;
    rz = next;
    A(s.p, s.Ap);
    const double curvature = parts.sum(s.p.dot(s.Ap));
    if (!(curvature > 0)) break;  // the null space of a singular A: nothing left to gain
    const double alpha = rz / curvature;
    double squares = 0;
    in_pieces(x.size(), [&](Eigen::Index begin, Eigen::Index count) {
      x.segment(begin, count) += alpha * s.p.segment(begin, count);
      s.r.segment(begin, count) -= alpha * s.Ap.segment(begin, count);
      squares += s.r.segment(begin, count).squaredNorm();
    });
    ++result.iterations;
    result.residual = std::sqrt(parts.sum(squares));
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
                                      KrylovLimits limits, const Parts& parts = {}) {
  A(x, s.Ap);
  s.r = b - s.Ap;
  if (!(parts.sum(s.r.squaredNorm()) < parts.sum(b.squaredNorm()))) {
    x.setZero();
    s.r = b;
  }
  return improve(A, precondition, x, s, limits, parts);
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
