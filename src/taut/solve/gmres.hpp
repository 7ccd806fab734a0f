// Generalised minimal residuals, for matrices that are not positive definite.
#pragma once

#include <algorithm>
#include <cmath>

#include "taut/solve/krylov.hpp"

namespace taut {

/// The directions of earlier iterations. In single precision: they are most of what an iteration
/// reads, and a residual computed in double precision corrects what that costs.
struct GmresScratch {
  Eigen::MatrixXf basis;  // orthonormal
  MatX R;                 // A's image of it, made triangular by rotations
  VecX cosine, sine, along;
  Eigen::VectorXf next, part, again;
  VecX r, u, z, Az, inverse_scale;

  /// `packed`: the numbers of a direction, if not as many.
  void resize(Eigen::Index unknowns, int directions, Eigen::Index packed = 0) {
    if (packed == 0) packed = unknowns;
    basis.resize(packed, directions + 1);
    R.setZero(directions + 1, directions);
    for (VecX* per_direction : {&cosine, &sine, &along}) per_direction->setZero(directions + 1);
    for (Eigen::VectorXf* per_direction : {&part, &again}) per_direction->setZero(directions + 1);
    for (VecX* per_unknown : {&r, &u, &z, &Az, &inverse_scale}) per_unknown->setZero(unknowns);
    next.setZero(packed);
  }
};

/// Generalised minimal residuals (Saad and Schultz 1986) from x = 0, for any A: each iteration
/// makes |b − A x| as small as the directions so far allow, in the norm Σ (s r)². `direction(r, z,
/// Az)` is to find a z with A z ≈ r, linear in r, and A z. `image(v, out)` is the same in single
/// precision, out = S A z of r = S⁻¹ v, where pack() and unpack() make v of S r and back, and
/// solution(v, z), if there is one, makes z alone: where so little is asked that single precision
/// has it, that is all of the answer. Else it starts anew from where it is when the scratch is
/// full, and when single precision has no more to give.
template <class Direction, class Single>
KrylovResult gmres(const Direction& direction, Single& single, const VecX& scale, const VecX& b,
                   VecX& x, GmresScratch& s, KrylovLimits limits) {
  constexpr double least_gain = 1e-5;  // of what is left, by one basis
  constexpr float cancelled = 0.1F;    // of a direction's length, where round-off counts
  constexpr double rough = 0.03;       // tolerances that single precision is sure to reach
  x.setZero(b.size());
  s.r = b;
  const double size = s.r.cwiseProduct(scale).norm();
  if (!(size > 0)) return {0, size};
  s.inverse_scale = scale.cwiseInverse();
  KrylovResult result{0, 1};
  const int most = static_cast<int>(s.R.cols());
  while (result.residual > limits.tolerance && result.iterations < limits.iterations) {
    const double wanted = std::max(least_gain, 0.95 * limits.tolerance / result.residual);
    const double left = result.residual * size;
    s.u = s.r.cwiseProduct(scale) / left;
    single.pack(s.u, s.basis.col(0));
    s.along.setZero();
    s.along[0] = 1;
    int count = 0;
    double residual = 1;
    while (count < most && residual > wanted && result.iterations < limits.iterations) {
      single.image(s.basis.col(count), s.next);
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
    if constexpr (requires { single.solution(s.next, s.z); }) {
      if (limits.tolerance >= rough && residual <= wanted && result.residual == 1) {
        single.solution(s.next, s.z);
        x = left * s.z;
        result.residual = residual;
        break;
      }
    }
    single.unpack(s.next, s.u);
    s.u = left * s.u.cwiseProduct(s.inverse_scale);
    direction(s.u, s.z, s.Az);
    x += s.z;
    s.r -= s.Az;
    const double now = s.r.cwiseProduct(scale).norm() / size;
    const bool is_worse = !(now < result.residual);
    // No more to be had, though the basis had room for it.
    const bool stands = !(now < 0.9 * result.residual) && count < most;
    if (is_worse) {
      x -= s.z;
      break;
    }
    result.residual = now;
    if (stands) break;
  }
  return result;
}

/// … with directions that are computed in double precision, too.
template <class Direction>
KrylovResult gmres(const Direction& direction, const VecX& scale, const VecX& b, VecX& x,
                   GmresScratch& s, KrylovLimits limits) {
  struct {
    const Direction& direction;
    const VecX& scale;
    GmresScratch& s;

    void pack(const VecX& from, Eigen::Ref<Eigen::VectorXf> to) const { to = from.cast<float>(); }
    void unpack(const Eigen::VectorXf& from, VecX& to) const { to = from.cast<double>(); }
    void image(Eigen::Ref<const Eigen::VectorXf> v, Eigen::VectorXf& out) const {
      s.u = v.cast<double>().cwiseProduct(s.inverse_scale);
      direction(s.u, s.z, s.Az);
      out = s.Az.cwiseProduct(scale).cast<float>();
    }
  } single{direction, scale, s};
  return gmres(direction, single, scale, b, x, s, limits);
}

}  // namespace taut
