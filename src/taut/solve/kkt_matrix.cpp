#include "taut/solve/kkt_matrix.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace taut {
namespace {

constexpr double shift_of_pivots = 1e-10;  // relative to the largest pivot of a row

}  // namespace

KktMatrix::KktMatrix(const System& system, const RowPattern& pattern) {
  KktPattern graph;
  std::unordered_map<int, int> body_at;  // by its first velocity
  for (int i = 0; i < system.body_count(); ++i) {
    body_at[system.slot({i}).v] = i;
    graph.body_size.push_back(system.is_rigid({i}) ? 6 : 3);
  }
  for (std::size_t c = 0; c < pattern.constraint_row.size(); ++c) {
    const int row = pattern.constraint_row[c];
    const int end =
        c + 1 < pattern.constraint_row.size() ? pattern.constraint_row[c + 1] : pattern.rows();
    KktPattern::Group& group = graph.groups.emplace_back();
    group.rows = end - row;
    for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b)
      group.bodies.push_back(body_at[pattern.blocks[b].dof]);
  }
  for (const StiffnessBlock& block : pattern.coupling_blocks)
    if (block.row_dof != block.col_dof)
      graph.couplings.push_back({body_at[block.row_dof], body_at[block.col_dof]});
  lu_.analyze(graph);

  const int fronts = lu_.front_count();
  std::vector<std::pair<int, BodyEntry>> bodies;
  for (int i = 0; i < system.body_count(); ++i) {
    const KktLu::Block block = lu_.body(i);
    bodies.push_back({block.front, {i, block.offset, block.stride}});
  }
  bodies_ = sorted(bodies, fronts);

  const auto plan = [&](const std::vector<StiffnessBlock>& blocks) {
    std::vector<std::pair<int, StiffnessEntry>> found;
    const auto add = [&](const StiffnessBlock& block, const KktLu::Block& to, bool transposed) {
      found.push_back({to.front,
                       {block.value, to.offset, static_cast<short>(to.stride), block.rows,
                        block.cols, transposed, block.is_scalar}});
    };
    for (const StiffnessBlock& block : blocks) {
      const int i = body_at[block.row_dof], j = body_at[block.col_dof];
      // A body's own block is symmetric: what is stored by columns can be read by rows.
      add(block, lu_.bodies(i, j), i == j);
      if (i != j) add(block, lu_.bodies(j, i), true);
    }
    return sorted(found, fronts);
  };
  constraints_ = plan(pattern.stiffness_blocks);
  forces_ = plan(pattern.coupling_blocks);

  std::vector<std::pair<int, RowEntry>> rows;
  for (int g = 0; g < static_cast<int>(graph.groups.size()); ++g) {
    for (int r = 0; r < graph.groups[g].rows; ++r) {
      for (int k = 0; k < static_cast<int>(graph.groups[g].bodies.size()); ++k) {
        const int first = pattern.first_block[pattern.constraint_row[g] + r];
        const JacobianBlock& block = pattern.blocks[first + k];
        const KktLu::Block row = lu_.rows(g, k), column = lu_.columns(g, k);
        rows.push_back({row.front,
                        {block.value, row.offset + r * row.stride, column.offset + r,
                         static_cast<short>(column.stride), static_cast<short>(block.size)}});
      }
    }
  }
  rows_ = sorted(rows, fronts);

  std::vector<std::pair<int, DiagonalEntry>> bounded;
  for (int m = 0, g = 0; m < static_cast<int>(pattern.bounded.size()); ++m) {
    const int row = pattern.bounded[m].row;
    while (pattern.constraint_row[g] + graph.groups[g].rows <= row) ++g;
    const KktLu::Block block = lu_.group(g);
    bounded.push_back(
        {block.front, {m, block.offset + (row - pattern.constraint_row[g]) * (block.stride + 1)}});
  }
  bounded_ = sorted(bounded, fronts);

  for (VecX* per_velocity : {&none_, &x_}) per_velocity->setZero(system.velocity_size());
  for (VecX* per_row : {&part_, &y_, &before_}) per_row->setZero(pattern.rows());
}

template <class Entry>
KktMatrix::ByFront<Entry> KktMatrix::sorted(std::vector<std::pair<int, Entry>>& found, int fronts) {
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  ByFront<Entry> result;
  result.begin.assign(static_cast<std::size_t>(fronts) + 1, 0);
  for (const auto& [front, entry] : found) {
    ++result.begin[front + 1];
    result.entries.push_back(entry);
  }
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  return result;
}

namespace {

/// N > 0: N × N, known to the compiler.
template <int N>
[[gnu::always_inline]] inline void add_block(const double* source, int rows, int cols,
                                             double factor, double* to, int stride) {
  if constexpr (N > 0) rows = cols = N;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) to[i * stride + j] += factor * source[j * rows + i];
}
template <int N>
[[gnu::always_inline]] inline void add_transposed(const double* source, int rows, int cols,
                                                  double factor, double* to, int stride) {
  if constexpr (N > 0) rows = cols = N;
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i) to[j * stride + i] += factor * source[j * rows + i];
}

}  // namespace

struct KktMatrix::Fill final : KktLu::Filler {
  Fill(const KktMatrix& owner, const System& of, const Terms& what)
      : matrix(owner), system(of), terms(what) {}

  void fill(int front, double* values) const override {
    for (int e = matrix.bodies_.begin[front]; e < matrix.bodies_.begin[front + 1]; ++e)
      add_mass(matrix.bodies_.entries[e], values);
    add(matrix.constraints_, terms.G, front, values);
    add(matrix.forces_, terms.K, front, values);
    const double* J = terms.J.data();
    const double* B = terms.B.data();
    for (int e = matrix.rows_.begin[front]; e < matrix.rows_.begin[front + 1]; ++e) {
      const RowEntry& entry = matrix.rows_.entries[e];
      double* row = values + entry.row;
      double* column = values + entry.column;
      for (int i = 0; i < entry.size; ++i) {
        row[i] = J[entry.value + i];
        column[i * entry.stride] = B[entry.value + i];
      }
    }
    for (int e = matrix.bounded_.begin[front]; e < matrix.bounded_.begin[front + 1]; ++e) {
      const DiagonalEntry& entry = matrix.bounded_.entries[e];
      values[entry.offset] -=
          terms.modes.compliance(terms.modes.modes()[static_cast<std::size_t>(entry.mode)]) /
          terms.mass;
    }
  }

  void add_mass(const BodyEntry& entry, double* values) const {
    double* to = values + entry.offset;
    const BodyId body{entry.body};
    const double mass = terms.unit_masses ? terms.mass : terms.mass * system.mass(body);
    for (int j = 0; j < 3; ++j) to[j * (entry.stride + 1)] += mass;
    const int rigid = system.slot(body).rigid;
    if (rigid < 0) return;
    const Mat3& turning = terms.turning[rigid];
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) to[(3 + r) * entry.stride + 3 + c] += turning(r, c);
  }

  void add(const ByFront<StiffnessEntry>& plan, const VecX& stiffness, int front,
           double* values) const {
    if (stiffness.size() == 0) return;
    for (int e = plan.begin[front]; e < plan.begin[front + 1]; ++e) {
      const StiffnessEntry& entry = plan.entries[e];
      const double* source = stiffness.data() + entry.value;
      double* to = values + entry.offset;
      const int square = entry.rows == entry.cols ? entry.rows : 0;
      if (entry.is_scalar) {
        for (int i = 0; i < 3; ++i) to[i * (entry.stride + 1)] += terms.stiffness * source[0];
      } else if (square == 3 && entry.transposed) {
        add_transposed<3>(source, 3, 3, terms.stiffness, to, entry.stride);
      } else if (square == 3) {
        add_block<3>(source, 3, 3, terms.stiffness, to, entry.stride);
      } else if (square == 6 && entry.transposed) {
        add_transposed<6>(source, 6, 6, terms.stiffness, to, entry.stride);
      } else if (square == 6) {
        add_block<6>(source, 6, 6, terms.stiffness, to, entry.stride);
      } else if (entry.transposed) {
        add_transposed<0>(source, entry.rows, entry.cols, terms.stiffness, to, entry.stride);
      } else {
        add_block<0>(source, entry.rows, entry.cols, terms.stiffness, to, entry.stride);
      }
    }
  }

  const KktMatrix& matrix;
  const System& system;
  const Terms& terms;
};

bool KktMatrix::factor(const System& system, const Terms& terms, double compliance) {
  shift_ = 0;
  const Fill fill(*this, system, terms);
  const KktLu::Pivots pivots = lu_.factor(fill, compliance);
  smallest_pivot_ = compliance > 0 ? 1 : pivots.smallest_row;
  if (!pivots.definite) return false;
  if (compliance > 0 || pivots.smallest_row >= KktPivots::singular) return true;
  shift_ = pivots.largest_row > 0 ? shift_of_pivots * pivots.largest_row : 1;
  return lu_.factor(fill, shift_).definite;
}

void KktMatrix::factor_and_leave_out(const System& system, const Terms& terms, double dependent) {
  shift_ = 0;
  lu_.factor_and_leave_out(Fill(*this, system, terms), dependent);
}

// With A = J H⁻¹ B, solving for the right-hand side (0, −y) gives (A + ε)⁻¹ y. Times ε, twice, that
// keeps the null space of A and drops everything else: see solve/linear_direct.cpp.
void KktMatrix::remove_null_space(VecX& y) {
  if (shift_ == 0) return;
  part_ = y;
  for (int twice = 0; twice < 2; ++twice) {
    none_.setZero();
    part_ = -part_;
    lu_.solve(none_, part_);
    part_ *= shift_;
  }
  y -= part_;
}

void KktMatrix::solve(VecX& x, VecX& y, double, LinearCost& cost) {
  ++cost.linear_solves;
  if (shift_ == 0) {
    lu_.solve(x, y);
    return;
  }
  remove_null_space(y);
  // J x − ε(y − y_before) = c: a proximal iteration, whose residual is ε(y − y_before).
  x_ = x;
  y_ = y;
  before_.setZero();
  double last = INFINITY;
  for (int iteration = 0; iteration < 10; ++iteration) {
    x = x_;
    y = y_ - shift_ * before_;
    lu_.solve(x, y);
    const double change = (y - before_).lpNorm<Eigen::Infinity>();
    before_ = y;
    if (!(change < 0.5 * last) || change <= 1e-14 * y.lpNorm<Eigen::Infinity>()) break;
    last = change;
  }
  remove_null_space(y);
}

}  // namespace taut
