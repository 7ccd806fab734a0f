// The exact answer for one group of rows alone.
#include <algorithm>
#include <cmath>

#include "taut/solve/cone_law.hpp"

namespace taut::cone {
namespace {

constexpr int most_rounds = 200;  // between friction, spinning and rolling
constexpr int whole_rounds = 20;  // what goes in a circle then goes half the way

/// The smallest τ ≥ 0 for which what solve(τ) finds is within its bound, excess(τ) ≤ 0; r is that
/// answer. By doubling, and then by secants, or halves where these are slow.
template <class Solve, class Excess>
void brake(double first, Solve&& solve, Excess&& excess) {
  solve(0);
  double low = 0, above = excess();
  if (above <= 0) return;
  double high = first, below = 0;
  for (int i = 0; i < 200; ++i, low = high, high *= 4) {
    solve(high);
    below = excess();
    if (below <= 0) break;
    above = below;
  }
  bool halves = false;
  int side = 0;  // that moved last
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double width = high - low;
    const double secant = low + width * above / (above - below);
    const double at = halves || !(secant > low && secant < high) ? 0.5 * (low + high) : secant;
    if (at == low || at == high) break;
    solve(at);
    const double here = excess();
    if (here > 0) {
      low = at;
      above = here;
      if (side == 1) below *= 0.5;  // the Illinois rule: else the other end might stay for ever
      side = 1;
    } else {
      high = at;
      below = here;
      if (side == -1) above *= 0.5;
      side = -1;
    }
    halves = high - low > 0.5 * width;
  }
  solve(high);
}

struct TwoByTwo {
  double a, b, c;
  void solve(double x, double y, double* out) const {
    const double det = a * c - b * b;
    out[0] = (c * x - b * y) / det;
    out[1] = (a * y - b * x) / det;
  }
};

/// r of normal and friction, where row i of A begins at A + i·n. Open if that is possible; else it
/// sticks, τ = 0, or it slides with u_T = −τ r_T and a τ > 0 that brings the friction down to μ
/// r_N. τ exists, since r_T vanishes for large τ and r_N does not.
void friction_alone(double mu, const double* A, int n, const double* q, double* r) {
  r[0] = r[1] = r[2] = 0;
  if (!(q[0] < 0)) return;
  const auto solve = [&](double tau) {
    const TwoByTwo T{A[n + 1] + tau, 0.5 * (A[n + 2] + A[2 * n + 1]), A[2 * n + 2] + tau};
    double of_q[2], of_normal[2];
    T.solve(q[1], q[2], of_q);
    T.solve(A[n], A[2 * n], of_normal);
    r[0] = -(q[0] - A[1] * of_q[0] - A[2] * of_q[1]) /
           (A[0] - A[1] * of_normal[0] - A[2] * of_normal[1]);
    r[1] = -of_q[0] - of_normal[0] * r[0];
    r[2] = -of_q[1] - of_normal[1] * r[0];
  };
  brake(A[n + 1] + A[2 * n + 2], solve,
        [&] { return std::sqrt(r[1] * r[1] + r[2] * r[2]) - mu * r[0]; });
}

/// r of a disc, whose radius is given.
void disc_alone(const Disc& disc, double radius, const double* A, int n, const double* q,
                double* r) {
  const int i = disc.first, j = i + 1;
  const double a = A[i * n + i];
  if (disc.size == 1) {
    r[i] = std::clamp(-q[i] / a, -radius, radius);
    return;
  }
  const double b = 0.5 * (A[i * n + j] + A[j * n + i]), c = A[j * n + j];
  const auto solve = [&](double tau) { TwoByTwo{a + tau, b, c + tau}.solve(-q[i], -q[j], r + i); };
  if (radius > 0)
    brake(a + c, solve, [&] { return std::sqrt(r[i] * r[i] + r[j] * r[j]) - radius; });
  else
    r[i] = r[j] = 0;
}

}  // namespace

// Friction, spinning and rolling in turn, each with what the others do.
void solve_alone(const ConeLaw& law, const double* A, const double* q, double* r) {
  if (!law.has_normal()) {
    r[0] = -q[0] / A[0];
    project(law, r);
    return;
  }
  const int n = law.rows();
  std::fill(r, r + n, 0.0);
  double from_others[ConeLaw::most_rows], before[ConeLaw::most_rows];
  for (int round = 0; round < most_rounds; ++round) {
    std::copy(r, r + n, before);
    const auto without = [&](int first, int size) {
      for (int i = first; i < first + size; ++i) {
        from_others[i] = q[i];
        for (int j = 0; j < n; ++j)
          if (j < first || j >= first + size) from_others[i] += A[i * n + j] * r[j];
      }
    };
    without(0, 3);
    friction_alone(law.friction, A, n, from_others, r);
    if (n == 3) break;
    for (const Disc& disc : Discs(law)) {
      if (disc.first < 3) continue;
      without(disc.first, disc.size);
      disc_alone(disc, disc.coefficient * r[0], A, n, from_others, r);
    }
    double change = 0, size = 0;
    for (int i = 0; i < n; ++i) {
      change = std::max(change, std::abs(r[i] - before[i]));
      size = std::max(size, std::abs(r[i]));
    }
    if (!(change > 1e-15 * size)) break;
    for (int i = 0; round >= whole_rounds && i < n; ++i) r[i] = 0.5 * (r[i] + before[i]);
  }
  project(law, r);
}

}  // namespace taut::cone
