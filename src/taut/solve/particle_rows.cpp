#include "taut/solve/particle_rows.hpp"

#include <cmath>

namespace taut {

ParticleRows::ParticleRows(const RowPattern& pattern) : pattern_(&pattern) {
  for (int r = 0; r < pattern.rows(); ++r) {
    const int b = pattern.first_block[r];
    const JacobianBlock* blocks = pattern.blocks.data() + b;
    const bool is_pair =
        pattern.first_block[r + 1] - b == 2 && blocks[0].size == 3 && blocks[1].size == 3;
    if (is_pair)
      pairs_.push_back({r, blocks[0].dof, blocks[1].dof, blocks[0].value});
    else
      unpaired_.push_back(r);
    all_.push_back(r);
  }
  along_.resize(3 * pairs_.size());
  force_.resize(3 * pairs_.size());
}

void ParticleRows::set(const RowPattern& pattern, const VecX& J, const VecX& B) {
  one_ = &J == &B || J == B;
  const auto gather = [&](const VecX& values, std::vector<double>& to) {
    double* out = to.data();
    double different = 0;
    for (const Pair& pair : pairs_) {
      const double* from = values.data() + pair.value;
      for (int k = 0; k < 3; ++k) {
        different += std::abs(from[k] + from[3 + k]);
        *out++ = from[3 + k];
      }
    }
    return different == 0;
  };
  opposite_ = gather(J, along_) && (one_ || gather(B, force_));
  const auto keep = [&](const VecX& values, VecX& of_rows) {
    of_rows.resize(values.size());
    if (!opposite_) {
      of_rows = values;
      return;
    }
    for (const int row : unpaired_) {
      const auto [begin, size] = pattern.values_of(row, row + 1);
      of_rows.segment(begin, size) = values.segment(begin, size);
    }
  };
  keep(J, J_);
  if (!one_) keep(B, B_);
}

namespace {

double row_times(const RowPattern& pattern, const VecX& J, int row, const VecX& x) {
  double sum = 0;
  for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) {
    const JacobianBlock& block = pattern.blocks[b];
    for (int k = 0; k < block.size; ++k) sum += J[block.value + k] * x[block.dof + k];
  }
  return sum;
}

}  // namespace

void ParticleRows::multiply(const VecX& x, VecX& out) const {
  for (const int row : opposite_ ? unpaired_ : all_) out[row] = row_times(*pattern_, J_, row, x);
  if (!opposite_) return;
  const double* d = along_.data();
  const double* at = x.data();
  for (const Pair& pair : pairs_) {
    const double *a = at + pair.first, *b = at + pair.second;
    out[pair.row] = d[0] * (b[0] - a[0]) + d[1] * (b[1] - a[1]) + d[2] * (b[2] - a[2]);
    d += 3;
  }
}

void ParticleRows::subtract_transposed(const VecX& y, VecX& f) const {
  const VecX& B = one_ ? J_ : B_;
  for (const int row : opposite_ ? unpaired_ : all_)
    for (int b = pattern_->first_block[row]; b < pattern_->first_block[row + 1]; ++b) {
      const JacobianBlock& block = pattern_->blocks[b];
      for (int k = 0; k < block.size; ++k) f[block.dof + k] -= y[row] * B[block.value + k];
    }
  if (!opposite_) return;
  const double* d = one_ ? along_.data() : force_.data();
  double* to = f.data();
  for (const Pair& pair : pairs_) {
    double *a = to + pair.first, *b = to + pair.second;
    const double size = y[pair.row];
    for (int k = 0; k < 3; ++k) {
      const double part = size * d[k];
      a[k] += part;
      b[k] -= part;
    }
    d += 3;
  }
}

}  // namespace taut
