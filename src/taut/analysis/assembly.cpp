#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "taut/analysis/assembly_internal.hpp"
#include "taut/simulate/simulation.hpp"
#include "taut/solve/linear_direct.hpp"

namespace taut {
namespace {

constexpr double no_direction = 1e-12;  // a gradient shorter than this is zero

/// About how many entries JJᵀ has less than JᵀJ: many rows on one body fill the former, rows on
/// many bodies the latter.
double advantage_of_rows(const SparseMatrix& Jt) {
  VecX used = VecX::Zero(Jt.rows());
  double by_velocities = 0;
  for (int r = 0; r < Jt.cols(); ++r) {
    double entries = 0;
    for (SparseMatrix::InnerIterator it(Jt, r); it; ++it, ++entries) used[it.row()] += 1;
    by_velocities += entries * entries;
  }
  return by_velocities - used.squaredNorm();
}

/// A B, which is symmetric: its lower half.
SparseSymmetric products(const SparseMatrix& A, const SparseMatrix& B) {
  SparseSymmetric out;
  std::vector<double> values;
  VecX row = VecX::Zero(A.rows());  // of the product
  std::vector<bool> is_used(static_cast<std::size_t>(A.rows()), false);
  for (int i = 0; i < B.cols(); ++i) {
    const std::size_t first = out.column.size();
    const auto use = [&](int k, double value) {
      row[k] += value;
      if (is_used[static_cast<std::size_t>(k)]) return;
      is_used[static_cast<std::size_t>(k)] = true;
      out.column.push_back(k);
    };
    for (SparseMatrix::InnerIterator b(B, i); b; ++b)
      for (SparseMatrix::InnerIterator a(A, static_cast<int>(b.row())); a && a.row() <= i; ++a)
        use(static_cast<int>(a.row()), a.value() * b.value());
    use(i, 0);
    std::sort(out.column.begin() + static_cast<std::ptrdiff_t>(first), out.column.end());
    for (std::size_t p = first; p < out.column.size(); ++p) {
      const int k = out.column[p];
      values.push_back(row[k]);
      row[k] = 0;
      is_used[static_cast<std::size_t>(k)] = false;
    }
    out.row_begin.push_back(static_cast<int>(out.column.size()));
  }
  out.value = Eigen::Map<const VecX>(values.data(), static_cast<Eigen::Index>(values.size()));
  return out;
}

/// The steps of smallest norm that solve J x = −c in the damped sense, for matrices of one pattern:
/// by the sparser of the two equivalent systems, x = −Jᵀ(JJᵀ + μ)⁻¹c = −(JᵀJ + μ)⁻¹Jᵀc.
class DampedSteps {
 public:
  bool find(const SparseMatrix& Jt, const VecX& c, double damping, VecX& x) {
    const bool is_first = !ldlt_;
    if (is_first) by_rows_ = advantage_of_rows(Jt) >= 0;
    const SparseMatrix J = Jt.transpose();
    const SparseSymmetric A = by_rows_ ? products(J, Jt) : products(Jt, J);
    if (is_first) {
      ldlt_ = make_sparse_factorization();
      ldlt_->analyze(A);
    }
    if (!(ldlt_->factor(A, damping, 0) > 0)) return false;
    x = -c;
    if (!by_rows_) x = Jt * x;
    ldlt_->solve_in_place(x);
    if (by_rows_) x = Jt * x;
    return x.allFinite();
  }

 private:
  bool by_rows_ = true;
  std::unique_ptr<Factorization> ldlt_;
};

}  // namespace

Assembly::Assembly(const System& system, const State& start)
    : system_(system), time_(start.time), pattern_(system), modes_(pattern_) {
  for (RowModes::Mode& mode : modes_.modes()) mode.is_equation = false;
  rows_.resize(pattern_);
  measure_bodies(start);
  weight_ = VecX::Ones(pattern_.rows());
  linearize(start.q);
  const SparseMatrix Jt = jacobian_transposed();
  for (int r = 0; r < pattern_.rows(); ++r)
    if (const double length = Jt.col(r).norm(); length > no_direction) weight_[r] = 1 / length;
}

void Assembly::measure_bodies(const State& start) {
  const auto bodies = static_cast<std::size_t>(system_.body_count());
  constexpr double unknown = std::numeric_limits<double>::infinity();
  nearby_.assign(bodies, unknown);
  std::vector<double> arm(bodies, 0);
  const Pose pose(system_, start.q);
  std::vector<Anchor> anchors;
  for (const auto& batch : system_.constraints()) {
    anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
    for (int c = 0; c < batch->size(); ++c) {
      batch->anchors(c, anchors);
      for (const Anchor& anchor : anchors) {
        if (anchor.is_direction || anchor.body.is_world()) continue;
        const auto body = static_cast<std::size_t>(anchor.body.index);
        const double length = system_.is_rigid(anchor.body) ? anchor.local.norm() : 0;
        arm[body] = std::max(arm[body], length);
        if (length > 0) nearby_[body] = std::min(nearby_[body], length);
        for (const Anchor& other : anchors) {
          if (other.is_direction || other.body == anchor.body) continue;
          const double distance = (pose.at(other) - pose.at(anchor)).norm();
          if (distance > 0) nearby_[body] = std::min(nearby_[body], distance);
        }
      }
    }
  }
  const double size = extent(system_, start);
  lever_ = VecX::Ones(system_.velocity_size());
  for (std::size_t b = 0; b < bodies; ++b) {
    if (nearby_[b] == unknown) nearby_[b] = size;
    const BodySlot& slot = system_.slots()[b];
    if (slot.rigid >= 0)
      lever_.segment<3>(slot.v + 3).setConstant(1 / (arm[b] > 0 ? arm[b] : nearby_[b]));
  }
}

void Assembly::linearize(const VecX& q) {
  configuration_ = q;
  pose_.set(system_, configuration_);
  rows_.linearize(system_, pattern_, pose_, time_);
  modes_.apply(pattern_, time_, system_.velocity_size(), rows_, unused_);
}

SparseMatrix Assembly::jacobian_transposed() const {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(pattern_.jacobian_values));
  for (int r = 0; r < pattern_.rows(); ++r) {
    const auto row = static_cast<std::size_t>(r);
    for (int b = pattern_.first_block[row]; b < pattern_.first_block[row + 1]; ++b) {
      const JacobianBlock& block = pattern_.blocks[static_cast<std::size_t>(b)];
      for (int i = 0; i < block.size; ++i)
        entries.emplace_back(block.dof + i, r,
                             weight_[r] * rows_.J[block.value + i] * lever_[block.dof + i]);
    }
  }
  SparseMatrix Jt(std::max(1, system_.velocity_size()), pattern_.rows());  // Eigen wants some rows
  Jt.setFromTriplets(entries.begin(), entries.end());
  return Jt;
}

SparseMatrix Assembly::position_jacobian_transposed() const {
  SparseMatrix Jt = jacobian_transposed();
  for (const int row : pattern_.velocity_rows) Jt.col(row) *= 0;
  return Jt;
}

Assembly::Fit Assembly::fit(const VecX& q, double target) {
  constexpr int most_iterations = 100;
  constexpr double least_damping = 1e-12, most_damping = 1e8;
  linearize(q);
  VecX c = values(), x, trial;
  Fit best{q, c.size() ? c.lpNorm<Eigen::Infinity>() : 0};
  double damping = 1e-6;
  DampedSteps steps;
  SparseMatrix Jt = position_jacobian_transposed();
  int idle = 0;  // iterations in a row that gained next to nothing
  for (int i = 0; i < most_iterations && best.residual > target && idle < 5; ++i) {
    if ((Jt * c).norm() <= 1e-14 * c.norm()) break;  // nothing moves it
    double now = std::numeric_limits<double>::infinity();
    if (steps.find(Jt, c, damping, x)) {
      system_.advance(best.q, lever_.cwiseProduct(x), 1, trial);
      linearize(trial);
      now = values().norm();
    }
    const double before = c.norm();
    if (now < before) {
      idle = now > (1 - 1e-6) * before ? idle + 1 : 0;
      c = values();
      best = {trial, c.lpNorm<Eigen::Infinity>()};
      Jt = position_jacobian_transposed();
      damping = std::max(damping / 10, least_damping);
    } else {
      damping *= 10;
      if (damping > most_damping) break;
    }
  }
  linearize(best.q);
  return best;
}

VecX Assembly::perturbed(const VecX& q) const {
  constexpr double relative = 0.01;
  std::mt19937 random;  // default seed; scaled by hand, as distributions differ between libraries
  const auto uniform = [&] { return 2.0 * random() / std::mt19937::max() - 1; };
  VecX x(system_.velocity_size());
  for (std::size_t b = 0; b < nearby_.size(); ++b) {
    const BodySlot& slot = system_.slots()[b];
    for (int i = 0; i < (slot.rigid >= 0 ? 6 : 3); ++i)
      x[slot.v + i] = relative * uniform() * (i < 3 ? nearby_[b] : 1);
  }
  VecX out;
  system_.advance(q, x, 1, out);
  return out;
}

}  // namespace taut
