#include "taut/solve/cone_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "taut/base/scratch_memory.hpp"
#include "taut/base/small_dot.hpp"

namespace taut {
namespace {

constexpr double epsilon_of_pivots = 1e-11;  // relative to the largest pivot of a row
constexpr int most_refinements = 12;

/// Calls with<R, S>() for blocks of R rows (1, 3 or 6) and S columns: 3, 6, or 0 for any number.
template <class With>
void for_block(int rows, int size, With&& with) {
  switch (10 * rows + size) {
    case 13:
      return with.template operator()<1, 3>();
    case 16:
      return with.template operator()<1, 6>();
    case 33:
      return with.template operator()<3, 3>();
    case 36:
      return with.template operator()<3, 6>();
    case 66:
      return with.template operator()<6, 6>();
    default:
      return rows == 1   ? with.template operator()<1, 0>()
             : rows == 3 ? with.template operator()<3, 0>()
                         : with.template operator()<6, 0>();
  }
}

/// block += Haᵀ (G Hb), where G Hb is given.
template <int R, int S>
void add_product(const double* Ha, const double* GHb, int size_a, int size_b, double* block) {
  const int n = S > 0 ? S : size_b;
  for (int i = 0; i < size_a; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = Ha[i] * GHb[j];
      for (int k = 1; k < R; ++k) sum += Ha[k * size_a + i] * GHb[k * n + j];
      block[i * n + j] += sum;
    }
}

/// To the last bit.
bool is_same(const KeptVec& one, const KeptVec& other) {
  const auto bytes = static_cast<std::size_t>(one.size()) * sizeof(double);
  return one.size() == other.size() &&
         (bytes == 0 || std::memcmp(one.data(), other.data(), bytes) == 0);
}

/// |L⁻¹ h|², where L has the inverse of its diagonal.
template <int N>
double solved_size(const double* L, int stride, const double* h) {
  double x[N], sum = 0;
  for (int i = 0; i < N; ++i) {
    x[i] = h[i];
    for (int k = 0; k < i; ++k) x[i] -= L[i * stride + k] * x[k];
    x[i] *= L[i * (stride + 1)];
    sum += x[i] * x[i];
  }
  return sum;
}

}  // namespace

struct ConeMatrix::Fill : KktLu::Filler {
  Fill(const Plan& plan_, const double* blocks_, const double* J_, double epsilon_)
      : plan(plan_), blocks(blocks_), J(J_), epsilon(epsilon_) {}

  static void add(const Entry& entry, const double* from, double* values) {
    const double* source = from + entry.source;
    double* target = values + entry.offset;
    const int stride = entry.source_stride;
    for (int i = 0; i < entry.rows; ++i)
      for (int j = 0; j < entry.cols; ++j)
        target[i * entry.stride + j] +=
            entry.transposed ? source[j * stride + i] : source[i * stride + j];
  }
  void fill(int front, double* values) const override {
    const auto f = static_cast<std::size_t>(front);
    for (int e = plan.first_block[f]; e < plan.first_block[f + 1]; ++e)
      add(plan.blocks[static_cast<std::size_t>(e)], blocks, values);
    for (int e = plan.first_row[f]; e < plan.first_row[f + 1]; ++e)
      add(plan.rows[static_cast<std::size_t>(e)], J, values);
    if (epsilon == 0) return;
    for (int e = plan.first_diagonal[f]; e < plan.first_diagonal[f + 1]; ++e) {
      const Entry& entry = plan.diagonal[static_cast<std::size_t>(e)];
      for (int i = 0; i < entry.rows; ++i) values[entry.offset + i * (entry.stride + 1)] -= epsilon;
    }
  }

  const Plan& plan;
  const double* blocks;
  const double* J;
  double epsilon;
};

bool ConeMatrix::fits(const ConeProblem& problem) const {
  return problem.M.size() == numbers_of_M_ && problem.J.size() == numbers_of_J_ &&
         problem.H.size() == numbers_of_H_ && problem.f.size() == velocities() &&
         problem.b.size() == equations() && problem.w.size() == rows() &&
         static_cast<int>(problem.laws.size()) == pattern_.groups.count();
}

bool ConeMatrix::set(const ConeProblem& problem) {
  problem_ = &problem;
  const bool same_M = known_.is_set && is_same(known_.M, problem.M);
  const bool same_J = known_.is_set && is_same(known_.J, problem.J);
  const bool same_H = known_.is_set && is_same(known_.H, problem.H);
  if (same_M && same_J && same_H) return known_.is_finite && known_.is_definite;
  if (!same_M) known_.M = problem.M;
  if (!same_J) known_.J = problem.J;
  if (!same_H) known_.H = problem.H;
  known_.is_set = true;
  known_.has_factors = known_.has_factors && same_M;
  known_.has_responses = known_.has_responses && same_M && same_H;
  known_.is_finite = problem.M.allFinite() && problem.J.allFinite() && problem.H.allFinite();
  if (!known_.is_finite) {
    known_.is_set = false;
    return false;
  }
  if (!same_M || !same_J) known_.is_definite = factor_free();
  return known_.is_definite;
}

bool ConeMatrix::factor_free() {
  const ConeProblem& problem = *problem_;
  std::fill(masses_.begin(), masses_.end(), 0.0);
  const double* M = problem.M.data();
  for (std::size_t i = 0; i < pattern_.body_size.size(); ++i) {
    const int numbers = pattern_.body_size[i] * pattern_.body_size[i];
    std::copy(M, M + numbers, masses_.data() + first_block_[i]);
    M += numbers;
  }
  for (std::size_t c = 0; c < pattern_.couplings.size(); ++c) {
    const auto [first, second] = pattern_.couplings[c];
    const int rows = pattern_.body_size[static_cast<std::size_t>(first)];
    const int cols = pattern_.body_size[static_cast<std::size_t>(second)];
    double* block = masses_.data() + coupling_block_[c][0];
    double* transposed = masses_.data() + coupling_block_[c][1];
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j) {
        block[i * cols + j] += M[i * cols + j];
        transposed[j * rows + i] += M[i * cols + j];
      }
    M += rows * cols;
  }
  epsilon_ = 0;
  if (is_small_) {
    assign_with_room(free_factors_, static_cast<std::size_t>(small_free_.storage()), 0.0);
    std::copy(masses_.begin(), masses_.end(), free_factors_.begin());
    return small_free_.factor(free_factors_.data());
  }
  const double* J = problem.J.data();
  KktLu::Pivots pivots = free_.factor(Fill(free_plan_, masses_.data(), J, 0));
  if (equations() > 0 && pivots.smallest_row < KktPivots::singular) {
    epsilon_ = epsilon_of_pivots * (pivots.largest_row > 0 ? pivots.largest_row : 1);
    pivots = free_.factor(Fill(free_plan_, masses_.data(), J, epsilon_));
  }
  return pivots.definite;
}

// By Cholesky's factor L of each body's block, with the inverse of its diagonal: |L⁻¹ Hᵀ|² is the
// trace.
void ConeMatrix::factor_bodies() {
  const std::size_t bodies = pattern_.body_size.size();
  is_split_.resize(bodies);
  for (std::size_t b = 0; b < bodies; ++b) {
    const int n = pattern_.body_size[b];
    const double* M = masses_.data() + first_block_[b];
    double* L = factor_.data() + first_block_[b];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        double sum = M[i * n + j];
        for (int k = 0; k < j; ++k) sum -= L[i * n + k] * L[j * n + k];
        L[i * n + j] = i == j ? 1 / std::sqrt(sum) : sum * L[j * n + j];
      }
    bool is_split = n == 6;
    for (int i = 3; is_split && i < 6; ++i)
      for (int j = 0; j < 3; ++j) is_split = is_split && L[i * 6 + j] == 0;
    is_split_[b] = is_split;
  }
}

const KeptVec& ConeMatrix::responses() {
  if (known_.has_responses) return response_;
  if (!known_.has_factors) factor_bodies();
  known_.has_factors = known_.has_responses = true;
  const int groups = pattern_.groups.count();
  response_.resize(groups);
  for (int g = 0; g < groups; ++g) {
    const auto group = static_cast<std::size_t>(g);
    const int rows = pattern_.groups.rows[group];
    double sum = 0;
    for (int l = pattern_.groups.first_body[group]; l < pattern_.groups.first_body[group + 1];
         ++l) {
      const Link& link = links_[static_cast<std::size_t>(l)];
      const int n = link.size;
      const double* L = factor_.data() + first_block_[static_cast<std::size_t>(link.body)];
      const bool is_split = is_split_[static_cast<std::size_t>(link.body)] != 0;
      for (int r = 0; r < rows; ++r) {
        const double* h = problem_->H.data() + link.value + r * n;
        if (is_split)
          sum += solved_size<3>(L, 6, h) + solved_size<3>(L + 21, 6, h + 3);
        else
          sum += n == 6 ? solved_size<6>(L, 6, h) : solved_size<3>(L, 3, h);
      }
    }
    response_[g] = sum / rows;
  }
  return response_;
}

void ConeMatrix::relative(const KeptVec& v, KeptVec& u) const {
  const RowGroups& groups = pattern_.groups;
  for (std::size_t g = 0; g < groups.rows.size(); ++g) {
    double* of_group = u.data() + first_row_[g];
    std::fill(of_group, of_group + groups.rows[g], 0.0);
    for (int l = groups.first_body[g]; l < groups.first_body[g + 1]; ++l) {
      const Link& link = links_[static_cast<std::size_t>(l)];
      const double* H = problem_->H.data() + link.value;
      const double* x = v.data() + link.velocity;
      for_block(groups.rows[g], link.size, [&]<int R, int S>() {
        for (int i = 0; i < R; ++i) {
          if constexpr (S > 0) {
            of_group[i] += small_dot<S>(H + i * S, x);
          } else {
            for (int j = 0; j < link.size; ++j) of_group[i] += H[i * link.size + j] * x[j];
          }
        }
      });
    }
  }
}

double ConeMatrix::relative_size(const KeptVec& v) const {
  const RowGroups& groups = pattern_.groups;
  double largest = 0;
  for (std::size_t g = 0; g < groups.rows.size(); ++g) {
    double of_group[ConeLaw::most_rows] = {};
    for (int l = groups.first_body[g]; l < groups.first_body[g + 1]; ++l) {
      const Link& link = links_[static_cast<std::size_t>(l)];
      const double* H = problem_->H.data() + link.value;
      const double* x = v.data() + link.velocity;
      for_block(groups.rows[g], link.size, [&]<int R, int S>() {
        const int n = S > 0 ? S : link.size;
        for (int i = 0; i < R; ++i) {
          double sum = 0;
          for (int j = 0; j < n; ++j) sum += std::abs(H[i * n + j] * x[j]);
          of_group[i] += sum;
        }
      });
    }
    for (const double size : of_group) largest = std::max(largest, size);
  }
  return largest;
}

void ConeMatrix::push(const KeptVec& r, KeptVec& x) const {
  const RowGroups& groups = pattern_.groups;
  for (std::size_t g = 0; g < groups.rows.size(); ++g) {
    const double* of_group = r.data() + first_row_[g];
    for (int l = groups.first_body[g]; l < groups.first_body[g + 1]; ++l) {
      const Link& link = links_[static_cast<std::size_t>(l)];
      const double* H = problem_->H.data() + link.value;
      double* to = x.data() + link.velocity;
      for_block(groups.rows[g], link.size, [&]<int R, int S>() {
        const int n = S > 0 ? S : link.size;
        for (int j = 0; j < n; ++j) {
          double sum = H[j] * of_group[0];
          for (int i = 1; i < R; ++i) sum += H[i * n + j] * of_group[i];
          to[j] += sum;
        }
      });
    }
  }
}

// y −= J v.
void ConeMatrix::equations_of(const KeptVec& v, KeptVec& y) const {
  const RowGroups& groups = pattern_.equations;
  for (std::size_t g = 0; g < groups.rows.size(); ++g)
    for (int l = groups.first_body[g]; l < groups.first_body[g + 1]; ++l) {
      const auto body = static_cast<std::size_t>(groups.bodies[static_cast<std::size_t>(l)]);
      const int n = pattern_.body_size[body];
      const double* J = problem_->J.data() + equation_value_[static_cast<std::size_t>(l)];
      const double* x = v.data() + first_velocity_[body];
      for (int i = 0; i < groups.rows[g]; ++i) {
        double sum = 0;
        if (n == 6) [[likely]]
          sum = small_dot<6>(J + 6 * i, x);
        else
          for (int j = 0; j < n; ++j) sum += J[i * n + j] * x[j];
        y[first_equation_[g] + i] -= sum;
      }
    }
}

double ConeMatrix::equation_error(const KeptVec& v, const KeptVec& b) {
  if (equations() == 0) return 0;
  residual_ = b;
  equations_of(v, residual_);
  return residual_.cwiseAbs().maxCoeff();
}

void ConeMatrix::solve_free(KeptVec& x, KeptVec& y) {
  if (is_small_)
    small_free_.solve(free_factors_.data(), x.data());
  else
    free_.solve(x.data(), y.data());
}

void ConeMatrix::solve(KeptVec& x, KeptVec& y) {
  if (is_small_)
    small_full_.solve(blocks_.data(), x.data());
  else
    full_.solve(x.data(), y.data());
}

// With refinement of J v = b: each round takes back what ε, or round-off in a chain with a heavy
// end, has left of it.
void ConeMatrix::free_motion(const KeptVec& x, const KeptVec& b, KeptVec& v, KeptVec& lambda) {
  v = x;
  lambda = b;
  solve_free(v, lambda);
  if (equations() == 0) return;
  lambda = -lambda;
  double error = equation_error(v, b);
  for (int round = 0; round < most_refinements; ++round) {
    const double noise = 1e-15 * (v.cwiseAbs().maxCoeff() + b.cwiseAbs().maxCoeff());
    if (!(error > noise)) return;
    x_.setZero();
    y_ = residual_;
    solve_free(x_, y_);
    x_ += v;
    const double after = equation_error(x_, b);
    if (!(after < 0.5 * error)) return;
    v = x_;
    lambda -= y_;
    error = after;
  }
}

// Body by body of each group: G H of the second body, then Hᵀ (G H) for each first.
void ConeMatrix::add_blocks_of_groups(const std::vector<double>& G) {
  const RowGroups& groups = pattern_.groups;
  for (std::size_t g = 0; g < groups.rows.size(); ++g) {
    const double* of_group = G.data() + first_in_G_[g];
    const int begin = groups.first_body[g], count = groups.first_body[g + 1] - begin;
    if (std::all_of(of_group, G.data() + first_in_G_[g + 1], [](double x) { return x == 0; }))
      continue;
    for (int second = 0; second < count; ++second) {
      const Link& to = links_[static_cast<std::size_t>(begin + second)];
      const double* H = problem_->H.data() + to.value;
      for_block(groups.rows[g], to.size, [&]<int R, int S>() {
        double product[R * (S > 0 ? S : 6)] = {};
        const int n = S > 0 ? S : to.size;
        for (int i = 0; i < R; ++i)
          for (int k = 0; k < R; ++k)
            for (int j = 0; j < n; ++j) product[i * n + j] += of_group[i * R + k] * H[k * n + j];
        for (int first = 0; first < count; ++first) {
          const Link& from = links_[static_cast<std::size_t>(begin + first)];
          double* block = blocks_.data() +
                          slots_[static_cast<std::size_t>(first_slot_[g] + first * count + second)];
          if (from.size == 6)
            add_product<R, S>(problem_->H.data() + from.value, product, 6, n, block);
          else
            add_product<R, S>(problem_->H.data() + from.value, product, from.size, n, block);
        }
      });
    }
  }
}

void ConeMatrix::factor(const std::vector<double>& G) {
  std::copy(masses_.begin(), masses_.end(), blocks_.begin());
  std::fill(blocks_.begin() + static_cast<std::ptrdiff_t>(masses_.size()), blocks_.end(), 0.0);
  add_blocks_of_groups(G);
  if (is_small_)
    small_full_.factor(blocks_.data());
  else
    full_.factor(Fill(full_plan_, blocks_.data(), problem_->J.data(), epsilon_));
}

}  // namespace taut
