#include "taut/solve/taut_lines.hpp"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

// A particle is of a line where a neighbour holds it so much more than its mass does, and so much
// more than is usual, …
constexpr double strong = 1, unusual = 8;
// … and it is so until it is less by this, or the line is without one that is more by this.
constexpr double clearly = 2;
constexpr int sampled = 16;           // every such particle tells what is usual
constexpr int most_part = 8;          // lines are no more than this part of all particles
constexpr double least_give = 0.003;  // of a row's other particle, beside that without its path
constexpr double vanishing_pivot = 1e-14;

}  // namespace

TautLines::TautLines(const RowPattern& pattern, int particles)
    : pattern_(pattern),
      strength_(static_cast<std::size_t>(particles)),
      is_strong_(static_cast<std::size_t>(particles), 0) {
  sample_.reserve(strength_.size() / sampled + 1);
}

void TautLines::clear() {
  own_.clear();
  std::fill(is_strong_.begin(), is_strong_.end(), 0);
}

// True: they are others than they were.
bool TautLines::find_strong(const Terms& terms) {
  const BlockMatrix& H = terms.H.matrix();
  std::fill(strength_.begin(), strength_.end(), 0.0);
  H.each_beside_diagonal([&](int i, int j, int value, bool is_scalar) {
    const double* m = H.values() + value;
    const double size =
        is_scalar ? std::abs(*m) : (std::abs(m[0]) + std::abs(m[4]) + std::abs(m[8])) / 3;
    strength_[i] = std::max(strength_[i], size);
    strength_[j] = std::max(strength_[j], size);
  });
  const int count = static_cast<int>(strength_.size());
  for (int i = 0; i < count; ++i) strength_[i] /= terms.mass * terms.system.mass({i});
  sample_.clear();
  for (int i = 0; i < count; i += sampled) sample_.push_back(strength_[i]);
  const auto middle = sample_.begin() + static_cast<long>(sample_.size() / 2);
  std::nth_element(sample_.begin(), middle, sample_.end());
  const double least = std::max(strong, unusual * *middle);
  bool is_same = true;
  for (int i = 0; i < count && is_same; ++i)
    is_same = is_strong_[i] ? strength_[i] > least / clearly : strength_[i] < least * clearly;
  if (is_same) return false;
  int found = 0;
  for (int i = 0; i < count; ++i) found += is_strong_[i] = strength_[i] >= least;
  if (found > count / most_part) std::fill(is_strong_.begin(), is_strong_.end(), 0);
  return true;
}

void TautLines::plan(const BlockMatrix& H) {
  own_.clear();
  const int count = static_cast<int>(is_strong_.size());
  index_.assign(is_strong_.size(), -1);
  for (int i = 0; i < count; ++i)
    if (is_strong_[i]) {
      index_[i] = static_cast<int>(own_.size());
      own_.push_back(i);
    }
  near_ = own_;
  const auto number = [&](int particle) {
    if (index_[particle] < 0) {
      index_[particle] = static_cast<int>(near_.size());
      near_.push_back(particle);
    }
    return index_[particle];
  };
  couplings_.clear();
  H.each_beside_diagonal([&](int i, int j, int value, bool is_scalar) {
    if (is_strong_[i] || is_strong_[j])
      couplings_.push_back({number(i), number(j), value, is_scalar});
  });
  rows_.clear();
  for (int r = 0; r < pattern_.rows(); ++r) {
    Row row{r, {-1, -1}, {0, 0}};
    const int first = pattern_.first_block[r], end = pattern_.first_block[r + 1];
    if (std::none_of(pattern_.blocks.begin() + first, pattern_.blocks.begin() + end,
                     [&](const JacobianBlock& block) { return is_strong_[block.dof / 3]; }))
      continue;
    for (int b = first; b < end; ++b) {
      row.particle[b - first] = number(pattern_.blocks[b].dof / 3);
      row.gradient[b - first] = pattern_.blocks[b].value;
    }
    rows_.push_back(row);
  }

  // Pairs of the lines' own particles, each with those that come before it.
  const int own = static_cast<int>(own_.size());
  std::vector<std::vector<int>> before(own_.size());
  const auto join = [&](int a, int b) {
    if (a >= 0 && b >= 0 && a < own && b < own && a != b)
      before[std::max(a, b)].push_back(std::min(a, b));
  };
  for (const Coupling& coupling : couplings_) join(coupling.row, coupling.column);
  for (const Row& row : rows_) join(row.particle[0], row.particle[1]);
  neighbour_begin_.assign(1, 0);
  neighbours_.clear();
  matrix_ = {};
  for (int a = 0; a < own; ++a) {
    std::sort(before[a].begin(), before[a].end());
    before[a].erase(std::unique(before[a].begin(), before[a].end()), before[a].end());
    neighbours_.insert(neighbours_.end(), before[a].begin(), before[a].end());
    neighbour_begin_.push_back(static_cast<int>(neighbours_.size()));
    for (int r = 0; r < 3; ++r) {
      for (const int b : before[a])
        for (int c = 0; c < 3; ++c) matrix_.column.push_back(3 * b + c);
      for (int c = 0; c <= r; ++c) matrix_.column.push_back(3 * a + c);
      matrix_.row_begin.push_back(static_cast<int>(matrix_.column.size()));
    }
  }
  matrix_.value.setZero(static_cast<Eigen::Index>(matrix_.column.size()));
  factors_ = make_sparse_factorization();
  factors_->analyze(matrix_);
  gradients_.assign(2 * rows_.size(), Vec3::Zero());
  for (VecX* per_row : {&softness_, &compliance_, &c_, &y_, &Jx_})
    per_row->setZero(static_cast<Eigen::Index>(rows_.size()));
  f_.setZero(3 * own);
  Hx_.setZero(3 * static_cast<Eigen::Index>(near_.size()));
}

/// Adds a block of a particle with itself or with one before it; of the former, the lower half.
void TautLines::add(int particle, int other, const Mat3& block) {
  const auto first = neighbours_.begin() + neighbour_begin_[particle];
  const auto end = neighbours_.begin() + neighbour_begin_[particle + 1];
  const int place =
      3 * static_cast<int>((particle == other ? end : std::lower_bound(first, end, other)) - first);
  for (int r = 0; r < 3; ++r) {
    double* row = matrix_.value.data() + matrix_.row_begin[3 * particle + r] + place;
    for (int c = 0; c < (particle == other ? r + 1 : 3); ++c) row[c] += block(r, c);
  }
}

// What a row's particles that are not of the lines give way to its force, and the rest of the paths
// beyond them.
double TautLines::give(const Terms& terms, const Row& row) const {
  const int own = static_cast<int>(own_.size());
  double alone = 0, held = 0;
  for (int side = 0; side < 2; ++side) {
    if (row.particle[side] < own) continue;
    const int particle = near_[row.particle[side]];
    const Vec3 gradient = terms.J.segment<3>(row.gradient[side]);
    const Eigen::Map<const Mat3> mobility(terms.H.inverse_diagonal().block(particle));
    alone += gradient.dot(mobility * gradient);
    for (const PathFactor::Side& next : terms.paths.sides(row.row)) {
      if (next.row < 0) continue;
      for (int b = pattern_.first_block[next.row]; b < pattern_.first_block[next.row + 1]; ++b)
        if (pattern_.blocks[b].dof == 3 * particle) held += next.share;
    }
  }
  return std::max(least_give * alone, alone - held);
}

void TautLines::set(const Terms& terms) {
  const bool is_new = find_strong(terms);
  if (is_new || H_ != &terms.H.matrix()) {
    H_ = &terms.H.matrix();
    plan(*H_);
  }
  if (empty()) return;
  const int own = static_cast<int>(own_.size());
  matrix_.value.setZero();
  for (int k = 0; k < own; ++k)
    add(k, k, Eigen::Map<const Mat3>(H_->values() + H_->find(own_[k], own_[k]).value));
  for (const Coupling& coupling : couplings_) {
    if (coupling.row >= own || coupling.column >= own) continue;
    const double* values = H_->values() + coupling.value;
    const Mat3 block = coupling.is_scalar ? Mat3(*values * Mat3::Identity())
                                          : Mat3(Eigen::Map<const Mat3>(values));
    if (coupling.row > coupling.column)
      add(coupling.row, coupling.column, block);
    else
      add(coupling.column, coupling.row, block.transpose());
  }
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& row = rows_[k];
    compliance_[k] = terms.compliance[row.row];
    softness_[k] = compliance_[k] + give(terms, row);
    for (int a = 0; a < 2; ++a) {
      if (row.particle[a] < 0) continue;
      const Vec3& gradient = gradients_[2 * k + a] = terms.J.segment<3>(row.gradient[a]);
      for (int b = 0; b <= a; ++b) {
        if (row.particle[a] >= own || row.particle[b] >= own) continue;
        const Mat3 block = gradient * gradients_[2 * k + b].transpose() / softness_[k];
        if (row.particle[a] >= row.particle[b])
          add(row.particle[a], row.particle[b], block);
        else
          add(row.particle[b], row.particle[a], block.transpose());
      }
    }
  }
  if (!(factors_->factor(matrix_, 0, vanishing_pivot) > 0)) clear();
}

void TautLines::solve() {
  const int own = static_cast<int>(own_.size());
  for (std::size_t k = 0; k < rows_.size(); ++k)
    for (int a = 0; a < 2; ++a)
      if (const int i = rows_[k].particle[a]; i >= 0 && i < own)
        f_.segment<3>(3 * i) += (c_[k] / softness_[k]) * gradients_[2 * k + a];
  factors_->solve_in_place(f_);

  // Newton's matrix times that.
  Hx_.setZero();
  for (int k = 0; k < own; ++k)
    Hx_.segment<3>(3 * k) +=
        Eigen::Map<const Mat3>(H_->values() + H_->find(own_[k], own_[k]).value) *
        f_.segment<3>(3 * k);
  for (const auto& [row, column, value, is_scalar] : couplings_) {
    const double* m = H_->values() + value;
    const Eigen::Map<const Mat3> block(m);
    if (column < own) {
      const Vec3 x = f_.segment<3>(3 * column);
      Hx_.segment<3>(3 * row) += is_scalar ? Vec3(*m * x) : Vec3(block * x);
    }
    if (row < own) {
      const Vec3 x = f_.segment<3>(3 * row);
      Hx_.segment<3>(3 * column) += is_scalar ? Vec3(*m * x) : Vec3(block.transpose() * x);
    }
  }
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    double along = 0;
    for (int a = 0; a < 2; ++a)
      if (const int i = rows_[k].particle[a]; i >= 0 && i < own)
        along += gradients_[2 * k + a].dot(f_.segment<3>(3 * i));
    y_[k] = (along - c_[k]) / softness_[k];
    Jx_[k] = along - compliance_[k] * y_[k];
    for (int a = 0; a < 2; ++a)
      if (const int i = rows_[k].particle[a]; i >= 0)
        Hx_.segment<3>(3 * i) += y_[k] * gradients_[2 * k + a];
  }
}

}  // namespace taut
