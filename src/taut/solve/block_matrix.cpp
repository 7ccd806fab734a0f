#include "taut/solve/block_matrix.hpp"

#include <algorithm>
#include <tuple>

namespace taut {

void BlockMatrix::analyze(std::vector<Body> bodies, std::vector<Pair> pairs) {
  bodies_ = std::move(bodies);
  all_particles_ =
      std::all_of(bodies_.begin(), bodies_.end(), [](const Body& body) { return body.size == 3; });
  for (Pair& pair : pairs)
    if (pair.row < pair.column) std::swap(pair.row, pair.column);
  const auto key = [](const Pair& pair) { return std::tie(pair.row, pair.column); };
  std::sort(pairs.begin(), pairs.end(), [&](const Pair& a, const Pair& b) {
    return std::tie(a.row, a.column, a.is_scalar) < std::tie(b.row, b.column, b.is_scalar);
  });
  // The first of several is a full block, if one of them is.
  pairs.erase(std::unique(pairs.begin(), pairs.end(),
                          [&](const Pair& a, const Pair& b) { return key(a) == key(b); }),
              pairs.end());

  begin_.assign(1, 0);
  scalars_.clear();
  entries_.clear();
  diagonal_.clear();
  int values = 0;
  auto pair = pairs.begin();
  for (int i = 0; i < body_count(); ++i) {
    const int size = body(i).size;
    const auto first = pair;
    while (pair != pairs.end() && pair->row == i) ++pair;
    for (const bool scalar : {false, true}) {
      if (scalar) scalars_.push_back(static_cast<int>(entries_.size()));
      for (auto at = first; at != pair; ++at) {
        if (at->column == i || at->is_scalar != scalar) continue;
        entries_.push_back({at->column, values});
        values += scalar ? 1 : size * body(at->column).size;
      }
    }
    begin_.push_back(static_cast<int>(entries_.size()));
    diagonal_.push_back(values);
    values += size * size;
  }
  values_.assign(static_cast<std::size_t>(values), 0.0);
}

BlockMatrix::Place BlockMatrix::find(int row, int column) const {
  if (row == column) return {diagonal_[static_cast<std::size_t>(row)], false, false};
  const bool transposed = row < column;
  if (transposed) std::swap(row, column);
  const auto before = [](const Entry& entry, int wanted) { return entry.column < wanted; };
  const auto first = entries_.begin() + begin_[row], middle = entries_.begin() + scalars_[row];
  const auto block = std::lower_bound(first, middle, column, before);
  if (block != middle && block->column == column) return {block->value, transposed, false};
  const auto scalar = std::lower_bound(middle, entries_.begin() + begin_[row + 1], column, before);
  return {scalar->value, false, true};
}

// Particles alone, one after the other: values are read in the order in which they are stored.
template <bool with_diagonal>
void BlockMatrix::add_particles(const double* x, double* out) const {
  const double* m = values_.data();
  const Entry* entry = entries_.data();
  const int count = body_count();
  for (int i = 0; i < count; ++i) {
    const double* mine = x + 3 * i;
    const double a0 = mine[0], a1 = mine[1], a2 = mine[2];
    double s0 = 0, s1 = 0, s2 = 0;
    for (const Entry* end = entries_.data() + scalars_[i]; entry < end; ++entry, m += 9) {
      const double* from = x + 3 * entry->column;
      double* to = out + 3 * entry->column;
      const double b0 = from[0], b1 = from[1], b2 = from[2];
      s0 += m[0] * b0 + m[3] * b1 + m[6] * b2;
      s1 += m[1] * b0 + m[4] * b1 + m[7] * b2;
      s2 += m[2] * b0 + m[5] * b1 + m[8] * b2;
      to[0] += m[0] * a0 + m[1] * a1 + m[2] * a2;
      to[1] += m[3] * a0 + m[4] * a1 + m[5] * a2;
      to[2] += m[6] * a0 + m[7] * a1 + m[8] * a2;
    }
    for (const Entry* end = entries_.data() + begin_[i + 1]; entry < end; ++entry, ++m) {
      const double* from = x + 3 * entry->column;
      double* to = out + 3 * entry->column;
      s0 += *m * from[0];
      s1 += *m * from[1];
      s2 += *m * from[2];
      to[0] += *m * a0;
      to[1] += *m * a1;
      to[2] += *m * a2;
    }
    if constexpr (with_diagonal) {
      s0 += m[0] * a0 + m[3] * a1 + m[6] * a2;
      s1 += m[1] * a0 + m[4] * a1 + m[7] * a2;
      s2 += m[2] * a0 + m[5] * a1 + m[8] * a2;
    }
    m += 9;
    double* own = out + 3 * i;
    own[0] += s0;
    own[1] += s1;
    own[2] += s2;
  }
}

template <bool with_diagonal>
void BlockMatrix::add(const double* x, double* out) const {
  if (all_particles_) return add_particles<with_diagonal>(x, out);
  using Matrix = Eigen::Map<const MatX>;
  const double* values = values_.data();
  const int count = body_count();
  for (int i = 0; i < count; ++i) {
    const auto [dof, size] = bodies_[i];
    const Eigen::Map<const VecX> mine(x + dof, size);
    Eigen::Map<VecX> out_i(out + dof, size);
    if constexpr (with_diagonal)
      out_i.noalias() += Matrix(values + diagonal_[i], size, size).lazyProduct(mine);
    for (int p = begin_[i]; p < scalars_[i]; ++p) {
      const auto [other, columns] = bodies_[entries_[p].column];
      const Matrix block(values + entries_[p].value, size, columns);
      out_i.noalias() += block.lazyProduct(Eigen::Map<const VecX>(x + other, columns));
      Eigen::Map<VecX>(out + other, columns).noalias() += block.transpose().lazyProduct(mine);
    }
    for (int p = scalars_[i]; p < begin_[i + 1]; ++p) {
      const double value = values[entries_[p].value];
      const int other = bodies_[entries_[p].column].dof;
      for (int k = 0; k < 3; ++k) {
        out_i[k] += value * x[other + k];
        out[other + k] += value * mine[k];
      }
    }
  }
}

void BlockMatrix::multiply(const VecX& x, VecX& out) const {
  out.setZero(x.size());
  add<true>(x.data(), out.data());
}

void BlockMatrix::add_beside_diagonal(const VecX& x, VecX& out) const {
  add<false>(x.data(), out.data());
}

}  // namespace taut
