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
  const auto scalar =
      std::lower_bound(middle, entries_.begin() + begin_[row + 1], column, before);
  return {scalar->value, false, true};
}

/// N: the width of all blocks, known to the compiler; 0: any.
template <int N, bool with_diagonal>
void BlockMatrix::add(const double* x, double* out) const {
  constexpr int width = N == 0 ? Eigen::Dynamic : N;
  using Matrix = Eigen::Map<const Eigen::Matrix<double, width, width>>;
  using Vector = Eigen::Matrix<double, width, 1>;
  const double* values = values_.data();
  const int count = body_count();
  for (int i = 0; i < count; ++i) {
    const auto [dof, size] = bodies_[i];
    if constexpr (N > 0) {
      const Vector mine = Eigen::Map<const Vector>(x + dof);
      Vector sum = Vector::Zero();
      if constexpr (with_diagonal) sum = Matrix(values + diagonal_[i]) * mine;
      for (int p = begin_[i]; p < scalars_[i]; ++p) {
        const Matrix block(values + entries_[p].value);
        const int other = N * entries_[p].column;  // particles alone: one after the other
        sum += block * Eigen::Map<const Vector>(x + other);
        Eigen::Map<Vector>(out + other) += block.transpose() * mine;
      }
      for (int p = scalars_[i]; p < begin_[i + 1]; ++p) {
        const double value = values[entries_[p].value];
        const int other = N * entries_[p].column;
        for (int k = 0; k < N; ++k) {
          sum[k] += value * x[other + k];
          out[other + k] += value * mine[k];
        }
      }
      Eigen::Map<Vector>(out + dof) += sum;
    } else {
      const Eigen::Map<const Vector> mine(x + dof, size);
      Eigen::Map<Vector> out_i(out + dof, size);
      if constexpr (with_diagonal)
        out_i.noalias() += Matrix(values + diagonal_[i], size, size) * mine;
      for (int p = begin_[i]; p < scalars_[i]; ++p) {
        const auto [other, columns] = bodies_[entries_[p].column];
        const Matrix block(values + entries_[p].value, size, columns);
        out_i.noalias() += block * Eigen::Map<const Vector>(x + other, columns);
        Eigen::Map<Vector>(out + other, columns).noalias() += block.transpose() * mine;
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
}

void BlockMatrix::multiply(const VecX& x, VecX& out) const {
  out.setZero(x.size());
  if (all_particles_)
    add<3, true>(x.data(), out.data());
  else
    add<0, true>(x.data(), out.data());
}

void BlockMatrix::add_beside_diagonal(const VecX& x, VecX& out) const {
  if (all_particles_)
    add<3, false>(x.data(), out.data());
  else
    add<0, false>(x.data(), out.data());
}

}  // namespace taut
