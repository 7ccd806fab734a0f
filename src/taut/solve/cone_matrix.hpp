// The linear algebra of a ConeSolver: products with H, and solves with
//
//   [ M + HᵀGH   Jᵀ ]   for a square block G per group of H,
//   [ J          −ε ]
//
// and with the same for G = 0, the free motion. ε is 0 unless rows of J depend on each other. Then
// it is small, and its effect is taken back by refinement, so that of all multipliers the smallest
// are found.
#pragma once

#include <utility>
#include <vector>

#include "taut/solve/cone_lu.hpp"
#include "taut/solve/cone_solver.hpp"
#include "taut/solve/kkt_lu.hpp"

namespace taut {

class ConeMatrix {
 public:
  void analyze(const ConePattern& pattern);
  const ConePattern& pattern() const { return pattern_; }
  int velocities() const { return first_velocity_.back(); }
  int rows() const { return first_row_.back(); }            ///< of H
  int equations() const { return first_equation_.back(); }  ///< rows of J
  int first_row(int group) const { return first_row_[static_cast<std::size_t>(group)]; }

  /// Whether the problem has as many numbers as the pattern asks for.
  bool fits(const ConeProblem& problem) const;
  /// Takes M, J and H, and factors the matrix of the free motion. False: they are no numbers, or M
  /// is not positive definite. What follows from the same numbers as last time is kept.
  bool set(const ConeProblem& problem);

  /// tr(H M⁻¹ Hᵀ) / rows per group, with the bodies' own blocks of M.
  const KeptVec& responses();
  /// u ← H v.
  void relative(const KeptVec& v, KeptVec& u) const;
  /// Largest Σ |H_ij v_j|: u is a difference of numbers of this size.
  double relative_size(const KeptVec& v) const;
  /// x += Hᵀ r.
  void push(const KeptVec& r, KeptVec& x) const;

  /// v, λ for given momenta x and right-hand side b of the equations.
  void free_motion(const KeptVec& x, const KeptVec& b, KeptVec& v, KeptVec& lambda);
  double equation_error(const KeptVec& v, const KeptVec& b);

  /// Where the block of a group begins in G; of the number of groups: how many numbers G has.
  std::size_t first_in_G(int group) const { return first_in_G_[static_cast<std::size_t>(group)]; }
  void factor(const std::vector<double>& G);
  /// x, y ← the solution for the right-hand side x, y; y is −λ.
  void solve(KeptVec& x, KeptVec& y);

 private:
  struct Link {  // a body of a group of H
    int body, velocity, value;
    short size;
  };
  struct Entry {  // a block that goes into a front
    int source, offset;
    short stride, rows, cols, source_stride;
    bool transposed;
  };
  struct Plan {  // blocks of M (+ HᵀGH), of J and ε, in the order of the fronts
    std::vector<int> first_block, first_row, first_diagonal;
    std::vector<Entry> blocks, rows, diagonal;
  };
  struct Fill;

  bool factor_free();
  void factor_bodies();
  void list_pairs();
  void analyze_small();
  void analyze_kkt(bool same_bodies);
  void solve_free(KeptVec& x, KeptVec& y);
  void plan(const KktLu& lu, bool with_groups, Plan& plan);
  void add_blocks_of_groups(const std::vector<double>& G);
  void equations_of(const KeptVec& v, KeptVec& y) const;

  ConePattern pattern_;
  std::vector<int> first_velocity_ = {0}, first_row_ = {0}, first_equation_ = {0};
  std::vector<std::size_t> first_in_G_ = {0};
  int numbers_of_M_ = 0, numbers_of_J_ = 0, numbers_of_H_ = 0;
  std::vector<int> first_block_;           // of the bodies' own blocks in the storage
  std::vector<Link> links_;                // as in the pattern's groups
  std::vector<int> equation_value_;        // per body of an equation: its block in J
  std::vector<std::array<int, 2>> pairs_;  // couplings and those of groups, first < second
  std::vector<int> pair_block_;            // first's rows × second's columns, then transposed
  std::vector<int> slots_;                 // per group, for each two of its bodies: the block
  std::vector<int> first_slot_;
  std::vector<std::array<int, 2>> coupling_block_;  // per coupling; second: of the transposed

  const ConeProblem* problem_ = nullptr;
  struct {  // the last problem, and what is known of it
    KeptVec M, J, H;
    bool is_set = false, is_finite = false, is_definite = false;
    bool has_factors = false, has_responses = false;  // of the bodies' blocks; tr(H M⁻¹ Hᵀ)
  } known_;
  KeptVec response_;
  bool is_small_ = false;  // without equations, and with few bodies: these two
  ConeLu small_free_, small_full_;
  std::vector<double> free_factors_;
  KktLu free_, full_;  // else
  Plan free_plan_, full_plan_;
  KktPattern graph_;
  struct {
    std::vector<std::pair<int, Entry>> blocks, rows, diagonal;  // with their fronts
    std::vector<std::array<int, 2>> couplings;
  } planned_;
  std::vector<double> masses_, blocks_;  // M, and M + HᵀGH or its factors, in blocks
  double epsilon_ = 0;
  KeptVec x_, y_, residual_;
  std::vector<std::array<int, 2>> found_pairs_, free_pairs_;
  std::vector<int> free_pair_block_;
  std::vector<double> factor_;  // of each body's block, with the inverse of its diagonal
  std::vector<char> is_split_;  // per body: moving has nothing to do with turning
};

}  // namespace taut
