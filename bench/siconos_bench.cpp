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

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "friction_problem.hpp"

#ifdef TAUT_HAS_SICONOS
#include "siconos_solvers.hpp"
#endif

namespace {

using namespace taut;
using bench::error_of;
using bench::Outcome;

using Problem = bench::FrictionProblem;

constexpr double wanted = 1e-8;
constexpr int most_seconds = 20;  // of the processor

std::optional<Outcome> apart(const std::function<void(Outcome&)>& solve) {
  return bench::apart(most_seconds, solve);
}

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
             const VecX r =
                 siconos_solvers()[s - 1].solve(problem->dimension, problem->L, problem->q,
                                                problem->mu, problem->mu_rolling, nullptr);
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
