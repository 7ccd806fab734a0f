#include "taut/solve/cone_law.hpp"

#include <algorithm>
#include <cmath>

namespace taut::cone {
namespace {

using Kind = ConeLaw::Kind;

double bounded(const ConeLaw& law, double x) {
  return law.kind == Kind::half_line ? std::max(x, 0.0)
                                     : std::min(std::max(x, law.lower), law.upper);
}

double tangential(const double* x) { return std::sqrt(x[1] * x[1] + x[2] * x[2]); }

}  // namespace

void project(const ConeLaw& law, double* r) {
  if (law.kind != Kind::friction) {
    r[0] = bounded(law, r[0]);
    return;
  }
  const double size = tangential(r), mu = law.friction;
  if (size <= mu * r[0]) return;
  if (mu * size <= -r[0]) {
    r[0] = r[1] = r[2] = 0;
    return;
  }
  const double normal = (r[0] + mu * size) / (1 + mu * mu), factor = mu * normal / size;
  r[0] = normal;
  r[1] = size > 0 ? factor * r[1] : 0;
  r[2] = size > 0 ? factor * r[2] : 0;
}

// Written so that a large r does not swallow a small u: where r − u/W is allowed, it is u.
double contradiction(const ConeLaw& law, const double* r, const double* u, double response) {
  if (law.kind == Kind::half_line) return std::abs(std::min(u[0], response * r[0]));
  if (law.kind == Kind::interval)
    return std::abs(
        std::max(std::min(u[0], response * (r[0] - law.lower)), response * (r[0] - law.upper)));
  const double normal = std::min(u[0], response * r[0]);
  const double x[3] = {response * r[0] - u[0], response * r[1] - u[1], response * r[2] - u[2]};
  const double size = tangential(x), beyond = size - law.friction * std::max(x[0], 0.0);
  const double back = beyond > 0 ? beyond / size : 0;
  const double along = u[1] + back * x[1], across = u[2] + back * x[2];
  return std::sqrt(normal * normal + along * along + across * across);
}

double resisted(const ConeLaw& law, const double* u) {
  switch (law.kind) {
    case Kind::half_line:
      return std::max(-u[0], 0.0);
    case Kind::interval:
      return std::abs(u[0]);
    default:
      return std::max(-u[0], tangential(u));
  }
}

void defect(const ConeLaw& law, const double* r, const double* u, double rho, double* f) {
  const double normal = r[0] - rho * u[0];
  if (law.kind != Kind::friction) {
    f[0] = r[0] - bounded(law, normal);
    return;
  }
  if (!(normal > 0)) {
    for (int i = 0; i < 3; ++i) f[i] = r[i];
    return;
  }
  const double x[3] = {normal, r[1] - rho * u[1], r[2] - rho * u[2]};
  const double size = tangential(x), most = law.friction * normal;
  const double factor = size <= most ? 1 : most / size;
  f[0] = r[0] - normal;
  f[1] = r[1] - factor * x[1];
  f[2] = r[2] - factor * x[2];
}

// With d the direction of sliding and e across it, Φ' is 0 where it is open; 1 where it sticks;
// where it slides, N ← N, d ← μ N, e ← α e with α = μ x_N / |x_T|.
void linearize(const ConeLaw& law, const double* r, const double* u, double rho, double delta,
               Tangent& tangent) {
  defect(law, r, u, rho, tangent.f);
  const double* f = tangent.f;
  double* t = tangent.t;
  double* G = tangent.G;
  const double normal = r[0] - rho * u[0];
  if (law.kind != Kind::friction) {
    const bool acts =
        law.kind == Kind::half_line ? normal > 0 : normal > law.lower && normal < law.upper;
    G[0] = acts ? rho / delta : 0;
    t[0] = acts ? f[0] / delta : f[0];
    return;
  }
  std::fill(G, G + 9, 0.0);
  if (!(normal > 0)) {
    std::copy(f, f + 3, t);
    return;
  }
  const double x[3] = {normal, r[1] - rho * u[1], r[2] - rho * u[2]};
  const double size = tangential(x), mu = law.friction;
  if (size <= mu * normal && mu > 0) {
    for (int i = 0; i < 3; ++i) {
      t[i] = f[i] / delta;
      G[4 * i] = rho / delta;
    }
    return;
  }
  const double d[2] = {size > 0 ? x[1] / size : 1, size > 0 ? x[2] / size : 0};
  const double alpha = size > 0 ? mu * normal / size : 0;
  const double across = 1 - (1 - delta) * alpha;
  t[0] = f[0] / delta;
  const double along_t = d[0] * f[1] + d[1] * f[2] + (1 - delta) * mu * t[0];
  const double across_t = (d[0] * f[2] - d[1] * f[1]) / across;
  t[1] = d[0] * along_t - d[1] * across_t;
  t[2] = d[1] * along_t + d[0] * across_t;
  G[0] = rho / delta;
  G[3] = mu * d[0] * G[0];
  G[6] = mu * d[1] * G[0];
  const double stiff = rho * alpha / across;
  G[4] = stiff * d[1] * d[1];
  G[5] = G[7] = -stiff * d[0] * d[1];
  G[8] = stiff * d[0] * d[0];
}

namespace {

/// r for u_N = 0 and u_T = −τ r_T.
void slide(const double* A, const double* q, double tau, double* r) {
  const double a = A[4] + tau, b = 0.5 * (A[5] + A[7]), c = A[8] + tau, det = a * c - b * b;
  const auto solve = [&](double x, double y, double* out) {
    out[0] = (c * x - b * y) / det;
    out[1] = (a * y - b * x) / det;
  };
  double of_q[2], of_normal[2];
  solve(q[1], q[2], of_q);
  solve(A[3], A[6], of_normal);
  r[0] = -(q[0] - A[1] * of_q[0] - A[2] * of_q[1]) /
         (A[0] - A[1] * of_normal[0] - A[2] * of_normal[1]);
  r[1] = -of_q[0] - of_normal[0] * r[0];
  r[2] = -of_q[1] - of_normal[1] * r[0];
}

}  // namespace

// Open if that is possible; else it sticks, τ = 0, or it slides with a τ > 0 that brings the
// friction down to μ r_N. τ exists, since r_T vanishes for large τ and r_N does not.
void solve_alone(const ConeLaw& law, const double* A, const double* q, double* r) {
  if (law.kind != Kind::friction) {
    r[0] = bounded(law, -q[0] / A[0]);
    return;
  }
  r[0] = r[1] = r[2] = 0;
  if (!(q[0] < 0)) return;
  const auto exceeds = [&] { return !(tangential(r) <= law.friction * r[0]); };
  slide(A, q, 0, r);
  if (!exceeds()) return;
  double low = 0, high = A[4] + A[8];
  for (int i = 0; i < 200; ++i, low = high, high *= 4) {
    slide(A, q, high, r);
    if (!exceeds()) break;
  }
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = 0.5 * (low + high);
    slide(A, q, middle, r);
    (exceeds() ? low : high) = middle;
  }
  slide(A, q, high, r);
  project(law, r);
}

}  // namespace taut::cone
