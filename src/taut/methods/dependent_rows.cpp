// Which rows Workspace leaves out: those for which a Cholesky factorisation of A = J W Jᵀ, with
// unit masses and the largest pivot first, finds nothing left.
#include <algorithm>
#include <cmath>

#include "taut/methods/projection.hpp"
#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr int most_rows = 1200;           // a dense factorisation of more would take seconds
constexpr double legal = 1e-9;            // |C|, of the scene
constexpr double a_little = 1e-3;         // of the scene, and rad
constexpr double nothing_left = 1e-12;    // of the diagonal
constexpr double worth_a_change = 0.5;    // the pivot of a row kept so far, of that of a better one
constexpr double small_violation = 1e-6;  // of the scene: joints that are a little out of line
constexpr double like_the_others = 100;   // times the largest error of the rows that are kept

}  // namespace

void multiply_by_masses(const System& system, const RowPattern& pattern, VecX& WJ) {
  std::vector<double> mass(static_cast<std::size_t>(system.velocity_size()));
  for (int i = 0; i < system.body_count(); ++i)
    mass[static_cast<std::size_t>(system.slot({i}).v)] = system.mass({i});
  for (const JacobianBlock& block : pattern.blocks)
    WJ.segment(block.value, block.size) *= mass[static_cast<std::size_t>(block.dof)];
}

void Workspace::leave_out_dependent_rows(const System& system, const VecX& q, double t) {
  adapt(system);
  dependent_.clear();
  if (pattern.rows() == 0) return;
  evaluate(system, q, t, end);
  const double length = length_scale(system, pattern, q);
  if (!(relative_error(pattern, end.C, length) <= legal)) return;
  choose_dependent(system, q, t, 0);
  if (!dependent_.empty() && !hold_nearby(system, q, t, length)) dependent_.clear();
}

// Rows of a singular position, a flat cloth's for example, are dependent only there. So the others
// are moved a little and made legal again: the rows left out must then hold by themselves.
bool Workspace::hold_nearby(const System& system, VecX q, double t, double length) {
  VecX move(system.velocity_size());
  for (Eigen::Index i = 0; i < move.size(); ++i)
    move[i] = std::sin(1 + 7.0 * static_cast<double>(i));
  for (const BodySlot& slot : system.slots()) move.segment<3>(slot.v) *= length;
  system.advance(q, move, a_little, q);
  StepReport unused;
  project_position(system, t, q, *this, unused);
  if (!q.allFinite() || !(relative_error(pattern, end.C, length) <= legal)) return false;
  if (pattern.velocity_rows.empty()) return true;
  // These have no C to tell: there must be as many dependent rows as before.
  const std::vector<int> found = dependent_;
  choose_dependent(system, q, t, 0);
  const bool are_as_many = dependent_.size() == found.size();
  dependent_ = found;
  return are_as_many;
}

void Workspace::reconsider_dependent_rows(const System& system, const VecX& q, double t) {
  if (dependent_.empty() || --until_reconsidered_ > 0) return;
  choose_dependent(system, q, t, dependent_.size());
}

/// `count`: how many there are, 0: as many as there are at this state.
void Workspace::choose_dependent(const System& system, const VecX& q, double t, std::size_t count) {
  std::vector<int> rows;  // equations that always hold
  auto bounded = pattern.bounded.begin();
  for (int row = 0; row < pattern.rows(); ++row) {
    const bool has_law = bounded != pattern.bounded.end() && bounded->row == row;
    if (has_law)
      ++bounded;
    else
      rows.push_back(row);
  }
  const auto n = static_cast<Eigen::Index>(rows.size());
  if (n == 0 || n > most_rows) return;
  LinearizedRows at;
  linearize(system, q, t, at);
  multiply_by_masses(system, pattern, at.WJ);
  MatX A = MatX::Zero(n, n);
  NormalMatrix normal(pattern, rows);
  const SparseSymmetric& sparse = normal.assemble(at.J, at.WJ);
  for (Eigen::Index i = 0; i < n; ++i)
    for (int p = sparse.row_begin[static_cast<std::size_t>(i)];
         p < sparse.row_begin[static_cast<std::size_t>(i) + 1]; ++p)
      A(i, sparse.column[static_cast<std::size_t>(p)]) =
          A(sparse.column[static_cast<std::size_t>(p)], i) = sparse.value[p];
  const VecX scale = A.diagonal().cwiseSqrt();
  std::vector<char> done(rows.size(), 0);
  VecX left = VecX::Ones(n), column(n), preference = VecX::Ones(n);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (std::binary_search(dependent_.begin(), dependent_.end(), rows[i]))
      preference[static_cast<Eigen::Index>(i)] = worth_a_change;
  const Eigen::Index most = n - static_cast<Eigen::Index>(count);
  for (Eigen::Index step = 0; step < most; ++step) {
    Eigen::Index pivot = -1;
    for (Eigen::Index i = 0; i < n; ++i)
      if (!done[static_cast<std::size_t>(i)] &&
          (pivot < 0 || left[i] * preference[i] > left[pivot] * preference[pivot]))
        pivot = i;
    if (count == 0 && !(left[pivot] > nothing_left)) break;
    done[static_cast<std::size_t>(pivot)] = 1;
    // Outer products, on the matrix with a unit diagonal.
    column = A.col(pivot);
    const double value = column[pivot];
    for (Eigen::Index j = 0; j < n; ++j) {
      const double factor = column[j] / value;
      if (done[static_cast<std::size_t>(j)] || factor == 0) continue;
      double* to = A.data() + j * n;
      for (Eigen::Index i = 0; i < n; ++i) to[i] -= factor * column[i];
      left[j] = to[j] / (scale[j] * scale[j]);
    }
  }
  dependent_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!done[i]) dependent_.push_back(rows[i]);
  // A choice costs n³, a step hardly more than n.
  until_reconsidered_ = 1 + static_cast<long>(n) * n / 2000;
}

bool Workspace::left_out_rows_hold(const System& system, const State& state) {
  evaluate(system, state.q, state.time, end);
  const double length = length_scale(system, pattern, state.q);
  struct Errors {
    double kept = 0, left_out = 0;
    bool hold() const { return left_out <= small_violation + like_the_others * kept; }
  } positions, velocities;
  const auto see = [&](int row, double size, Errors& errors) {
    const bool is_dependent = std::binary_search(dependent_.begin(), dependent_.end(), row);
    double& worst = is_dependent ? errors.left_out : errors.kept;
    worst = std::max(worst, size);
  };
  for (int row = 0; row < pattern.rows(); ++row)
    see(row, std::abs(end.C[row]) / (pattern.is_angle[static_cast<std::size_t>(row)] ? 1 : length),
        positions);
  for (const int row : pattern.velocity_rows) {
    const RowRate rate = row_rate(pattern, end, state.v, row);
    see(row, rate.size > 0 ? std::abs(rate.value) / rate.size : 0, velocities);
  }
  return positions.hold() && velocities.hold();
}

}  // namespace taut
