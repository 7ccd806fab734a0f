#include "taut/solve/normal_matrix.hpp"

#include <algorithm>
#include <unordered_map>

#include "taut/base/share.hpp"

namespace taut {
namespace {

constexpr int entries_worth_sharing = 20'000;  // entries

}  // namespace

NormalMatrix::NormalMatrix(const RowPattern& pattern, const std::vector<int>& rows) {
  struct Touch {
    int row, value;
  };
  struct Pair {
    int row;
    Term term;
  };
  std::unordered_map<int, std::vector<Touch>> rows_of_body;
  std::vector<Pair> pairs;  // of one row with rows up to itself, through a shared body
  const int count = rows.empty() ? pattern.rows() : static_cast<int>(rows.size());
  for (int i = 0; i < count; ++i) {
    const int row = rows.empty() ? i : rows[static_cast<std::size_t>(i)];
    pairs.clear();
    for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) {
      const JacobianBlock& block = pattern.blocks[b];
      std::vector<Touch>& touching = rows_of_body[block.dof];
      touching.push_back({i, block.value});
      for (const Touch& other : touching)
        pairs.push_back({other.row,
                         {block.value, other.value, static_cast<unsigned>(block.size),
                          static_cast<unsigned>(block.dof)}});
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

double NormalMatrix::sum(int entry, const double* left, const double* right) const {
  double sum = 0;
  for (int t = first_term_[entry]; t < first_term_[entry + 1]; ++t) {
    const Term& term = terms_[static_cast<std::size_t>(t)];
    const double* a = left + term.left;
    const double* b = right + term.right;
    sum += a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    if (term.size == 6) sum += a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
  }
  return sum;
}

const SparseSymmetric& NormalMatrix::assemble(const VecX& left, const VecX& right) {
  const double* l = left.data();
  const double* r = right.data();
  share(static_cast<int>(matrix_.column.size()), entries_worth_sharing, [&](int begin, int end) {
    for (int e = begin; e < end; ++e) matrix_.value[e] = sum(e, l, r);
  });
  return matrix_;
}

void NormalMatrix::assemble(const VecX& left, const VecX& right, const std::vector<int>& wanted) {
  const double* l = left.data();
  const double* r = right.data();
  share(static_cast<int>(wanted.size()), entries_worth_sharing, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) matrix_.value[wanted[i]] = sum(wanted[i], l, r);
  });
}

void NormalMatrix::assemble_particles(const VecX& J, const VecX& W,
                                      const std::vector<int>& wanted) {
  share(static_cast<int>(wanted.size()), entries_worth_sharing, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const int entry = wanted[i];
      double sum = 0;
      for (int t = first_term_[entry]; t < first_term_[entry + 1]; ++t) {
        const Term& term = terms_[static_cast<std::size_t>(t)];
        const double* a = J.data() + term.left;
        const double* b = J.data() + term.right;
        sum += W[term.dof] * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
      }
      matrix_.value[entry] = sum;
    }
  });
}

// The diagonal is the last entry of each row.
void NormalMatrix::add_to_diagonal(int row, double value) {
  matrix_.value[matrix_.row_begin[row + 1] - 1] += value;
}

}  // namespace taut
