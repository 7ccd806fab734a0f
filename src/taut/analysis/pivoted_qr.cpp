#include <algorithm>
#include <cmath>
#include <numeric>

#include "taut/analysis/pivoted_qr_internal.hpp"

namespace taut {

PivotedQr::PivotedQr(MatX A, double tolerance)
    : R_(std::move(A)), column_(static_cast<std::size_t>(R_.cols())) {
  std::iota(column_.begin(), column_.end(), 0);
  const int rows = static_cast<int>(R_.rows()), columns = static_cast<int>(R_.cols());
  double longest = 0;
  for (rank_ = 0; rank_ < std::min(rows, columns); ++rank_) {
    const int left = rows - rank_;  // of every column
    const auto rest = [&](int j) {
      return Eigen::Map<VecX>(R_.data() + rank_ + static_cast<Eigen::Index>(j) * rows, left);
    };
    int pivot = rank_;
    double length = 0;
    for (int j = rank_; j < columns; ++j)
      if (const double l = rest(j).norm(); l > length) {
        length = l;
        pivot = j;
      }
    longest = std::max(longest, length);
    if (!(length > tolerance * longest)) return;
    if (pivot != rank_) {
      std::swap_ranges(&R_(0, rank_), &R_(0, rank_) + rows, &R_(0, pivot));
      std::swap(column_[static_cast<std::size_t>(rank_)], column_[static_cast<std::size_t>(pivot)]);
    }
    // 1 − 2uuᵀ/u·u turns the column into (∓length, 0, …); u differs from it in the first entry.
    auto u = rest(rank_);
    const double diagonal = -std::copysign(length, u[0]);
    u[0] -= diagonal;
    const double half = -diagonal * u[0];  // u·u/2
    for (int j = rank_ + 1; j < columns; ++j) rest(j) -= (u.dot(rest(j)) / half) * u;
    u[0] = diagonal;
  }
}

VecX PivotedQr::null_vector(int k) const {
  VecX y = R_.col(k);
  for (int i = rank_ - 1; i >= 0; --i) {
    y[i] /= R_(i, i);
    for (int j = 0; j < i; ++j) y[j] -= R_(j, i) * y[i];
  }
  VecX out = VecX::Zero(R_.cols());
  for (int i = 0; i < rank_; ++i) out[column_[static_cast<std::size_t>(i)]] = -y[i];
  out[column_[static_cast<std::size_t>(k)]] = 1;
  return out;
}

}  // namespace taut
