#include "taut/methods/kkt_matrix.hpp"

#include <algorithm>
#include <unordered_map>

#include "taut/methods/method.hpp"

namespace taut {
namespace {

constexpr double relative_shift = 1e-10;  // relative to the largest pivot of a row

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

  const auto plan = [&](const std::vector<StiffnessBlock>& blocks) {
    std::vector<StiffnessPlan> made;
    for (const StiffnessBlock& block : blocks) {
      const int i = body_at[block.row_dof], j = body_at[block.col_dof];
      const bool own = i == j;
      made.push_back({block.value, block.rows, block.cols, own,
                      own ? lu_.body(i) : lu_.bodies(i, j), own ? lu_.body(i) : lu_.bodies(j, i)});
    }
    return made;
  };
  constraint_plan_ = plan(pattern.stiffness_blocks);
  force_plan_ = plan(pattern.coupling_blocks);
  for (std::size_t g = 0; g < graph.groups.size(); ++g) {
    const int first_row = pattern.constraint_row[g];
    for (int r = 0; r < graph.groups[g].rows; ++r) {
      for (std::size_t k = 0; k < graph.groups[g].bodies.size(); ++k) {
        const JacobianBlock& block =
            pattern.blocks[pattern.first_block[first_row + r] + static_cast<int>(k)];
        const KktLu::Block row = lu_.rows(static_cast<int>(g), static_cast<int>(k)),
                           column = lu_.columns(static_cast<int>(g), static_cast<int>(k));
        row_plan_.push_back({block.value, block.size, row.offset + r * row.stride,
                             column.offset + r, column.stride});
      }
    }
  }
  for (VecX* per_velocity : {&none_, &x_}) per_velocity->setZero(system.velocity_size());
  for (VecX* per_row : {&part_, &y_, &before_}) per_row->setZero(pattern.rows());
}

namespace {

/// Adds a block that is stored by columns. N > 0: N × N, known to the compiler.
template <int N>
void add_block(const double* source, int rows, int cols, double factor, double* to, int stride) {
  if constexpr (N > 0) rows = cols = N;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) to[i * stride + j] += factor * source[j * rows + i];
}
template <int N>
void add_transposed(const double* source, int rows, int cols, double factor, double* to,
                    int stride) {
  if constexpr (N > 0) rows = cols = N;
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i) to[j * stride + i] += factor * source[j * rows + i];
}

}  // namespace

void KktMatrix::add(const std::vector<StiffnessPlan>& plan, const VecX& values, double factor) {
  if (values.size() == 0) return;
  double* a = lu_.values();
  for (const StiffnessPlan& block : plan) {
    const double* source = values.data() + block.value;
    const bool particles = block.rows == 3 && block.cols == 3;
    const auto add_one = particles ? add_block<3> : add_block<0>;
    const auto add_other = particles ? add_transposed<3> : add_transposed<0>;
    add_one(source, block.rows, block.cols, factor, a + block.block.offset, block.block.stride);
    if (!block.own)
      add_other(source, block.rows, block.cols, factor, a + block.transposed.offset,
                block.transposed.stride);
  }
}

void KktMatrix::assemble(const System& system, const Terms& terms) {
  lu_.clear();
  double* a = lu_.values();
  for (int i = 0; i < system.body_count(); ++i) {
    const KktLu::Block block = lu_.body(i);
    double* to = a + block.offset;
    const double mass = terms.mass * system.mass({i});
    for (int j = 0; j < 3; ++j) to[j * (block.stride + 1)] += mass;
    const int rigid = system.slot({i}).rigid;
    if (rigid < 0) continue;
    const Mat3& turning = terms.turning[rigid];
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) to[(3 + r) * block.stride + 3 + c] += turning(r, c);
  }
  add(constraint_plan_, terms.G, terms.stiffness);
  add(force_plan_, terms.K, terms.stiffness);
  const double* J = terms.J.data();
  const double* B = terms.B.data();
  for (const RowPlan& plan : row_plan_) {
    double* row = a + plan.row;
    double* column = a + plan.column;
    for (int i = 0; i < plan.size; ++i) {
      row[i] = J[plan.value + i];
      column[i * plan.stride] = B[plan.value + i];
    }
  }
}

bool KktMatrix::factor(const System& system, const Terms& terms, double compliance) {
  shift_ = 0;
  assemble(system, terms);
  const KktLu::Pivots pivots = lu_.factor(compliance);
  if (!pivots.definite) return false;
  if (compliance > 0 || pivots.smallest_row >= KktLu::singular_pivot) return true;
  shift_ = pivots.largest_row > 0 ? relative_shift * pivots.largest_row : 1;
  assemble(system, terms);
  return lu_.factor(shift_).definite;
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

void KktMatrix::solve(VecX& x, VecX& y, StepReport& report) {
  ++report.linear_solves;
  if (shift_ == 0) {
    lu_.solve(x, y);
    return;
  }
  report.regularized = true;
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
