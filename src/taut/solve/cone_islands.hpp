// A ConeSolver for each island: bodies that equations, groups or couplings tie together, directly
// or by others. An island where nothing happens then costs almost nothing, and a hard one does not
// make the others go through its iterations.
//
// Most contacts that might close do not. A group that opens by itself, with r = 0, ties nothing:
// it is idle, and joins in when what the others do would close it. So islands are those of what
// acts, and the answer is that of the whole.
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

  /// Of the last problem: the island of a body, by the smallest number of a body in it. Groups that
  /// are idle join no islands.
  int island_of(int body) const { return parent_[static_cast<std::size_t>(body)]; }

 private:
  /// Kept by the first of its bodies, so that what was analysed is found again.
  struct Island {
    std::vector<int> bodies, couplings, equations, groups;
    ConePattern pattern;
    ConeProblem problem;
    ConeSolution solution;
    ConeSolver solver;
    ConeReport report;
    // What was solved last: an island that has only these is as it was.
    long solved_in = 0;
    std::size_t solved_bodies = 0, solved_groups = 0;
  };
  /// Where the numbers of bodies and groups begin.
  struct Places {
    std::vector<int> first_row, first_value;
    void set(const RowGroups& groups, const std::vector<int>& body_size);
  };

  void find_places(const ConePattern& pattern);
  /// Which groups act at first.
  void find_idle(const ConePattern& pattern, const ConeProblem& problem, const ConeOptions& options,
                 ConeSolution& solution);
  bool opens_by_itself(const ConePattern& pattern, const ConeProblem& problem,
                       const ConeOptions& options, int group, const KeptVec& v) const;
  enum class Idle { that_close, all };
  /// False: none had to join in.
  bool rouse(const ConePattern& pattern, const ConeProblem& problem, const ConeOptions& options,
             const KeptVec& v, Idle which);
  double opening(const ConePattern& pattern, const ConeProblem& problem, int group,
                 const KeptVec& v) const;
  void find_islands(const ConePattern& pattern);
  int root(int body);
  void join(int a, int b);
  void gather(const ConePattern& pattern, const ConeProblem& problem, const KeptVec& guess,
              Island& island);
  void scatter(const Island& island, ConeSolution& solution) const;
  /// Of one group that nothing else concerns, without iterations; false: it is not such an island,
  /// or not solved well enough.
  bool solve_alone(const ConePattern& pattern, const ConeProblem& problem,
                   const ConeOptions& options, Island& island, ConeSolution& solution) const;
  void move_freely(const ConePattern& pattern, const ConeProblem& problem, int body,
                   ConeSolution& solution) const;
  /// The same once in a solve.
  void release(const ConePattern& pattern, const ConeProblem& problem, int body,
               ConeSolution& solution);

  std::vector<int> parent_;
  std::vector<std::unique_ptr<Island>> islands_;  // per body
  std::vector<int> in_use_;                       // bodies whose islands they are
  std::vector<char> is_tied_;                     // per body
  std::vector<char> is_released_;                 // per body: v is that of nothing else acting
  std::vector<char> is_idle_;                     // per group
  long solves_ = 0;
  std::vector<int> velocity_, mass_, coupling_mass_, number_, in_group_;
  Places equations_, groups_;
};

}  // namespace taut
