#include "taut/analysis/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "taut/analysis/assembly_internal.hpp"
#include "taut/analysis/row_dependencies_internal.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut {
namespace {

// What counts as zero in the rank of rows of length 1. Redundant rows of a mechanism that is put
// together to an error ε differ from dependent ones by about ε. Near a singular position they
// differ by about √ε, as there the error is of second order. Between 1e-11 and √1e-11 both are told
// apart.
constexpr double rank_tolerance = 1e-7;
constexpr double fit_roughly = 1e-8;  // the most that is taken for legal, times the extent
constexpr double fit_exactly = 1e-13, fit_nearby = 1e-11;  // targets, times the extent
// In a singular position a misfit ε, of the extent, is undone by a move of about √ε, which is found
// slowly. What is left below this is no conflict there.
constexpr double misfit_when_singular = 1e-6;

/// Whose row it is.
struct RowOwner {
  const ConstraintBatch* batch;
  int constraint;  // in the batch
  int row;         // of the constraint
  const std::string& name() const { return batch->name(constraint); }
};

std::vector<RowOwner> row_owners(const System& system) {
  std::vector<RowOwner> owners;
  for (const auto& batch : system.constraints())
    for (int c = 0; c < batch->size(); ++c)
      for (int r = 0; r < batch->rows_per_constraint(); ++r) owners.push_back({batch.get(), c, r});
  return owners;
}

void find_violations(const System& system, const State& state, const Assembly& assembly,
                     double size, double tolerance, Diagnosis& diagnosis) {
  VecX rate;
  multiply(assembly.pattern(), assembly.rows().J, state.v, rate);
  rate += assembly.rows().C_t;
  const double speed = std::max(size, state.v.size() ? state.v.lpNorm<Eigen::Infinity>() : 0.0);
  const Pose pose(system, state.q);
  std::vector<double> errors;
  int row = 0;
  for (const auto& batch : system.constraints()) {
    errors.resize(static_cast<std::size_t>(batch->size()));
    batch->errors(pose, state.time, errors);
    const bool is_length = batch->unit() == "m";
    for (int c = 0; c < batch->size(); ++c, row += batch->rows_per_constraint()) {
      const Violation violation{
          batch->name(c), std::string(batch->type()), std::string(batch->unit()),
          errors[static_cast<std::size_t>(c)],
          rate.segment(row, batch->rows_per_constraint()).lpNorm<Eigen::Infinity>()};
      if (!(violation.error <= tolerance * (is_length ? size : 1)))
        diagnosis.position_violations.push_back(violation);
      if (!(violation.rate <= tolerance * (is_length ? speed : std::max(1.0, speed / size))))
        diagnosis.velocity_violations.push_back(violation);
    }
  }
}

/// The dependencies of the rows evaluated last, in terms of rows whose gradients have length 1;
/// `scale` says what each row was multiplied with.
std::vector<ColumnCombination> row_null_space(const Assembly& assembly, VecX& scale) {
  SparseMatrix Jt = assembly.jacobian_transposed();
  scale.resize(Jt.cols());
  for (int r = 0; r < Jt.cols(); ++r) {
    const double length = Jt.col(r).norm();
    const double factor = length > rank_tolerance ? 1 / length : 0;
    Jt.col(r) *= factor;
    scale[r] = (factor > 0 ? factor : 1) * assembly.row_weight(r);
  }
  std::vector<ColumnCombination> found = null_space(Jt, rank_tolerance);
  // Limits and motors are no equations, and depend on nothing.
  std::erase_if(found, [&](const ColumnCombination& combination) {
    const auto& bounded = assembly.pattern().bounded;
    return std::any_of(bounded.begin(), bounded.end(), [&](const RowPattern::BoundedRow& b) {
      return b.row == combination.back().first;
    });
  });
  return found;
}

/// Σ of the combination, as a change of the last row alone.
double mismatch(const ColumnCombination& combination, const VecX& scale, const VecX& values) {
  double sum = 0;
  for (const auto& [row, coefficient] : combination) sum += coefficient * scale[row] * values[row];
  return std::abs(sum / scale[combination.back().first]);
}

Dependency describe(const ColumnCombination& combination, const std::vector<RowOwner>& owners) {
  constexpr double noticeable = 1e-6;
  const RowOwner& owner = owners[static_cast<std::size_t>(combination.back().first)];
  Dependency dependency;
  dependency.constraint = owner.name();
  dependency.type = owner.batch->type();
  dependency.unit = owner.batch->unit();
  dependency.row = owner.row;
  dependency.rows = owner.batch->rows_per_constraint();
  double largest = 0;
  for (const auto& [row, coefficient] : combination)
    largest = std::max(largest, std::abs(coefficient));
  const RowOwner* last = nullptr;
  for (const auto& [row, coefficient] : combination) {
    const RowOwner& other = owners[static_cast<std::size_t>(row)];
    if (std::abs(coefficient) < noticeable * largest || row == combination.back().first) continue;
    if (last && last->batch == other.batch && last->constraint == other.constraint) continue;
    last = &other;
    if (other.batch != owner.batch || other.constraint != owner.constraint)
      dependency.depends_on.push_back(other.name());
  }
  // Its rows depend on each other alone.
  if (dependency.depends_on.empty() && last) dependency.depends_on.push_back(owner.name());
  return dependency;
}

/// Rows that depend on others at a random configuration nearby as well. None is known where the way
/// back on to the constraints was not found.
std::optional<std::set<int>> generic_dependencies(Assembly& assembly, const VecX& q, double size) {
  if (assembly.fit(assembly.perturbed(q), fit_nearby * size).residual > fit_roughly * size)
    return std::nullopt;
  VecX scale;
  std::set<int> rows;
  for (const auto& combination : reduce_dependencies(row_null_space(assembly, scale)))
    rows.insert(combination.back().first);
  return rows;
}

}  // namespace

bool Diagnosis::has_conflict() const {
  return std::any_of(dependencies.begin(), dependencies.end(),
                     [](const Dependency& d) { return d.conflict; });
}

Diagnosis diagnose(const System& system, const State& state, double tolerance) {
  Diagnosis diagnosis;
  diagnosis.bodies = system.body_count();
  diagnosis.velocities = system.velocity_size();
  diagnosis.constraints = system.constraint_count();
  diagnosis.rows = system.row_count();
  diagnosis.degrees_of_freedom = diagnosis.velocities;
  if (diagnosis.rows == 0) return diagnosis;

  const double size = extent(system, state);
  Assembly assembly(system, state);
  diagnosis.rows -= static_cast<int>(assembly.pattern().bounded.size());
  find_violations(system, state, assembly, size, tolerance, diagnosis);

  // Rounded coordinates hide dependencies: look where the constraints hold.
  Assembly::Fit fit = assembly.fit(state.q, fit_exactly * size);
  if (fit.residual > tolerance * size) {
    // The start may be a position from which no row knows where to go.
    const Assembly::Fit other = assembly.fit(assembly.perturbed(state.q), fit_exactly * size);
    if (other.residual < 0.5 * fit.residual) fit = other;
    assembly.linearize(fit.q);
  }
  const VecX C = assembly.rows().C, C_t = assembly.rows().C_t, values = assembly.values();

  VecX scale;
  std::vector<ColumnCombination> dependencies =
      reduce_dependencies(row_null_space(assembly, scale));
  diagnosis.rank = diagnosis.rows - static_cast<int>(dependencies.size());
  diagnosis.degrees_of_freedom = diagnosis.velocities - diagnosis.rank;
  diagnosis.generic_rank = diagnosis.rank;

  // Where one configuration meets all rows, nothing is in conflict, whatever their errors add up
  // to.
  const double bound = tolerance * size;
  const bool is_met = fit.residual <= bound;
  const auto conflicts = [&](const ColumnCombination& combination) {
    return !is_met && mismatch(combination, scale, C) > bound;
  };
  if (!is_met && std::none_of(dependencies.begin(), dependencies.end(), conflicts)) {
    // What remains pulls nowhere (Jᵀc = 0), so it is itself a combination of rows; the rank just
    // does not show it sharply enough.
    ColumnCombination remains;
    for (int r = 0; r < values.size(); ++r)
      if (std::abs(values[r]) > 1e-3 * fit.residual)
        remains.emplace_back(r, values[r] * assembly.row_weight(r) / scale[r]);
    dependencies.push_back(std::move(remains));
    dependencies = reduce_dependencies(std::move(dependencies));
  }
  if (dependencies.empty()) return diagnosis;

  const auto nearby = generic_dependencies(assembly, fit.q, size);
  const std::set<int> generic = nearby.value_or(std::set<int>());
  if (nearby)
    diagnosis.generic_rank =
        std::max(diagnosis.rank, diagnosis.rows - static_cast<int>(generic.size()));
  int singular = diagnosis.generic_rank - diagnosis.rank;
  const std::vector<RowOwner> owners = row_owners(system);
  for (const ColumnCombination& combination : dependencies) {
    Dependency dependency = describe(combination, owners);
    dependency.mismatch = mismatch(combination, scale, C);
    dependency.conflict = conflicts(combination);
    const bool may_be_singular = singular > 0 && !generic.contains(combination.back().first);
    if (may_be_singular && (!dependency.conflict || fit.residual <= misfit_when_singular * size)) {
      dependency.only_here = true;
      dependency.conflict = false;
      --singular;
    }
    if (!dependency.only_here) {
      dependency.rate_mismatch = mismatch(combination, scale, C_t);
      dependency.conflict = dependency.conflict || dependency.rate_mismatch > bound;
    }
    if (!dependency.conflict) dependency.mismatch = dependency.rate_mismatch = 0;
    diagnosis.dependencies.push_back(std::move(dependency));
  }
  return diagnosis;
}

}  // namespace taut
