// The alternating direction method of multipliers in the form of Douglas and Rachford, on one
// vector t: y = P(t) obeys the laws, x the dynamics; a fixed point has both. Anderson's method
// extrapolates from the last few rounds. De Saxcé's shift s is renewed in every round.
#include <algorithm>
#include <cmath>

#include "taut/base/dense_solve.hpp"
#include "taut/solve/cone_work_internal.hpp"

namespace taut {
namespace {

constexpr int memory = 8;     // of Anderson's method
constexpr double eta = 1e-6;  // of the proximal term, relative to the response
constexpr int power_rounds = 12;
constexpr int rounds_between_changes = 10;  // of the penalty
constexpr double imbalance = 10;
constexpr int rounds_between_looks = 4;  // at the answer: each costs about as much as a round

/// One of the vectors that Anderson's method remembers.
KeptVec& of(std::array<KeptVec, memory>& vectors, int number) {
  return vectors[static_cast<std::size_t>(number)];
}

}  // namespace

// The largest eigenvalue of H A⁻¹ Hᵀ, relative to the responses, by the power method.
double ConeSolver::Work::largest_response() {
  KeptVec& x = admm_work.x;
  for (int g = 0; g < groups(); ++g)
    for (int i = 0; i < laws[static_cast<std::size_t>(g)].rows(); ++i)
      x[row(g) + i] = i == 0 ? 1 + 0.1 * (g % 7) : 0.3 + 0.1 * (g % 3);
  double largest = 0;
  for (int round = 0; round < power_rounds; ++round) {
    x /= x.norm();
    for (int g = 0; g < groups(); ++g)
      x.segment(row(g), laws[static_cast<std::size_t>(g)].rows()) /= std::sqrt(response[g]);
    change_of(x);
    matrix.relative(change_v, x);
    for (int g = 0; g < groups(); ++g)
      x.segment(row(g), laws[static_cast<std::size_t>(g)].rows()) /= std::sqrt(response[g]);
    const double before = largest;
    largest = x.norm();
    if (!(largest > 0)) return 1;
    if (largest < 1.03 * before) break;
  }
  return largest;
}

bool ConeSolver::Work::admm(int most_iterations) {
  Admm& a = admm_work;
  const int rows = matrix.rows();
  for (KeptVec* vector :
       {&a.t, &a.y, &a.y_next, &a.z, &a.x, &a.T, &a.F, &a.T_last, &a.F_last, &a.c})
    vector->resize(rows);
  a.G.resize(matrix.first_in_G(groups()));
  a.weight.resize(rows);
  for (int g = 0; g < groups(); ++g)
    a.weight.segment(row(g), laws[static_cast<std::size_t>(g)].rows()).setConstant(response[g]);

  const double largest = largest_response();
  double rho = std::sqrt(largest * eta) * std::pow(largest / eta, 0.2);
  const double change = std::pow(largest / eta, 0.05);
  const auto factor = [&] {
    for (int g = 0; g < groups(); ++g) {
      const ConeLaw& law = laws[static_cast<std::size_t>(g)];
      double* G = a.G.data() + matrix.first_in_G(g);
      std::fill(G, G + law.rows() * law.rows(), 0.0);
      for (int i = 0; i < law.rows(); ++i)
        G[i * (law.rows() + 1)] = 1 / ((rho + eta) * response[g] + law.compliance_of(i));
    }
    matrix.factor(a.G);
    ++report.factorisations;
  };
  factor();

  a.y = best;
  if (!is_of_best) motion_of(best);
  for (int g = 0; g < groups(); ++g) {
    const ConeLaw& law = laws[static_cast<std::size_t>(g)];
    double with_compliance[ConeLaw::most_rows];
    for (int i = 0; i < law.rows(); ++i)
      with_compliance[i] = u[row(g) + i] + law.compliance_of(i) * a.y[row(g) + i];
    cone::allowed_velocity(law, a.y.data() + row(g), with_compliance, a.z.data() + row(g));
  }
  a.t = a.y - a.z.cwiseQuotient(a.weight) / rho;

  int used = 0, since_change = 0;  // columns of memory in use
  double norm_last = 0;
  for (int iteration = 0; iteration < most_iterations; ++iteration, ++since_change) {
    if (has_deadline && is_spent()) return false;
    ++report.admm_iterations;
    a.y = a.t;
    for (int g = 0; g < groups(); ++g)
      cone::project(laws[static_cast<std::size_t>(g)], a.y.data() + row(g));
    a.z = rho * a.weight.cwiseProduct(a.y - a.t);
    a.c = problem->w - (rho + eta) * a.weight.cwiseProduct(a.y) - a.z;
    for (int g = 0; g < groups(); ++g) {
      const ConeLaw& law = laws[static_cast<std::size_t>(g)];
      if (law.has_normal()) a.c[row(g)] += cone::shift(law, a.z.data() + row(g));
    }
    const auto times_G = [&](KeptVec& x) {
      for (int g = 0; g < groups(); ++g) {
        const int count = laws[static_cast<std::size_t>(g)].rows();
        const double* G = a.G.data() + matrix.first_in_G(g);
        for (int i = 0; i < count; ++i) x[row(g) + i] *= G[i * (count + 1)];
      }
    };
    a.x = -a.c;
    times_G(a.x);
    a.bodies = problem->f;
    matrix.push(a.x, a.bodies);
    a.equations = problem->b;
    matrix.solve(a.bodies, a.equations);
    ++report.backsolves;
    matrix.relative(a.bodies, a.x);
    a.x = -(a.x + a.c);
    times_G(a.x);
    a.T = a.x - a.z.cwiseQuotient(a.weight) / rho;
    a.F = a.T - a.t;
    if (!a.F.allFinite()) return false;

    a.y_next = a.T;
    for (int g = 0; g < groups(); ++g)
      cone::project(laws[static_cast<std::size_t>(g)], a.y_next.data() + row(g));
    const bool looks =
        (iteration + 1) % rounds_between_looks == 0 || iteration + 1 == most_iterations;
    if (looks && consider(a.y_next)) return true;

    // How far x is from the laws, and y from rest.
    double primal = 0, dual = 0;
    for (int i = 0; i < rows; ++i) {
      const double root = std::sqrt(a.weight[i]);
      primal = std::max(primal, std::abs(a.x[i] - a.y_next[i]) * root);
      dual = std::max(dual, rho * std::abs(a.y_next[i] - a.y[i]) * root);
    }
    const bool grow = primal > imbalance * dual, shrink = dual > imbalance * primal;
    if (since_change >= rounds_between_changes && (grow || shrink) && !is_spent()) {
      rho *= grow ? change : 1 / change;
      factor();
      a.t = a.y - a.z.cwiseQuotient(a.weight) / rho;
      used = since_change = 0;
      norm_last = 0;
      continue;
    }

    const double norm = std::sqrt(a.F.cwiseAbs2().dot(a.weight));
    if (norm_last > 0 && norm > 4 * norm_last)
      used = 0;
    else if (norm_last > 0) {
      if (used == memory) {
        for (int k = 0; k + 1 < memory; ++k) {
          swap(of(a.dT, k), of(a.dT, k + 1));
          swap(of(a.dF, k), of(a.dF, k + 1));
        }
        a.gram.topLeftCorner<memory - 1, memory - 1>() =
            a.gram.bottomRightCorner<memory - 1, memory - 1>().eval();
        --used;
      }
      of(a.dT, used) = a.T - a.T_last;
      of(a.dF, used) = a.F - a.F_last;
      for (int k = 0; k <= used; ++k)
        a.gram(k, used) = a.gram(used, k) = of(a.dF, k).cwiseProduct(a.weight).dot(of(a.dF, used));
      ++used;
    }
    norm_last = norm;
    a.T_last = a.T;
    a.F_last = a.F;
    a.t = a.T;
    if (used > 0) {
      Eigen::Matrix<double, memory, memory> gram;
      gram.setIdentity();
      gram.topLeftCorner(used, used) = a.gram.topLeftCorner(used, used);
      double trace = 0;
      for (int k = 0; k < used; ++k) trace += gram(k, k);
      Eigen::Matrix<double, memory, 1> gamma;
      gamma.setZero();
      for (int k = 0; k < used; ++k) {
        gram(k, k) += 1e-12 * trace;
        gamma[k] = of(a.dF, k).cwiseProduct(a.weight).dot(a.F);
      }
      if (!solve_positive_definite(gram.data(), memory, gamma.data())) gamma.setZero();
      for (int k = 0; k < used; ++k) a.t -= gamma[k] * of(a.dT, k);
    }
    if (!a.t.allFinite()) return false;
  }
  return false;
}

}  // namespace taut
