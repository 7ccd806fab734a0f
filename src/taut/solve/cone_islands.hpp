// A ConeSolver for each island: bodies that equations, groups or couplings tie together, directly
// or by others. An island where nothing happens then costs almost nothing, and a hard one does not
// make the others go through its iterations.
#pragma once

#include <memory>
#include <vector>

#include "taut/solve/cone_solver.hpp"

namespace taut {

class ConeIslands {
 public:
  /// As ConeSolver::analyze() and solve(). The report has the worst of the islands, and the sum of
  /// what they cost.
  ConeReport solve(const ConePattern& pattern, const ConeProblem& problem,
                   const ConeOptions& options, ConeSolution& solution);

  /// Of the last problem: the island of a body, by the smallest number of a body in it.
  int island_of(int body) const { return parent_[static_cast<std::size_t>(body)]; }

 private:
  /// Kept by the first of its bodies, so that what was analysed is found again.
  struct Island {
    std::vector<int> bodies, couplings, equations, groups;
    ConePattern pattern;
    ConeProblem problem;
    ConeSolution solution;
    ConeSolver solver;
  };
  /// Where the numbers of bodies and groups begin.
  struct Places {
    std::vector<int> first_row, first_value;
    void set(const RowGroups& groups, const std::vector<int>& body_size);
  };

  void find_islands(const ConePattern& pattern);
  int root(int body);
  void join(int a, int b);
  void gather(const ConePattern& pattern, const ConeProblem& problem, const VecX& guess,
              Island& island);
  void scatter(const Island& island, ConeSolution& solution) const;
  void move_freely(const ConePattern& pattern, const ConeProblem& problem, int body,
                   ConeSolution& solution) const;

  std::vector<int> parent_;
  std::vector<std::unique_ptr<Island>> islands_;  // per body
  std::vector<int> in_use_;                       // bodies whose islands they are
  std::vector<char> is_tied_;                     // per body
  std::vector<int> velocity_, mass_, coupling_mass_, number_, in_group_;
  Places equations_, groups_;
};

}  // namespace taut
