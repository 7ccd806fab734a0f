#include "taut/analysis/verify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/simulate/verdict.hpp"

namespace taut {
namespace {

constexpr double most_quick = 1e5;    // velocities times steps: less than a second
constexpr double most_numbers = 1e7;  // kept of a run: of longer ones, fewer times are compared

/// Where the bodies of a run were, at some of its recording times.
struct Track {
  struct Sample {
    double time;
    VecX q;
  };
  std::vector<Sample> samples;
  long seen = 0, stride = 1;

  void add(const State& state) {
    if (seen++ % stride == 0) samples.push_back({state.time, state.q});
  }
};

class TrackComparison {
 public:
  explicit TrackComparison(const System& system) : system_(system) {
    for (int i = 0; i < system.body_count(); ++i)
      arm_.push_back(system.is_rigid({i})
                         ? std::sqrt(0.5 * system.inertia({i}).trace() / system.mass({i}))
                         : 0);
  }

  /// Calls visit(time, largest distance) for every time that both have.
  template <class Visit>
  void visit(const Track& a, const Track& b, const Visit& visit) {
    auto other = b.samples.begin();
    for (const Track::Sample& sample : a.samples) {
      const double same = 1e-9 * std::max(1.0, std::abs(sample.time));
      while (other != b.samples.end() && other->time < sample.time - same) ++other;
      if (other == b.samples.end()) return;
      if (std::abs(other->time - sample.time) <= same)
        visit(sample.time, distance(sample.q, other->q));
    }
  }

  /// How far a body gets from where it began.
  double travel(const Track& track) const {
    double farthest = 0;
    for (const Track::Sample& sample : track.samples)
      for (const BodySlot& slot : system_.slots())
        farthest = std::max(
            farthest,
            (sample.q.segment<3>(slot.q) - track.samples.front().q.segment<3>(slot.q)).norm());
    return farthest;
  }

 private:
  double distance(const VecX& a, const VecX& b) {
    system_.difference(a, b, Chart::rotation_vector, difference_);
    double largest = 0;
    for (std::size_t i = 0; i < arm_.size(); ++i) {
      const int v = system_.slots()[i].v;
      largest = std::max(largest, difference_.segment<3>(v).norm());
      if (arm_[i] > 0) largest = std::max(largest, arm_[i] * difference_.segment<3>(v + 3).norm());
    }
    return largest;
  }

  const System& system_;
  std::vector<double> arm_;  // per body; 0: a particle
  VecX difference_;
};

double richardson(const Method& method, const RunOptions& options, const RunReport& report) {
  if (options.tolerance > 0) return 10.0 / 9;  // the error of a run is about that of its tolerance
  const bool keeps_order = report.impacts.count == 0 && report.active_limits.most == 0 &&
                           report.cost.halved_steps == 0 && report.cost.unconverged_steps == 0;
  const double ratio = std::exp2(keeps_order ? method.order() : 1);
  return ratio / (ratio - 1);
}

}  // namespace

bool is_quick_to_verify(const System& system, const RunOptions& options) {
  return options.step > 0 && system.contact_sources().empty() &&
         system.velocity_size() * options.duration <= most_quick * options.step;
}

RunReport simulate_verified(const System& system, const State& start,
                            const std::function<std::unique_ptr<Method>()>& make_method,
                            const RunOptions& options, double wanted, VerifyWhat what) {
  const double records =
      options.tolerance > 0
          ? options.duration /
                (options.record_interval > 0 ? options.record_interval : 1e-3 * options.duration)
          : options.duration / (options.step * static_cast<double>(options.record_every));
  Track first, second;
  first.stride = second.stride = std::max(
      1L, std::lround(std::ceil(records * static_cast<double>(start.q.size()) / most_numbers)));

  constexpr double first_part = 1.0 / 3;  // of the time it all takes
  RunOptions as_asked = options;
  as_asked.record_states = [&](const State& state) {
    first.add(state);
    if (options.record_states) options.record_states(state);
  };
  if (options.keep_going)
    as_asked.keep_going = [&](RunProgress progress) {
      progress.fraction *= first_part;
      return options.keep_going(progress);
    };
  const std::unique_ptr<Method> method = make_method();
  RunReport report = simulate(system, start, *method, as_asked);
  if (report.status != RunStatus::ok) return report;
  if (what == VerifyWhat::trusted && !report.is_trusted()) return report;

  RunOptions finer = options;
  finer.step *= 0.5;
  finer.record_every *= 2;
  finer.tolerance *= 0.1;
  finer.reactions = false;
  finer.reference.reset();
  finer.record = {};
  finer.record_joints = {};
  finer.record_contacts = {};
  finer.record_event = {};
  finer.record_states = [&](const State& state) { second.add(state); };
  if (options.keep_going)
    finer.keep_going = [&](RunProgress progress) {
      progress.fraction = first_part + (1 - first_part) * progress.fraction;
      return options.keep_going(progress);
    };
  const RunReport again = simulate(system, start, *make_method(), finer);
  if (again.status == RunStatus::interrupted) {
    report.status = RunStatus::interrupted;
    return report;
  }

  // Where bodies have no extent, what is long or short is told by how far they go.
  const double size =
      std::max(scene_size(system, start),
               system.contact_sources().empty() ? TrackComparison(system).travel(first) : 0);
  const double factor = richardson(*method, options, report);
  Verification& found = report.verification.emplace();
  found.wanted = wanted;
  found.other = options.tolerance > 0 ? fmt::format("a tolerance of {:g}", finer.tolerance)
                                      : fmt::format("a step of {:g} s", finer.step);
  bool is_within = true;
  double error_at = start.time;
  found.until = start.time;
  TrackComparison(system).visit(first, second, [&](double time, double distance) {
    const double error = factor * distance;
    is_within = is_within && error <= wanted * size;
    if (is_within) found.until = time;
    if (error > found.error) {
      found.error = error;
      error_at = time;
    }
  });
  found.relative_error = found.error / size;
  found.is_met = is_within && again.status == RunStatus::ok;
  if (again.status != RunStatus::ok)
    report.doubts.push_back(fmt::format("with {} the run diverges at {:.4g} s: {}", found.other,
                                        again.time, again.reason));
  if (!is_within)
    report.doubts.push_back(
        fmt::format("with {} positions come out differently: the error is about {:.3g} m at {:.4g} "
                    "s, {:.2g} of "
                    "the scene's size; it is within {:g} only until {:.4g} s",
                    found.other, found.error, error_at, found.relative_error, wanted, found.until));
  return report;
}

}  // namespace taut
