#include "taut/analysis/verify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/simulate/verdict.hpp"

namespace taut {
namespace {

constexpr double most_numbers = 2e6;  // kept of a run: of longer ones, fewer times are compared

// Of what a second run may cost unasked:
constexpr double little = 0.1;      // that anybody spends
constexpr double short_run = 5e-3;  // the same, as velocities times steps, where solves are many
constexpr double known = 1e-6;    // an error estimated from a few steps: below it they tell enough
constexpr double few_times = 16;  // to compare at
constexpr double fastest_growth = 2;  // of errors, a power of the time
constexpr double elsewhere = 5e-2;    // an error, of the scene's size
constexpr double by_chance = 0.1;     // of the error wanted: two wrong runs seldom agree as well
constexpr double push = 1e-9;         // of velocities, to see what becomes of it
constexpr double sensitive = 1e3;     // times what it would be in free flight

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
    for (int i = 0; i < system.body_count(); ++i) arm_.push_back(radius_of_gyration(system, {i}));
  }

  /// Calls visit(time, largest distance) for every time that both have.
  template <class Visit>
  void visit(const Track& a, const Track& b, const Visit& visit) {
    auto other = b.samples.begin();
    // Of what lies between two samples: times are long or short against nothing else.
    const double same = 1e-6 * (a.samples.back().time - a.samples.front().time) /
                        std::max<double>(1, static_cast<double>(a.samples.size()) - 1);
    for (const Track::Sample& sample : a.samples) {
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

/// Whether a constraint jumped, or ended.
bool has_jumped(const System& system, const State& start, const RunReport& report) {
  if (!report.activation.times.empty() && report.activation.times.back() > start.time) return true;
  for (const auto& batch : system.constraints())
    for (int c = 0; c < batch->size(); ++c)
      if (batch->law(c, 0).until < report.time) return true;
  return false;
}

bool keeps_order(const System& system, const State& start, const RunReport& report) {
  return report.impacts.count == 0 && report.active_limits.most == 0 &&
         !has_jumped(system, start, report) && report.contacts.most == 0 &&
         report.cost.halved_steps == 0 && report.cost.unconverged_steps == 0;
}

/// How much of a run is done again unasked, of its duration. Of cloth and where shapes touch, whose
/// motion is chaotic more often than not, all or nothing: there errors do not grow evenly. So where
/// steps are chosen on the way: their errors do not grow at all, but where the motion is sensitive.
/// Methods that hold cloth together at long steps do not pretend to follow it.
double worthwhile_share(const System& system, const Method& method, const RunOptions& options,
                        const RunReport& report, double worth) {
  const auto& cost = report.cost;
  const double velocities = system.velocity_size();
  const bool may_touch = !system.contact_sources().empty();
  if (!may_touch && velocities * static_cast<double>(report.steps) <= short_run * worth) return 1;
  const double again =
      2 * velocities * static_cast<double>(std::max(cost.linear_solves, cost.linear_iterations));
  if (again <= little * worth) return 1;
  const bool is_cloth = is_fabric(system);
  if (is_cloth && method.order() < 4) return 0;
  if (may_touch || is_cloth || options.tolerance > 0) return again <= worth ? 1 : 0;
  if (report.estimated_error && *report.estimated_error <= known) return 0;
  const double share = worth / again;
  const double times = share * static_cast<double>(report.steps / options.record_every);
  return share >= 1 ? 1 : times >= few_times ? share : 0;
}

/// Whether little things decide about the motion before a time: it is done again with other
/// velocities at the start, by very little, and compared with what that would be without forces.
bool is_sensitive(const System& system, State start, Method& method, RunOptions options,
                  const Track& first, double size, double until) {
  double fastest = size / options.duration;
  for (const BodySlot& slot : system.slots())
    fastest = std::max(fastest, start.v.segment<3>(slot.v).norm());
  for (int body = 0; body < system.body_count(); ++body) {
    const int at = system.slot({body}).v;
    for (int i = at; i < at + (system.is_rigid({body}) ? 6 : 3); ++i) {
      const double speed = i < at + 3 ? fastest : fastest / radius_of_gyration(system, {body});
      start.v[i] += push * speed * std::sin(1 + 2.399963 * i);
    }
  }
  Track pushed;
  pushed.stride = first.stride;
  options.duration = until - start.time;
  options.record_states = [&](const State& state) { pushed.add(state); };
  simulate(system, start, method, options);
  double farthest = 0;
  TrackComparison(system).visit(
      first, pushed, [&](double, double distance) { farthest = std::max(farthest, distance); });
  return farthest > sensitive * push * fastest * options.duration;
}

/// How a run differs from one with a smaller step.
struct Difference {
  std::string other;  ///< that one, in words
  RunStatus status = RunStatus::ok;
  double diverged_at = 0;
  std::string reason;
  double error = 0, at = 0;  ///< of the first run: largest, and when
  double in_half = 0;        ///< … largest until half of what was compared
  double until = 0;          ///< up to then it is within what was asked for
  bool is_within = true;
  double lost_at = 0;  ///< when the two are elsewhere
};

/// Runs again, and compares with a first run.
struct Again {
  const System& system;
  const State& start;
  const std::function<std::unique_ptr<Method>()>& make_method;
  const Track& first;
  double size;  ///< of the scene, m
  double wanted;

  /// With so many steps in place of one, or a tolerance as many times smaller, where that is
  /// chosen. `order`: of what a step misses.
  Difference operator()(RunOptions options, int parts, double order) const {
    Track second;
    second.stride = first.stride;
    options.step /= parts;
    options.record_every *= parts;
    options.tolerance /= parts;
    options.finer_parts *= parts;
    options.record_states = [&](const State& state) { second.add(state); };
    const RunReport report = simulate(system, start, *make_method(), options);
    Difference found;
    found.other = options.tolerance > 0 ? fmt::format("a tolerance of {:g}", options.tolerance)
                                        : fmt::format("a step of {:g} s", options.step);
    found.status = report.status;
    found.diverged_at = report.time;
    found.reason = report.reason;
    found.at = found.until = start.time;
    found.lost_at = start.time + options.duration;
    const double ratio = std::pow(parts, order), factor = ratio / (ratio - 1);
    TrackComparison(system).visit(first, second, [&](double time, double distance) {
      const double error = factor * distance;
      found.is_within = found.is_within && error <= wanted * size;
      if (found.is_within) found.until = time;
      if (error > std::max(elsewhere, wanted) * size) found.lost_at = std::min(found.lost_at, time);
      if (error > found.error) {
        found.error = error;
        found.at = time;
      }
      if (time - start.time <= 0.5 * options.duration) found.in_half = found.error;
    });
    return found;
  }
};

/// What the error grows to, from what it was after half of a stretch and at its end.
double grown(double half, double whole, double times_longer) {
  const double power = half > 0 ? std::clamp(std::log2(whole / half), 0.0, fastest_growth) : 1;
  return whole * std::pow(times_longer, power);
}

}  // namespace

RunReport simulate_verified(const System& system, const State& start,
                            const std::function<std::unique_ptr<Method>()>& make_method,
                            const RunOptions& options, double wanted, VerifyWhat what,
                            double worth) {
  const double records =
      options.tolerance > 0
          ? options.duration /
                (options.record_interval > 0 ? options.record_interval : 1e-3 * options.duration)
          : options.duration / (options.step * static_cast<double>(options.record_every));
  Track first;
  first.stride = std::max(
      1L, std::lround(std::ceil(records * static_cast<double>(start.q.size()) / most_numbers)));

  // Progress: of the time all runs take, from one share to another.
  const auto report_progress = [&options](RunOptions& of, double from, double to) {
    if (!options.keep_going) return;
    of.keep_going = [&options, from, to](RunProgress progress) {
      progress.fraction = from + (to - from) * progress.fraction;
      return options.keep_going(progress);
    };
  };
  constexpr double first_part = 1.0 / 3, second_part = 0.6;
  RunOptions as_asked = options;
  as_asked.record_states = [&](const State& state) {
    first.add(state);
    if (options.record_states) options.record_states(state);
  };
  report_progress(as_asked, 0, first_part);
  const std::unique_ptr<Method> method = make_method();
  RunReport report = simulate(system, start, *method, as_asked);
  if (report.status != RunStatus::ok) return report;
  // What is only an estimate gives way to a comparison.
  const bool is_asked = what == VerifyWhat::all;
  if (!is_asked && report.doubts.size() > report.estimated_doubts.size()) return report;
  const double share = is_asked ? 1 : worthwhile_share(system, *method, options, report, worth);
  if (share == 0) return report;

  RunOptions plain = options;
  plain.reactions = false;
  plain.reference.reset();
  plain.record = {};
  plain.record_joints = {};
  plain.record_contacts = {};
  plain.record_exerted = {};
  plain.record_event = {};
  plain.checkpoints = nullptr;
  plain.duration *= share;

  // Where bodies have no extent, what is long or short is told by how far they go.
  const bool may_touch = !system.contact_sources().empty();
  const double size = std::max(scene_size(system, start),
                               is_asked && may_touch ? 0 : TrackComparison(system).travel(first));
  const Again again{system, start, make_method, first, size, wanted};
  const bool is_chosen = options.tolerance > 0;
  const bool is_smooth = is_chosen || keeps_order(system, start, report);
  // The error of a run whose steps are chosen is about that of its tolerance.
  const int parts = is_chosen ? 10 : 2, order = is_chosen || !is_smooth ? 1 : method->order();
  report_progress(plain, first_part, is_smooth ? 1 : second_part);
  Difference difference = again(plain, parts, order);
  // When things happen within a step is by chance. Two runs may agree on it, and be wrong; three
  // seldom do.
  // Neither does half a step tell anything where every step was halved anyway.
  const bool is_mostly_halved = 2 * report.cost.halved_steps > report.steps;
  if (!is_smooth && difference.status == RunStatus::ok && difference.is_within &&
      (is_mostly_halved || difference.error > by_chance * wanted * size)) {
    report_progress(plain, second_part, 1);
    Difference third = again(plain, 3, 1);
    if (third.status != RunStatus::ok || third.error > difference.error)
      difference = std::move(third);
  }
  if (difference.status == RunStatus::interrupted) {
    report.status = RunStatus::interrupted;
    return report;
  }

  Verification& found = report.verification.emplace();
  found.wanted = wanted;
  found.other = difference.other;
  found.error = difference.error;
  found.until = difference.until;
  found.compared_until = start.time + plain.duration;
  found.relative_error =
      (share < 1 ? grown(difference.in_half, found.error, 1 / share) : found.error) / size;
  found.is_met = found.relative_error <= wanted && difference.status == RunStatus::ok;
  if (share == 1)
    for (const std::string& estimated : report.estimated_doubts)
      std::erase(report.doubts, estimated);
  if (difference.status != RunStatus::ok)
    report.doubts.push_back(fmt::format("with {} the run diverges at {:.4g} s: {}", found.other,
                                        difference.diverged_at, difference.reason));
  if (!difference.is_within) {
    std::string text = fmt::format(
        "with {} positions come out differently: the error is about {:.3g} m at {:.4g} s, "
        "{:.2g} of the scene's size; it is within {:g} only until {:.4g} s",
        found.other, found.error, difference.at, found.error / size, wanted, found.until);
    // What nobody asked for is said, but held against nobody, where no method would do better. But
    // a motion takes its time to make much of little.
    if (!is_asked && found.until > start.time && (may_touch || is_fabric(system)) &&
        is_sensitive(system, start, *make_method(), plain, first, size, difference.lost_at)) {
      found.is_sensitive = true;
      report.remarks.push_back(
          text +
          "; the motion is sensitive, and makes a thousand times as much of any little error");
    } else {
      report.doubts.push_back(std::move(text));
    }
  } else if (found.relative_error > wanted) {
    report.doubts.push_back(fmt::format(
        "with {} positions come out differently: the error is about {:.3g} m in the first {:.4g} "
        "s, and as it grows it will be {:.2g} of the scene's size in the end",
        found.other, found.error, plain.duration, found.relative_error));
  }
  return report;
}

}  // namespace taut
