#include "friction_problem.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <ctime>

namespace bench {

using namespace taut;

namespace {

ConeLaw law_of(const FrictionProblem& problem, int contact) {
  ConeLaw law;
  law.kind = problem.dimension == 5 ? ConeLaw::Kind::rolling : ConeLaw::Kind::friction;
  law.friction = problem.mu[static_cast<std::size_t>(contact)];
  if (problem.dimension == 5) law.rolling = problem.mu_rolling[static_cast<std::size_t>(contact)];
  return law;
}

/// Which of the law's rows a row of the file is.
int row_of(const FrictionProblem& problem, int i) {
  return problem.dimension == 5 && i > 2 ? i + 1 : i;
}

}  // namespace

double error_of(const FrictionProblem& problem, const VecX& r) {
  const VecX u = problem.L * (problem.L.transpose() * r) + problem.q;
  double sum = 0;
  for (int c = 0; c < problem.contacts(); ++c) {
    const ConeLaw law = law_of(problem, c);
    const int first = problem.dimension * c;
    double slip[6] = {}, x[6] = {};
    for (int i = 0; i < problem.dimension; ++i) slip[row_of(problem, i)] = u[first + i];
    const double shift = cone::shift(law, slip);
    for (int i = 0; i < problem.dimension; ++i)
      x[row_of(problem, i)] = r[first + i] - u[first + i] - (i == 0 ? shift : 0);
    cone::project(law, x);
    for (int i = 0; i < problem.dimension; ++i)
      sum += std::pow(r[first + i] - x[row_of(problem, i)], 2);
  }
  const double size = problem.q.norm();
  return std::sqrt(sum) / (size > 0 ? size : 1);
}

VecX solve_with_taut(const FrictionProblem& problem, ConeReport& report, double* seconds) {
  ConePattern pattern;
  ConeProblem cones;
  const int rank = static_cast<int>(problem.L.cols());
  for (int first = 0; first < rank; first += 6)
    pattern.body_size.push_back(std::min(6, rank - first));
  std::vector<double> M, H;
  for (const int size : pattern.body_size)
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) M.push_back(i == j);
  std::vector<double> w;
  for (int c = 0; c < problem.contacts(); ++c) {
    const ConeLaw law = law_of(problem, c);
    const auto rows = problem.L.middleRows(problem.dimension * c, problem.dimension);
    std::vector<int> bodies;
    for (int b = 0; 6 * b < rank; ++b) {
      const int size = pattern.body_size[static_cast<std::size_t>(b)];
      if (rows.middleCols(6 * b, size).isZero(0)) continue;
      bodies.push_back(b);
      const std::size_t at = H.size();
      H.resize(at + static_cast<std::size_t>(law.rows() * size));
      for (int i = 0; i < problem.dimension; ++i)
        for (int j = 0; j < size; ++j)
          H[at + static_cast<std::size_t>(row_of(problem, i) * size + j)] = rows(i, 6 * b + j);
    }
    pattern.groups.add(law.rows(), bodies);
    const std::size_t at = w.size();
    w.resize(at + static_cast<std::size_t>(law.rows()));
    for (int i = 0; i < problem.dimension; ++i)
      w[at + static_cast<std::size_t>(row_of(problem, i))] = problem.q[problem.dimension * c + i];
    cones.laws.push_back(law);
  }
  const auto take = [](const std::vector<double>& from, KeptVec& to) {
    to = Eigen::Map<const VecX>(from.data(), static_cast<Eigen::Index>(from.size()));
  };
  take(M, cones.M);
  take(H, cones.H);
  take(w, cones.w);
  cones.f.setZero(rank);
  ConeSolver solver;
  ConeSolution solution;
  const double from = cpu_seconds();
  solver.analyze(pattern);
  report = solver.solve(cones, {.tolerance = 1e-10}, solution);
  if (seconds) *seconds = cpu_seconds() - from;
  VecX r(problem.q.size());
  const int rows = cones.laws.front().rows();
  for (int c = 0; c < problem.contacts(); ++c)
    for (int i = 0; i < problem.dimension; ++i)
      r[problem.dimension * c + i] = solution.r[rows * c + row_of(problem, i)];
  return r;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::optional<Outcome> apart(int most_seconds, const std::function<void(Outcome&)>& solve) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const auto most = static_cast<rlim_t>(most_seconds);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_CPU, &limit);
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    Outcome outcome;
    const double from = cpu_seconds();
    solve(outcome);
    if (outcome.seconds == 0) outcome.seconds = cpu_seconds() - from;
    const bool is_sent = write(ends[1], &outcome, sizeof outcome) == sizeof outcome;
    _exit(is_sent ? 0 : 1);
  }
  close(ends[1]);
  Outcome outcome;
  const bool is_whole = child > 0 && ::read(ends[0], &outcome, sizeof outcome) == sizeof outcome;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return is_whole ? std::optional(outcome) : std::nullopt;
}

}  // namespace bench
