// Conjugate gradients with paths as preconditioner: exact on chains and trees, a handful of
// iterations on cloth, and linear in the number of rows. From x = 0 the iterates stay in the range
// of a singular A, so redundant rows need no special care.
#include "taut/solve/krylov.hpp"
#include "taut/solve/linear_krylov.hpp"
#include "taut/solve/path_factor.hpp"

namespace taut {
namespace {

constexpr double tight = 1e-13, accepted = 1e-8;
constexpr int most_cg_iterations = 2000;
constexpr int slow = 60;  // iterations after which other paths may be better

class PathSolver final : public LinearSolver {
 public:
  std::string_view name() const override { return "pcg_paths"; }
  void analyze(const SparseSymmetric& A) override { paths_.analyze(A); }
  void factor(const SparseSymmetric& A) override {
    A_ = &A;
    paths_.factor(A);
  }
  SolveSummary solve(const VecX& b, VecX& x) override { return solve_within(b, x, tight); }
  SolveSummary solve_within(const VecX& b, VecX& x, double tolerance) override {
    const auto multiply = [&](const VecX& in, VecX& out) { A_->multiply(in, out); };
    const auto precondition = [&](const VecX& in, VecX& out) { paths_.solve(in, out); };
    const KrylovResult result =
        conjugate_gradients(multiply, precondition, b, x, scratch_, {tolerance, most_cg_iterations});
    // Once: where the shape is difficult, no paths are much better than others.
    if (result.iterations > slow && !searched_again_) {
      paths_.forget_paths();
      searched_again_ = true;
    }
    return {x.allFinite() && result.residual < std::max(tolerance, accepted), false,
            result.iterations, result.residual};
  }

 private:
  const SparseSymmetric* A_ = nullptr;
  PathFactor paths_;
  bool searched_again_ = false;
  ConjugateGradientScratch scratch_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_pcg_paths() { return std::make_unique<PathSolver>(); }

}  // namespace taut
