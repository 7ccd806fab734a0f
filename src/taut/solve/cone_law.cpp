#include "taut/solve/cone_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut::cone {
namespace {

using Kind = ConeLaw::Kind;

double bounded(const ConeLaw& law, double x) {
  return law.kind == Kind::half_line ? std::max(x, 0.0)
                                     : std::min(std::max(x, law.lower), law.upper);
}

double size_of(const Disc& disc, const double* x) {
  const double a = x[disc.first];
  if (disc.size == 1) return std::abs(a);
  const double b = x[disc.first + 1];
  return std::sqrt(a * a + b * b);
}

/// x of the disc's rows ← the nearest that the normal impulse allows.
void shorten(const Disc& disc, double normal, double* x) {
  const double size = size_of(disc, x), most = disc.coefficient * normal;
  if (size <= most) return;
  const double factor = size > 0 ? most / size : 0;
  for (int i = disc.first; i < disc.first + disc.size; ++i) x[i] *= factor;
}

}  // namespace

// The normal impulse N is where N − r_N = Σ c (|r| − c N), over the discs whose bound r exceeds.
// Both sides are monotonic, so discs are added from the one that is exceeded the most.
void project(const ConeLaw& law, double* r) {
  if (!law.has_normal()) {
    r[0] = bounded(law, r[0]);
    return;
  }
  const Discs discs(law);
  double above = r[0], below = 1, normal = r[0], last = std::numeric_limits<double>::infinity();
  for (;;) {
    const Disc* next = nullptr;
    double farthest = 0;
    for (const Disc& disc : discs) {
      if (!(disc.coefficient > 0)) continue;
      const double reach = size_of(disc, r) / disc.coefficient;
      if (reach > normal && reach < last && (!next || reach > farthest)) {
        next = &disc;
        farthest = reach;
      }
    }
    if (!next) break;
    // Those that are exceeded alike come together.
    for (const Disc& disc : discs)
      if (disc.coefficient > 0 && size_of(disc, r) / disc.coefficient == farthest) {
        above += disc.coefficient * size_of(disc, r);
        below += disc.coefficient * disc.coefficient;
      }
    normal = above / below;
    last = farthest;
  }
  if (!(normal > 0)) {
    std::fill(r, r + law.rows(), 0.0);
    return;
  }
  r[0] = normal;
  for (const Disc& disc : discs) shorten(disc, normal, r);
}

// Written so that a large r does not swallow a small u: where r − u/W is allowed, it is u.
double contradiction(const ConeLaw& law, const double* r, const double* u, double response) {
  if (law.kind == Kind::half_line) return std::abs(std::min(u[0], response * r[0]));
  if (law.kind == Kind::interval)
    return std::abs(
        std::max(std::min(u[0], response * (r[0] - law.lower)), response * (r[0] - law.upper)));
  const double normal = std::min(u[0], response * r[0]);
  const double bound = std::max(response * r[0] - u[0], 0.0);
  double sum = normal * normal;
  for (const Disc& disc : Discs(law)) {
    double x[ConeLaw::most_rows];
    for (int i = disc.first; i < disc.first + disc.size; ++i) x[i] = response * r[i] - u[i];
    const double size = size_of(disc, x), beyond = size - disc.coefficient * bound;
    const double back = beyond > 0 ? beyond / size : 0;
    for (int i = disc.first; i < disc.first + disc.size; ++i) {
      const double along = u[i] + back * x[i];
      sum += along * along;
    }
  }
  return std::sqrt(sum);
}

double resisted(const ConeLaw& law, const double* u) {
  if (law.kind == Kind::interval) return law.lower < law.upper ? std::abs(u[0]) : 0;
  double largest = std::max(-u[0], 0.0);
  for (const Disc& disc : Discs(law))
    if (disc.coefficient > 0) largest = std::max(largest, size_of(disc, u));
  return largest;
}

void defect(const ConeLaw& law, const double* r, const double* u, double rho, double* f) {
  const double normal = r[0] - rho * u[0];
  if (!law.has_normal()) {
    f[0] = r[0] - bounded(law, normal);
    return;
  }
  if (!(normal > 0)) {
    std::copy(r, r + law.rows(), f);
    return;
  }
  f[0] = r[0] - normal;
  for (const Disc& disc : Discs(law)) {
    double x[ConeLaw::most_rows];
    for (int i = disc.first; i < disc.first + disc.size; ++i) x[i] = r[i] - rho * u[i];
    shorten(disc, normal, x);
    for (int i = disc.first; i < disc.first + disc.size; ++i) f[i] = r[i] - x[i];
  }
}

// With d the direction of sliding and e across it, Φ' is 0 where it is open; 1 where it sticks;
// where it slides, N ← N, d ← μ N, e ← α e with α = μ x_N / |x_T|.
void linearize(const ConeLaw& law, const double* r, const double* u, double rho, Delta delta,
               Tangent& tangent) {
  defect(law, r, u, rho, tangent.f);
  const double* f = tangent.f;
  double* t = tangent.t;
  double* G = tangent.G;
  const double normal = r[0] - rho * u[0];
  if (!law.has_normal()) {
    const bool acts =
        law.kind == Kind::half_line ? normal > 0 : normal > law.lower && normal < law.upper;
    G[0] = acts ? rho / delta.first : 0;
    t[0] = acts ? f[0] / delta.first : f[0];
    return;
  }
  const int rows = law.rows();
  std::fill(G, G + rows * rows, 0.0);
  if (!(normal > 0)) {
    std::copy(f, f + rows, t);
    return;
  }
  t[0] = f[0] / delta.first;
  G[0] = rho / delta.first;
  for (const Disc& disc : Discs(law)) {
    const int i = disc.first, j = i + 1;
    const double mu = disc.coefficient;
    double x[ConeLaw::most_rows];
    for (int k = i; k < i + disc.size; ++k) x[k] = r[k] - rho * u[k];
    const double size = size_of(disc, x);
    if (size <= mu * normal && mu > 0) {
      for (int k = i; k < i + disc.size; ++k) {
        t[k] = f[k] / delta.others;
        G[k * rows + k] = rho / delta.others;
      }
      continue;
    }
    const double from_normal = (1 - delta.first) * mu * t[0];
    if (disc.size == 1) {
      const double d = x[i] < 0 ? -1 : 1;
      t[i] = f[i] + d * from_normal;
      G[i * rows] = mu * d * G[0];
      continue;
    }
    const double d[2] = {size > 0 ? x[i] / size : 1, size > 0 ? x[j] / size : 0};
    const double alpha = size > 0 ? mu * normal / size : 0;
    const double across = 1 - (1 - delta.others) * alpha;
    const double along_t = d[0] * f[i] + d[1] * f[j] + from_normal;
    const double across_t = (d[0] * f[j] - d[1] * f[i]) / across;
    t[i] = d[0] * along_t - d[1] * across_t;
    t[j] = d[1] * along_t + d[0] * across_t;
    G[i * rows] = mu * d[0] * G[0];
    G[j * rows] = mu * d[1] * G[0];
    const double stiff = rho * alpha / across;
    G[i * rows + i] = stiff * d[1] * d[1];
    G[i * rows + j] = G[j * rows + i] = -stiff * d[0] * d[1];
    G[j * rows + j] = stiff * d[0] * d[0];
  }
}

double shift(const ConeLaw& law, const double* z) {
  double sum = 0;
  for (const Disc& disc : Discs(law)) sum += disc.coefficient * size_of(disc, z);
  return sum;
}

void allowed_velocity(const ConeLaw& law, const double* r, const double* u, double* z) {
  if (!law.has_normal()) {
    const double lower = law.kind == Kind::half_line ? 0 : law.lower;
    const double upper =
        law.kind == Kind::half_line ? std::numeric_limits<double>::infinity() : law.upper;
    z[0] = r[0] <= lower ? std::max(u[0], 0.0) : r[0] >= upper ? std::min(u[0], 0.0) : 0;
    return;
  }
  double opposite[ConeLaw::most_rows];
  for (int i = 0; i < law.rows(); ++i) opposite[i] = -u[i];
  opposite[0] -= shift(law, u);
  for (int i = 0; i < law.rows(); ++i) z[i] = -opposite[i];
  project(law, opposite);
  for (int i = 0; i < law.rows(); ++i) z[i] += opposite[i];
}

}  // namespace taut::cone
