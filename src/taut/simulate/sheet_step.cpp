#include "taut/simulate/sheet_step.hpp"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

// How far vertices of a cloth may go beside each other in a part of a step, in edges: what is
// farther away meets something else before.
constexpr double longest_way = 2;
constexpr double most_parts = 64;
// Rebounds: how much of the time until one is left to the contacts alone, which go on as long
// after it; what is slower, in thicknesses per step, does not rebound, since what is at rest is no
// more exact; how many there may be in a step.
constexpr double just_before = 1e-3, too_slow = 0.5;
constexpr int most_rebounds = 8;

}  // namespace

bool SheetStep::is_free(const System& system, const State& from, const State& to) {
  start_.set(system, from.q);
  end_.set(system, to.q);
  return system.sheets()->find(start_, end_, touches_) && touches_.empty() &&
         system.sheets()->free_part(start_, end_) >= 1;
}

double SheetStep::next_rebound(const System& system, const State& state, double longest,
                               double least) {
  contacts_ahead_.clear();
  start_.set(system, state.q);
  for (const auto& source : system.contact_sources())
    source->find(start_, state.v, longest, 0, contacts_ahead_);
  double first = longest;
  for (const Contact& contact : contacts_ahead_) {
    const double closing = contact.normal.dot(start_.velocity(contact.b, state.v) -
                                              start_.velocity(contact.a, state.v));
    if (contact.restitution > 0 && !contact.is_compliant() && closing > least)
      first = std::min(first, std::max(contact.gap, 0.0) / closing);
  }
  return first;
}

bool SheetStep::rebound(const System& system, Method& method, double h, State& state, Workspace& w,
                        StepReport& report) {
  from_ = state;
  modes_from_ = w.modes.modes();
  lambda_from_ = w.lambda;
  const StepReport made = contacts_.step(system, method, h, state, w);
  start_.set(system, from_.q);
  end_.set(system, state.q);
  if (state.q.allFinite() && state.v.allFinite() && made.status == StepStatus::ok &&
      system.sheets()->free_part(start_, end_) >= 1) {
    add_part(report, made);
    return true;
  }
  state = from_;
  w.modes.restore(modes_from_);
  w.lambda = lambda_from_;
  return false;
}

StepReport SheetStep::touching_part(const System& system, Method& method, double h, State& state,
                                    Workspace& w) {
  is_together_ = true;
  const auto touching = [&](double length) {
    return contacts_.bounded().step(system, touching_, length, state, w);
  };
  const double least = too_slow * system.sheets()->thickness() / h;
  double hit = next_rebound(system, state, h, least);
  if (hit >= h) return touching(h);
  const double end = state.time + h;
  StepReport report;
  double left = h;
  for (int i = 0; i < most_rebounds && hit < left; ++i) {
    const double before = (1 - just_before) * hit;
    if (before > just_before * h) {
      add_part(report, touching(before));
      left -= before;
      if (!state.q.allFinite()) return report;
    }
    const double moment = 2 * just_before * std::max(hit, just_before * h);
    if (moment >= left || !rebound(system, method, moment, state, w, report)) break;
    left -= moment;
    hit = next_rebound(system, state, left, least);
  }
  add_part(report, touching(left));
  state.time = end;
  return report;
}

StepReport SheetStep::part(const System& system, Method& method, double h, State& state,
                           Workspace& w) {
  StepReport spent;
  is_together_ = false;
  if (!touched_) {
    from_ = state;
    modes_from_ = w.modes.modes();
    lambda_from_ = w.lambda;
    const StepReport report = contacts_.step(system, method, h, state, w);
    if (!state.q.allFinite() || !state.v.allFinite() || is_free(system, from_, state))
      return report;
    state = from_;
    w.modes.restore(modes_from_);
    w.lambda = lambda_from_;
    touching_.forget();
    spent = report;
  }
  StepReport report = touching_part(system, method, h, state, w);
  add_costs(report, spent);
  report.contacts = touching_.loaded();
  report.contact_force = touching_.largest_force();
  touched_ = report.contacts > 0;
  return report;
}

StepReport SheetStep::step(const System& system, Method& method, double h, State& state,
                           Workspace& w) {
  if (!system.sheets()) [[likely]]
    return contacts_.step(system, method, h, state, w);
  w.adapt(system);
  start_.set(system, state.q);
  system.advance(state.q, state.v, h, moved_);
  end_.set(system, moved_);
  const double way = finer_parts_ * system.sheets()->longest_way(start_, end_);
  const int parts = static_cast<int>(
      std::exp2(std::ceil(std::log2(std::clamp(way / longest_way, 1.0, most_parts)))));
  if (parts <= 1) return part(system, method, h, state, w);
  StepReport report;
  const double end = state.time + h;
  for (int i = 0; i < parts; ++i) {
    add_part(report, part(system, method, h / parts, state, w));
    if (!state.q.allFinite()) break;
  }
  state.time = end;
  return report;
}

}  // namespace taut
