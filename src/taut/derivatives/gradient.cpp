#include "taut/derivatives/gradient.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "taut/base/error.hpp"
#include "taut/derivatives/change_notes.hpp"
#include "taut/derivatives/plain_step.hpp"
#include "taut/derivatives/replay.hpp"
#include "taut/derivatives/watched_run.hpp"
#include "taut/model/scale.hpp"

namespace taut {

Objective final_value(int sensor) {
  return [sensor](const Measured& measured, std::vector<std::vector<double>>& slopes) {
    const std::size_t at = static_cast<std::size_t>(sensor);
    slopes.back()[at] = 1;
    return measured.values.back()[at];
  };
}

namespace detail {
namespace {

SensitivityOptions columns_of(const GradientOptions& wanted) {
  return {.initial_state = wanted.initial_state};
}

class BackwardPass {
 public:
  BackwardPass(std::shared_ptr<Instance> middle, const ModelFamily& family,
               const DerivedMethod& method, const RunOptions& options,
               const GradientOptions& wanted)
      : method_(method),
        options_(options),
        formula_(*formula_of(method)),
        lengths_(step_lengths(options.step, options.duration)),
        variants_(std::move(middle), family, method, options, columns_of(wanted)),
        model_(*variants_.nominal->model),
        system_(model_.system),
        plain_(method, variants_.nominal->start, variants_, options.duration),
        replay_(formula_, method, system_),
        parameters_(family.parameters.size()) {
    // A checkpoint of bdf2 has two states. What is least of (n/s)·k + s:
    const double states = formula_ == Formula::bdf2 ? 2 : 1;
    every_ = static_cast<long>(std::ceil(std::sqrt(states * static_cast<double>(lengths_.size()))));
  }

  /// Nothing where a step is not a plain one.
  std::optional<Gradient> run(const Objective& objective) {
    if (!forwards()) return std::nullopt;
    std::vector<std::vector<double>> slopes;
    for (const auto& values : out_.measured.values) slopes.emplace_back(values.size(), 0);
    out_.value = objective(out_.measured, slopes);
    slopes_ = std::move(slopes);
    out_.parameters.setZero(static_cast<Eigen::Index>(parameters_));
    try {
      if (!backwards()) return std::nullopt;
    } catch (const Error&) {  // no theorem for rows that follow from others, solved nearly
      if (is_newton(formula_)) throw;
      return std::nullopt;
    }
    out_.is_adjoint = true;
    plain_.add_doubts(out_.report.doubts);
    out_.report.steps = out_.report.by_theorem = static_cast<long>(lengths_.size());
    return std::move(out_);
  }

 private:
  bool forwards() {
    for (const Column& column : variants_.columns)
      if (column.has_edge) return false;
    WatchedRun run(model_, model_.start, method_.make(), options_);
    look(run.state(), {});
    StepRecord previous;
    bool has_previous = false;
    const long steps = static_cast<long>(lengths_.size());
    for (long i = 0; i < steps; ++i) {
      if (!run.step(lengths_[static_cast<std::size_t>(i)]))
        throw Error(
            fmt::format("the run has no derivatives: it diverged: {}", run.report().reason));
      StepRecord step = run.record();
      if (!run.was_plain() || !plain_.accept(step, has_previous ? &previous : nullptr) ||
          !plain_.is_by_theorem())
        return false;
      notes_.add_modes(step, has_previous ? &previous : nullptr);
      if (i % every_ == 0) {
        checkpoints_.push_back(step);
        checkpoints_.back().to = {};
      }
      variants_.nominal->observer->follow(run.state());
      if ((i + 1) % options_.record_every == 0 || i + 1 == steps) look(run.state(), step.modes);
      has_previous = true;
      std::swap(previous, step);
    }
    end_ = run.state();
    out_.run = run.judged();
    out_.run.final_state = end_;
    return true;
  }

  void look(const State& state, const std::vector<RowModes::Mode>& modes) {
    out_.measured.times.push_back(state.time);
    out_.measured.values.push_back(variants_.nominal->observer->look(state, modes));
  }

  /// The steps of the stretch that begins with a checkpoint.
  bool stretch(std::size_t checkpoint) {
    const long first = static_cast<long>(checkpoint) * every_;
    const long end = std::min(first + every_, static_cast<long>(lengths_.size()));
    steps_.resize(static_cast<std::size_t>(end - first));
    for (long i = first; i < end; ++i) {
      StepRecord& step = steps_[static_cast<std::size_t>(i - first)];
      if (i == first) {
        step = checkpoints_[checkpoint];
      } else {
        const StepRecord& last = steps_[static_cast<std::size_t>(i - first - 1)];
        step.h = lengths_[static_cast<std::size_t>(i)];
        step.from = last.to;
        step.lambda = last.lambda;
        step.modes = last.modes;
        step.in_solve = last.in_solve;
        step.h_before = formula_ == Formula::bdf2 ? last.h : 0;
        if (step.h_before > 0) step.before = last.from;
      }
      model_.steer(step.from.time + 0.5 * step.h);
      if (!replay_.step(step)) return false;
    }
    const State& reached = steps_.back().to;
    count_states();
    constexpr double the_same = 1e-8;  // of the scene's size
    const double length = length_scale(system_, variants_.nominal->equations->pattern(), end_.q);
    const Perturbation off = difference(system_, end_, reached);
    return relative_displacement(system_, off.q, length) <= the_same &&
           options_.step * relative_displacement(system_, off.v, length) <= the_same;
  }

  // A step's record has where it began, and shares where it ended with the next one; counted are
  // its three states where it has three.
  void count_states() {
    const long per_checkpoint = formula_ == Formula::bdf2 ? 2 : 1;
    out_.most_states =
        std::max(out_.most_states, per_checkpoint * static_cast<long>(checkpoints_.size()) +
                                       static_cast<long>(steps_.size()) + 1);
  }

  bool backwards() {
    Perturbation a = Perturbation::zero(system_), before = Perturbation::zero(system_);
    Perturbation out = Perturbation::zero(system_);
    std::size_t record = out_.measured.times.size();
    long at = static_cast<long>(lengths_.size());
    for (std::size_t checkpoint = checkpoints_.size(); checkpoint-- > 0;) {
      if (!stretch(checkpoint)) return false;
      for (std::size_t i = steps_.size(); i-- > 0; --at) {
        const StepRecord& step = steps_[i];
        if (at % options_.record_every == 0 || at == static_cast<long>(lengths_.size()))
          add_record(--record, step.to, step.modes, a);
        Perturbation earlier = Perturbation::zero(system_);
        plain_.adjoint(step, a, out, earlier, out_.parameters);
        // What the step before left over for the state that is now the one it began with.
        out += before;
        std::swap(a, out);
        std::swap(before, earlier);
      }
      end_ = std::move(checkpoints_.back().from);
      checkpoints_.pop_back();
    }
    add_record(0, variants_.nominal->start, {}, a);
    for (std::size_t k = 0; k < parameters_; ++k)
      out_.parameters[static_cast<Eigen::Index>(k)] += a.dot(variants_.columns[k].dx);
    if (variants_.columns.size() > parameters_) {
      out_.start = Perturbation::zero(system_);
      const Eigen::Index size = system_.velocity_size();
      for (Eigen::Index k = 0; k < size; ++k) {
        const std::size_t column = parameters_ + static_cast<std::size_t>(k);
        out_.start.q[k] = a.dot(variants_.columns[column].dx);
        out_.start.v[k] = a.dot(variants_.columns[column + static_cast<std::size_t>(size)].dx);
      }
    }
    return true;
  }

  /// Adds to the adjoint of a state what is measured there.
  void add_record(std::size_t record, const State& state, const std::vector<RowModes::Mode>& modes,
                  Perturbation& a) {
    const std::vector<double>& weights = slopes_[record];
    if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; })) return;
    // As the run saw it: with the inputs of the step that ended there.
    const double within = state.time + (record == 0 ? 1e-3 : -1e-3) * options_.step;
    const auto weighted = [&](Instance& instance, const State& at) {
      instance.model->steer(within);
      const std::vector<double>& values = instance.observer->look(at, modes);
      double sum = 0;
      for (std::size_t s = 0; s < values.size(); ++s)
        if (weights[s] != 0) sum += weights[s] * values[s];
      return sum;
    };
    weighted(*variants_.nominal, state);  // joints are seen near where they were seen last
    Perturbation unit = Perturbation::zero(system_);
    for (const bool of_velocity : {false, true})
      for (Eigen::Index i = 0; i < unit.q.size(); ++i) {
        double& one = (of_velocity ? unit.v : unit.q)[i];
        one = 1;
        const double factor = small_factor(system_, variants_.nominal->equations->pattern(), state,
                                           unit, options_.duration);
        (of_velocity ? a.v : a.q)[i] +=
            (weighted(*variants_.nominal, displaced(system_, state, unit, factor)) -
             weighted(*variants_.nominal, displaced(system_, state, unit, -factor))) /
            (2 * factor);
        one = 0;
      }
    for (std::size_t k = 0; k < parameters_; ++k)
      out_.parameters[static_cast<Eigen::Index>(k)] += variants_.columns[k].slope(
          0.0, [&](const Column::Sample& sample) { return weighted(*sample.instance, state); });
  }

  const DerivedMethod& method_;
  const RunOptions& options_;
  const Formula formula_;
  const std::vector<double> lengths_;
  Variants variants_;
  const Model& model_;
  const System& system_;
  PlainStep plain_;
  Replay replay_;
  const std::size_t parameters_;
  long every_ = 1;
  std::vector<StepRecord> checkpoints_;  // each the first step of a stretch, without its end
  std::vector<StepRecord> steps_;        // of the stretch that is looked at
  State end_;                            // where that stretch has to end
  std::vector<std::vector<double>> slopes_;
  Gradient out_;
  ChangeNotes notes_{system_, variants_.nominal->equations->pattern(), out_.report};
};

Gradient by_columns(std::shared_ptr<Instance> middle, const ModelFamily& family,
                    const DerivedMethod& method, const RunOptions& options,
                    const Objective& objective, const GradientOptions& wanted) {
  Sensitivities found = forwards(std::move(middle), family, method, options, columns_of(wanted));
  Gradient out;
  out.measured = {std::move(found.times), std::move(found.values)};
  std::vector<std::vector<double>> slopes;
  for (const auto& values : out.measured.values) slopes.emplace_back(values.size(), 0);
  out.value = objective(out.measured, slopes);
  VecX all = VecX::Zero(static_cast<Eigen::Index>(found.columns.size()));
  for (std::size_t k = 0; k < slopes.size(); ++k)
    for (std::size_t s = 0; s < slopes[k].size(); ++s)
      if (slopes[k][s] != 0)
        all += slopes[k][s] * found.slopes[k].row(static_cast<Eigen::Index>(s)).transpose();
  const Eigen::Index parameters = static_cast<Eigen::Index>(family.parameters.size());
  out.parameters = all.head(parameters);
  if (wanted.initial_state) {
    const Eigen::Index size = (all.size() - parameters) / 2;
    out.start = {all.segment(parameters, size), all.tail(size)};
  }
  out.run = std::move(found.run);
  out.report = std::move(found.report);
  return out;
}

}  // namespace
}  // namespace detail

Gradient gradient(const ModelFamily& family, const DerivedMethod& method, const RunOptions& options,
                  const Objective& objective, const GradientOptions& wanted) {
  detail::require_fixed_steps(options);
  const auto middle = std::make_shared<detail::Instance>(family.make(family.values()));
  const DerivedMethod tight = detail::tightened(method, middle->model->system);
  if (detail::formula_of(tight)) {
    detail::BackwardPass pass(middle, family, tight, options, wanted);
    if (std::optional<Gradient> found = pass.run(objective)) return std::move(*found);
  }
  return detail::by_columns(middle, family, tight, options, objective, wanted);
}

}  // namespace taut
