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

/// Calls with<First, Size>(coefficient) for each of the law's discs: their rows are then constants.
template <class With>
void each_disc(const ConeLaw& law, With&& with) {
  if (!law.has_normal()) return;
  with.template operator()<1, 2>(law.friction);
  if (law.kind == Kind::friction) [[likely]]
    return;
  with.template operator()<3, 1>(law.spinning);
  with.template operator()<4, 2>(law.rolling);
}

template <int First, int Size>
double size_of(const double* x) {
  if constexpr (Size == 1)
    return std::abs(x[First]);
  else
    return std::sqrt(x[First] * x[First] + x[First + 1] * x[First + 1]);
}

/// x of the disc's rows ← the nearest that the normal impulse allows.
template <int First, int Size>
void shorten(double coefficient, double normal, double* x) {
  const double size = size_of<First, Size>(x), most = coefficient * normal;
  if (size <= most) return;
  const double factor = size > 0 ? most / size : 0;
  for (int i = First; i < First + Size; ++i) x[i] *= factor;
}

}  // namespace

// The normal impulse N is where N − r_N = Σ c (|r| − c N), over the discs whose bound r exceeds.
// Both sides are monotonic, so discs are added from the one that is exceeded the most, |r| / c;
// those that are exceeded alike come together.
void project(const ConeLaw& law, double* r) {
  if (!law.has_normal()) {
    r[0] = bounded(law, r[0]);
    return;
  }
  double normal = r[0];
  if (law.kind == Kind::friction) [[likely]] {
    const double size = size_of<1, 2>(r), mu = law.friction;
    if (size <= mu * normal) return;
    normal = (normal + mu * size) / (1 + mu * mu);
  } else {
    double above = r[0], below = 1, last = std::numeric_limits<double>::infinity();
    for (;;) {
      double farthest = -1;
      each_disc(law, [&]<int First, int Size>(double c) {
        const double reach = c > 0 ? size_of<First, Size>(r) / c : 0;
        if (c > 0 && reach > normal && reach < last) farthest = std::max(farthest, reach);
      });
      if (farthest < 0) break;
      each_disc(law, [&]<int First, int Size>(double c) {
        const double size = size_of<First, Size>(r);
        if (!(c > 0) || size / c != farthest) return;
        above += c * size;
        below += c * c;
      });
      normal = above / below;
      last = farthest;
    }
  }
  if (!(normal > 0)) {
    std::fill(r, r + law.rows(), 0.0);
    return;
  }
  r[0] = normal;
  each_disc(law, [&]<int First, int Size>(double c) { shorten<First, Size>(c, normal, r); });
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
  each_disc(law, [&]<int First, int Size>(double c) {
    double x[Size];
    for (int i = 0; i < Size; ++i) x[i] = response * r[First + i] - u[First + i];
    const double size = size_of<0, Size>(x), beyond = size - c * bound;
    const double back = beyond > 0 ? beyond / size : 0;
    for (int i = 0; i < Size; ++i) {
      const double along = u[First + i] + back * x[i];
      sum += along * along;
    }
  });
  return std::sqrt(sum);
}

double resisted(const ConeLaw& law, const double* u) {
  if (law.kind == Kind::interval) return law.lower < law.upper ? std::abs(u[0]) : 0;
  double largest = std::max(-u[0], 0.0);
  each_disc(law, [&]<int First, int Size>(double c) {
    if (c > 0) largest = std::max(largest, size_of<First, Size>(u));
  });
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
  each_disc(law, [&]<int First, int Size>(double c) {
    double x[Size];
    for (int i = 0; i < Size; ++i) x[i] = r[First + i] - rho * u[First + i];
    shorten<0, Size>(c, normal, x);
    for (int i = 0; i < Size; ++i) f[First + i] = r[First + i] - x[i];
  });
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
  each_disc(law, [&]<int First, int Size>(double mu) {
    constexpr int i = First, j = First + Size - 1;
    double x[Size];
    for (int k = 0; k < Size; ++k) x[k] = r[First + k] - rho * u[First + k];
    const double size = size_of<0, Size>(x);
    if (size <= mu * normal && mu > 0) {
      for (int k = First; k < First + Size; ++k) {
        t[k] = f[k] / delta.others;
        G[k * rows + k] = rho / delta.others;
      }
      return;
    }
    const double from_normal = (1 - delta.first) * mu * t[0];
    if constexpr (Size == 1) {
      const double d = x[0] < 0 ? -1 : 1;
      t[i] = f[i] + d * from_normal;
      G[i * rows] = mu * d * G[0];
    } else {
      const double d[2] = {size > 0 ? x[0] / size : 1, size > 0 ? x[1] / size : 0};
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
  });
}

double shift(const ConeLaw& law, const double* z) {
  double sum = 0;
  each_disc(law, [&]<int First, int Size>(double c) { sum += c * size_of<First, Size>(z); });
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
