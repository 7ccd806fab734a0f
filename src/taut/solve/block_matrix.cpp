#include "taut/solve/block_matrix.hpp"

#include <algorithm>

namespace taut {

void BlockMatrix::analyze(std::vector<Body> bodies, std::vector<std::pair<int, int>> pairs) {
  bodies_ = std::move(bodies);
  all_particles_ =
      std::all_of(bodies_.begin(), bodies_.end(), [](const Body& body) { return body.size == 3; });
  for (auto& [row, column] : pairs)
    if (row < column) std::swap(row, column);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  begin_.assign(1, 0);
  column_.clear();
  value_.clear();
  diagonal_.clear();
  int values = 0;
  auto pair = pairs.begin();
  for (int i = 0; i < body_count(); ++i) {
    const int size = body(i).size;
    for (; pair != pairs.end() && pair->first == i; ++pair) {
      if (pair->second == i) continue;
      column_.push_back(pair->second);
      value_.push_back(values);
      values += size * body(pair->second).size;
    }
    begin_.push_back(static_cast<int>(column_.size()));
    diagonal_.push_back(values);
    values += size * size;
  }
  values_.assign(static_cast<std::size_t>(values), 0.0);
}

BlockMatrix::Place BlockMatrix::find(int row, int column) const {
  if (row == column) return {diagonal_value(row), false};
  const bool transposed = row < column;
  if (transposed) std::swap(row, column);
  const auto first = column_.begin() + begin_[row], last = column_.begin() + begin_[row + 1];
  const auto found = std::lower_bound(first, last, column);
  return {value_[static_cast<std::size_t>(found - column_.begin())], transposed};
}

namespace {

/// N: the width of all blocks, known to the compiler; 0: any.
template <int N>
struct Blocks {
  using Matrix = Eigen::Matrix<double, N == 0 ? Eigen::Dynamic : N, N == 0 ? Eigen::Dynamic : N>;
  using Vector = Eigen::Matrix<double, N == 0 ? Eigen::Dynamic : N, 1>;
};

template <int N>
void multiply_blocks(const std::vector<BlockMatrix::Body>& bodies, const std::vector<int>& begin,
                     const std::vector<int>& column, const std::vector<int>& value,
                     const std::vector<int>& diagonal, const double* values, const VecX& x,
                     VecX& out) {
  using Matrix = Eigen::Map<const typename Blocks<N>::Matrix>;
  using Vector = typename Blocks<N>::Vector;
  const int count = static_cast<int>(bodies.size());
  for (int i = 0; i < count; ++i) {
    const auto [dof, size] = bodies[i];
    const Eigen::Map<const Vector> xi(x.data() + dof, size);
    Eigen::Map<Vector> out_i(out.data() + dof, size);
    if constexpr (N > 0) {
      Vector sum = Matrix(values + diagonal[i]) * xi;
      const Vector mine = xi;
      for (int p = begin[i]; p < begin[i + 1]; ++p) {
        const Matrix block(values + value[p]);
        const int other = bodies[column[p]].dof;
        sum += block * Eigen::Map<const Vector>(x.data() + other);
        Eigen::Map<Vector>(out.data() + other) += block.transpose() * mine;
      }
      out_i += sum;
    } else {
      out_i.noalias() += Matrix(values + diagonal[i], size, size) * xi;
      for (int p = begin[i]; p < begin[i + 1]; ++p) {
        const auto [other, width] = bodies[column[p]];
        const Matrix block(values + value[p], size, width);
        out_i.noalias() += block * Eigen::Map<const Vector>(x.data() + other, width);
        Eigen::Map<Vector>(out.data() + other, width).noalias() += block.transpose() * xi;
      }
    }
  }
}

}  // namespace

void BlockMatrix::multiply(const VecX& x, VecX& out) const {
  out.setZero(x.size());
  const auto run = all_particles_ ? &multiply_blocks<3> : &multiply_blocks<0>;
  run(bodies_, begin_, column_, value_, diagonal_, values_.data(), x, out);
}

}  // namespace taut
