#include "support/cone_check.hpp"

#include <cmath>

#include "support/factors.hpp"

namespace taut::testing {
namespace {

std::vector<int> sums(const std::vector<int>& sizes) {
  std::vector<int> first{0};
  for (const int size : sizes) first.push_back(first.back() + size);
  return first;
}

MatX block_from(const double* values, int rows, int cols) {
  MatX block(rows, cols);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) block(i, j) = values[i * cols + j];
  return block;
}

MatX dense_rows(const ConePattern& pattern, const RowGroups& groups, const VecX& values) {
  const std::vector<int> velocity = sums(pattern.body_size), row = sums(groups.rows);
  MatX all = MatX::Zero(row.back(), velocity.back());
  const double* at = values.data();
  for (int g = 0; g < groups.count(); ++g)
    for (const int body : groups.bodies_of(g)) {
      const int size = pattern.body_size[body], rows = groups.rows[g];
      all.block(row[g], velocity[body], rows, size) = block_from(at, rows, size);
      at += rows * size;
    }
  return all;
}

/// By how much the law is violated, as a velocity.
double violation(const ConeLaw& law, const VecX& r, const VecX& u, double response) {
  if (law.kind == ConeLaw::Kind::interval) {
    double worst = 0;
    if (u[0] > 0) worst = std::max(worst, std::min(u[0], response * (r[0] - law.lower)));
    if (u[0] < 0) worst = std::max(worst, std::min(-u[0], response * (law.upper - r[0])));
    return worst;
  }
  double worst = std::max(-u[0], std::min(u[0], response * r[0]));
  if (law.kind == ConeLaw::Kind::half_line) return worst;
  const auto resists = [&](int first, int size, double coefficient) {
    const VecX slip = u.segment(first, size), force = r.segment(first, size);
    const double sliding = slip.norm();
    if (!(sliding > 0)) return;
    const VecX wanted = -coefficient * r[0] / sliding * slip;
    double violated = std::min(sliding, response * (force - wanted).norm());
    // Where it slides slowly under a heavy load, the direction of the slip is what is uncertain:
    // how much of it is across the force?
    const double pull = force.norm(), against = -slip.dot(force);
    if (pull > 0 && against > 0) {
      const VecX across = slip + against / (pull * pull) * force;
      violated = std::min(violated, across.norm() + response * std::abs(coefficient * r[0] - pull));
    }
    worst = std::max(worst, violated);
  };
  resists(1, 2, law.friction);
  if (law.kind == ConeLaw::Kind::rolling) {
    resists(3, 1, law.spinning);
    resists(4, 2, law.rolling);
  }
  return worst;
}

}  // namespace

DenseCones dense(const ConePattern& pattern, const ConeProblem& problem) {
  DenseCones all;
  const std::vector<int> velocity = sums(pattern.body_size);
  all.M = MatX::Zero(velocity.back(), velocity.back());
  const double* at = problem.M.data();
  for (std::size_t b = 0; b < pattern.body_size.size(); ++b) {
    const int size = pattern.body_size[b];
    all.M.block(velocity[b], velocity[b], size, size) = block_from(at, size, size);
    at += size * size;
  }
  for (const auto& [a, b] : pattern.couplings) {
    const int rows = pattern.body_size[a], cols = pattern.body_size[b];
    const MatX block = block_from(at, rows, cols);
    all.M.block(velocity[a], velocity[b], rows, cols) += block;
    all.M.block(velocity[b], velocity[a], cols, rows) += block.transpose();
    at += rows * cols;
  }
  all.J = dense_rows(pattern, pattern.equations, problem.J);
  all.H = dense_rows(pattern, pattern.groups, problem.H);
  return all;
}

ConeErrors check(const ConePattern& pattern, const ConeProblem& problem,
                 const ConeSolution& solution) {
  const DenseCones all = dense(pattern, problem);
  ConeErrors errors;
  const VecX force = problem.f + all.H.transpose() * solution.r +
                     all.J.transpose() * solution.lambda - all.M * solution.v;
  const Cholesky mass(all.M);
  if (force.size() > 0) errors.dynamics = mass.solve(force).cwiseAbs().maxCoeff();
  if (problem.b.size() > 0)
    errors.equations = (all.J * solution.v - problem.b).cwiseAbs().maxCoeff();
  VecX u = all.H * solution.v + problem.w;
  for (int g = 0, row = 0; g < pattern.groups.count(); ++g) {
    const ConeLaw& law = problem.laws[g];
    const int rows = law.rows();
    const MatX H = all.H.middleRows(row, rows);
    const double response = product(H, mass.solve(H.transpose())).trace() / rows;
    const VecX r = solution.r.segment(row, rows);
    VecX of_group = u.segment(row, rows) + law.softness * r;
    of_group[0] += law.compliance * r[0];
    errors.laws = std::max(errors.laws, violation(law, r, of_group, response));
    double outside = -r[0];
    if (law.kind == ConeLaw::Kind::interval) outside = std::max(law.lower - r[0], r[0] - law.upper);
    if (law.has_normal()) outside = std::max(outside, r.segment(1, 2).norm() - law.friction * r[0]);
    if (law.kind == ConeLaw::Kind::rolling)
      outside = std::max({outside, std::abs(r[3]) - law.spinning * r[0],
                          r.segment(4, 2).norm() - law.rolling * r[0]});
    if (outside > 0) errors.cones = std::max(errors.cones, outside / (r.norm() + 1e-300));
    row += rows;
  }
  return errors;
}

RandomCones::RandomCones(unsigned seed) {
  Random random(seed);
  const int bodies = random.integer(1, 8);
  std::vector<double> M, J, H;
  int velocities = 0;
  for (int i = 0; i < bodies; ++i) {
    const int size = random.integer(0, 1) == 1 ? 6 : 3;
    pattern.body_size.push_back(size);
    velocities += size;
    MatX half(size, size);
    for (double& x : half.reshaped()) x = random.uniform(-1, 1);
    const double mass = std::pow(10.0, random.uniform(-1, 1));
    const MatX block = mass * (half * half.transpose() + 2 * MatX::Identity(size, size));
    for (int r = 0; r < size; ++r)
      for (int c = 0; c < size; ++c) M.push_back(block(r, c));
  }
  for (int i = 1; i < bodies; ++i) {
    if (random.integer(0, 3) > 0) continue;
    pattern.couplings.push_back({i, i - 1});
    const int numbers = pattern.body_size[i] * pattern.body_size[i - 1];
    for (int k = 0; k < numbers; ++k) M.push_back(random.uniform(-0.01, 0.01));
  }
  const VecX motion = random.vector_of(velocities);  // one that is possible
  const auto add = [&](RowGroups& groups, std::vector<double>& values, int rows, int most) {
    const int a = random.integer(0, bodies - 1), b = random.integer(0, bodies - 1);
    std::vector<int> of{a};
    if (a != b && most > 1) of.push_back(b);
    groups.add(rows, of);
    for (const int body : of)
      for (int k = 0; k < rows * pattern.body_size[body]; ++k)
        values.push_back(random.uniform(-1, 1));
  };
  if (bodies > 2)
    for (int i = 0; i < bodies / 2; ++i) {
      add(pattern.equations, J, random.integer(1, 2), 2);
      if (random.integer(0, 2) > 0) continue;
      const auto last = pattern.equations.bodies_of(pattern.equations.count() - 1);
      const std::vector<int> again(last.begin(), last.end());
      int numbers = 0;
      for (const int body : again)
        numbers += pattern.equations.rows.back() * pattern.body_size[body];
      pattern.equations.add(pattern.equations.rows.back(), again);
      const std::vector<double> copy(J.end() - numbers, J.end());
      J.insert(J.end(), copy.begin(), copy.end());
    }
  const int groups = random.integer(1, 3 * bodies);
  for (int g = 0; g < groups; ++g) {
    ConeLaw law;
    law.kind = static_cast<ConeLaw::Kind>(random.integer(0, 3));
    law.friction = random.uniform(0, 1.2);
    law.spinning = random.uniform(0, 0.5);
    law.rolling = random.uniform(0, 0.5);
    law.lower = random.uniform(-1, 0.1);
    law.upper = law.lower + random.uniform(0, 1);
    if (random.integer(0, 3) == 0)
      (random.integer(0, 1) == 0 ? law.compliance : law.softness) = random.uniform(0, 0.5);
    add(pattern.groups, H, law.rows(), random.integer(1, 2));
    problem.laws.push_back(law);
  }
  const auto take = [](const std::vector<double>& from, KeptVec& to) {
    to = Eigen::Map<const VecX>(from.data(), static_cast<Eigen::Index>(from.size()));
  };
  take(M, problem.M);
  take(J, problem.J);
  take(H, problem.H);
  const std::vector<int> row = sums(pattern.groups.rows);
  problem.b.setZero(sums(pattern.equations.rows).back());
  problem.w.setZero(row.back());
  problem.f = 3 * random.vector_of(velocities);
  const DenseCones all = dense(pattern, problem);
  problem.b = all.J * motion;
  problem.w = -all.H * motion;
  for (int g = 0; g < groups; ++g) problem.w[row[g]] += random.uniform(0.01, 1);
}

}  // namespace taut::testing
