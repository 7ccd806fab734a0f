#include "taut/derivatives/plain_step.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

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
  else if (!formula_of(method))
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
  if (implicit_) return;
  const auto prepare = [&](Instance& instance) {
    instance.workspace->leave_out_dependent_rows(instance.model->system, start.q, start.time);
  };
  prepare(*variants.nominal);
  for (Column& column : variants.columns)
    for (Column::Sample& sample : column.samples)
      if (sample.instance != variants.nominal) prepare(*sample.instance);
}

void PlainStep::add_doubts(std::vector<std::string>& doubts) const {
  constexpr double harmless = 1e-7;
  if (!implicit_ || implicit_->round_off() <= harmless) return;
  doubts.push_back(fmt::format(
      "forces are so stiff for the step that their derivatives, which are differences, may be off "
      "by {:.1g} of what a body's mass does: use constraints in their place, or a smaller step",
      implicit_->round_off()));
}

bool PlainStep::accept(StepRecord& step, const StepRecord* previous) {
  if (implicit_) {
    step.h_before = 0;
    if (implicit_->formula() == Formula::bdf2 && previous) {
      step.h_before = previous->h;
      step.before = previous->from;
      if (implicit_->misfit(step) <= fits) return true;
      step.h_before = 0;
    }
    return implicit_->misfit(step) <= fits;
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
  Perturbation out = Perturbation::zero(system);
  for (const Column::Sample& sample : column.samples) {
    const Perturbation way =
        difference(system, nominal_end_, done(*sample.instance, step, step.from));
    out.q += (sample.weight / column.epsilon) * way.q;
    out.v += (sample.weight / column.epsilon) * way.v;
  }
  return out;
}

ResidualSlope PlainStep::residual_slope(const StepRecord& step, const Column& column) {
  ResidualSlope slope;
  VecX r, C;
  for (const Column::Sample& sample : column.samples) {
    sample.instance->equations->residual(implicit_->formula(), step, r, C);
    if (slope.r.size() == 0) {
      slope.r.setZero(r.size());
      slope.C.setZero(C.size());
    }
    slope.r += (sample.weight / column.epsilon) * r;
    slope.C += (sample.weight / column.epsilon) * C;
  }
  return slope;
}

void PlainStep::advance(const StepRecord& step, std::vector<Column>& columns) {
  if (implicit_ && !columns.empty()) implicit_->linearize(step);
  Perturbation next = Perturbation::zero(variants_.nominal->model->system);
  for (Column& column : columns) {
    if (implicit_) {
      ResidualSlope slope;
      if (column.moves_model) slope = residual_slope(step, column);
      implicit_->tangent(column.dx, &column.before, column.moves_model ? &slope : nullptr, next);
    } else {
      next = along(step, column.dx);
      if (column.moves_model) next += by_model(step, column);
    }
    column.before = std::move(column.dx);
    column.dx = next;
  }
}

}  // namespace taut::detail
