#include "taut/derivatives/plain_step.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/methods/independent_rows.hpp"
#include "taut/model/scale.hpp"

namespace taut::detail {
namespace {

constexpr double fits = 1e-8;        // of the scene's size: a step meets the equations
constexpr double small_part = 1e-5;  // of the scene's size, or of its speeds

}  // namespace

std::optional<Formula> formula_of(const DerivedMethod& method) {
  if (method.info->name == "icd") return Formula::backward_euler;
  if (method.info->name == "icd2") return Formula::bdf2;
  if (method.info->name == "rattle") return Formula::half_frozen;
  if (method.info->name == "shake") return Formula::frozen;
  if (method.info->name == "implicit1") return Formula::linearised;
  if (method.info->name != "energy_momentum") return std::nullopt;
  for (const OptionValue& option : method.options)  // compositions are steps of their own
    if (option.name == "order" && option.value != "2") return std::nullopt;
  return Formula::midpoint;
}

DerivedMethod tightened(DerivedMethod method, const System& system) {
  const auto is = [](std::string_view name) {
    return [name](const auto& option) { return option.name == name; };
  };
  const auto& known = method.info->options;
  if (std::none_of(known.begin(), known.end(), is("tolerance")) ||
      std::any_of(method.options.begin(), method.options.end(), is("tolerance")))
    return method;
  if (is_sheet(system, RowPattern(system)))
    method.options.push_back({"tolerance", "1e-11"});
  else if (const auto formula = formula_of(method); !formula || !is_newton(*formula))
    method.options.push_back({"tolerance", "1e-14"});
  return method;
}

double small_factor(const System& system, const RowPattern& pattern, const State& state,
                    const Perturbation& dx, double duration) {
  const double length = length_scale(system, pattern, state.q);
  const double speed = std::max(relative_displacement(system, state.v, length), 1 / duration);
  const double size = std::max(relative_displacement(system, dx.q, length),
                               relative_displacement(system, dx.v, length) / speed);
  return size > 0 ? small_part / size : 0;
}

PlainStep::PlainStep(const DerivedMethod& method, const State& start, Variants& variants,
                     double duration)
    : has_memory_(method.make()->has_memory()), variants_(variants), duration_(duration) {
  if (const std::optional<Formula> formula = formula_of(method))
    implicit_.emplace(*formula, variants.nominal->model->system);
  if (implicit_ && implicit_->formula() == Formula::half_frozen)
    projected_.emplace(Formula::projected, variants.nominal->model->system);
  const auto& rows = variants.nominal->equations->pattern().bounded;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const Column& column : variants.columns)
      for (const Column::Sample& sample : column.samples)
        if (sample.instance->equations->pattern().bounded[i].law.until != rows[i].law.until)
          ends_of_rows_.push_back(rows[i].law.until);
  if (implicit_ && is_newton(implicit_->formula())) return;
  const auto prepare = [&](Instance& instance) {
    instance.workspace->leave_out_dependent_rows(instance.model->system, start.q, start.time);
  };
  prepare(*variants.nominal);
  for (Column& column : variants.columns)
    for (Column::Sample& sample : column.samples)
      if (sample.instance != variants.nominal) prepare(*sample.instance);
}

/// Whether a row ends just where the step begins or ends: a little earlier or later it would do so
/// within it, or within the one beside it.
bool PlainStep::may_end_rows(const StepRecord& step) const {
  constexpr double just = 1e-6;  // of the step
  return std::any_of(ends_of_rows_.begin(), ends_of_rows_.end(), [&](double end) {
    const double way = end - step.from.time;
    return std::min(std::abs(way), std::abs(way - step.h)) <= just * step.h;
  });
}

/// Whether a force or a drive jumps in the step of a model near this one: just where the step
/// begins or ends.
bool PlainStep::may_jump(const StepRecord& step) {
  for (const Column& column : variants_.columns)
    for (const Column::Sample& sample : column.samples)
      if (sample.instance->jumps) {
        sample.instance->model->steer(within_);
        if (sample.instance->jumps->jumps(step.from, step.h)) return true;
      }
  return false;
}

void PlainStep::note_kink(const StepRecord& step, const Column& column) {
  for (const auto& [name, time] : kinks_)
    if (name == column.name) return;
  kinks_.emplace_back(column.name, step.from.time);
}

void PlainStep::add_doubts(std::vector<std::string>& doubts) const {
  constexpr double harmless = 1e-7;
  for (const auto& [name, time] : kinks_)
    doubts.push_back(
        fmt::format("at t = {:.6g} s what a larger {} changes is not the opposite of what a "
                    "smaller one does: the derivative is one-sided there, or there is none",
                    time, name));
  if (!implicit_) return;
  const double round_off =
      std::max(implicit_->round_off(), projected_ ? projected_->round_off() : 0);
  if (round_off <= harmless) return;
  doubts.push_back(fmt::format(
      "forces are so stiff for the step that their derivatives, which are differences, may be off "
      "by {:.1g} of what a body's mass does: use constraints in their place, or a smaller step",
      round_off));
}

bool PlainStep::meets_equations(const StepRecord& step) {
  if (!projected_) return implicit_->misfit(step) <= fits;
  split(step);
  return implicit_->misfit(half_) <= fits && projected_->misfit(stage_) <= fits;
}

// The multipliers of the second are found from what it did: J W Jᵀ μ = J (W F − (v⁺ − v½)/τ).
void PlainStep::split(const StepRecord& step) {
  Instance& nominal = *variants_.nominal;
  const System& system = nominal.model->system;
  half_ = step;
  system.difference(step.from.q, step.to.q, Chart::rotation_vector, half_.to.v);
  half_.to.v /= step.h;
  stage_ = step;
  stage_.h = 0.5 * step.h;
  stage_.from = {step.from.time + step.h, step.to.q, half_.to.v};
  system.advance(step.to.q, step.to.v, stage_.h, stage_.to.q);
  stage_.to.time = stage_.from.time + stage_.h;
  Workspace& w = *nominal.workspace;
  w.adapt(system);
  if (!w.modes.empty()) {
    nominal.equations->use_modes(stage_, stage_.from.q);
    w.modes = nominal.equations->workspace().modes;
  }
  w.linearize_decided(system, stage_.from.q, stage_.from.time, w.end);
  w.factor(w.end);
  w.forces(system, w.end, step.to.v, stage_.from.time);
  const VecX lacking = w.WF - (step.to.v - half_.to.v) / stage_.h;
  w.J(w.end, lacking, w.rhs);
  StepReport unused;
  w.solve_equations(w.rhs, stage_.lambda, unused);
}

bool PlainStep::accept(StepRecord& step, const StepRecord* previous) {
  within_ = step.from.time + 0.5 * step.h;
  variants_.nominal->model->steer(within_);
  if (may_end_rows(step) || may_jump(step)) return false;
  if (implicit_) {
    step.h_before = 0;
    if (implicit_->formula() == Formula::bdf2 && previous) {
      step.h_before = previous->h;
      step.before = previous->from;
      is_by_theorem_ = meets_equations(step);
      if (is_by_theorem_) return true;
      step.h_before = 0;
    }
    is_by_theorem_ = meets_equations(step);
    if (is_by_theorem_ || is_newton(implicit_->formula())) return is_by_theorem_;
  }
  if (has_memory_) return false;
  const System& system = variants_.nominal->model->system;
  nominal_end_ = done(*variants_.nominal, step, step.from);
  const Perturbation off = difference(system, step.to, nominal_end_);
  const double length = length_scale(system, variants_.nominal->equations->pattern(), step.to.q);
  return relative_displacement(system, off.q, length) <= fits &&
         step.h * relative_displacement(system, off.v, length) <= fits;
}

State PlainStep::done(Instance& instance, const StepRecord& step, const State& from) {
  instance.model->steer(step.from.time + 0.5 * step.h);
  Workspace& w = *instance.workspace;
  w.adapt(instance.model->system);
  if (!w.modes.empty()) {
    instance.equations->use_modes(step, from.q);
    w.modes = instance.equations->workspace().modes;
  }
  w.lambda = step.lambda;
  State state = from;
  instance.method->step(instance.model->system, step.h, state, w);
  return state;
}

Perturbation PlainStep::along(const StepRecord& step, const Perturbation& dx) {
  Instance& nominal = *variants_.nominal;
  const System& system = nominal.model->system;
  const double factor =
      small_factor(system, nominal.equations->pattern(), step.from, dx, duration_);
  Perturbation out = Perturbation::zero(system);
  if (factor == 0) return out;
  // Of fourth order, so that the displacements may be so large that round-off counts little.
  constexpr double far = 10;
  for (const auto& [offset, weight] :
       {std::pair{-2 * far, 1 / (12 * far)}, std::pair{-far, -2 / (3 * far)},
        std::pair{far, 2 / (3 * far)}, std::pair{2 * far, -1 / (12 * far)}}) {
    const Perturbation way =
        difference(system, nominal_end_,
                   done(nominal, step, displaced(system, step.from, dx, offset * factor)));
    out.q += (weight / factor) * way.q;
    out.v += (weight / factor) * way.v;
  }
  return out;
}

Perturbation PlainStep::by_model(const StepRecord& step, const Column& column) {
  const System& system = variants_.nominal->model->system;
  constexpr double nothing = 1e-8;
  Perturbation out = Perturbation::zero(system), up = out, down = out;
  for (const Column::Sample& sample : column.samples) {
    const Perturbation way =
        difference(system, nominal_end_, done(*sample.instance, step, step.from));
    if (sample.offset == 1) up = way;
    if (sample.offset == -1) down = way;
    out.q += (sample.weight / column.epsilon) * way.q;
    out.v += (sample.weight / column.epsilon) * way.v;
  }
  if (!up.v.isZero(0) && !down.v.isZero(0) &&
      is_kink(up.v, down.v,
              nothing * (step.from.v.norm() + step.to.v.norm() +
                         length_scale(system, variants_.nominal->equations->pattern(), step.to.q) /
                             duration_)))
    note_kink(step, column);
  return out;
}

ResidualSlope PlainStep::residual_slope(Formula formula, const StepRecord& step,
                                        const Column& column) {
  constexpr double nothing = 1e-8;
  ImplicitStep& linearized = formula == Formula::projected ? *projected_ : *implicit_;
  ResidualSlope slope, up, down;
  VecX r, C;
  for (const Column::Sample& sample : column.samples) {
    sample.instance->model->steer(within_);
    sample.instance->equations->residual(formula, step, r, C);
    if (slope.r.size() == 0) {
      slope.r.setZero(r.size());
      slope.C.setZero(C.size());
    }
    slope.r += (sample.weight / column.epsilon) * r;
    slope.C += (sample.weight / column.epsilon) * C;
    if (sample.offset == 1) up = {r - linearized.residual(), C - linearized.violation()};
    if (sample.offset == -1) down = {r - linearized.residual(), C - linearized.violation()};
  }
  if (up.r.size() > 0 && down.r.size() > 0 &&
      (is_kink(up.r, down.r, nothing * linearized.size()) ||
       is_kink(up.C, down.C, nothing * linearized.length())))
    note_kink(step, column);
  return slope;
}

void PlainStep::linearize(const StepRecord& step) {
  if (!projected_) return implicit_->linearize(step);
  split(step);
  implicit_->linearize(half_);
  projected_->linearize(stage_);
}

void PlainStep::tangent(const StepRecord& step, const Column& column, Perturbation& out) {
  const StepRecord& first = projected_ ? half_ : step;
  ResidualSlope slope;
  const ResidualSlope* by_model = column.moves_model ? &slope : nullptr;
  if (by_model) slope = residual_slope(implicit_->formula(), first, column);
  implicit_->tangent(column.dx, &column.before, by_model, out);
  if (!projected_) return;
  if (by_model) slope = residual_slope(Formula::projected, stage_, column);
  Perturbation end = Perturbation::zero(implicit_->equations().system());
  projected_->tangent(out, nullptr, by_model, end);
  out.v = std::move(end.v);
}

void PlainStep::adjoint(const StepRecord& step, const Perturbation& a, Perturbation& out,
                        Perturbation& before, VecX& parameters) {
  within_ = step.from.time + 0.5 * step.h;
  variants_.nominal->model->steer(within_);
  linearize(step);
  VecX mu, nu;
  const auto add_parameters = [&](Formula formula, const StepRecord& of) {
    for (Eigen::Index k = 0; k < parameters.size(); ++k) {
      const ResidualSlope slope =
          residual_slope(formula, of, variants_.columns[static_cast<std::size_t>(k)]);
      parameters[k] -= mu.dot(slope.r) + nu.dot(slope.C);
    }
  };
  if (!projected_) {
    implicit_->adjoint(a, out, &before, mu, nu);
    return add_parameters(implicit_->formula(), step);
  }
  const Perturbation of_velocity{VecX::Zero(a.q.size()), a.v};
  Perturbation half = of_velocity;
  projected_->adjoint(of_velocity, half, &before, mu, nu);
  add_parameters(Formula::projected, stage_);
  half.q += a.q;
  implicit_->adjoint(half, out, &before, mu, nu);
  add_parameters(implicit_->formula(), half_);
}

/// Rows that follow from others may say, of a small change, what contradicts them: then there is no
/// theorem for methods that solve them only nearly.
bool PlainStep::advance_by_theorem(const StepRecord& step, std::vector<Column>& columns) {
  std::vector<Perturbation> next(columns.size(),
                                 Perturbation::zero(implicit_->equations().system()));
  try {
    if (!columns.empty()) linearize(step);
    for (std::size_t k = 0; k < columns.size(); ++k) tangent(step, columns[k], next[k]);
  } catch (const Error&) {
    if (is_newton(implicit_->formula())) throw;
    nominal_end_ = done(*variants_.nominal, step, step.from);
    return false;
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    columns[k].before = std::move(columns[k].dx);
    columns[k].dx = std::move(next[k]);
  }
  return true;
}

void PlainStep::advance(const StepRecord& step, std::vector<Column>& columns) {
  is_by_theorem_ = is_by_theorem_ && advance_by_theorem(step, columns);
  if (is_by_theorem_) return;
  for (Column& column : columns) {
    Perturbation next = along(step, column.dx);
    if (column.moves_model) next += by_model(step, column);
    column.before = std::move(column.dx);
    column.dx = std::move(next);
  }
}

}  // namespace taut::detail
