// Newton's method on r = Φ(r − ρ U) with U = H v(r) + w + (R + a) r − a r_k: the laws with a
// proximal term a = κ W that keeps r near the last answer r_k, so that the matrix stays regular
// where r is not unique. Repeated around the new answer the term vanishes.
#include <algorithm>
#include <cmath>

#include "taut/solve/cone_work_internal.hpp"

namespace taut {
namespace {

constexpr double least_kappa = 1e-9, most_kappa = 100;
constexpr double regular = 1e-9;  // keeps B regular without any compliance
// The search along a line must let the defect grow: it has kinks, and small steps along one of them
// lead nowhere. Of 88 stacks and walls that are hit, 7 did not converge with 2, and at most 1 with
// 10 to 10⁵, with a fifth less work; within that range the value hardly matters.
constexpr double allowance = 30;
constexpr int history_length = 8;  // whose largest defect counts
constexpr int most_halvings = 8;
constexpr int repetitions_with_factors = 4;
constexpr int patience = 25;           // outer rounds without progress
constexpr int patience_when_good = 2;  // the same, where the answer is good enough

/// Falls while it goes well, and grows where Newton's method fails. The value that failed is tried
/// again after 1, 2, 4 and 8 good rounds.
struct Kappa {
  double value, failed = 0;
  int wait = 1, left = 0;

  void after(bool is_failure, int newton_steps) {
    if (is_failure) {
      wait = value <= 1.01 * failed ? std::min(2 * wait, 8) : 1;
      left = wait;
      failed = value;
      value = std::min(10 * value, most_kappa);
    } else if (newton_steps <= 6) {
      const double next = std::max(value / (newton_steps <= 1 ? 100 : 10), least_kappa);
      if (next > 1.01 * failed || left == 0)
        value = next;
      else
        --left;
    }
  }
};

}  // namespace

// |f| in the norm of 1/ρ; f of the group's rows in newton_work.f.
double ConeSolver::Work::newton_defect(const KeptVec& r, const KeptVec& U) {
  double sum = 0;
  for (int g = 0; g < groups(); ++g) {
    const ConeLaw& law = laws[static_cast<std::size_t>(g)];
    const int first = row(g);
    double* f = newton_work.f.data() + first;
    cone::defect(law, r.data() + first, U.data() + first, newton_work.rho[g], f);
    for (int i = 0; i < law.rows(); ++i) sum += f[i] * f[i] / newton_work.rho[g];
  }
  return std::sqrt(sum);
}

// False: none was found.
bool ConeSolver::Work::newton_step(double& merit, Step kind) {
  Newton& n = newton_work;
  std::vector<double>& history = n.history;
  n.x.setZero(matrix.velocities());
  n.y.setZero(matrix.equations());
  n.G.resize(matrix.first_in_G(groups()));
  for (int g = 0; g < groups(); ++g) {
    const auto group = static_cast<std::size_t>(g);
    const auto delta = [&](int row) {
      return regular + n.rho[g] * (laws[group].compliance_of(row) + n.proximal[g]);
    };
    cone::Tangent tangent;
    cone::linearize(laws[group], n.r.data() + row(g), n.U.data() + row(g), n.rho[g],
                    {delta(0), delta(1)}, tangent);
    const int count = laws[group].rows();
    for (int i = 0; i < count; ++i) n.dr[row(g) + i] = -tangent.t[i];
    std::copy(tangent.G, tangent.G + count * count, n.G.data() + matrix.first_in_G(g));
  }
  matrix.push(n.dr, n.x);
  if (kind != Step::repeated) {
    matrix.factor(n.G);
    ++report.factorisations;
    ++report.newton_steps;
  }
  matrix.solve(n.x, n.y);
  ++report.backsolves;
  matrix.relative(n.x, n.dU);
  for (int g = 0; g < groups(); ++g) {
    const double* G = n.G.data() + matrix.first_in_G(g);
    const int count = laws[static_cast<std::size_t>(g)].rows(), first = row(g);
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j) n.dr[first + i] -= G[i * count + j] * n.dU[first + j];
  }
  if (!n.dr.allFinite()) return false;

  change_of(n.dr);
  matrix.relative(change_v, n.dU);
  for (int g = 0; g < groups(); ++g) {
    const ConeLaw& law = laws[static_cast<std::size_t>(g)];
    for (int i = 0; i < law.rows(); ++i)
      n.dU[row(g) + i] += (law.compliance_of(i) + n.proximal[g]) * n.dr[row(g) + i];
  }
  const double before = *std::max_element(history.begin(), history.end());
  double step = 1;
  for (int halving = 0; halving <= most_halvings; ++halving, step *= 0.5) {
    n.trial = n.r + step * n.dr;
    n.trial_U = n.U + step * n.dU;
    const double after = newton_defect(n.trial, n.trial_U);
    const bool is_taken =
        kind == Step::bold ? std::isfinite(after) : after <= allowance * (1 - 1e-3 * step) * before;
    if (!is_taken) continue;
    std::swap(n.r, n.trial);
    std::swap(n.U, n.trial_U);
    merit = after;
    if (static_cast<int>(history.size()) == history_length) history.erase(history.begin());
    history.push_back(after);
    return true;
  }
  return false;
}

// From the anchor; u is that of the anchor.
double ConeSolver::Work::newton_start() {
  Newton& n = newton_work;
  n.r = n.anchor;
  for (int g = 0; g < groups(); ++g) {
    const ConeLaw& law = laws[static_cast<std::size_t>(g)];
    for (int i = 0; i < law.rows(); ++i)
      n.U[row(g) + i] = u[row(g) + i] + law.compliance_of(i) * n.r[row(g) + i];
  }
  const double merit = newton_defect(n.r, n.U);
  n.history.assign(1, merit);
  return merit;
}

// Takes Φ for r, which the laws allow, as the next anchor.
bool ConeSolver::Work::newton_accept() {
  Newton& n = newton_work;
  newton_defect(n.r, n.U);
  n.r -= n.f;
  for (int g = 0; g < groups(); ++g)
    cone::project(laws[static_cast<std::size_t>(g)], n.r.data() + row(g));
  n.anchor = n.r;
  return consider(n.r);
}

// Near the end the laws' cases no longer change, and what the proximal term has left is removed
// with the same factors.
bool ConeSolver::Work::newton_repeat() {
  Newton& n = newton_work;
  for (int i = 0; i < repetitions_with_factors; ++i) {
    const double before = best_residual;
    double merit = newton_start();
    if (!newton_step(merit, Step::repeated)) break;
    if (newton_accept()) return true;
    if (!(best_residual < 0.2 * before)) break;
  }
  n.anchor = best;
  if (!is_of_best) motion_of(n.anchor);
  return false;
}

bool ConeSolver::Work::newton(double first_kappa, int most_outer, int most_inner, Step kind) {
  Newton& n = newton_work;
  const int rows = matrix.rows();
  n.anchor = best;
  if (!is_of_best) motion_of(n.anchor);
  n.rho.resize(groups());
  n.proximal.resize(groups());
  for (KeptVec* vector : {&n.f, &n.dr, &n.dU, &n.U, &n.trial, &n.trial_U}) vector->resize(rows);
  n.history.reserve(history_length);
  Kappa kappa{first_kappa};
  double last_progress = best_residual;
  int fruitless = 0, idle = 0;
  for (int outer = 0; outer < most_outer; ++outer) {
    for (int g = 0; g < groups(); ++g) {
      const int count = laws[static_cast<std::size_t>(g)].rows();
      // A light contact under a heavy load needs the second part.
      n.rho[g] = 1 / response[g] + n.anchor.segment(row(g), count).norm() / scale[g];
      n.proximal[g] = kappa.value * response[g];
    }
    const double start = newton_start(), before = best_residual;
    const double target = 0.1 * std::min(start, energy * best_residual);
    double merit = start;
    int inner = 0;
    bool failed = false;
    while (merit > target && !failed) {
      failed = inner == most_inner || is_spent() || !newton_step(merit, kind);
      ++inner;
    }
    if (!failed || merit < 0.5 * start) {
      if (newton_accept()) return true;
      if (!failed && inner > 0 && best_residual < 0.1 * before && newton_repeat()) return true;
    } else {
      motion_of(n.anchor);
    }
    if (is_spent() || (failed && kind == Step::bold)) return false;
    kappa.after(failed, inner);
    // Where r is not unique, or a contact is just about to slide, the last digits may take for
    // ever.
    idle = best_residual < 0.3 * before ? 0 : idle + 1;
    if (best_residual <= good_enough && idle >= patience_when_good) return false;
    if (best_residual < 0.9 * last_progress) {
      last_progress = best_residual;
      fruitless = 0;
    } else if (++fruitless == patience) {
      return false;
    }
  }
  return false;
}

}  // namespace taut
