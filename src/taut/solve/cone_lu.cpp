#include "taut/solve/cone_lu.hpp"

#include <algorithm>
#include <bit>

#include "taut/base/error.hpp"
#include "taut/base/scratch_memory.hpp"

namespace taut {
namespace {

std::size_t nth(int i) { return static_cast<std::size_t>(i); }

/// Calls visit(i) for each bit.
template <class Visit>
void each(std::uint64_t bits, Visit&& visit) {
  for (; bits != 0; bits &= bits - 1) visit(std::countr_zero(bits));
}

// Blocks of Size rows or columns; 0: as many as the arguments say.
// ---------------------------------

/// D ← its factors, with the inverse of each pivot. False: one of them is not above 0.
template <int Size>
bool factor_block(double* D, int size) {
  const int n = Size > 0 ? Size : size;
  bool is_definite = true;
  for (int k = 0; k < n; ++k) {
    is_definite = is_definite && D[k * n + k] > 0;
    const double inverse = 1 / D[k * n + k];
    D[k * n + k] = inverse;
    for (int i = k + 1; i < n; ++i) {
      const double factor = D[i * n + k] *= inverse;
      for (int j = k + 1; j < n; ++j) D[i * n + j] -= factor * D[k * n + j];
    }
  }
  return is_definite;
}

/// R ← L⁻¹ R
template <int Size>
void divide_row(const double* D, int rows, int columns, double* R) {
  const int n = Size > 0 ? Size : rows, m = Size > 0 ? Size : columns;
  for (int i = 1; i < n; ++i)
    for (int k = 0; k < i; ++k) {
      const double factor = D[i * n + k];
      for (int j = 0; j < m; ++j) R[i * m + j] -= factor * R[k * m + j];
    }
}

/// C ← C U⁻¹
template <int Size>
void divide_column(const double* D, int rows, int columns, double* C) {
  const int n = Size > 0 ? Size : columns, m = Size > 0 ? Size : rows;
  for (int i = 0; i < m; ++i) {
    double* row = C + i * n;
    for (int k = 0; k < n; ++k) {
      const double x = row[k] *= D[k * n + k];
      for (int j = k + 1; j < n; ++j) row[j] -= x * D[k * n + j];
    }
  }
}

/// A ← A − C R
template <int Size>
void subtract_product(const double* C, const double* R, int rows, int inner, int columns,
                      double* A) {
  const int n = Size > 0 ? Size : rows, k = Size > 0 ? Size : inner, m = Size > 0 ? Size : columns;
  for (int i = 0; i < n; ++i) {
    double sum[6];
    for (int j = 0; j < m; ++j) sum[j] = A[i * m + j];
    for (int l = 0; l < k; ++l) {
      const double factor = C[i * k + l];
      for (int j = 0; j < m; ++j) sum[j] -= factor * R[l * m + j];
    }
    for (int j = 0; j < m; ++j) A[i * m + j] = sum[j];
  }
}

/// to ← to − A x
template <int Size>
void subtract_times(const double* A, const double* x, int rows, int columns, double* to) {
  const int n = Size > 0 ? Size : rows, m = Size > 0 ? Size : columns;
  for (int i = 0; i < n; ++i) {
    double sum = to[i];
    for (int j = 0; j < m; ++j) sum -= A[i * m + j] * x[j];
    to[i] = sum;
  }
}

}  // namespace

void ConeLu::analyze(const Blocks& blocks) {
  n_ = static_cast<int>(blocks.body_size.size());
  TAUT_CHECK(n_ <= most_bodies);
  storage_ = blocks.storage;
  assign_with_room(places_, nth(n_) * nth(n_), -1);
  assign_with_room(neighbours_, nth(n_), std::uint64_t{0});
  velocity_.clear();
  int velocity = 0;
  all_are_six_ = true;
  for (int i = 0; i < n_; ++i) {
    place(i, i) = blocks.diagonal[nth(i)];
    velocity_.push_back(velocity);
    velocity += blocks.body_size[nth(i)];
    all_are_six_ = all_are_six_ && blocks.body_size[nth(i)] == 6;
  }
  const auto tie = [&](int a, int b, int where) {
    place(a, b) = where;
    place(b, a) = where + blocks.body_size[nth(a)] * blocks.body_size[nth(b)];
    neighbours_[nth(a)] |= std::uint64_t{1} << b;
    neighbours_[nth(b)] |= std::uint64_t{1} << a;
  };
  for (std::size_t p = 0; p < blocks.pairs.size(); ++p)
    tie(blocks.pairs[p][0], blocks.pairs[p][1], blocks.pair[p]);

  steps_.clear();
  links_.clear();
  make_room(steps_, nth(n_));
  make_room(links_, nth(n_) * nth(n_) / 2);
  std::uint64_t left = n_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n_) - 1;
  while (left != 0) {
    int next = -1, least = most_bodies + 1;
    each(left, [&](int i) {
      if (const int degree = std::popcount(neighbours_[nth(i)]); degree < least) {
        least = degree;
        next = i;
      }
    });
    left &= ~(std::uint64_t{1} << next);
    const std::uint64_t tied = neighbours_[nth(next)];
    steps_.push_back({blocks.body_size[nth(next)], velocity_[nth(next)], place(next, next),
                      static_cast<int>(links_.size()), least});
    each(tied, [&](int i) {
      links_.push_back(
          {i, blocks.body_size[nth(i)], velocity_[nth(i)], place(next, i), place(i, next)});
      neighbours_[nth(i)] &= ~(std::uint64_t{1} << next);
      // What is eliminated ties its neighbours to each other.
      each(tied & ~neighbours_[nth(i)] & ~(std::uint64_t{1} << i), [&](int j) {
        tie(i, j, storage_);
        storage_ += 2 * blocks.body_size[nth(i)] * blocks.body_size[nth(j)];
      });
    });
  }
}

template <int Size>
bool ConeLu::factor_blocks(double* values) const {
  bool is_definite = true;
  for (const Step& step : steps_) {
    double* D = values + step.diagonal;
    is_definite = factor_block<Size>(D, step.size) && is_definite;
    const std::span<const Link> links(links_.data() + step.first_link, nth(step.link_count));
    for (const Link& link : links) {
      divide_row<Size>(D, step.size, link.size, values + link.row);
      divide_column<Size>(D, link.size, step.size, values + link.column);
    }
    for (const Link& row : links)
      for (const Link& column : links)
        subtract_product<Size>(values + row.column, values + column.row, row.size, step.size,
                               column.size, values + place(row.body, column.body));
  }
  return is_definite;
}

bool ConeLu::factor(double* values) const {
  return all_are_six_ ? factor_blocks<6>(values) : factor_blocks<0>(values);
}

template <int Size>
void ConeLu::solve_blocks(const double* values, double* x) const {
  const auto links_of = [&](const Step& step) {
    return std::span<const Link>(links_.data() + step.first_link, nth(step.link_count));
  };
  for (const Step& step : steps_) {
    const int n = Size > 0 ? Size : step.size;
    const double* D = values + step.diagonal;
    double* own = x + step.velocity;
    for (int i = 1; i < n; ++i)
      for (int k = 0; k < i; ++k) own[i] -= D[i * n + k] * own[k];
    for (const Link& link : links_of(step))
      subtract_times<Size>(values + link.column, own, link.size, n, x + link.velocity);
  }
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const int n = Size > 0 ? Size : step->size;
    const double* D = values + step->diagonal;
    double* own = x + step->velocity;
    for (const Link& link : links_of(*step))
      subtract_times<Size>(values + link.row, x + link.velocity, n, link.size, own);
    for (int k = n - 1; k >= 0; --k) {
      for (int j = k + 1; j < n; ++j) own[k] -= D[k * n + j] * own[j];
      own[k] *= D[k * n + k];
    }
  }
}

void ConeLu::solve(const double* values, double* x) const {
  if (all_are_six_)
    solve_blocks<6>(values, x);
  else
    solve_blocks<0>(values, x);
}

}  // namespace taut
