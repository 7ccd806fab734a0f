// The reference of advise(): the most accurate of a few methods, its step halved until that changes
// nothing that matters, and no longer than the motion can be predicted at all.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "taut/analysis/advice_internal.hpp"
#include "taut/analysis/assembly_internal.hpp"
#include "taut/base/error.hpp"
#include "taut/base/parallel.hpp"

namespace taut::detail {
namespace {

constexpr double perturbation = 1e-10;  // of the scene's extent
constexpr double trusted = 0.1;         // of the accuracy: less than this is no matter
constexpr double budget_part = 0.4;     // for all of this

/// Smooth motion is followed best by fourth order; rough motion perhaps by what conserves.
const std::vector<AdviceCandidate>& makers() {
  static const std::vector<AdviceCandidate> all{{"baumgarte", {{"base", "rk4"}}, {}, -1, ""},
                                                {"rattle", {}, {}, -1, ""}};
  return all;
}

double largest_violation(const System& system, const State& state) {
  double worst = 0;
  const Pose pose(system, state.q);
  for (const auto& batch : system.constraints()) {
    std::vector<double> errors(static_cast<std::size_t>(batch->size()));
    batch->errors(pose, state.time, errors);
    for (const double error : errors) worst = std::max(worst, error);
  }
  return worst;
}

/// v ← v − W Jᵀ A⁻¹ (J v + C_t). Returns the largest rate before.
double correct_velocity(const System& system, State& state) {
  Workspace w(system);
  StepReport report;
  w.linearize(system, state.q, state.time, w.start);
  w.J(w.start, state.v, w.rhs);
  w.rhs += w.start.C_t;
  if (w.rhs.size() == 0) return 0;
  const double rate = w.rhs.lpNorm<Eigen::Infinity>();
  w.factor(w.start);
  w.solve(w.rhs, w.lambda, report);
  w.WJt(w.start, w.lambda, w.correction);
  state.v -= w.correction;
  return rate;
}

/// Every body a little elsewhere, the same way every time, and legal again.
State perturbed(const System& system, const State& start, double distance) {
  std::mt19937 random;
  VecX x(system.velocity_size());
  for (double& value : x) value = distance * (2.0 * random() / std::mt19937::max() - 1);
  State moved = start;
  system.advance(start.q, x, 1, moved.q);
  moved.q = Assembly(system, moved).fit(moved.q, 1e-3 * distance).q;
  correct_velocity(system, moved);
  return moved;
}

/// How many samples stay within `most`.
int samples_within(const std::vector<double>& distance, double most) {
  return static_cast<int>(std::upper_bound(distance.begin(), distance.end(), most) -
                          distance.begin()) -
         1;
}

struct Made {
  std::vector<VecX> places;
  std::vector<double> change;  // what the last halving changed, per sample
  double step = 0;
};

Made refine(const System& system, const State& start, const AdviceCandidate& maker,
            const SampleTimes& times, double wanted, const Patience& patience) {
  Made made;
  double last_change = 0;
  int idle = 0;
  for (int divisor = 8; divisor <= (1 << 24); divisor *= 2) {
    const double begin = patience.elapsed();
    const auto method = make_method(maker.method, maker.options);
    SampledRun run = run_sampled(system, start, *method, divisor, times, patience, budget_part);
    if (run.report.status == RunStatus::interrupted) break;
    if (run.report.status == RunStatus::ok) {
      if (!made.places.empty()) {
        made.change = distances(made.places, run.places);
        const double change = made.change.back();
        idle = last_change > 0 && change > 0.7 * last_change ? idle + 1 : 0;
        last_change = change;
      }
      made.places = std::move(run.places);
      made.step = run.report.step;
      // Thrice without gain: round-off, or a motion that no step follows to its end.
      if (!made.change.empty() && (made.change.back() <= wanted || idle >= 3)) break;
    }
    if (2.2 * (patience.elapsed() - begin) > patience.left(budget_part)) break;
  }
  return made;
}

}  // namespace

State legal_start(const System& system, State start, double& violation) {
  const double size = extent(system, start);
  violation = largest_violation(system, start);
  if (violation > 1e-9 * size) {
    start.q = Assembly(system, start).fit(start.q, 1e-13 * size).q;
    if (const double left = largest_violation(system, start); left > 1e-6 * size)
      throw Error(
          fmt::format("the constraints cannot be met together: at best one is off by {:.3g} "
                      "(see taut check)",
                      left));
  } else {
    violation = 0;
  }
  const VecX before = start.v;
  const double rate = correct_velocity(system, start);
  if (rate <= 1e-9 * std::max(size, before.norm())) {
    start.v = before;
  } else if (violation == 0) {
    violation = rate;
  }
  return start;
}

SampledRun run_sampled(const System& system, const State& start, Method& method, int divisor,
                       const SampleTimes& times, const Patience& patience, double deadline_part) {
  SampledRun run;
  RunOptions options;
  options.step = times.interval / divisor;
  options.duration = times.end();
  options.record_every = divisor;
  options.start = Start::as_is;  // how the method copes with an illegal start counts
  options.max_halvings = 0;
  options.record_states = [&](const State& state) {
    VecX& places = run.places.emplace_back(3 * system.body_count());
    for (int i = 0; i < system.body_count(); ++i)
      places.segment<3>(3 * i) = state.q.segment<3>(system.slot({i}).q);
  };
  options.keep_going = [&](const RunProgress&) {
    return !patience.interrupted && patience.left(deadline_part) > 0;
  };
  run.report = simulate(system, start, method, options);
  return run;
}

std::vector<double> distances(const std::vector<VecX>& a, const std::vector<VecX>& b) {
  std::vector<double> largest;
  double so_far = 0;
  for (std::size_t n = 0; n < std::min(a.size(), b.size()); ++n) {
    for (int i = 0; i + 2 < a[n].size(); i += 3)
      so_far = std::max(so_far, (a[n].segment<3>(i) - b[n].segment<3>(i)).norm());
    largest.push_back(so_far);
  }
  return largest;
}

Reference make_reference(const System& system, const State& start, const AdviceRequest& request,
                         const SampleTimes& all_times, Patience& patience) {
  Reference reference;
  AdviceReference& quality = reference.quality;
  const double size = extent(system, start);
  SampleTimes times = all_times;

  ParallelOptions parallel;
  parallel.threads = request.threads;
  parallel.keep_going = [&](int) {
    if (request.keep_going && !request.keep_going(0.15, "the reference"))
      patience.interrupted = true;
    return !patience.interrupted;
  };

  // How long is the motion predictable? Two runs that begin next to each other tell, even if
  // neither is accurate.
  const State beside = perturbed(system, start, perturbation * size);
  std::vector<double> growth;
  for (int divisor = 16; growth.empty() && divisor <= 4096 && !patience.interrupted; divisor *= 4) {
    SampledRun runs[2];
    parallel_for(
        2,
        [&](int i) {
          const auto method = make_method(makers()[0].method, makers()[0].options);
          runs[i] =
              run_sampled(system, i ? beside : start, *method, divisor, times, patience, 0.15);
        },
        parallel);
    if (runs[0].report.status == RunStatus::ok && runs[1].report.status == RunStatus::ok)
      growth = distances(runs[0].places, runs[1].places);
  }
  if (!growth.empty()) {
    const int predictable = samples_within(growth, trusted * request.accuracy);
    if (predictable < times.count) {
      times.count = std::max(0, predictable);
      quality.shortened = fmt::format(
          "the motion is chaotic: a change of {:.1g} m at the start grows beyond {:.1g} m there",
          perturbation * size, trusted * request.accuracy);
    }
  }
  if (times.count < 1) return reference;

  std::vector<Made> made(makers().size());
  parallel_for(
      static_cast<int>(made.size()),
      [&](int i) {
        const auto n = static_cast<std::size_t>(i);
        made[n] = refine(system, start, makers()[n], times, 0.01 * request.accuracy, patience);
      },
      parallel);
  std::size_t best = made.size();
  for (std::size_t n = 0; n < made.size(); ++n)
    if (!made[n].change.empty() &&
        (best == made.size() || made[n].change.back() < made[best].change.back()))
      best = n;
  if (best == made.size()) return reference;  // until = 0: nothing is known

  const int known = samples_within(made[best].change, trusted * request.accuracy);
  if (known < times.count) {
    times.count = std::max(0, known);
    quality.shortened = fmt::format("the reference itself is known to {:.1g} m only up to there",
                                    trusted * request.accuracy);
  }
  reference.places = std::move(made[best].places);
  reference.places.resize(static_cast<std::size_t>(times.count) + 1);
  quality.method = makers()[best].label();
  quality.step = made[best].step;
  quality.uncertainty = made[best].change[static_cast<std::size_t>(times.count)];
  quality.until = times.end();

  if (request.known) {
    const ReferenceTrack& track = *request.known;
    for (int n = 0; n <= times.count && n * times.interval <= track.until * (1 + 1e-12); ++n) {
      double& ours =
          reference.places[static_cast<std::size_t>(n)][3 * track.point.body.index + track.axis];
      const double truth = track.value(n * times.interval);
      quality.from_known = std::max(quality.from_known.value_or(0), std::abs(ours - truth));
      ours = truth;
    }
  }
  return reference;
}

}  // namespace taut::detail
