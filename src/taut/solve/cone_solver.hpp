// Multipliers in a product of cones: contact with exact Coulomb friction, stops, strings, motors
// and dry friction, together with equations, in one solve and without softness.
//
//   M v = f + Hᵀ r + Jᵀ λ   bodies with velocities v; f: momenta, as without r and λ
//   J v = b                 equations; rows may follow from others
//   u = H v + w + R r       how fast each group of rows opens, slides or rolls; R ≥ 0, most often 0
//   r and u obey the law of each group (cone_law.hpp).
//
// M is symmetric and positive definite: a block for each body, and for pairs of bodies that an
// implicit method couples. r is not unique where bodies touch at many points, u most often is.
//
// The answer is judged by what the laws ask for, with v computed anew from r:
//   residual = max over groups of |r − Φ(r − u/W)|·W / scale,
// see cone::contradiction(). W is the group's response, tr(H M⁻¹ Hᵀ) / rows, with the blocks of the
// bodies alone; `scale` is the largest speed that a group would have to resist if r were 0, but at
// least Options::speed; one for lengths and one for angles. So residual·scale bounds the speed at
// which something slides or enters that must not.
//
// Whatever the status, unless the input is not finite: r is allowed by the laws, and v satisfies
// the dynamics and J v = b (as far as it can be satisfied: Report::equation_error). Numerical
// trouble is reported, never thrown. The answer depends on the arguments alone.
//
// How: Newton's method with a proximal term, on r = Φ(r − ρ u); started where needed by
// Douglas-Rachford splitting (ADMM) with Anderson's acceleration; Gauss and Seidel's method in
// small problems as the last resort. All of them solve with [M + HᵀGH, Jᵀ; J, −ε], which has the
// sparsity of the bodies and not of the contacts.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "taut/base/kept_vector.hpp"
#include "taut/solve/cone_law.hpp"
#include "taut/solve/contact_solvers.hpp"

namespace taut {

/// Groups of rows, and which bodies each of them acts on. The world is no body.
struct RowGroups {
  std::vector<int> rows;              ///< per group
  std::vector<int> first_body = {0};  ///< group g has bodies[first_body[g]] … [first_body[g + 1])
  std::vector<int> bodies;            ///< of a group, all different

  int count() const { return static_cast<int>(rows.size()); }
  std::span<const int> bodies_of(int group) const {
    return {bodies.data() + first_body[static_cast<std::size_t>(group)],
            bodies.data() + first_body[static_cast<std::size_t>(group) + 1]};
  }
  void clear();
  void reserve(std::size_t groups);  ///< of two bodies each
  void add(int row_count, std::span<const int> of_bodies);
  bool operator==(const RowGroups&) const = default;
};

/// What is tied to what. Its analysis is kept as long as the same bodies are tied to each other:
/// more or fewer contacts between the same bodies do not matter.
struct ConePattern {
  std::vector<int> body_size;                 ///< velocities of each body: 3 or 6
  std::vector<std::array<int, 2>> couplings;  ///< pairs of bodies with a block in M
  RowGroups equations;                        ///< rows of J
  RowGroups groups;                           ///< rows of H: 3 for friction, 6 with rolling, else 1
};

/// The numbers, in the order of the pattern. Dense blocks are stored by rows.
struct ConeProblem {
  KeptVec
      M;  ///< size × size for each body; then the first's rows × the second's columns for couplings
  KeptVec f;                  ///< per velocity
  KeptVec J, H;               ///< group by group: rows × size for each of its bodies
  KeptVec b, w;               ///< per row
  std::vector<ConeLaw> laws;  ///< per group of H
};

struct ConeOptions {
  double tolerance = 1e-8;  ///< of the residual
  double good_enough = 0;   ///< the same, where it takes long to reach the tolerance
  double speed = 0;         ///< what counts as a speed at least, such as g·h; of lengths
  double turn = 0;          ///< the same of angles
  /// Of the residual, below the tolerance: in real time, a guess that is good enough, but not as
  /// good, is improved by one step. What is all but at rest then stays where it is.
  double at_rest = std::numeric_limits<double>::infinity();
  int stages = 3;  ///< how hard to try: 1 for a haptic loop, 3 to get an answer
  ContactSolver solver = ContactSolver::exact;  ///< of others, `stages` means nothing
  /// Then the best so far; 0: as many as it takes, or 100 in real_time.
  int most_factorisations = 0;
  double most_time = 0;  ///< s, the same; 0: any. Looked at before each factorisation and round.
                         ///< What comes out then depends on the clock
};

struct ConeReport {
  enum class Status {
    converged,
    not_converged,
    compromise  ///< no r can do it, such as for a squeezed body: solved with some softness, with
                ///< R = 10⁻⁶ W added; `residual` is then that of the softened problem
  };
  Status status = Status::not_converged;
  double residual = 0;
  double tolerance = 0;       ///< what was asked for, or round-off if that is larger
  double equation_error = 0;  ///< largest |J v − b|
  int factorisations = 0;     ///< of the matrix with G
  int backsolves = 0;         ///< with that matrix
  int free_solves = 0;        ///< with G = 0: v from r
  int newton_steps = 0, admm_iterations = 0, sweeps = 0;
  bool ok() const { return status == Status::converged; }
};

/// Memory of the caller's: r is the guess and then the answer.
struct ConeSolution {
  KeptVec r, v, lambda;
};

class ConeSolver {
 public:
  ConeSolver();
  ~ConeSolver();
  ConeSolver(ConeSolver&&) noexcept;
  ConeSolver& operator=(ConeSolver&&) noexcept;

  /// Copies what it needs of the pattern.
  void analyze(const ConePattern& pattern);
  /// Of the pattern last analysed. An r of the wrong size is a guess of 0. Allocates no memory if
  /// it has solved a problem of this size before.
  ConeReport solve(const ConeProblem& problem, const ConeOptions& options, ConeSolution& solution);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace taut
