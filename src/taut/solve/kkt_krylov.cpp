#include "taut/solve/kkt_krylov.hpp"

#include <algorithm>

namespace taut {
namespace {

constexpr double dependent_pivot = 1e-12;  // relative: of a row that follows from others
constexpr int most_directions = 40, least_directions = 8;
constexpr double most_numbers = 6e7;  // in all directions together: half a gigabyte
constexpr int most_gcr_iterations = 400;
// In a solve, with paths. A factorisation of the whole of A costs about as much as so many. (Of the
// disc of triangles in 30 steps: 30 3.3 s, 150 5.6 s.)
constexpr int many_iterations = 30;

}  // namespace

KktKrylov::KktKrylov(const System& system, const RowPattern& pattern)
    : pattern_(pattern), H_(system, pattern), A_(pattern) {
  paths_.analyze(A_.matrix());
  const int unknowns = system.velocity_size() + pattern.rows();
  scratch_.resize(unknowns, std::clamp(static_cast<int>(most_numbers / (2.0 * unknowns)),
                                       least_directions, most_directions));
  for (VecX* per_unknown : {&weight_, &right_, &solution_}) per_unknown->setOnes(unknowns);
  for (VecX* per_velocity : {&x_, &f_}) per_velocity->setZero(system.velocity_size());
  for (VecX* per_row : {&y_, &Jx_, &compliance_}) per_row->setZero(pattern.rows());
}

bool KktKrylov::factor(const System& system, const Terms& terms, double compliance) {
  if (!H_.assemble(system, pattern_,
                   {terms.mass, &terms.turning, terms.stiffness, &terms.G, &terms.K}))
    return false;
  weight_.head(x_.size()) = H_.mobility().cwiseAbs2();
  B_ = terms.B;
  J_ = terms.J;
  H_.inverse_diagonal().apply(pattern_, B_, DB_);
  compliance_.setConstant(compliance);
  for (const RowModes::Mode& mode : terms.modes.modes())
    compliance_[mode.row] += terms.modes.compliance(mode) / terms.mass;
  A_.assemble(J_, DB_);
  for (int r = 0; r < pattern_.rows(); ++r) A_.add_to_diagonal(r, compliance_[r]);
  factor_preconditioner();
  return true;
}

void KktKrylov::factor_preconditioner() {
  if (whole_)
    whole_->factor(A_.matrix(), 0, dependent_pivot);
  else
    paths_.factor(A_.matrix());
}

// D x + B y = f,  J x − ε y = c  ⇒  (J D⁻¹ B + ε) y = J D⁻¹ f − c,  x = D⁻¹(f − B y)
void KktKrylov::precondition(const VecX& r, VecX& z) {
  const Eigen::Index velocities = x_.size();
  f_ = r.head(velocities);
  H_.inverse_diagonal().apply(f_, x_);
  taut::multiply(pattern_, J_, x_, Jx_);
  Jx_ -= r.tail(pattern_.rows());
  if (whole_) {
    y_ = Jx_;
    whole_->solve_in_place(y_);
  } else {
    paths_.solve(Jx_, y_);
  }
  multiply_transposed(pattern_, DB_, y_, f_);
  z.resize(r.size());
  z.head(velocities) = x_ - f_;
  z.tail(pattern_.rows()) = y_;
}

void KktKrylov::multiply(const VecX& z, VecX& out) {
  const Eigen::Index velocities = x_.size();
  x_ = z.head(velocities);
  y_ = z.tail(pattern_.rows());
  out.resize(z.size());
  H_.multiply(x_, f_);
  out.head(velocities) = f_;
  multiply_transposed(pattern_, B_, y_, f_);
  out.head(velocities) += f_;
  taut::multiply(pattern_, J_, x_, Jx_);
  out.tail(pattern_.rows()) = Jx_ - compliance_.cwiseProduct(y_);
}

void KktKrylov::solve(VecX& x, VecX& y, double tolerance, LinearCost& cost) {
  ++cost.linear_solves;
  right_ << x, y;
  const KrylovResult result =
      gcr([this](const VecX& in, VecX& out) { multiply(in, out); },
          [this](const VecX& in, VecX& out) { precondition(in, out); }, weight_, right_, solution_,
          scratch_, {tolerance, most_gcr_iterations});
  cost.linear_iterations += result.iterations;
  if (!whole_ && result.iterations > many_iterations) {
    whole_ = make_sparse_factorization();
    whole_->analyze(A_.matrix());
    factor_preconditioner();
  }
  x = solution_.head(x.size());
  y = solution_.tail(y.size());
}

}  // namespace taut
