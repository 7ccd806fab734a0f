#include "taut/solve/normal_matrix.hpp"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "taut/base/share.hpp"

namespace taut {
namespace {

constexpr int entries_worth_sharing = 20'000;
constexpr int joint_rows_worth_sharing = 5'000;
constexpr int most_in_run = 255, most_stride = 30'000;

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
  // Of single rows, as in cloth, there would be as many runs as terms.
  if (pattern.rows() >= 2 * static_cast<int>(pattern.constraint_row.size())) find_runs();
}

// Rows of one constraint are on the same bodies, so that next to an entry there is mostly one of
// the same terms, with the numbers of the next row.
void NormalMatrix::find_runs() {
  std::vector<Run> runs;
  std::vector<int> first_run{0};
  const auto term = [&](int entry, int t) -> const Term& {
    return terms_[static_cast<std::size_t>(first_term_[entry] + t)];
  };
  const auto terms = [&](int entry) { return first_term_[entry + 1] - first_term_[entry]; };
  for (int row = 0; row < matrix_.size(); ++row) {
    const int row_end = matrix_.row_begin[row + 1];
    for (int begin = matrix_.row_begin[row], end; begin < row_end; begin = end) {
      if (terms(begin) == 0) return;  // a row that touches nothing: no run would write its zero
      const int stride = begin + 1 < row_end && terms(begin + 1) == terms(begin)
                             ? term(begin + 1, 0).right - term(begin, 0).right
                             : 0;
      const auto continues = [&](int entry) {
        if (entry == row_end || entry - begin == most_in_run || terms(entry) != terms(begin) ||
            std::abs(stride) > most_stride)
          return false;
        for (int t = 0; t < terms(begin); ++t) {
          const Term &first = term(begin, t), &next = term(entry, t);
          if (next.left != first.left || next.size != first.size ||
              next.right != first.right + (entry - begin) * stride)
            return false;
        }
        return true;
      };
      for (end = begin + 1; continues(end);) ++end;
      for (int t = 0; t < terms(begin); ++t)
        runs.push_back({begin, term(begin, t).left, term(begin, t).right,
                        static_cast<short>(end - begin > 1 ? stride : 0),
                        static_cast<std::uint8_t>(end - begin), term(begin, t).size == 6, t == 0});
    }
    first_run.push_back(static_cast<int>(runs.size()));
  }
  if (2 * runs.size() > terms_.size()) return;
  runs_ = std::move(runs);
  first_run_ = std::move(first_run);
}

namespace {

/// values[k] (+)= a·b_k, with the b a stride apart.
template <int N, bool is_first>
[[gnu::always_inline]] inline void add_products(const double* a, const double* b, int stride,
                                                int count, double* values) {
  double factor[N];  // what is written could be among a, for all the compiler knows
  for (int i = 0; i < N; ++i) factor[i] = a[i];
  for (int k = 0; k < count; ++k, b += stride) {
    double sum = is_first ? 0 : values[k];
    for (int i = 0; i < N; i += 3)
      sum += factor[i] * b[i] + factor[i + 1] * b[i + 1] + factor[i + 2] * b[i + 2];
    values[k] = sum;
  }
}

}  // namespace

void NormalMatrix::add_runs(int row, const double* left, const double* right) {
  for (int i = first_run_[row]; i < first_run_[row + 1]; ++i) {
    const Run& run = runs_[static_cast<std::size_t>(i)];
    const double *a = left + run.left, *b = right + run.right;
    double* values = matrix_.value.data() + run.entry;
    if (run.is_of_six && run.is_first)
      add_products<6, true>(a, b, run.stride, run.count, values);
    else if (run.is_of_six)
      add_products<6, false>(a, b, run.stride, run.count, values);
    else if (run.is_first)
      add_products<3, true>(a, b, run.stride, run.count, values);
    else
      add_products<3, false>(a, b, run.stride, run.count, values);
  }
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
  if (!runs_.empty()) {
    share(matrix_.size(), joint_rows_worth_sharing, [&](int begin, int end) {
      for (int row = begin; row < end; ++row) add_runs(row, l, r);
    });
    return matrix_;
  }
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
