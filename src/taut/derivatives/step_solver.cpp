#include "taut/derivatives/step_solver.hpp"

#include <fmt/core.h>

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/derivatives/dense_solution.hpp"

namespace taut::detail {
namespace {

constexpr double solved = 1e-12, accepted = 1e-9;  // of the right-hand side
constexpr int most_refinements = 12, most_iterations = 400, directions = 60;
constexpr int most_dense = 1500;  // unknowns

}  // namespace

void StepSolver::adapt(const System& system, const RowPattern& pattern) {
  if (system.topology() == topology_) return;
  topology_ = system.topology();
  system_ = &system;
  for (Side& side : sides_) side.kkt = make_kkt_solver(system, pattern);
  velocities_ = system.velocity_size();
  rows_ = pattern.rows();
  scratch_.resize(velocities_ + rows_, directions);
}

// What is left of a force counts as what it does to a body that nothing binds.
void StepSolver::factor(const System& system, const KktSolver::Terms& terms, Matrix matrix) {
  terms_ = &terms;
  matrix_ = std::move(matrix);
  for (Side& side : sides_) {
    side.is_factored = false;
    side.dense.resize(0, 0);
  }
  scale_.setOnes(velocities_ + rows_);
  part_x_.setOnes(velocities_);
  system.apply_mass(part_x_, part_x_);
  for (int i = 0; i < velocities_; ++i)
    scale_[i] = 1 / (std::abs(terms.mass) * std::max(std::abs(part_x_[i]), 1e-300));
  turning_.resize(terms.turning.size());
  for (std::size_t i = 0; i < turning_.size(); ++i) turning_[i] = terms.turning[i].transpose();
}

void StepSolver::factor_side(bool transposed) {
  Side& side = sides_[transposed ? 1 : 0];
  if (side.is_factored) return;
  side.is_factored = true;
  const double compliance = side.kkt->least_compliance() > 0 ? 1e-12 : 0;
  const KktSolver::Terms& t = *terms_;
  if (transposed)
    side.kkt->factor(*system_, {t.mass, turning_, t.stiffness, t.G, t.K, t.J, t.B, t.modes},
                     compliance);
  else
    side.kkt->factor(*system_, t, compliance);
}

void StepSolver::precondition(Side& side, const VecX& r, VecX& z) {
  LinearCost unused;
  part_x_ = r.head(velocities_);
  part_y_ = r.tail(rows_);
  side.kkt->solve(part_x_, part_y_, 1e-12, unused);
  z.resize(r.size());
  z << part_x_, part_y_;
}

void StepSolver::multiply(const VecX& z, bool transposed, VecX& out) const {
  part_x_ = z.head(velocities_);
  part_y_ = z.tail(rows_);
  matrix_(part_x_, part_y_, transposed, out_x_, out_y_);
  out.resize(z.size());
  out << out_x_, out_y_;
}

bool StepSolver::refine(Side& side, bool transposed, const VecX& b, VecX& x) {
  const double size = size_of(b);
  x.setZero(b.size());
  r_ = b;
  double left = size;
  for (int i = 0; i < most_refinements; ++i) {
    precondition(side, r_, z_);
    if (!z_.allFinite()) return false;
    multiply(z_, transposed, Az_);
    const double next = size_of(r_ - Az_);
    if (!(next < 0.5 * left)) return left <= 1e-11 * size;
    x += z_;
    r_ -= Az_;
    left = next;
    if (left <= solved * size) return true;
  }
  return left <= accepted * size;
}

bool StepSolver::iterate(Side& side, bool transposed, const VecX& b, VecX& x) {
  const auto direction = [&](const VecX& r, VecX& z, VecX& Az) {
    precondition(side, r, z);
    if (!z.allFinite()) z.setZero();
    multiply(z, transposed, Az);
  };
  const KrylovResult result = gmres(direction, scale_, b, x, scratch_, {solved, most_iterations});
  return x.allFinite() && result.residual <= 1e-11;
}

bool StepSolver::eliminate(Side& side, bool transposed, const VecX& b, VecX& x) {
  const int size = velocities_ + rows_;
  if (size > most_dense) return false;
  if (side.dense.size() == 0) {
    MatX matrix(size, size);
    VecX unit = VecX::Zero(size), column;
    for (int i = 0; i < size; ++i) {
      unit[i] = 1;
      multiply(unit, transposed, column);
      matrix.col(i) = column;
      unit[i] = 0;
    }
    if (!matrix.allFinite()) return false;
    side.dense = pseudo_inverse(std::move(matrix));
  }
  x = side.dense * b;
  double left = size_of(b);
  for (int i = 0; i < most_refinements; ++i) {
    multiply(x, transposed, Az_);
    r_ = b - Az_;
    const double next = size_of(r_);
    if (i > 0 && !(next < 0.5 * left)) break;
    left = next;
    if (left <= solved * size_of(b)) break;
    x += side.dense * r_;
  }
  multiply(x, transposed, Az_);
  return x.allFinite() && size_of(b - Az_) <= accepted * size_of(b);
}

void StepSolver::solve(VecX& x, VecX& y, bool transposed) {
  b_.resize(velocities_ + rows_);
  b_ << x, y;
  if (b_.isZero(0)) {
    x.setZero();
    y.setZero();
    return;
  }
  if (!b_.allFinite()) throw Error("a derivative is not finite");
  factor_side(transposed);
  Side& side = sides_[transposed ? 1 : 0];
  const bool ok = (side.dense.size() == 0 &&
                   (refine(side, transposed, b_, x_) || iterate(side, transposed, b_, x_))) ||
                  eliminate(side, transposed, b_, x_);
  if (!ok)
    throw Error(
        "the step has no derivative here: its matrix is singular, as in a position in which a "
        "mechanism may go on in several ways, or where constraints contradict each other");
  x = x_.head(velocities_);
  y = x_.tail(rows_);
}

}  // namespace taut::detail
