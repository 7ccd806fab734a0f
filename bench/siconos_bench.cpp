// The friction problems that come with the source of Siconos, solved by taut and, where its library
// was found when this was built, by Siconos' own solvers in the same run.
//
//   apt-get source siconos                  # the data; and libsiconos-numerics-dev for its solvers
//   build/release/bin/siconos_bench siconos-4.4.0/numerics/src/FrictionContact/test/data [NAME]
//
// A file has W, q and μ of u = W r + q: the responses of contacts to each other, without bodies. W
// is rounded in the files. Its symmetric and positive part, L Lᵀ by Cholesky's method with pivots,
// is taken for all solvers; for taut, L is H of bodies with unit masses. An answer is judged as
// Siconos does: |r − P(r − u − shift)| / |q|, where P projects on the cones and the shift is De
// Saxcé's, μ |u_T| along the normal. Each solve has 20 s of the processor; "*": not solved to 1e-8,
// "-": no answer.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "taut/solve/cone_solver.hpp"

#ifdef TAUT_HAS_SICONOS
#include "siconos_solvers.hpp"
#endif

namespace {

using namespace taut;

constexpr double wanted = 1e-8;
constexpr rlim_t most_seconds = 20;  // of the processor

struct Problem {
  int dimension = 0;  // rows per contact: normal, 1 or 2 tangents, or 2 of rolling as well
  MatX L;             // W = L Lᵀ
  VecX q;
  std::vector<double> mu, mu_rolling;
  int contacts() const { return static_cast<int>(mu.size()); }
};

/// W ≈ L Lᵀ; columns as long as there is anything left that is no round-off of the file's.
MatX half_of(MatX W) {
  const int n = static_cast<int>(W.rows());
  W = (0.5 * (W + W.transpose())).eval();
  const double least = 1e-12 * W.diagonal().cwiseAbs().maxCoeff();
  MatX L = MatX::Zero(n, n);
  VecX left = W.diagonal();
  int rank = 0;
  for (; rank < n; ++rank) {
    int pivot = 0;
    if (!(left.maxCoeff(&pivot) > least)) break;
    VecX column = W.col(pivot) - L.leftCols(rank) * L.row(pivot).head(rank).transpose();
    column /= std::sqrt(left[pivot]);
    for (int i = 0; i < n; ++i)
      if (left[i] < 0) column[i] = 0;  // those that were taken
    L.col(rank) = column;
    left -= column.cwiseAbs2();
    left[pivot] = -1;
  }
  return L.leftCols(rank);
}

std::optional<Problem> read(const std::filesystem::path& path) {
  std::ifstream file(path);
  Problem problem;
  int contacts = 0, storage = 0, rows = 0, columns = 0;
  if (!(file >> problem.dimension >> contacts >> storage >> rows >> columns)) return {};
  const bool is_known = problem.dimension == 2 || problem.dimension == 3 || problem.dimension == 5;
  if (!is_known || contacts < 1 || rows != problem.dimension * contacts || columns != rows)
    return {};
  MatX W = MatX::Zero(rows, rows);
  if (storage == 0) {
    file >> rows >> columns;
    for (double& x : W.reshaped()) file >> x;
  } else if (storage == 1) {
    int blocks = 0, filled_rows = 0, filled = 0;
    file >> blocks >> rows >> columns;
    const auto list = [&](int count) {
      std::vector<int> all(static_cast<std::size_t>(std::max(count, 0)));
      for (int& x : all) file >> x;
      return all;
    };
    const std::vector<int> row_end = list(rows), column_end = list(columns);
    file >> filled_rows >> filled;
    const std::vector<int> first = list(filled_rows), column_of = list(filled);
    for (std::size_t row = 0; row + 1 < first.size(); ++row)
      for (int b = first[row]; b < first[row + 1] && file; ++b) {
        int number = 0;
        file >> number;
        const auto column = static_cast<std::size_t>(column_of[static_cast<std::size_t>(b)]);
        const int top = row > 0 ? row_end[row - 1] : 0;
        const int left = column > 0 ? column_end[column - 1] : 0;
        for (int j = left; j < column_end[column]; ++j)
          for (int i = top; i < row_end[row]; ++i) file >> W(i, j);
      }
  } else {
    return {};
  }
  problem.q.resize(W.rows());
  for (double& x : problem.q) file >> x;
  const auto coefficients = [&](std::vector<double>& all) {
    all.resize(static_cast<std::size_t>(contacts));
    for (double& x : all) file >> x;
  };
  coefficients(problem.mu);
  if (problem.dimension == 5) coefficients(problem.mu_rolling);
  if (file.fail() || !W.allFinite()) return {};
  if (double more = 0; file >> more) return {};  // another kind of problem
  problem.L = half_of(W);
  return problem;
}

ConeLaw law_of(const Problem& problem, int contact) {
  ConeLaw law;
  law.kind = problem.dimension == 5 ? ConeLaw::Kind::rolling : ConeLaw::Kind::friction;
  law.friction = problem.mu[static_cast<std::size_t>(contact)];
  if (problem.dimension == 5) law.rolling = problem.mu_rolling[static_cast<std::size_t>(contact)];
  return law;
}

/// Which of the law's rows a row of the file is.
int row_of(const Problem& problem, int i) { return problem.dimension == 5 && i > 2 ? i + 1 : i; }

double error_of(const Problem& problem, const VecX& r) {
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

VecX solve_with_taut(const Problem& problem, ConeReport& report) {
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
  solver.analyze(pattern);
  report = solver.solve(cones, {.tolerance = 1e-10}, solution);
  VecX r(problem.q.size());
  const int rows = cones.laws.front().rows();
  for (int c = 0; c < problem.contacts(); ++c)
    for (int i = 0; i < problem.dimension; ++i)
      r[problem.dimension * c + i] = solution.r[rows * c + row_of(problem, i)];
  return r;
}

struct Outcome {
  double error = 0, seconds = 0;
  int factorisations = 0;
  bool claims = false;  // to have solved it
};

/// In a process of its own: what runs out of time or breaks is not solved.
template <class Solve>
std::optional<Outcome> apart(Solve&& solve) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{most_seconds, most_seconds};
    setrlimit(RLIMIT_CPU, &limit);
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    Outcome outcome;
    const std::clock_t from = std::clock();
    solve(outcome);
    outcome.seconds = static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC;
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

}  // namespace

int main(int count, char** arguments) {
  if (count < 2 || !std::filesystem::is_directory(arguments[1])) {
    fmt::print("skipped: no folder with problems was given\n");
    return 0;
  }
  const std::string filter = count > 2 ? arguments[2] : "";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1]))
    if (entry.path().extension() == ".dat" &&
        entry.path().filename().string().find(filter) != std::string::npos)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());

  std::vector<std::string> solvers{"taut"};
#ifdef TAUT_HAS_SICONOS
  for (const SiconosSolver& solver : siconos_solvers()) solvers.push_back(solver.name);
#endif
  fmt::print("{:<36}{:>9}{:>6}", "error, seconds", "contacts", "rank");
  for (const std::string& solver : solvers) fmt::print("{:>18}", solver);
  fmt::print("\n");
  std::vector<int> solved(solvers.size());
  int read_files = 0, wrong = 0;
  for (const auto& file : files) {
    const std::optional<Problem> problem = read(file);
    if (!problem) continue;
    ++read_files;
    fmt::print("{:<36}{:>9}{:>6}", file.stem().string(), problem->contacts(), problem->L.cols());
    const auto show = [&](std::size_t solver, const std::optional<Outcome>& outcome) {
      if (!outcome) {
        fmt::print("{:>18}", "-");
        return;
      }
      if (std::isnan(outcome->error)) {
        fmt::print("{:>18}", "not for this kind");
        return;
      }
      solved[solver] += outcome->error <= wanted;
      fmt::print("{:>10.1e}{:>7.2f}{}", outcome->error, outcome->seconds,
                 outcome->error <= wanted ? ' ' : '*');
    };
    int factorisations = 0;
    const std::optional<Outcome> ours = apart([&](Outcome& outcome) {
      ConeReport report;
      outcome.error = error_of(*problem, solve_with_taut(*problem, report));
      outcome.factorisations = report.factorisations;
      outcome.claims = report.ok();
    });
    if (ours) factorisations = ours->factorisations;
    if (ours && ours->claims && ours->error > 1e-6) ++wrong;
    show(0, ours);
#ifdef TAUT_HAS_SICONOS
    for (std::size_t s = 1; s < solvers.size(); ++s)
      show(s, apart([&](Outcome& outcome) {
             const VecX r = siconos_solvers()[s - 1].solve(
                 problem->dimension, problem->L, problem->q, problem->mu, problem->mu_rolling);
             outcome.error = r.size() > 0 ? error_of(*problem, r) : NAN;
           }));
#endif
    fmt::print("{:>6} f{}\n", factorisations,
               ours && !ours->claims ? ", says it is not solved" : "");
    fflush(stdout);
  }
  fmt::print("{:<51}", fmt::format("solved to {:.0e}, of {}", wanted, read_files));
  for (const int n : solved) fmt::print("{:>18}", n);
  fmt::print("\n{} of {} files are in a format that is read; {} claims of taut's are wrong\n",
             read_files, files.size(), wrong);
}
