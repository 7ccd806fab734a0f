#include "taut/simulate/sheet_step.hpp"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

// How far vertices of a cloth may go beside each other in a part of a step, in edges: what is
// farther away meets something else before.
constexpr double longest_way = 2;
constexpr double most_parts = 64;

}  // namespace

bool SheetStep::is_free(const System& system, const State& from, const State& to) {
  start_.set(system, from.q);
  end_.set(system, to.q);
  return system.sheets()->find(start_, end_, touches_) && touches_.empty() &&
         system.sheets()->free_part(start_, end_) >= 1;
}

StepReport SheetStep::part(const System& system, Method& method, double h, State& state,
                           Workspace& w) {
  StepReport spent;
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
  StepReport report = contacts_.bounded().step(system, touching_, h, state, w);
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
  const double way = system.sheets()->longest_way(start_, end_);
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
