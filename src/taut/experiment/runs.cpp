// The runs of an experiment: what is simulated, and what is recorded on the way.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "taut/base/error.hpp"
#include "taut/base/parallel.hpp"
#include "taut/experiment/direction_error_internal.hpp"
#include "taut/experiment/experiment_internal.hpp"
#include "taut/scene/final_error.hpp"
#include "taut/scene/reference_track.hpp"

namespace taut::experiment::detail {
namespace {

/// Series that are measured while a step is made. Tables show the value of the last step.
const std::set<std::string, std::less<>> of_a_step{"direction_error", "direction_error_beside",
                                                   "free_distance"};

/// Every series of this run that a plot, a quantity or a table asks for. Names of sweeps' axes are
/// metrics, not series.
std::set<std::string> wanted_series(const Experiment& experiment, const RunSpec& run) {
  std::set<std::string> names{"time"};
  for (const PlotSpec& plot : experiment.plots) {
    const bool shows_it = plot.runs.empty() ||
                          std::any_of(plot.runs.begin(), plot.runs.end(), [&](const auto& pattern) {
                            return matches(pattern, run.id);
                          });
    if (!plot.group.empty() || !shows_it) continue;
    names.insert(plot.x);
    names.insert(plot.y);
    for (const auto& [label, name] : plot.also) names.insert(name);
    if (plot.reference) names.insert("reference");
  }
  for (const Quantity& quantity : experiment.quantities)
    if (!quantity.series.empty() && matches(quantity.run, run.id)) names.insert(quantity.series);
  for (const TableSpec& table : experiment.tables)
    for (const std::string& column : table.columns)
      if (of_a_step.contains(column)) names.insert(column);
  return names;
}

/// Records series during a run.
class SeriesRecorder {
 public:
  SeriesRecorder(const io::Scene& scene, const std::set<std::string>& names, RunData& data)
      : scene_(scene), track_(io::reference_track(scene)) {
    for (const std::string& name : names) columns_.push_back({name, &data.series[name]});
    errors_.resize(static_cast<std::size_t>(scene.system.constraint_count()));
  }

  /// The source of what is measured of a step.
  void watch(const DirectionError& method) { direction_ = &method; }

  void record(const State& state) {
    const Pose pose(scene_.system, state.q);
    double worst = 0;
    std::span<double> rest(errors_);
    for (const auto& batch : scene_.system.constraints()) {
      const std::size_t count = static_cast<std::size_t>(batch->size());
      batch->errors(pose, state.time, rest.first(count));
      rest = rest.subspan(count);
    }
    for (const double error : errors_) {
      worst = std::max(worst, error);
      if (steps_ > 0) accumulated_ += error;
    }
    for (const Column& column : columns_)
      column.values->push_back(value(column.name, state, pose, worst));
    ++steps_;
  }

 private:
  struct Column {
    std::string name;
    std::vector<double>* values;
  };

  double value(const std::string& name, const State& state, const Pose& pose, double worst) {
    const System& system = scene_.system;
    if (name == "time") return state.time;
    if (name == "error") return worst;
    if (name == "accumulated") return accumulated_;
    if (name == "kinetic") return system.kinetic_energy(state.v);
    if (name == "potential") return system.potential_energy(pose);
    if (name == "energy") return system.kinetic_energy(state.v) + system.potential_energy(pose);
    if (name == "speed") return state.v.norm();
    if (name == "reference") return track_ ? track_->value(state.time) : nan;
    if (name == "deviation")
      return track_ ? std::abs(pose.at(track_->point)[track_->axis] - track_->value(state.time))
                    : nan;
    if (name == "direction_error") return direction_ && steps_ > 0 ? direction_->last() : nan;
    if (name == "direction_error_beside")
      return direction_ && steps_ > 0 ? direction_->beside() : nan;
    if (name == "free_distance") return direction_ && steps_ > 0 ? direction_->moved() : nan;
    return of_a_body(name, state, pose);
  }

  /// "node2.y", its velocity "node2.vy", or "rod.wy", its angular velocity in the world.
  double of_a_body(const std::string& name, const State& state, const Pose& pose) const {
    const System& system = scene_.system;
    const std::size_t dot = std::min(name.rfind('.'), name.size());
    const std::optional<BodyId> body = system.find_body(name.substr(0, dot));
    const std::string_view what = std::string_view(name).substr(std::min(dot + 1, name.size()));
    const auto axis = static_cast<Eigen::Index>(
        what.empty() ? std::string_view::npos : std::string_view("xyz").find(what.back()));
    const bool turns = what.starts_with('w');
    const bool is_known = what.size() == 1 || what == "vx" || what == "vy" || what == "vz" ||
                          what == "wx" || what == "wy" || what == "wz";
    if (!body || axis < 0 || !is_known || (turns && !system.is_rigid(*body)))
      throw Error("there is no series \"" + name + "\" in the scene \"" + scene_.name + "\"");
    const BodySlot& slot = system.slot(*body);
    if (what.size() == 1) return pose.at(Point(*body))[axis];
    if (!turns) return state.v[slot.v + axis];
    const Vec3 local = state.v.segment<3>(slot.v + 3);
    return (pose.rotations[static_cast<std::size_t>(slot.rigid)] * local)[axis];
  }

  const io::Scene& scene_;
  std::optional<ReferenceTrack> track_;
  const DirectionError* direction_ = nullptr;
  std::vector<Column> columns_;
  std::vector<double> errors_;
  double accumulated_ = 0;
  long steps_ = 0;
};

/// CPU time of the steps alone, without measuring and recording. Both the wall time of the steps
/// and the CPU time of the whole run are at least that, and one of them is near it: the second
/// where the machine is busy with other things.
double step_seconds(const RunReport& report) {
  const double wall = 1e-6 * report.cost.microseconds_per_step * static_cast<double>(report.steps);
  return std::min(wall, report.cost.cpu_seconds);
}

void collect_metrics(RunData& data) {
  const RunReport& report = data.report;
  const double steps = static_cast<double>(report.steps);
  auto& m = data.metrics;
  m["step"] = report.step;
  m["steps"] = steps;
  m["time"] = report.time;
  m["ok"] = report.status == RunStatus::ok ? 1 : 0;
  m["accumulated"] = report.constraint_error.accumulated;
  m["max_error"] = report.constraint_error.max;
  m["final_error"] = report.constraint_error.final;
  m["trusted"] = report.status == RunStatus::ok && report.is_trusted() ? 1 : 0;
  m["impacts"] = static_cast<double>(report.impacts.count);
  m["impact_energy"] = report.impacts.energy_change;
  m["friction_energy"] = report.energy.friction;
  m["overlap"] = report.contacts.overlap;
  m["slip"] = report.contacts.slip;
  m["contact_force"] = report.contacts.largest_force;
  m["energy_error"] = report.energy.max_abs_error;
  m["deviation"] = report.reference_deviation ? report.reference_deviation->max : nan;
  m["solves_per_step"] = static_cast<double>(report.cost.linear_solves) / steps;
  m["final_speed"] = report.final_state.v.norm();
  m["residual_steps"] = static_cast<double>(report.cost.unconverged_steps);
  m["iterations_per_step"] = static_cast<double>(report.cost.iterations) / steps;
  m["halved_steps"] = static_cast<double>(report.cost.halved_steps);
  m["active_limits"] = report.active_limits.mean;
  m["compromise_steps"] = static_cast<double>(report.cost.compromise_steps);
  m["cpu_seconds"] = step_seconds(report);
  m["us_per_step"] = 1e6 * m["cpu_seconds"] / steps;
  const std::optional<io::FinalError> last = io::final_error(data.scene, report.final_state);
  const bool complete = last && report.status == RunStatus::ok;
  m["reference_error"] = complete ? last->position : nan;
  m["reference_velocity_error"] = complete ? last->velocity : nan;
  if (!data.spec.permit.empty()) m["permitted"] = data.spec.permitted;
  for (const io::SceneParameter& parameter : data.scene.parameters)
    m[parameter.name] = parameter.value;
  for (const OptionValue& option : data.spec.options)
    if (char* end = nullptr; !option.value.empty()) {
      const double value = std::strtod(option.value.c_str(), &end);
      if (*end == '\0') m[option.name] = value;
    }
}

RunOptions run_options(const RunData& data) {
  const RunSpec& spec = data.spec;
  RunOptions options;
  options.step = spec.step > 0 ? spec.step : data.scene.step;
  options.duration = spec.duration > 0 ? spec.duration : data.scene.duration;
  options.start = data.scene.start;
  if (!spec.start.empty()) options.start = spec.start == "as_is" ? Start::as_is : Start::settle;
  if (spec.halvings >= 0) options.max_halvings = spec.halvings;
  options.solver = spec.solver;
  options.contact_solver = spec.contact_solver;
  options.reference = io::reference_track(data.scene);
  return options;
}

/// How deep shapes are in each other, whether they are compliant or not.
double penetration(const System& system, const State& state) {
  double deepest = 0;
  std::vector<Contact> contacts;
  if (system.contact_sources().empty()) return deepest;
  const Pose pose(system, state.q);
  for (const auto& source : system.contact_sources()) source->find(pose, state.v, 0, 0, contacts);
  for (const Contact& contact : contacts) deepest = std::max(deepest, -contact.gap);
  return deepest;
}

/// Looking for intersections takes time: whether somebody asks, and how many states are looked at.
bool wants_cloth_states(const Experiment& experiment) {
  const auto is_of_cloth = [](const std::string& name) {
    return name == "crossings" || name == "strain";
  };
  return std::any_of(experiment.quantities.begin(), experiment.quantities.end(),
                     [&](const Quantity& quantity) { return is_of_cloth(quantity.metric); });
}
constexpr long states_looked_at = 50;

constexpr int most_compared = 5000;  // rows: for cloth, forces at the end would cost too much

RunData perform_one(const Experiment& experiment, const RunSpec& spec) {
  const std::set<std::string> names = wanted_series(experiment, spec);
  RunData data;
  data.spec = spec;
  data.scene = io::load_scene(spec.scene, spec.settings);
  RunOptions options = run_options(data);
  SeriesRecorder recorder(data.scene, names, data);
  if (names.size() == 1) options.record_every = std::numeric_limits<long>::max();  // the end alone
  double deepest = 0;
  ClothStates cloth(data.scene);
  const bool looks_at_cloth = data.scene.system.sheets() && wants_cloth_states(experiment);
  if (looks_at_cloth && names.size() == 1)
    options.record_every =
        std::max(1L, std::lround(options.duration / options.step) / states_looked_at);
  options.record_states = [&](const State& state) {
    recorder.record(state);
    if (looks_at_cloth) cloth.look(state);
    deepest = std::max(deepest, penetration(data.scene.system, state));
  };
  if (data.scene.system.row_count() <= most_compared)
    options.record = [&](const State&, const VecX& lambda) { data.lambda = lambda; };
  auto method = make_method(spec.method, spec.options);
  if (std::any_of(names.begin(), names.end(),
                  [](const std::string& name) { return of_a_step.contains(name); })) {
    auto watched = std::make_unique<DirectionError>(
        std::move(method), spec.beside.empty() ? nullptr : make_method(spec.method, spec.beside),
        data.scene.system);
    recorder.watch(*watched);
    method = std::move(watched);
  }
  data.report = simulate(data.scene.system, data.scene.system.initial_state(), *method, options);
  collect_metrics(data);
  data.metrics["penetration"] = deepest;
  data.metrics["crossings"] = looks_at_cloth ? cloth.crossings : nan;
  data.metrics["strain"] = looks_at_cloth ? cloth.strain : nan;
  for (const auto& [name, values] : data.series)
    if (of_a_step.contains(name) && !values.empty()) data.metrics[name] = values.back();
  return data;
}

/// A single short run says little about the time it takes: several do, and the shortest counts.
void time_again(RunData& data) {
  constexpr double enough = 0.05, patience = 0.5;  // s
  constexpr int least = 2, most = 20;
  RunOptions options = run_options(data);
  options.reference.reset();
  double spent = data.report.cost.wall_seconds;
  for (int i = 0; i < most && spent < (i < least ? patience : enough); ++i) {
    const auto method = make_method(data.spec.method, data.spec.options);
    const RunReport again =
        simulate(data.scene.system, data.scene.system.initial_state(), *method, options);
    spent += again.cost.wall_seconds;
    double& cpu = data.metrics["cpu_seconds"];
    cpu = std::min(cpu, step_seconds(again));
    ++data.repeats;
  }
  data.metrics["us_per_step"] = 1e6 * data.metrics["cpu_seconds"] / data.metrics["steps"];
}

/// The metrics that the experiment's file defines.
void derive_metrics(const Experiment& experiment, RunData& data) {
  for (const auto& [name, expression] : experiment.metrics)
    data.metrics[name] = evaluate(expression, data.metrics);
}

bool is_permitted(const RunData& run) {
  const RunSpec& spec = run.spec;
  return run.metrics.at("ok") > 0 &&
         (spec.permit.empty() || run.metrics.at(spec.permit) <= spec.permitted);
}

/// Of the runs with the same id that ask for it, only the best one stays.
void keep_best(std::vector<RunData>& runs) {
  std::map<std::string, std::size_t> best;
  std::vector<bool> keep(runs.size(), true);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunSpec& spec = runs[i].spec;
    if (spec.best_by.empty()) continue;
    const auto rank = [&](std::size_t j) {
      const auto& m = runs[j].metrics;
      const double value = m.at(spec.best_by);
      // Where none gets through, the one that lasts longest is the best.
      return is_permitted(runs[j]) && std::isfinite(value) ? value : 1e200 / (1 + m.at("steps"));
    };
    const auto [found, is_new] = best.emplace(spec.id, i);
    if (is_new) continue;
    const bool better = rank(i) < rank(found->second);
    keep[better ? found->second : i] = false;
    if (better) found->second = i;
  }
  std::vector<RunData> kept;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!keep[i]) continue;
    kept.push_back(std::move(runs[i]));
    RunData& run = kept.back();
    if (!run.spec.best_by.empty() && !run.spec.permit.empty() && !is_permitted(run))
      run.metrics[run.spec.best_by] = nan;
  }
  runs = std::move(kept);
}

/// Errors at the end against the run that is the truth for the same scene.
void compare_with_truth(std::vector<RunData>& runs) {
  for (const RunData& truth : runs) {
    if (!truth.spec.is_truth) continue;
    for (RunData& run : runs) {
      if (run.spec.is_truth || run.scene.name != truth.scene.name) continue;
      const State &a = run.report.final_state, &b = truth.report.final_state;
      if (a.q.size() != b.q.size()) continue;
      run.metrics["position_error"] = (a.q - b.q).norm() / b.q.norm();
      run.metrics["position_difference"] = (a.q - b.q).lpNorm<Eigen::Infinity>();
      run.metrics["velocity_error"] = (a.v - b.v).norm() / b.v.norm();
      run.metrics["lambda_error"] = (run.lambda - truth.lambda).norm() / truth.lambda.norm();
    }
  }
}

}  // namespace

std::vector<RunData> perform(const Experiment& experiment, const ExperimentOptions& options) {
  const std::vector<RunSpec>& specs = experiment.runs;
  std::vector<RunData> runs(specs.size());
  std::vector<std::size_t> untimed, timed;
  for (std::size_t i = 0; i < specs.size(); ++i) (specs[i].is_timed ? timed : untimed).push_back(i);

  const int total = static_cast<int>(runs.size());
  int done_before = 0;
  bool stopped = false;
  const auto go_on = [&](int done) {
    stopped = stopped || (options.progress && !options.progress(done_before + done, total));
    return !stopped;
  };
  const auto make = [&](const std::vector<std::size_t>& which, int threads) {
    const auto make_one = [&](int i) {
      const std::size_t at = which[static_cast<std::size_t>(i)];
      runs[at] = perform_one(experiment, specs[at]);
      derive_metrics(experiment, runs[at]);
    };
    parallel_for(static_cast<int>(which.size()), make_one, {threads, go_on});
    done_before += static_cast<int>(which.size());
  };
  make(untimed, options.threads);
  if (!stopped) make(timed, 1);  // alone, so that nothing else takes cache and memory bandwidth
  if (stopped) return {};

  keep_best(runs);
  for (RunData& run : runs) {
    if (!run.spec.is_timed) continue;
    if (!go_on(0)) return {};
    time_again(run);
    derive_metrics(experiment, run);
  }
  compare_with_truth(runs);
  return runs;
}

bool matches(const std::string& pattern, const std::string& id) {
  if (!pattern.empty() && pattern.back() == '*')
    return id.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
  return pattern == id;
}

}  // namespace taut::experiment::detail
