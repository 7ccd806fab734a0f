#include "taut/solve/box_solver.hpp"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

constexpr double proximal = 1e-9;     // of a row's normal diagonal
constexpr int most_repetitions = 30;  // of the proximal solve
constexpr int rounds_at_once = 20;    // in which all rows may change
constexpr double round_off = 1e-11;

double within(const Bounds& bounds, double x) {
  return std::min(std::max(x, bounds.lower), bounds.upper);
}

}  // namespace

BoxReport BoxSolver::solve(const MatX& A, const VecX& b, const VecX& scale,
                           const std::vector<Bounds>& bounds, VecX& lambda) {
  const int n = static_cast<int>(b.size());
  at_.resize(bounds.size());
  for (int i = 0; i < n; ++i) {
    const Bounds& of_row = bounds[static_cast<std::size_t>(i)];
    lambda[i] = within(of_row, std::isfinite(lambda[i]) ? lambda[i] : 0);
    at_[static_cast<std::size_t>(i)] = At::between;
  }
  scale_ = scale;
  damping_ = proximal * scale;
  rounds_ = 0;
  nothing_ = 0;
  for (int i = 0; i < n; ++i) nothing_ = std::max(nothing_, 1e-14 * std::abs(b[i]));
  BoxReport report;
  double before = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < most_repetitions; ++repetition) {
    b_ = b - damping_.cwiseProduct(lambda);
    solve_near(A, bounds, lambda);

    double worst = 0, size = 0;
    for (int i = 0; i < n; ++i) {
      double w = b[i], sum = std::abs(b[i]);
      for (int j = 0; j < n; ++j) {
        w += A(i, j) * lambda[j];
        sum += std::abs(A(i, j) * lambda[j]);
      }
      const double moved = within(bounds[static_cast<std::size_t>(i)], lambda[i] - w / scale[i]);
      worst = std::max(worst, std::abs(lambda[i] - moved) * scale[i]);
      size = std::max(size, sum);
    }
    report.residual = size > 0 ? worst / size : 0;
    report.ok = report.residual <= round_off;
    if (report.ok || !(report.residual < 0.9 * before)) break;
    before = report.residual;
  }
  report.rounds = rounds_;
  report.ok = report.ok && lambda.allFinite();
  return report;
}

// With A + damping.
void BoxSolver::solve_near(const MatX& A, const std::vector<Bounds>& bounds, VecX& lambda) {
  const int n = static_cast<int>(lambda.size());
  const int most = rounds_at_once + 50 * n;
  for (int round = 0; round < most; ++round) {
    solve_free(A, bounds, lambda);
    bool changed = false;
    for (int i = 0; i < n; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const At to = place(i, bounds[index], lambda[i]);
      if (to == at_[index]) continue;
      at_[index] = to;
      changed = true;
      if (round >= rounds_at_once) break;
    }
    if (!changed) return;
  }
}

// Those at a bound are known; the others by Cholesky's factors.
void BoxSolver::solve_free(const MatX& A, const std::vector<Bounds>& bounds, VecX& lambda) {
  ++rounds_;
  const int n = static_cast<int>(lambda.size());
  free_.clear();
  for (int i = 0; i < n; ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (at_[index] == At::between)
      free_.push_back(i);
    else
      lambda[i] = at_[index] == At::lower ? bounds[index].lower : bounds[index].upper;
  }
  const int m = static_cast<int>(free_.size());
  factor_.resize(m, m);
  w_.resize(n);
  for (int k = 0; k < m; ++k) {
    const int i = free_[static_cast<std::size_t>(k)];
    double right = -b_[i];
    for (int j = 0; j < n; ++j)
      if (at_[static_cast<std::size_t>(j)] != At::between) right -= A(i, j) * lambda[j];
    for (int l = 0; l <= k; ++l) {
      double sum = A(i, free_[static_cast<std::size_t>(l)]) + (l == k ? damping_[i] : 0);
      for (int c = 0; c < l; ++c) sum -= factor_(k, c) * factor_(l, c);
      // What round-off makes of a singular A is kept definite.
      factor_(k, l) = l < k ? sum / factor_(l, l) : std::sqrt(std::max(sum, 0.5 * damping_[i]));
    }
    for (int c = 0; c < k; ++c) right -= factor_(k, c) * w_[c];
    w_[k] = right / factor_(k, k);
  }
  for (int k = m - 1; k >= 0; --k) {
    double sum = w_[k];
    for (int c = k + 1; c < m; ++c)
      sum -= factor_(c, k) * lambda[free_[static_cast<std::size_t>(c)]];
    lambda[free_[static_cast<std::size_t>(k)]] = sum / factor_(k, k);
  }
  for (int i = 0; i < n; ++i) {
    w_[i] = b_[i] + damping_[i] * lambda[i];
    for (int j = 0; j < n; ++j) w_[i] += A(i, j) * lambda[j];
  }
}

BoxSolver::At BoxSolver::place(int i, const Bounds& bounds, double lambda) const {
  switch (at_[static_cast<std::size_t>(i)]) {
    case At::between:
      if ((bounds.lower - lambda) * scale_[i] > nothing_) return At::lower;
      return (lambda - bounds.upper) * scale_[i] > nothing_ ? At::upper : At::between;
    case At::lower:
      return w_[i] < -nothing_ ? At::between : At::lower;
    default:
      return w_[i] > nothing_ ? At::between : At::upper;
  }
}

}  // namespace taut
