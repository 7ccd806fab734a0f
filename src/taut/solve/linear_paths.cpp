// Conjugate gradients with paths as preconditioner: exact on chains and trees, a handful of
// iterations on cloth, and linear in the number of rows. From x = 0 the iterates stay in the range
// of a singular A, so redundant rows need no special care.
//
// Where no paths are good, as on triangle meshes, A + δ·1 is factored as a whole instead. It is a
// function of A, so that the iterates stay in its range all the same.
#include <algorithm>
#include <limits>

#include "taut/base/archive.hpp"
#include "taut/solve/krylov.hpp"
#include "taut/solve/linear_direct.hpp"
#include "taut/solve/linear_krylov.hpp"
#include "taut/solve/path_factor.hpp"

namespace taut {
namespace {

constexpr double tight = 1e-13, accepted = 1e-8;
constexpr int most_cg_iterations = 2000;
constexpr int slow = 60;            // iterations after which other paths may be better, or none
constexpr int most_whole = 30'000;  // rows: beyond, a factorisation takes longer than iterations
constexpr double relative_shift = 1e-10;  // δ, relative to the largest number on the diagonal

class PathSolver final : public LinearSolver {
 public:
  std::string_view name() const override { return "pcg_paths"; }
  void analyze(const SparseSymmetric& A) override {
    paths_.analyze(A);
    whole_.reset();
    searched_again_ = false;
  }
  void factor(const SparseSymmetric& A) override {
    A_ = &A;
    if (whole_)
      factor_whole();
    else
      paths_.factor(A);
  }
  void archive(Archive& a, const SparseSymmetric& A) override {
    bool has_whole = whole_ != nullptr;
    a(searched_again_, has_whole);
    paths_.archive(a, A);
    if (!a.is_reading() || !has_whole) return;
    whole_ = make_sparse_factorization();
    whole_->analyze(A);
  }
  SolveSummary solve(const VecX& b, VecX& x) override { return solve_within(b, x, tight); }
  SolveSummary solve_within(const VecX& b, VecX& x, double tolerance) override {
    const auto multiply = [&](const VecX& in, VecX& out) { A_->multiply(in, out); };
    const auto precondition = [&](const VecX& in, VecX& out) {
      if (!whole_) return paths_.solve(in, out);
      out = in;
      whole_->solve_in_place(out);
    };
    const KrylovResult result = conjugate_gradients(multiply, precondition, b, x, scratch_,
                                                    {tolerance, most_cg_iterations});
    // Once: where the shape is difficult, no paths are much better than others.
    if (result.iterations > slow && !whole_) {
      if (!searched_again_)
        paths_.forget_paths();
      else if (A_->size() <= most_whole)
        begin_whole();
      searched_again_ = true;
    }
    return {x.allFinite() && result.residual < std::max(tolerance, accepted), false,
            result.iterations, result.residual};
  }

 private:
  void begin_whole() {
    whole_ = make_sparse_factorization();
    whole_->analyze(*A_);
    factor_whole();
  }
  void factor_whole() {
    double most = 0;
    for (int i = 0; i < A_->size(); ++i) most = std::max(most, A_->diagonal(i));
    whole_->factor(*A_, relative_shift * most, std::numeric_limits<double>::min());
  }

  const SparseSymmetric* A_ = nullptr;
  std::unique_ptr<Factorization> whole_;
  PathFactor paths_;
  bool searched_again_ = false;
  ConjugateGradientScratch scratch_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_pcg_paths() { return std::make_unique<PathSolver>(); }

}  // namespace taut
