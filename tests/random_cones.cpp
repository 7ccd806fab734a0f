// random_cones FIRST COUNT: random problems with cones, as hard as can be, against a judge of its
// own; lists answers that are wrong although they are said to have converged, and counts the
// others.
#include <fmt/core.h>

#include <cstdlib>

#include "support/hard_cones.hpp"

int main(int count, char** arguments) {
  using namespace taut;
  const unsigned first = count > 1 ? static_cast<unsigned>(std::atoi(arguments[1])) : 0;
  const unsigned problems = count > 2 ? static_cast<unsigned>(std::atoi(arguments[2])) : 1000;
  int wrong = 0, unsolved = 0, compromises = 0;
  long factorisations = 0;
  int most = 0;
  for (unsigned seed = first; seed < first + problems; ++seed) {
    const testing::HardCones hard(seed);
    ConeSolver solver;
    ConeSolution solution;
    solver.analyze(hard.pattern);
    const ConeReport report = solver.solve(hard.problem, {}, solution);
    factorisations += report.factorisations;
    most = std::max(most, report.factorisations);
    if (!report.ok()) {
      ++(report.status == ConeReport::Status::compromise ? compromises : unsolved);
      fmt::print("seed {}: {}, residual {:.1e}, {} factorisations, {} groups\n", seed,
                 report.status == ConeReport::Status::compromise ? "a compromise" : "not solved",
                 report.residual, report.factorisations, hard.problem.laws.size());
      continue;
    }
    const std::string fault = testing::wrong_answer(hard, solution);
    if (fault.empty()) continue;
    ++wrong;
    fmt::print("seed {}: WRONG, {} (residual {:.1e}, tolerance {:.1e})\n", seed, fault,
               report.residual, report.tolerance);
  }
  fmt::print(
      "{} problems: {} wrong, {} not solved, {} compromises; {:.1f} factorisations in the mean, {} "
      "at most\n",
      problems, wrong, unsolved, compromises, static_cast<double>(factorisations) / problems, most);
  return wrong > 0 ? 1 : 0;
}
