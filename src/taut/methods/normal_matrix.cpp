#include "taut/methods/normal_matrix.hpp"

#include <algorithm>
#include <unordered_map>

namespace taut {

NormalMatrix::NormalMatrix(const RowPattern& pattern) {
  struct Touch {
    int row, value;
  };
  struct Pair {
    int row;
    Term term;
  };
  std::unordered_map<int, std::vector<Touch>> rows_of_body;
  std::vector<Pair> pairs;  // of one row with rows up to itself, through a shared body
  for (int i = 0; i < pattern.rows(); ++i) {
    pairs.clear();
    for (int b = pattern.first_block[i]; b < pattern.first_block[i + 1]; ++b) {
      const JacobianBlock& block = pattern.blocks[b];
      std::vector<Touch>& rows = rows_of_body[block.dof];
      rows.push_back({i, block.value});
      for (const Touch& other : rows)
        pairs.push_back({other.row, {block.value, other.value, block.size}});
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.row < b.row; });
    for (const Pair& pair : pairs) {
      const bool is_new =
          matrix_.column.size() == static_cast<std::size_t>(matrix_.row_begin.back()) ||
          matrix_.column.back() != pair.row;
      if (is_new) {
        matrix_.column.push_back(pair.row);
        first_term_.push_back(first_term_.back());
      }
      terms_.push_back(pair.term);
      ++first_term_.back();
    }
    if (pairs.empty()) {  // a row that touches nothing that moves: its diagonal is zero
      matrix_.column.push_back(i);
      first_term_.push_back(first_term_.back());
    }
    matrix_.row_begin.push_back(static_cast<int>(matrix_.column.size()));
  }
  matrix_.value.setZero(static_cast<Eigen::Index>(matrix_.column.size()));
}

const SparseSymmetric& NormalMatrix::assemble(const VecX& left, const VecX& right) {
  const double* l = left.data();
  const double* r = right.data();
  for (std::size_t e = 0; e < matrix_.column.size(); ++e) {
    double sum = 0;
    for (int t = first_term_[e]; t < first_term_[e + 1]; ++t) {
      const Term& term = terms_[static_cast<std::size_t>(t)];
      const double* a = l + term.left;
      const double* b = r + term.right;
      sum += a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      if (term.size == 6) sum += a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
    }
    matrix_.value[static_cast<Eigen::Index>(e)] = sum;
  }
  return matrix_;
}

// The diagonal is the last entry of each row.
void NormalMatrix::add_to_diagonal(int row, double value) {
  matrix_.value[matrix_.row_begin[row + 1] - 1] += value;
}

}  // namespace taut
