#include "taut/derivatives/stretch.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"

namespace taut::detail {

void add_acting(const StepRecord& step, StretchTrace& trace) {
  for (const RowModes::Mode& mode : step.modes)
    if (mode.is_limit()) trace.acting.push_back(mode.is_equation);
}

StretchTrace pass(const Model& model, const State& from, const StretchPlan& plan,
                  const DerivedMethod& method) {
  StretchTrace trace;
  WatchedRun run(model, from, method.make(), plan.options);
  Observer observer(model);
  const bool needs_contacts = model.sensors.needs().contacts;
  for (std::size_t i = 0; i < plan.lengths.size(); ++i) {
    if (!run.step(plan.lengths[i])) {
      trace.has_ended = false;
      break;
    }
    trace.states.push_back(run.state());
    add_acting(run.record(), trace);
    observer.follow(run.state());
    if (plan.recorded[i])
      trace.values.push_back(needs_contacts ? observer.look(run.recording(), run.state())
                                            : observer.look(run.state(), run.record().modes));
  }
  trace.events = run.events();
  return trace;
}

namespace {

double first_unlike(const StretchTrace& a, const StretchTrace& b) {
  const std::size_t most = std::min(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < most; ++i)
    if (a.events[i].kind != b.events[i].kind || a.events[i].row != b.events[i].row)
      return a.events[i].time;
  if (a.events.size() > most) return a.events[most].time;
  return b.events.size() > most ? b.events[most].time : 0;
}

/// Everything that is differentiated, in one vector: per state q and v, then values.
VecX apart(const System& system, const StretchTrace& from, const StretchTrace& to) {
  const Eigen::Index size = system.velocity_size();
  Eigen::Index count = 2 * size * static_cast<Eigen::Index>(from.states.size());
  for (const auto& values : from.values) count += static_cast<Eigen::Index>(values.size());
  VecX out(count);
  Eigen::Index at = 0;
  for (std::size_t i = 0; i < from.states.size(); ++i, at += 2 * size) {
    const Perturbation way = difference(system, from.states[i], to.states[i]);
    out.segment(at, size) = way.q;
    out.segment(at + size, size) = way.v;
  }
  for (std::size_t i = 0; i < from.values.size(); ++i)
    for (std::size_t k = 0; k < from.values[i].size(); ++k)
      out[at++] = to.values[i][k] - from.values[i][k];
  return out;
}

/// How large two vectors like that are, places by the scene's size and speeds by the largest.
class Scale {
 public:
  Scale(const System& system, const RowPattern& pattern, const StretchTrace& nominal)
      : system_(system), states_(nominal.states.size()) {
    const State& end = nominal.states.back();
    length_ = length_scale(system, pattern, end.q);
    speed_ = 1e-3 / std::max(end.time - nominal.states.front().time, 1e-3);
    for (const State& state : nominal.states)
      speed_ = std::max(speed_, relative_displacement(system, state.v, length_));
  }
  double operator()(const VecX& x) const {
    const Eigen::Index size = system_.velocity_size();
    double largest = 0;
    Eigen::Index at = 0;
    for (std::size_t i = 0; i < states_; ++i, at += 2 * size)
      largest =
          std::max({largest, relative_displacement(system_, x.segment(at, size), length_),
                    relative_displacement(system_, x.segment(at + size, size), length_) / speed_});
    return largest;
  }

 private:
  const System& system_;
  std::size_t states_;
  double length_ = 1, speed_ = 0;
};

/// Whether what is curved would not do that over so short a way; round-off is not meant.
bool has_kink(const VecX& up, const VecX& down, const Scale& scale) {
  constexpr double much = 0.02, nothing = 1e-8;
  const double size = scale(up) + scale(down);
  return size > nothing && scale(up + down) > much * size;
}

/// Romberg's table of differences d(r) at r, 4r, 16r, …, whose errors are powers of r^order: the
/// entry that agrees best with the one beside it, which has other differences in it.
struct Extrapolated {
  VecX value;
  double error = INFINITY;
};
Extrapolated extrapolated(std::vector<VecX> column, int order, const Scale& scale) {
  Extrapolated best{column[0]};
  const auto consider = [&](const VecX& value, const VecX& other) {
    if (const double error = scale(value - other); error < best.error) best = {value, error};
  };
  for (double power = std::pow(4.0, order); column.size() > 1; power *= std::pow(4.0, order)) {
    std::vector<VecX> next;
    for (std::size_t i = 0; i + 1 < column.size(); ++i) {
      consider(column[i], column[i + 1]);
      next.push_back((power * column[i] - column[i + 1]) / (power - 1));
    }
    if (next.size() == 1) consider(next[0], column[1]);
    column = std::move(next);
  }
  return best;
}

void unfold(const System& system, const StretchTrace& nominal, const VecX& all,
            StretchSlopes& out) {
  const Eigen::Index size = system.velocity_size();
  Eigen::Index at = 0;
  for (std::size_t i = 0; i < nominal.states.size(); ++i, at += 2 * size)
    out.states.push_back({all.segment(at, size), all.segment(at + size, size)});
  for (const auto& values : nominal.values) {
    const Eigen::Index count = static_cast<Eigen::Index>(values.size());
    const VecX these = all.segment(at, count);
    out.values.emplace_back(these.data(), these.data() + count);
    at += count;
  }
}

}  // namespace

StretchSlopes slopes(const System& system, const RowPattern& pattern, const StretchTrace& nominal,
                     double epsilon, const Reach& reach,
                     const std::function<StretchTrace(double offset)>& pass_at) {
  constexpr double farthest = 256, close_enough = 1e-9, nothing = 1e-9, smallest = 1e-2;
  constexpr double part_of_parameter = 1e-5;  // about, that ε is
  StretchSlopes out;
  const auto is_like = [&](const StretchTrace& trace) {
    return trace.has_ended && trace.states.size() == nominal.states.size() &&
           trace.values.size() == nominal.values.size() && trace.acting == nominal.acting &&
           are_alike(trace.events, nominal.events);
  };
  StretchTrace up, down;
  const bool may_go_up = reach.up >= 1, may_go_down = reach.down >= 1;
  const bool up_is_like = may_go_up && is_like(up = pass_at(1));
  bool down_is_like = may_go_down && is_like(down = pass_at(-1));
  if (may_go_up && !up_is_like)
    out.first_difference = first_unlike(nominal, up);
  else if (may_go_down && !down_is_like)
    out.first_difference = first_unlike(nominal, down);
  const bool was_edge = (may_go_up && !up_is_like) || (may_go_down && !down_is_like);
  if (!up_is_like && !down_is_like) {
    out.sides = StretchSlopes::Sides::none;
    out.states.assign(nominal.states.size(), Perturbation::zero(system));
    for (const auto& values : nominal.values) out.values.emplace_back(values.size(), std::nan(""));
    for (Perturbation& state : out.states) {
      state.q.setConstant(std::nan(""));
      state.v.setConstant(std::nan(""));
    }
    return out;
  }
  if (was_edge) out.sides = StretchSlopes::Sides::one;

  const Scale scale(system, pattern, nominal);
  const bool is_central =
      up_is_like && down_is_like &&
      !has_kink(apart(system, nominal, up), apart(system, nominal, down), scale);
  if (up_is_like && down_is_like && !is_central) {
    out.sides = StretchSlopes::Sides::one;
    out.first_difference = nominal.states.front().time;
    down_is_like = false;
  }
  const double sign = up_is_like ? 1 : -1;
  std::vector<VecX> differences;
  Extrapolated found;
  const auto difference_of = [&](double offset) -> VecX {
    if (is_central) return apart(system, down, up) / (2 * offset * epsilon);
    return apart(system, nominal, up_is_like ? up : down) / (sign * offset * epsilon);
  };
  /// False: something else happens there.
  const auto go_to = [&](double offset) {
    if ((up_is_like && reach.up < offset) || (down_is_like && reach.down < offset)) return false;
    return (!up_is_like || is_like(up = pass_at(offset))) &&
           (!down_is_like || is_like(down = pass_at(-offset)));
  };
  // What is nothing beside a change of the whole parameter is nothing.
  const double floor = part_of_parameter / epsilon;
  const auto is_enough = [&] {
    return found.error <= std::max(close_enough * scale(found.value), nothing * floor);
  };
  const auto add = [&](double offset, bool is_smallest) {
    differences.insert(is_smallest ? differences.begin() : differences.end(),
                       difference_of(offset));
    found = extrapolated(differences, is_central ? 2 : 1, scale);
  };
  add(1, true);
  for (double offset = 4; offset <= farthest && !is_enough() && go_to(offset); offset *= 4)
    add(offset, false);
  for (double offset = 0.25; differences.size() < 3 && !is_enough() && go_to(offset); offset /= 4)
    add(offset, true);
  out.error = found.error / std::max(scale(found.value), smallest * floor);
  unfold(system, nominal, found.value, out);
  return out;
}

}  // namespace taut::detail
