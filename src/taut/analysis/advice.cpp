#include "taut/analysis/advice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/analysis/advice_internal.hpp"
#include "taut/analysis/stability_map.hpp"
#include "taut/base/error.hpp"
#include "taut/base/parallel.hpp"

namespace taut {
namespace {

using detail::Patience;
using detail::SampledRun;
using detail::SampleTimes;

constexpr double search_part = 0.8;  // of the budget; the rest is for what comes after

bool has_option(const MethodInfo& info, std::string_view name) {
  return std::any_of(info.options.begin(), info.options.end(),
                     [&](const FieldInfo& option) { return option.name == name; });
}

/// Every method with the given options; with RK4 besides, where the integrator can be chosen.
std::vector<AdviceCandidate> all_candidates(const std::vector<OptionValue>& options) {
  std::vector<std::string_view> known;
  for (const MethodInfo& info : methods())
    for (const FieldInfo& option : info.options) known.push_back(option.name);
  bool base_given = false;
  for (const OptionValue& option : options) {
    base_given = base_given || option.name == "base";
    if (std::find(known.begin(), known.end(), option.name) == known.end())
      throw Error("no method has the option \"" + option.name + "\"" +
                  suggestion(option.name, known));
  }
  std::vector<AdviceCandidate> all;
  for (const MethodInfo& info : methods()) {
    AdviceCandidate candidate;
    candidate.method = info.name;
    for (const OptionValue& option : options)
      if (has_option(info, option.name)) candidate.options.push_back(option);
    info.make(candidate.options);  // complains here, not on a thread
    all.push_back(candidate);
    if (!base_given && has_option(info, "base")) {
      candidate.options.push_back({"base", "rk4"});
      all.push_back(candidate);
    }
  }
  return all;
}

/// 1, 2, 5, 10, 20, 50 … : all divide the interval into whole numbers of round steps.
int divisor_at(int k) {
  constexpr int first[] = {1, 2, 5};
  int divisor = first[k % 3];
  for (int i = 0; i < k / 3; ++i) divisor *= 10;
  return divisor;
}

/// Times that all steps hit: a power of ten, about 10 times the usual step.
SampleTimes sample_times(double step, double duration) {
  const double wanted = std::min(10 * step, duration / 10);
  double interval = std::pow(10., std::floor(std::log10(wanted) + 1e-9));
  if (interval < 1) interval = 1 / std::round(1 / interval);  // 0.1 and not 0.10000000000000002
  return {interval, std::max(1, static_cast<int>(std::floor(duration / interval + 1e-9)))};
}

class Search {
 public:
  Search(const System& system, const State& start, const AdviceRequest& request,
         const SampleTimes& times, const std::vector<VecX>& reference, const Patience& patience,
         bool violated)
      : system_(system),
        start_(start),
        request_(request),
        times_(times),
        reference_(reference),
        patience_(patience),
        violated_(violated) {}

  /// Smaller and smaller steps until the accuracy is reached twice in a row, or nothing is gained,
  /// or `share` seconds are gone.
  void refine(AdviceCandidate& candidate, double share) const {
    const double begin = patience_.elapsed();
    double expected = 0;
    for (int k = 0; k < 24; ++k) {
      const double used = patience_.elapsed() - begin;
      if (used + expected > share || patience_.left(search_part) < expected) {
        candidate.stopped = "the budget";
        return;
      }
      const double before = patience_.elapsed();
      AdviceTrial trial;
      if (!run(candidate, divisor_at(k), trial)) {
        candidate.stopped = patience_.interrupted ? "interrupted" : "the budget";
        return;
      }
      expected = (trial.diverged ? 1 : 2.5) * (patience_.elapsed() - before);
      candidate.trials.push_back(trial);
      if (!trial.reaches) {
        candidate.chosen = -1;  // reached before, by luck
      } else if (candidate.chosen >= 0) {
        return;  // confirmed
      } else {
        candidate.chosen = k;
      }
      if (candidate.chosen < 0 && (no_gain(candidate.trials) || hopeless(candidate.trials))) {
        candidate.stopped = candidate.trials.back().settles
                                ? "smaller steps gain nothing"
                                : "does not bring the start to the constraints";
        return;
      }
    }
    candidate.stopped = "the step became too small";
  }

  /// Tries the chosen run over the whole duration. In doubt, the next smaller step is chosen, or
  /// none.
  enum class Rest { trusted, doubted, not_tried };
  Rest try_rest(AdviceCandidate& candidate) const {
    RunOptions options;
    options.step = candidate.choice()->step;
    options.duration = request_.duration;
    options.reactions = true;
    options.keep_going = [&](const RunProgress&) {
      return !patience_.interrupted && patience_.left(1) > 0;
    };
    const auto method = make_method(candidate.method, candidate.options);
    const RunReport report = simulate(system_, system_.initial_state(), *method, options);
    if (report.status == RunStatus::interrupted) return Rest::not_tried;
    if (report.is_trusted()) return Rest::trusted;
    ++candidate.chosen;
    if (candidate.chosen < static_cast<int>(candidate.trials.size()) && candidate.choice()->reaches)
      return Rest::doubted;
    candidate.chosen = -1;
    candidate.stopped = "later: " + (report.reason.empty() ? report.doubts.front() : report.reason);
    return Rest::doubted;
  }

  /// Alone on its core, for about 20 ms, twice: the better one.
  void measure_cost(const AdviceCandidate& candidate, AdviceTrial& trial) const {
    if (trial.diverged || trial.cost <= 0) return;
    const double per_step = trial.cost * trial.step;  // µs, so far
    RunOptions options;
    options.step = trial.step;
    options.start = Start::as_is;
    options.max_halvings = 0;
    options.duration = std::min(times_.end(), std::max(20., 2e4 / per_step) * trial.step);
    double best = INFINITY;
    for (int i = 0; i < 2; ++i) {
      const auto method = make_method(candidate.method, candidate.options);
      best = std::min(best, simulate(system_, start_, *method, options).cost.microseconds_per_step);
    }
    trial.cost = best / trial.step;
  }

 private:
  bool run(const AdviceCandidate& candidate, int divisor, AdviceTrial& trial) const {
    const auto method = make_method(candidate.method, candidate.options);
    const SampledRun run =
        detail::run_sampled(system_, start_, *method, divisor, times_, patience_, search_part);
    const RunReport& report = run.report;
    if (report.status == RunStatus::interrupted) return false;
    trial.step = report.step;
    trial.diverged = report.status == RunStatus::diverged;
    trial.deviation = detail::distances(run.places, reference_).back();
    trial.constraint_error = report.constraint_error.max;
    trial.energy_error = report.energy.max_abs_error;
    trial.cost = report.cost.microseconds_per_step / report.step;
    trial.reaches = !trial.diverged && trial.deviation <= request_.accuracy &&
                    trial.constraint_error <= request_.accuracy;
    if (trial.reaches && violated_) {
      trial.settles = settles(candidate, trial.step);
      trial.reaches = trial.settles;
    }
    return true;
  }

  /// Whether the user's own start, which violates constraints, comes to meet them.
  bool settles(const AdviceCandidate& candidate, double step) const {
    const auto method = make_method(candidate.method, candidate.options);
    const StabilityCell cell = classify_run(system_, *method, step, times_.end(), 200, [&] {
      return !patience_.interrupted && patience_.left(search_part) > 0;
    });
    const bool calm = cell.behaviour == Behaviour::stable || cell.behaviour == Behaviour::unsettled;
    return calm && cell.final_error <= request_.accuracy;
  }

  /// A decade of steps that changed the larger of the two errors by less than a tenth.
  bool no_gain(const std::vector<AdviceTrial>& trials) const {
    if (trials.size() < 5) return false;
    const auto error = [](const AdviceTrial& trial) {
      return std::max(trial.deviation, trial.constraint_error);
    };
    const auto& last = trials.back();
    const auto& before = trials[trials.size() - 4];
    return !last.diverged && !before.diverged && error(last) > 0.9 * error(before);
  }

  /// Accurate at two steps, but from the start as it is neither settles.
  static bool hopeless(const std::vector<AdviceTrial>& trials) {
    return trials.size() >= 2 && !trials.back().settles && !trials[trials.size() - 2].settles;
  }

  const System& system_;
  const State& start_;
  const AdviceRequest& request_;
  const SampleTimes times_;
  const std::vector<VecX>& reference_;
  const Patience& patience_;
  const bool violated_;
};

void sort_by_cost(std::vector<AdviceCandidate>& candidates) {
  const auto best_error = [](const AdviceCandidate& candidate) {
    double least = INFINITY;
    for (const AdviceTrial& trial : candidate.trials)
      if (!trial.diverged) least = std::min(least, trial.deviation);
    return least;
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const AdviceCandidate& a, const AdviceCandidate& b) {
                     if ((a.chosen < 0) != (b.chosen < 0)) return a.chosen >= 0;
                     if (a.chosen < 0) return best_error(a) < best_error(b);
                     return a.choice()->cost < b.choice()->cost;
                   });
}

}  // namespace

std::string AdviceCandidate::label() const {
  std::string text = method;
  for (const OptionValue& option : options) text += " " + option.name + "=" + option.value;
  return text;
}

Advice advise(const System& system, const AdviceRequest& request) {
  TAUT_CHECK(request.accuracy > 0 && request.duration > 0 && request.step > 0);
  Patience patience(request.budget);
  Advice advice;
  advice.accuracy = request.accuracy;
  advice.conservative = system.is_conservative();
  advice.candidates = all_candidates(request.options);

  const State start = detail::legal_start(system, system.initial_state(), advice.start_violation);
  SampleTimes times = sample_times(request.step, request.duration);
  const detail::Reference reference =
      detail::make_reference(system, start, request, times, patience);
  advice.reference = reference.quality;
  advice.interrupted = patience.interrupted;
  if (reference.places.size() < 2 || advice.interrupted) return advice;
  times.count = static_cast<int>(reference.places.size()) - 1;

  const Search search(system, start, request, times, reference.places, patience,
                      advice.start_violation > 0);
  const int count = static_cast<int>(advice.candidates.size());
  const int threads = request.threads > 0 ? request.threads : core_count();
  const double share = patience.left(search_part) * std::min(threads, count) / count;
  ParallelOptions options;
  options.threads = threads;
  options.keep_going = [&](int done) {
    const double fraction = 0.3 + 0.6 * done / count;
    if (request.keep_going &&
        !request.keep_going(fraction, fmt::format("{} of {} methods tried", done, count)))
      patience.interrupted = true;
    return !patience.interrupted;
  };
  parallel_for(
      count, [&](int i) { search.refine(advice.candidates[static_cast<std::size_t>(i)], share); },
      options);

  // What matters most first: it may be that time runs out.
  for (AdviceCandidate& candidate : advice.candidates)
    if (candidate.chosen >= 0)
      search.measure_cost(candidate, candidate.trials[static_cast<std::size_t>(candidate.chosen)]);
  for (AdviceCandidate& candidate : advice.candidates)
    for (std::size_t k = 0; k < candidate.trials.size() && !patience.interrupted; ++k)
      if (static_cast<int>(k) != candidate.chosen && patience.left(1) > 0)
        search.measure_cost(candidate, candidate.trials[k]);
  sort_by_cost(advice.candidates);

  // What was judged over a part of the time may fail later.
  advice.tried_until = times.end();
  if (times.end() < request.duration * (1 - 1e-9)) {
    Search::Rest rest = Search::Rest::doubted;
    while (advice.best() && rest == Search::Rest::doubted) {
      rest = search.try_rest(advice.candidates.front());
      sort_by_cost(advice.candidates);
    }
    if (rest == Search::Rest::trusted) advice.tried_until = request.duration;
  }
  advice.interrupted = patience.interrupted;
  return advice;
}

}  // namespace taut
