#include "taut/solve/single_kkt.hpp"

#include <algorithm>
#include <numeric>

#include "taut/base/share.hpp"

namespace taut {
namespace {

constexpr int particles_worth_sharing = 5'000, rows_worth_sharing = 9'000;

/// The sum of three columns, each times one number.
[[gnu::always_inline]] inline Eigen::Array4f times(const Eigen::Array4f* columns,
                                                   const Eigen::Array4f& x) {
  return columns[0] * x[0] + columns[1] * x[1] + columns[2] * x[2];
}

Eigen::Array4f quad(const double* from) {
  return {static_cast<float>(from[0]), static_cast<float>(from[1]), static_cast<float>(from[2]), 0};
}

}  // namespace

bool SingleKkt::suits(const RowPattern& pattern) {
  for (int r = 0; r < pattern.rows(); ++r)
    if (pattern.first_block[r + 1] - pattern.first_block[r] > 2) return false;
  return std::all_of(pattern.blocks.begin(), pattern.blocks.end(),
                     [](const JacobianBlock& block) { return block.size == 3; });
}

SingleKkt::SingleKkt(const RowPattern& pattern, int particles)
    : particles_(particles), rows_(pattern.rows()) {
  const std::size_t count = static_cast<std::size_t>(particles),
                    rows = static_cast<std::size_t>(rows_);
  pull_begin_.assign(count + 1, 0);
  for (const JacobianBlock& block : pattern.blocks) ++pull_begin_[block.dof / 3 + 1];
  std::partial_sum(pull_begin_.begin(), pull_begin_.end(), pull_begin_.begin());
  pulls_.resize(pattern.blocks.size());
  std::vector<int> next(pull_begin_.begin(), pull_begin_.end() - 1);
  for (int r = 0; r < rows_; ++r) {
    int of[2] = {particles_, particles_};
    const int first = pattern.first_block[r];
    for (int b = first; b < pattern.first_block[r + 1]; ++b) {
      const int particle = pattern.blocks[b].dof / 3;
      of[b - first] = particle;
      pulls_[next[particle]++] = {r, 2 * r + b - first};
    }
    pairs_.push_back({of[0], of[1]});
  }
  J_.assign(2 * rows, Quad::Zero());
  B_.assign(2 * rows, Quad::Zero());
  inverse_.assign(3 * count, Quad::Zero());
  for (auto* of_particles : {&scale_, &inverse_scale_, &f_})
    of_particles->assign(count, Quad::Zero());
  x_.assign(count + 1, Quad::Zero());
  for (Vector* of_rows : {&compliance_, &y_, &product_}) of_rows->setZero(rows_);
}

// Both halves of H − D, so that a row of it is all that a particle needs.
void SingleKkt::plan(const BlockMatrix& H) {
  planned_ = &H;
  auto& [block_begin, block_column, scalar_begin, scalar_column, blocks, scalars] = couplings_;
  const std::size_t count = static_cast<std::size_t>(particles_);
  block_begin.assign(count + 1, 0);
  scalar_begin.assign(count + 1, 0);
  H.each_beside_diagonal([&](int row, int column, int, bool is_scalar) {
    std::vector<int>& begin = is_scalar ? scalar_begin : block_begin;
    ++begin[row + 1], ++begin[column + 1];
  });
  for (auto* begin : {&block_begin, &scalar_begin})
    std::partial_sum(begin->begin(), begin->end(), begin->begin());
  block_column.resize(static_cast<std::size_t>(block_begin.back()));
  scalar_column.resize(static_cast<std::size_t>(scalar_begin.back()));
  blocks.assign(3 * block_column.size(), Quad::Zero());
  scalars.assign(scalar_column.size(), 0);
  std::vector<int> next_block(block_begin.begin(), block_begin.end() - 1);
  std::vector<int> next_scalar(scalar_begin.begin(), scalar_begin.end() - 1);
  targets_.clear();
  H.each_beside_diagonal([&](int row, int column, int value, bool is_scalar) {
    std::vector<int>& next = is_scalar ? next_scalar : next_block;
    std::vector<int>& columns = is_scalar ? scalar_column : block_column;
    const int place = next[row]++, mirrored = next[column]++;
    columns[place] = column;
    columns[mirrored] = row;
    targets_.push_back({value, place, mirrored, is_scalar});
  });
}

bool SingleKkt::set(const RowPattern& pattern, const Terms& terms) {
  const BlockMatrix& H = terms.H.matrix();
  if (planned_ != &H) plan(H);
  for (const Target& target : targets_) {
    const double* from = H.values() + target.value;
    if (target.is_scalar) {
      couplings_.scalars[target.place] = couplings_.scalars[target.mirrored] =
          static_cast<float>(*from);
      continue;
    }
    Quad* block = couplings_.blocks.data() + 3 * target.place;
    Quad* mirrored = couplings_.blocks.data() + 3 * target.mirrored;
    for (int c = 0; c < 3; ++c) {
      block[c] = quad(from + 3 * c);
      for (int r = 0; r < 3; ++r) mirrored[r][c] = block[c][r];
    }
  }
  for (int i = 0; i < particles_; ++i) {
    const double* D = terms.H.inverse_diagonal().block(i);
    for (int c = 0; c < 3; ++c) inverse_[3 * i + c] = quad(D + 3 * c);
    scale_[i] = quad(terms.scale.data() + 3 * i);
    inverse_scale_[i] << scale_[i].head<3>().inverse(), 0;
  }
  one_ = &terms.J == &terms.B;
  const auto gather = [&](const VecX& values, std::vector<Quad>& to) {
    for (int r = 0; r < rows_; ++r)
      for (int b = pattern.first_block[r]; b < pattern.first_block[r + 1]; ++b)
        to[2 * r + b - pattern.first_block[r]] = quad(values.data() + pattern.blocks[b].value);
  };
  gather(terms.J, J_);
  if (!one_) gather(terms.B, B_);
  compliance_ = terms.compliance.cast<float>();
  added_ = terms.H.added();
  Quad nothing = Quad::Zero();  // unless something is not finite
  for (const auto* quads : {&inverse_, &scale_, &inverse_scale_, &couplings_.blocks})
    for (const Quad& each : *quads) nothing += 0 * each;
  for (const float each : couplings_.scalars) nothing += 0 * each;
  return nothing.allFinite();
}

void SingleKkt::pack(const VecX& from, Eigen::Ref<Vector> to) const {
  for (int i = 0; i < particles_; ++i)
    Eigen::Map<Quad>(to.data() + 4 * i) = quad(from.data() + 3 * i);
  to.tail(rows_) = from.tail(rows_).cast<float>();
}

void SingleKkt::unpack(const Vector& from, VecX& to) const {
  for (int i = 0; i < particles_; ++i)
    for (int k = 0; k < 3; ++k) to[3 * i + k] = from[4 * i + k];
  to.tail(rows_) = from.tail(rows_).cast<double>();
}

void SingleKkt::multiply_rows() {
  share(rows_, rows_worth_sharing, [&](int begin, int end) {
    for (int r = begin; r < end; ++r) {
      const Quad* d = J_.data() + 2 * r;
      product_[r] = (d[0] * x_[pairs_[r].first] + d[1] * x_[pairs_[r].second]).sum();
    }
  });
}

void SingleKkt::begin(const float* v) {
  share(particles_, particles_worth_sharing, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      f_[i] = Eigen::Map<const Quad>(v + 4 * i) * inverse_scale_[i];
      x_[i] = times(inverse_.data() + 3 * i, f_[i]);
    }
  });
  multiply_rows();
  y_ = product_ - Eigen::Map<const Vector>(v + 4 * particles_, rows_);
}

void SingleKkt::take_rows() {
  const Quad* B = one_ ? J_.data() : B_.data();
  share(particles_, particles_worth_sharing, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Quad left = f_[i];
      for (int p = pull_begin_[i]; p < pull_begin_[i + 1]; ++p)
        left -= y_[pulls_[p].row] * B[pulls_[p].gradient];
      x_[i] = times(inverse_.data() + 3 * i, left);
    }
  });
}

void SingleKkt::unpack_solution(VecX& z) const {
  for (int i = 0; i < particles_; ++i)
    for (int k = 0; k < 3; ++k) z[3 * i + k] = x_[i][k];
  z.tail(rows_) = y_.cast<double>();
}

void SingleKkt::finish(float* out) {
  take_rows();
  multiply_rows();
  Eigen::Map<Vector>(out + 4 * particles_, rows_) = product_ - compliance_.cwiseProduct(y_);
  // D x + B y = f, so that H x + B y = f + (H − D) x.
  const auto& [block_begin, block_column, scalar_begin, scalar_column, blocks, scalars] =
      couplings_;
  share(particles_, particles_worth_sharing, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Quad sum = f_[i];
      for (int p = block_begin[i]; p < block_begin[i + 1]; ++p)
        sum += times(blocks.data() + 3 * p, x_[block_column[p]]);
      for (int p = scalar_begin[i]; p < scalar_begin[i + 1]; ++p)
        sum += scalars[p] * x_[scalar_column[p]];
      Eigen::Map<Quad>(out + 4 * i) = sum * scale_[i];
    }
  });
  if (!added_) return;
  added_x_.resize(3 * particles_);
  added_out_.setZero(3 * particles_);
  for (int i = 0; i < particles_; ++i)
    for (int k = 0; k < 3; ++k) added_x_[3 * i + k] = x_[i][k];
  added_->add_beside_diagonal(added_x_, added_out_);
  for (int i = 0; i < particles_; ++i)
    Eigen::Map<Quad>(out + 4 * i) += quad(added_out_.data() + 3 * i) * scale_[i];
}

}  // namespace taut
