// The iterative solvers, with the diagonal as preconditioner. From x = 0 they stay in the range of
// a singular A, so redundant rows need no special care.
#include "taut/solve/linear_krylov.hpp"

#include <algorithm>
#include <functional>

#include "taut/solve/krylov.hpp"

namespace taut {
namespace {

class KrylovSolver : public LinearSolver {
 public:
  void analyze(const SparseSymmetric& A) override { inverse_diagonal_.resize(A.size()); }
  void factor(const SparseSymmetric& A) override {
    A_ = &A;
    for (int i = 0; i < A.size(); ++i)
      inverse_diagonal_[i] = A.diagonal(i) > 0 ? 1 / A.diagonal(i) : 1;
  }
  SolveSummary solve(const VecX& b, VecX& x) override {
    const auto multiply = [&](const VecX& in, VecX& out) { A_->multiply(in, out); };
    const auto precondition = [&](const VecX& in, VecX& out) {
      out = inverse_diagonal_.cwiseProduct(in);
    };
    const KrylovLimits limits{1e-13, std::min(20000, 200 + 10 * A_->size())};
    const KrylovResult result = iterate(multiply, precondition, b, x, limits);
    return {x.allFinite() && result.residual < 1e-8, false, result.iterations, result.residual};
  }

 protected:
  using Operator = std::function<void(const VecX&, VecX&)>;
  virtual KrylovResult iterate(const Operator& A, const Operator& precondition, const VecX& b,
                               VecX& x, KrylovLimits limits) = 0;

 private:
  const SparseSymmetric* A_ = nullptr;
  VecX inverse_diagonal_;
};

class Pcg final : public KrylovSolver {
  std::string_view name() const override { return "pcg"; }
  KrylovResult iterate(const Operator& A, const Operator& precondition, const VecX& b, VecX& x,
                       KrylovLimits limits) override {
    return conjugate_gradients(A, precondition, b, x, scratch_, limits);
  }
  ConjugateGradientScratch scratch_;
};

class Bicgstab final : public KrylovSolver {
  std::string_view name() const override { return "bicgstab"; }
  KrylovResult iterate(const Operator& A, const Operator& precondition, const VecX& b, VecX& x,
                       KrylovLimits limits) override {
    return bicgstab(A, precondition, b, x, scratch_, limits);
  }
  BicgstabScratch scratch_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_pcg() { return std::make_unique<Pcg>(); }
std::unique_ptr<LinearSolver> make_bicgstab() { return std::make_unique<Bicgstab>(); }

}  // namespace taut
