#include "taut/derivatives/sensitivities.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/derivatives/change_notes.hpp"
#include "taut/derivatives/plain_step.hpp"
#include "taut/derivatives/stretch.hpp"
#include "taut/model/scale.hpp"
#include "taut/simulate/metrics.hpp"

namespace taut {
namespace detail {
namespace {

/// A stretch cannot be begun where it began: what was before it counts, as with contacts that
/// remember where they held.
struct BeginsEarlier {};

/// The run, and its columns on the way.
class ForwardPass {
 public:
  ForwardPass(std::shared_ptr<Instance> middle, const ModelFamily& family,
              const DerivedMethod& method, const RunOptions& options,
              const SensitivityOptions& wanted, bool in_one_stretch)
      : family_(family),
        method_(method),
        options_(options),
        wanted_(wanted),
        in_one_stretch_(in_one_stretch),
        lengths_(step_lengths(options.step, options.duration)),
        variants_(std::move(middle), family, method, options, wanted),
        model_(*variants_.nominal->model),
        system_(model_.system),
        plain_(method, variants_.nominal->start, variants_, options.duration) {}

  Sensitivities run() {
    for (const Column& column : variants_.columns) out_.columns.push_back(column.name);
    for (const Sensor& sensor : model_.sensors.sensors()) out_.sensors.push_back(sensor.name);
    WatchedRun run(model_, model_.start, method_.make(), options_);
    run_ = &run;
    record(run.state());
    const long steps = static_cast<long>(lengths_.size());
    for (long i = 0; i < steps; ++i) {
      const State from = run.state();
      if (!run.step(lengths_[static_cast<std::size_t>(i)]))
        throw Error(
            fmt::format("the run has no derivatives: it diverged: {}", run.report().reason));
      notes_.add_events(
          {run.events().begin() + static_cast<long>(run.old_events()), run.events().end()});
      const bool is_last = i + 1 == steps;
      const bool recorded = (i + 1) % options_.record_every == 0 || is_last;
      StepRecord step = run.record();
      const bool is_plain = !in_one_stretch_ && !(i == 0 && begins_at_edge()) && run.was_plain() &&
                            plain_.accept(step, has_previous_ ? &previous_ : nullptr);
      follow(run.state());
      if (is_plain) {
        close_stretch(false);
        notes_.add_modes(step, has_previous_ ? &previous_ : nullptr);
        plain_.advance(step, variants_.columns);
        ++(plain_.is_by_theorem() ? out_.report.by_theorem : out_.report.by_steps);
        previous_ = std::move(step);
        has_previous_ = true;
        if (recorded) record(run.state());
      } else {
        if (stretch_.lengths.empty()) open_stretch(from);
        stretch_.lengths.push_back(lengths_[static_cast<std::size_t>(i)]);
        stretch_.recorded.push_back(recorded);
        nominal_.states.push_back(run.state());
        add_acting(step, nominal_);
        if (recorded)
          nominal_.values.push_back(
              model_.sensors.needs().contacts
                  ? variants_.nominal->observer->look(run.recording(), run.state())
                  : look(run.state()));
        nominal_.events.insert(nominal_.events.end(),
                               run.events().begin() + static_cast<long>(run.old_events()),
                               run.events().end());
        has_previous_ = false;
        ++out_.report.by_stretches;
      }
      if (options_.keep_going && i % 16 == 0)
        if (!options_.keep_going(
                {i, steps, run.state().time, static_cast<double>(i) / static_cast<double>(steps)}))
          throw Error("interrupted");
    }
    close_stretch(true);
    out_.report.steps = steps;
    out_.end = run.state();
    for (const Column& column : variants_.columns) out_.end_slopes.push_back(column.dx);
    if (wanted_.forces) measure_forces(run.state());
    plain_.add_doubts(out_.report.doubts);
    out_.run = run.judged();
    out_.run.final_state = run.state();
    return std::move(out_);
  }

 private:
  /// A time in the step that ended at a state, or in the first one: its inputs are seen there.
  double seen_within(const State& state) const {
    const double little = 1e-3 * options_.step;
    return state.time + (state.time > variants_.nominal->start.time ? -little : little);
  }
  const std::vector<double>& look(const State& state) {
    return variants_.nominal->observer->look(state, run_->record().modes);
  }
  void follow(const State& state) {
    variants_.nominal->observer->follow(state);
    for (const Column& column : variants_.columns)
      for (const Column::Sample& sample : column.samples)
        if (sample.instance != variants_.nominal) sample.instance->observer->follow(state);
  }

  /// The derivative of something that is looked at, along a column: by the state, and by the model.
  template <class Look>
  VecX slope_of(const State& state, const Column& column, const Look& look_at) {
    const VecX now = look_at(*variants_.nominal, state);
    VecX sum = VecX::Zero(now.size());
    const double factor = small_factor(system_, variants_.nominal->equations->pattern(), state,
                                       column.dx, options_.duration);
    if (factor > 0)
      for (const double side : {-1.0, 1.0})
        sum += (0.5 * side / factor) *
               look_at(*variants_.nominal, displaced(system_, state, column.dx, side * factor));
    if (column.moves_model)
      for (const Column::Sample& sample : column.samples)
        sum += (sample.weight / column.epsilon) *
               (sample.instance == variants_.nominal ? now : look_at(*sample.instance, state));
    return sum;
  }

  void record(const State& state) {
    const auto sensors = [this](Instance& instance, const State& at) -> VecX {
      instance.model->steer(seen_within(at));
      const std::vector<double>& values = instance.observer->look(at, run_->record().modes);
      return Eigen::Map<const VecX>(values.data(), static_cast<Eigen::Index>(values.size()));
    };
    out_.times.push_back(state.time);
    const VecX values = sensors(*variants_.nominal, state);
    out_.values.emplace_back(values.data(), values.data() + values.size());
    MatX slopes(values.size(), static_cast<Eigen::Index>(variants_.columns.size()));
    if (values.size() > 0)
      for (std::size_t k = 0; k < variants_.columns.size(); ++k)
        slopes.col(static_cast<Eigen::Index>(k)) = slope_of(state, variants_.columns[k], sensors);
    out_.slopes.push_back(std::move(slopes));
  }

  void measure_forces(const State& state) {
    const auto forces = [this](Instance& instance, const State& at) -> VecX {
      instance.model->steer(seen_within(at));
      instance.observer->look(at, run_->record().modes);
      return instance.observer->lambda();
    };
    out_.lambda = forces(*variants_.nominal, state);
    out_.lambda_slopes.resize(out_.lambda.size(),
                              static_cast<Eigen::Index>(variants_.columns.size()));
    for (std::size_t k = 0; k < variants_.columns.size(); ++k)
      out_.lambda_slopes.col(static_cast<Eigen::Index>(k)) =
          slope_of(state, variants_.columns[k], forces);
  }

  bool begins_at_edge() const {
    return std::any_of(variants_.columns.begin(), variants_.columns.end(),
                       [](const Column& column) { return column.has_edge; });
  }

  void open_stretch(const State& from) {
    stretch_.from = from;
    stretch_.options = options_;
    stretch_.options.keep_going = nullptr;
    begins_run_ = out_.report.by_theorem + out_.report.by_steps == 0;
    activations_ = run_->report().activation.count;
    nominal_ = {};
  }

  void close_stretch(bool is_last) {
    if (stretch_.lengths.empty()) return;
    const StretchTrace seen = std::move(nominal_);
    // From a state on the way, legal as far as the method keeps it so. A drive that jumps is
    // settled in the stretch.
    if (!begins_run_ && run_->report().activation.count == activations_)
      stretch_.options.start = Start::as_is;
    const StretchTrace nominal =
        begins_run_ ? seen : pass(model_, stretch_.from, stretch_, method_);
    if (!begins_run_ && !is_the_same(seen, nominal)) throw BeginsEarlier{};
    const std::size_t first_record = out_.times.size();
    for (std::size_t i = 0, k = 0; i < seen.states.size(); ++i) {
      if (!stretch_.recorded[i]) continue;
      out_.times.push_back(seen.states[i].time);
      out_.values.push_back(seen.values[k++]);
      out_.slopes.emplace_back(static_cast<Eigen::Index>(out_.sensors.size()),
                               static_cast<Eigen::Index>(variants_.columns.size()));
    }
    for (std::size_t k = 0; k < variants_.columns.size(); ++k) {
      Column& column = variants_.columns[k];
      const StretchSlopes slopes = through_stretch(nominal, column, k);
      notes_.add_stretch(slopes, stretch_.from.time, is_last, run_->events(), column.name);
      for (std::size_t i = 0; i < slopes.values.size(); ++i)
        for (std::size_t s = 0; s < out_.sensors.size(); ++s)
          out_.slopes[first_record + i](static_cast<Eigen::Index>(s),
                                        static_cast<Eigen::Index>(k)) = slopes.values[i][s];
      const std::size_t count = slopes.states.size();
      column.before = count > 1 ? slopes.states[count - 2] : column.dx;
      column.dx = slopes.states.back();
    }
    stretch_ = {};
  }

  StretchSlopes through_stretch(const StretchTrace& nominal, const Column& column, std::size_t k) {
    double epsilon = column.epsilon;
    const double factor = small_factor(system_, variants_.nominal->equations->pattern(),
                                       stretch_.from, column.dx, options_.duration);
    if (factor > 0) epsilon = column.moves_model ? std::min(epsilon, factor) : factor;
    if (!column.moves_model && factor == 0) epsilon = 1;
    Reach reach{INFINITY, INFINITY};
    if (column.moves_model) {
      const FamilyParameter& parameter = family_.parameters[k];
      reach = {(parameter.value - parameter.min) / epsilon,
               (parameter.max - parameter.value) / epsilon};
    }
    return slopes(
        system_, variants_.nominal->equations->pattern(), nominal, epsilon, reach,
        [&](double offset) { return displaced_pass(column, k, offset * epsilon, offset); });
  }

  /// Of the stretch, a little along a column. Far away a model may be none.
  StretchTrace displaced_pass(const Column& column, std::size_t k, double way, double offset) {
    if (!column.moves_model)
      return pass(model_,
                  displaced(system_, begins_run_ ? variants_.nominal->start : stretch_.from,
                            column.dx, way),
                  stretch_, method_);
    VecX moved = family_.values();
    moved[static_cast<Eigen::Index>(k)] += way;
    try {
      const Model model = made(family_, moved, column.name);
      return pass(model,
                  begins_run_ ? model.start : displaced(system_, stretch_.from, column.dx, way),
                  stretch_, method_);
    } catch (const Error&) {
      if (std::abs(offset) <= 1) throw;
      StretchTrace none;
      none.has_ended = false;
      return none;
    }
  }

  bool is_the_same(const StretchTrace& a, const StretchTrace& b) const {
    constexpr double the_same = 1e-9;  // of the scene's size
    if (a.states.size() != b.states.size()) return false;
    const double length =
        length_scale(system_, variants_.nominal->equations->pattern(), stretch_.from.q);
    for (std::size_t i = 0; i < a.states.size(); ++i) {
      const Perturbation off = difference(system_, a.states[i], b.states[i]);
      if (!(relative_displacement(system_, off.q, length) <= the_same)) return false;
      if (!(options_.step * relative_displacement(system_, off.v, length) <= the_same))
        return false;
    }
    return true;
  }

  const ModelFamily& family_;
  const DerivedMethod& method_;
  const RunOptions& options_;
  const SensitivityOptions& wanted_;
  const bool in_one_stretch_;
  const std::vector<double> lengths_;
  Variants variants_;
  const Model& model_;
  const System& system_;
  PlainStep plain_;
  WatchedRun* run_ = nullptr;
  StepRecord previous_;
  bool has_previous_ = false, begins_run_ = false;
  long activations_ = 0;
  StretchPlan stretch_;
  StretchTrace nominal_;
  Sensitivities out_;
  ChangeNotes notes_{system_, variants_.nominal->equations->pattern(), out_.report};
};

}  // namespace

void require_fixed_steps(const RunOptions& options) {
  if (options.tolerance != 0)
    throw Error(
        "derivatives need fixed steps: steps that are chosen on the way make a run that is no "
        "smooth function of anything");
  if (!(options.step > 0) || !std::isfinite(options.step))
    throw Error(fmt::format("the step must be a number > 0, found {}", options.step));
  if (!(options.duration > 0) || !std::isfinite(options.duration))
    throw Error(fmt::format("the duration must be a number > 0, found {}", options.duration));
}

Sensitivities forwards(std::shared_ptr<Instance> middle, const ModelFamily& family,
                       const DerivedMethod& method, const RunOptions& options,
                       const SensitivityOptions& wanted) {
  const DerivedMethod tight = tightened(method, middle->model->system);
  try {
    return ForwardPass(middle, family, tight, options, wanted, false).run();
  } catch (const BeginsEarlier&) {
    return ForwardPass(middle, family, tight, options, wanted, true).run();
  }
}

}  // namespace detail

Sensitivities sensitivities(const ModelFamily& family, const DerivedMethod& method,
                            const RunOptions& options, const SensitivityOptions& wanted) {
  detail::require_fixed_steps(options);
  return detail::forwards(std::make_shared<detail::Instance>(family.make(family.values())), family,
                          method, options, wanted);
}

}  // namespace taut
